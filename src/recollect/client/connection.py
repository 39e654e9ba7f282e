"""One call to a service: sent, waited for, sent again where that is safe, and its reply read or its problem raised.

Time is bounded as a whole: a call with a deadline is given up a little after it, and what is left of the deadline is
passed on with each attempt. Whoever stops waiting closes the connection, and the service stops working on it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from time import monotonic as system_monotonic
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from recollect.client.problems import error_in, error_of
from recollect.client.sending import encoded
from recollect.errors import InvalidInput, MissingExtra, RecollectError, Unavailable
from recollect.settings import RemoteSettings

try:
    import httpx
except ImportError as missing:
    raise MissingExtra("the client", extra="client") from missing

EVENTS = "text/event-stream"
JSON_TYPE, LINES = "application/json", "application/x-ndjson"
BUSY, NOT_NOW = 429, 503  # with Retry-After: it was not begun, and when to come back
NOTHING: Mapping[str, Any] = MappingProxyType({})

Transport = httpx.AsyncBaseTransport
Sleep = Callable[[float], Awaitable[None]]
Told = Callable[[Mapping[str, Any]], None]


class Repeat(Enum):
    """Whether a call may be made again when nobody knows what became of it."""

    SAFE = "safe"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `key` makes a repeated write harmless; `names` are the caller's words for fields of the wire;
    `progress`, where somebody watches, is told what happens meanwhile."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    body: dict[str, Any] | str | None = None
    deadline: float | None = None
    repeat: Repeat = Repeat.NEVER
    key: str | None = None
    names: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    progress: Told | None = None


class Reply(NamedTuple):
    """What came back: the status, the body, and how long to wait where the service said so."""

    status: int
    body: bytes
    wait: float | None = None


class Line:
    """A service at an address. Usable on any loop; each has connections of its own."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        settings: RemoteSettings | None = None,
        transport: Transport | None = None,
        sleep: Sleep = asyncio.sleep,
        monotonic: Callable[[], float] = system_monotonic,
    ) -> None:
        self.base_url = checked_address(base_url)
        self._headers = {"User-Agent": "recollect", **_authorised(api_key)}
        self._settings = settings or RemoteSettings()
        self._transport = transport
        self._sleep = sleep
        self._monotonic = monotonic
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()
        self._closed = False

    async def close(self) -> None:
        """Let go of the connections; closing twice is fine."""
        self._closed = True
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.aclose()

    async def send(self, call: Call) -> Any:
        """The reply as JSON; None where there is none to give."""
        body = await self.text(call)
        return self._json(body) if body else None

    async def text(self, call: Call) -> bytes:
        """The reply as it came; a problem is raised."""
        spare = self._settings.network_seconds
        until = self._monotonic() + (self._settings.timeout_seconds if call.deadline is None else call.deadline + spare)
        for attempt in count(1):
            left = until - self._monotonic()
            try:
                async with asyncio.timeout(left):
                    reply = await self._once(call, left=left - spare)
            except TimeoutError:
                raise self._unavailable(f"gave no answer in {left:.3g} s") from None
            except httpx.TransportError as error:
                failure: RecollectError = self._unavailable(f"cannot be reached ({type(error).__name__})")
                wait = self._backoff(attempt) if call.repeat is Repeat.SAFE else None
            else:
                if reply.status < 400:
                    return self._good(reply)
                failure = error_in(reply.status, reply.body, names=call.names, where=self.base_url)
                wait = self._told_to_wait(reply, call)
            if wait is None or attempt > self._settings.retries or self._monotonic() + wait + spare >= until:
                raise failure
            await self._sleep(wait)
            if until - self._monotonic() <= spare:  # it slept longer than it was to
                raise failure
        raise AssertionError("unreachable: counting has no end")

    # --- inside ----------------------------------------------------------------------------------

    async def _once(self, call: Call, *, left: float) -> Reply:
        """One attempt; `left` is what is left of the deadline."""
        request = self._request(call, left=left)
        pool = self._pool()
        response = await pool.send(request, stream=True)
        try:
            if response.headers.get("content-type", "").startswith(EVENTS):
                return await self._follow(call, response)
            body = await response.aread()
        finally:
            await response.aclose()
        told = response.headers.get("retry-after", "")
        return Reply(response.status_code, body, float(told) if told.isdecimal() else None)

    def _request(self, call: Call, *, left: float) -> httpx.Request:
        body = call.body
        if isinstance(body, dict) and call.deadline is not None:
            body = {**body, "deadline": min(call.deadline, left)}
        headers = {"Accept": JSON_TYPE if call.progress is None else EVENTS}
        if body is not None:
            headers["Content-Type"] = LINES if isinstance(body, str) else JSON_TYPE
        if call.key is not None:
            headers["Idempotency-Key"] = _header(call.key, field="key")
        content = body.encode() if isinstance(body, str) else None if body is None else encoded(body)
        url, query = self.base_url + call.path, dict(call.query)
        try:
            return self._pool().build_request(call.method, url, params=query, content=content, headers=headers)
        except httpx.InvalidURL as error:
            raise InvalidInput(f"this cannot be sent in an address ({error}); give shorter texts") from error

    async def _follow(self, call: Call, response: httpx.Response) -> Reply:
        """The answer at the end of a stream of events; those before it are told."""
        async for name, data in events(response.aiter_bytes()):
            if name == "progress" and call.progress is not None:
                call.progress(self._json(data))
            elif name == "answer":
                return Reply(response.status_code, data)
            elif name == "error":
                raise error_of(self._json(data), names=call.names, where=self.base_url)
        raise httpx.RemoteProtocolError("the events ended without an answer")

    def _json(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except ValueError as error:
            raise self._unavailable("answered something that is not JSON") from error

    def _good(self, reply: Reply) -> bytes:
        if reply.status >= 300:
            raise self._unavailable(f"answered {reply.status} and leads elsewhere; give that address")
        return reply.body

    def _told_to_wait(self, reply: Reply, call: Call) -> float | None:
        """How long to wait before asking again; None where that is of no use, or not safe."""
        safe = reply.status == BUSY or (reply.status == NOT_NOW and call.repeat is Repeat.SAFE)
        return reply.wait if safe else None

    def _backoff(self, attempt: int) -> float:
        wait: float = self._settings.retry_wait_seconds * 2 ** (attempt - 1)
        return wait

    def _pool(self) -> httpx.AsyncClient:
        if self._closed:
            raise RuntimeError("this client is closed; make another")
        loop = asyncio.get_running_loop()
        if loop not in self._pools:
            # The time of a call is bounded as a whole, in `text`.
            self._pools[loop] = httpx.AsyncClient(headers=self._headers, timeout=None, transport=self._transport)
        return self._pools[loop]

    def _unavailable(self, what: str) -> Unavailable:
        return Unavailable(f"the service at {self.base_url} {what}; check that it runs and the address is right")


def checked_address(base_url: str) -> str:
    """The address without a slash at its end, if it is one.

    >>> checked_address("http://127.0.0.1:8765/")
    'http://127.0.0.1:8765'
    """
    try:
        parts = urlsplit(base_url) if isinstance(base_url, str) else None
        good = parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good:
        raise InvalidInput("base_url must be an http:// or https:// address", field="base_url")
    if parts is not None and ("@" in parts.netloc or parts.query or parts.fragment):  # it is named in messages
        raise InvalidInput("base_url must carry neither password nor query; use api_key", field="base_url")
    return base_url.rstrip("/")


async def events(pieces: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, bytes]]:
    """Server-sent events by name and data, as they come. Read as bytes: a text may hold what ends a line elsewhere."""
    name, data, line = "message", [], b""
    async for piece in pieces:
        first, *others = piece.split(b"\n")
        line += first
        for following in others:
            field, _, value = line.removesuffix(b"\r").partition(b":")
            if field == b"event":
                name = value.removeprefix(b" ").decode()
            elif field == b"data":
                data.append(value.removeprefix(b" "))
            elif not field and data:
                yield name, b"\n".join(data)
                name, data = "message", []
            line = following


def _authorised(api_key: str | None) -> dict[str, str]:
    return {} if api_key is None else {"Authorization": f"Bearer {_header(api_key, field='api_key')}"}


def _header(value: str, *, field: str) -> str:
    if not isinstance(value, str) or not value or not (value.isascii() and value.isprintable()):
        raise InvalidInput(f"{field} must be printable ASCII", field=field)
    return value
