"""The client of a service, put together: the verbs of the library, as far as the service offers them."""

from __future__ import annotations

from recollect.client.asking import Asking
from recollect.client.exploring import Exploring
from recollect.client.looking_back import LookingBack
from recollect.client.storing import Storing


class Client(Storing, Exploring, Asking, LookingBack):
    """The verbs of `Recollect` over HTTP: `async with Client("http://127.0.0.1:8765", api_key=key) as memory:`.

    Results are the library's own values, errors its own errors.
    """
