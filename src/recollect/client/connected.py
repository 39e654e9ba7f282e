"""What every verb of the client works with: the connection, the space meant, and the reading of a reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import monotonic as system_monotonic
from typing import Any, Self, TypeVar
from urllib.parse import quote

from recollect.client.connection import Call, Line, Repeat, Sleep, Transport
from recollect.client.sending import given
from recollect.errors import InvalidInput, NotFound, RecollectError, Unavailable
from recollect.settings import RemoteSettings
from recollect.values import Health

T = TypeVar("T")


class Connected:
    """A service, by its address. Without a space, the only one of the key is meant, or the default one.

    `transport`, `sleep` and `monotonic` are for tests and for proxies of your own.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        space: str | None = None,
        settings: RemoteSettings | None = None,
        transport: Transport | None = None,
        sleep: Sleep = asyncio.sleep,
        monotonic: Callable[[], float] = system_monotonic,
    ) -> None:
        self._space = space
        self._line = Line(
            base_url, api_key=api_key, settings=settings, transport=transport, sleep=sleep, monotonic=monotonic
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections; closing twice is fine."""
        await self._line.close()

    async def check(self) -> Health:
        """Whether the service is there and ready, and which version it is."""
        what = f"service at {self._line.base_url}"
        try:
            told = await self._line.send(Call("GET", "/v1/version", repeat=Repeat.SAFE))
            ready = await self._line.send(Call("GET", "/ready"))
            seen = f"{told['name']} {told['version']}, embedder {told['embedder']}"
            return Health(what, True, "; ".join([seen, *ready["degraded"]]))
        except (RecollectError, KeyError, TypeError) as error:
            return Health(what, False, str(error), "check the address and that 'recollect serve' runs there")

    async def _ask(self, call: Call, read: Callable[[Any], T]) -> T:
        """The value a reply stands for."""
        said = await self._line.send(call)
        try:
            return read(said)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            where = self._line.base_url
            message = f"the service at {where} answered something this client cannot read; use the same version of both"
            raise Unavailable(message) from error

    def _in(self, space: str | None, **fields: Any) -> dict[str, Any]:
        """The fields that were given, and the space meant."""
        return given(**fields, space=self._space if space is None else space)


def check_id(id: str, *, field: str = "id") -> None:
    """An id is a text with something in it."""
    if not isinstance(id, str) or not id:
        raise InvalidInput(f"{field} is {id!r}; give a text that is not empty", field=field)


def at(id: str, *, field: str = "id") -> str:
    """An id as a piece of a path.

    >>> at("b c/d")
    'b%20c%2Fd'
    """
    check_id(id, field=field)
    if not {"", ".", ".."}.isdisjoint(id.split("/")):  # the path would lead elsewhere, also where it is escaped
        raise NotFound(f"nothing is called {id!r}")
    return quote(id, safe="", errors="replace")


def nothing(said: Any) -> None:
    """For a reply without content."""
