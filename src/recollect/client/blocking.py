"""The same client without `await`. Type checkers read `blocking.pyi`, generated from the verbs (`make docs`)."""

from __future__ import annotations

from typing import Any

from recollect.blocking import Blocking, add_verbs
from recollect.client.client import Client


class BlockingClient(Blocking):
    """The verbs of `Client`, awaited for you on one background loop: `with BlockingClient(address) as memory:`."""

    def __init__(self, base_url: str, **options: Any) -> None:
        super().__init__(Client(base_url, **options))


add_verbs(BlockingClient, Client)
