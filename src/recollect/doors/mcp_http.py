"""MCP over streamable HTTP, on loopback unless told otherwise; needs the extras `mcp` and `server`.

It stands behind the same gate as the HTTP service: names and origins, keys, limits, a line in the log. A key says in
which space its calls work; without keys that is the space the server was started for.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import DEFAULT_MAX_SESSIONS
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.doors.http.access import ANONYMOUS, Caller, Right
from recollect.doors.http.connections import guarded, listen
from recollect.doors.http.counts import Counts
from recollect.doors.http.errors import FORBIDDEN, Rejected, Told
from recollect.doors.http.gate import Gate, is_loopback
from recollect.doors.http.keys import KeyRing
from recollect.doors.http.limits import Limits
from recollect.doors.http.request_log import RequestLog
from recollect.doors.mcp import Context, Warming, make_server, stop_signals
from recollect.doors.mcp_tools import Bound
from recollect.engine import Recollect
from recollect.errors import InvalidInput
from recollect.settings import ServiceSettings

PATH = "/mcp"
BOUND = "mcp_bound"  # where the request's binding stands among its state
MILLISECONDS = 1000


async def serve_http(
    engine: Recollect, bound: Bound, *, host: str | None, port: int | None, tell: Callable[[str], None]
) -> int:
    """Serve until told to stop; `tell` gets the address once it listens. The number of the signal that ended it."""
    service = engine.settings.service
    service = replace(
        service, host=service.host if host is None else host, port=service.mcp_port if port is None else port
    )
    keys = KeyRing(engine.settings.store.path)
    check_reach(service, keys)
    async with Warming(engine) as warming:
        app = make_app(engine, bound, service=service, keys=keys, warming=warming)
        with listen(service.host, service.port) as listener, stop_signals() as told:
            server = _Server(uvicorn.Config(app, **guarded(service)))
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            stopping = asyncio.create_task(told.wait())
            shown = f"[{service.host}]" if ":" in service.host else service.host
            tell(f"http://{shown}:{listener.getsockname()[1]}{PATH}")
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            logging.getLogger("uvicorn.error").disabled = True  # a stream that is cut off from now on is no error
            server.handle_exit(told.number, None)  # also what streams that wait for news listen to
            stopping.cancel()
            await serving
    return told.number


def check_reach(service: ServiceSettings, keys: KeyRing) -> None:
    """Refuse to listen where others can reach it, unless there are keys."""
    if not is_loopback(service.host) and not keys.required:
        message = f"host {service.host!r} can be reached by others; make a key first with 'recollect keys create'"
        raise InvalidInput(message, field="host")


def make_app(
    engine: Recollect, bound: Bound, *, service: ServiceSettings, keys: KeyRing, warming: Warming | None = None
) -> ASGIApp:
    """The whole application: log, gate, binding, protocol."""
    server = make_server(engine, _binding, warming=warming)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=service.max_body_bytes,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # the gate has looked
    )

    def gate(bounds: ServiceSettings) -> Gate:
        return Gate(Binder(app, bound), settings=service, keys=keys, limits=Limits(bounds, time.monotonic))

    waiting = replace(service, concurrent_requests=DEFAULT_MAX_SESSIONS)  # a session waits for news once at a time
    return RequestLog(ByMethod(gate(service), waiting=gate(waiting)), settings=service, counts=Counts())


class ByMethod:
    """Keeps sessions that wait for news (GET) apart from requests in progress, whose number is limited."""

    def __init__(self, app: ASGIApp, *, waiting: ASGIApp) -> None:
        self._app = app
        self._waiting = waiting

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._waiting if scope.get("method") == "GET" else self._app)(scope, receive, send)


class Binder:
    """Wraps the protocol: says in which space a request works, and keeps a session to the key that began it."""

    def __init__(self, app: ASGIApp, bound: Bound) -> None:
        self._app = app
        self._bound = bound

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            caller: Caller = scope["state"]["caller"]
            scope["state"][BOUND] = bound = bound_by(caller, self._bound)
            caller.noted.space = bound.space
            if caller.id != ANONYMOUS:
                scope["user"] = AuthenticatedUser(AccessToken(token=caller.id, client_id=caller.id, scopes=[]))
        await self._app(scope, receive, send)


def bound_by(caller: Caller, start: Bound) -> Bound:
    """A key for one space works there; one for several in the server's own, if that is among them."""
    only = next(iter(caller.spaces)) if len(caller.spaces) == 1 and not caller.sees_all else None
    space = only or start.space
    if not caller.sees(space):
        detail = "this key is for other spaces than the one this server works in"
        raise Rejected(FORBIDDEN, Told(detail, remedy="use a key for one space, or for this one"))
    return Bound(
        space,
        may_read=start.may_read and caller.has(Right.READ),
        may_write=start.may_write and caller.has(Right.WRITE),
    )


def _binding(context: Context) -> Bound:
    assert context.request is not None, "every request over HTTP carries its own"
    found: Bound = context.request.scope["state"][BOUND]
    return found


class _Server(uvicorn.Server):
    """Leaves signals to us: uvicorn would raise them again before the store is closed."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
