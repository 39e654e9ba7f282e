"""What one request may take: so many bytes, so many seconds, and only while somebody waits for it.

The route runs as a task of its own while this listens to the client: one that goes away, or takes too long, ends it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.doors.http.errors import MALFORMED, TOO_LARGE, TOO_SLOW, Rejected, Told
from recollect.settings import ServiceSettings

GONE = "client_gone"


class Bounds:
    """Wraps the app: body size, time, and a client that hangs up."""

    def __init__(self, app: ASGIApp, *, settings: ServiceSettings) -> None:
        self._app = app
        self._most = settings.max_body_bytes
        self._seconds = settings.request_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._check_length(Headers(scope=scope))
        inbox: asyncio.Queue[Message] = asyncio.Queue()
        serving = asyncio.ensure_future(_serve(self._app, scope, inbox, send))
        hearing = asyncio.ensure_future(self._hear(receive, inbox))
        try:
            await asyncio.wait({serving, hearing}, timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
            if not serving.done():
                await self._end(serving, hearing, scope)
                return
            serving.result()
        finally:
            hearing.cancel()
            serving.cancel()
            with suppress(asyncio.CancelledError, Rejected):
                await hearing

    async def _hear(self, receive: Receive, inbox: asyncio.Queue[Message]) -> None:
        """Pass on what the client sends, until it has gone."""
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return  # the route need not hear of it: it is ended
            size += len(message.get("body", b""))
            if size > self._most:
                raise _too_large(self._most)
            inbox.put_nowait(message)

    async def _end(self, serving: asyncio.Future[None], hearing: asyncio.Future[None], scope: Scope) -> None:
        """Stop a route nobody waits for any more, and say why."""
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
        if not hearing.done():
            detail = f"the request took longer than {self._seconds:g} s"
            raise Rejected(TOO_SLOW, Told(detail, remedy="ask for less, or give a shorter deadline"))
        hearing.result()  # raises when too much was sent
        scope["state"]["noted"].reasons.append(GONE)

    def _check_length(self, headers: Headers) -> None:
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise Rejected(MALFORMED, Told("Content-Length is no number", field="Content-Length"))
        if int(length) > self._most:
            raise _too_large(self._most)


async def _serve(app: ASGIApp, scope: Scope, inbox: asyncio.Queue[Message], send: Send) -> None:
    await app(scope, inbox.get, send)


def _too_large(most: int) -> Rejected:
    return Rejected(TOO_LARGE, Told(f"the body has more than {most:,} bytes", field="body", remedy="send it in pieces"))
