"""A line of JSON for every request: what was asked for, by which key, how it ended. Never what was said.

The outermost wrapper: it names the request, and whatever is raised inside becomes a reply here.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import time
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.doors.http.counts import Counts
from recollect.doors.http.errors import STOPPING, Noted, Rejected, Told, kind_reply, tell
from recollect.settings import ServiceSettings

LOGGER = logging.getLogger("recollect.http")
ID_HEADER = "X-Request-ID"
OWN_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")  # an id of the caller's own is kept if it cannot be mistaken for anything
UNKNOWN_ROUTE = "unknown"
CLIENT_GONE = 499
# Only the server cancels a request as a whole: when it stops, and has waited long enough.
CUT_OFF = Told("the service is stopping", remedy="try again in 2 s", headers={"Retry-After": "2"})


class RequestLog:
    """Wraps the app: request id, log line, and a reply to every error."""

    def __init__(self, app: ASGIApp, *, settings: ServiceSettings, counts: Counts) -> None:
        self._app = app
        self._settings = settings
        self._counts = counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.monotonic()
        given = Headers(scope=scope).get(ID_HEADER, "")
        request_id = given if OWN_ID.fullmatch(given) else secrets.token_hex(8)
        noted = Noted(request_id, with_content=self._settings.log_content)
        scope.setdefault("state", {})["noted"] = noted
        status = CLIENT_GONE

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[ID_HEADER] = request_id
            await send(message)

        try:
            await self._app(scope, receive, named)
        except (Exception, asyncio.CancelledError) as raised:  # noqa: BLE001 - a door: all becomes a reply and a line
            kind, told = tell(raised if isinstance(raised, Exception) else Rejected(STOPPING, CUT_OFF), noted)
            if status == CLIENT_GONE:
                await kind_reply(kind, told, request_id=request_id)(scope, receive, named)
        finally:
            seconds = time.monotonic() - began
            self._counts.add(method=scope["method"], route=route_of(scope), status=status, seconds=seconds)
            self._write(scope, status, seconds)

    def _write(self, scope: Scope, status: int, seconds: float) -> None:
        if not LOGGER.isEnabledFor(logging.INFO):
            return
        state = scope["state"]
        noted: Noted = state["noted"]
        caller = state.get("caller")
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "event": "request",
            "request_id": noted.request_id,
            "method": scope["method"],
            "route": route_of(scope),
            "status": status,
            "ms": round(seconds * 1000, 1),
            "key": caller.id if caller else None,
            "space": noted.space,
            "reasons": noted.reasons,
        }
        LOGGER.info(json.dumps(line))


def route_of(scope: Scope) -> str:
    """The template of the route a request went to: few names, and nothing a caller chose."""
    return str(getattr(scope.get("route"), "path_format", UNKNOWN_ROUTE))
