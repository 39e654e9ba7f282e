"""The HTTP service, put together: routes over one engine, inside the wrappers every request passes.

A request passes, from outside in: `request_log` (id, line, every error a reply), `gate` (host, key, limits), `bounds`
(size, time, a client that hangs up), then its route. To add routes: one file `routes_*.py` with
`router(wired) -> APIRouter`, and its line in ROUTERS.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI
from fastapi.middleware.cors import CORSMiddleware

from recollect.doors.discreet import discreet
from recollect.doors.http import (
    routes_ask,
    routes_clusters,
    routes_conflicts,
    routes_conversation,
    routes_entities,
    routes_health,
    routes_links,
    routes_memories,
    routes_projects,
    routes_spaces,
    routes_traces,
)
from recollect.doors.http.bounds import Bounds
from recollect.doors.http.errors import add_handlers
from recollect.doors.http.gate import OPEN_PATHS, Gate, allowed_origins
from recollect.doors.http.keys import KeyRing
from recollect.doors.http.limits import Limits
from recollect.doors.http.openapi import describe
from recollect.doors.http.request_log import ID_HEADER, RequestLog
from recollect.doors.http.wired import Wired
from recollect.engine import Recollect
from recollect.errors import MissingExtra
from recollect.settings import Settings
from recollect.telemetry.load import make_metrics

if TYPE_CHECKING:
    from recollect.telemetry.metrics import Metrics

LOGGER = logging.getLogger("recollect.http")
FIRST_QUESTION = "Is everything there?"  # asked by the service itself, before it says it is ready
AGAIN_SECONDS = 5.0  # until it is asked again, where something was not there
# What a page of an allowed origin may send and read, beside what every page may.
METHODS = ("GET", "POST", "PATCH", "DELETE")
SENT, READ = ("Authorization", "Content-Type", "Idempotency-Key", ID_HEADER), ("Retry-After", ID_HEADER)

# Every file of routes, in the order of the document. Append yours: each gives `router(wired) -> APIRouter`.
ROUTERS: tuple[Callable[[Wired], APIRouter], ...] = (
    routes_conversation.router,
    routes_ask.router,
    routes_memories.router,
    routes_links.router,
    routes_entities.router,
    routes_conflicts.router,
    routes_clusters.router,
    routes_traces.router,
    routes_projects.router,
    routes_spaces.router,
    routes_health.router,
)


def make_app(
    engine: Recollect,
    *,
    settings: Settings | None = None,
    keys: KeyRing | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> FastAPI:
    """The service over an engine, which it closes when it stops. Settings and keys are the engine's unless given."""
    chosen = settings or engine.settings
    wired = Wired(discreet(engine), chosen, keys or KeyRing(chosen.store.path), metrics=_metrics(engine, chosen))
    app = FastAPI(lifespan=_lifespan(wired), docs_url=None, redoc_url=None, title="Recollect")
    app.state.wired = wired
    for make in ROUTERS:
        app.include_router(make(wired))
    add_handlers(app)
    describe(app, wired.keys, version("recollect"))
    # The last one added is the outermost.
    app.add_middleware(Bounds, settings=chosen.service)
    limits = Limits(chosen.service, monotonic)
    app.add_middleware(Gate, settings=chosen.service, keys=wired.keys, limits=limits, open_paths=OPEN_PATHS)
    app.add_middleware(RequestLog, settings=chosen.service, counts=wired.counts)
    if origins := allowed_origins(chosen.service):  # outside the log, so that a page can read errors too
        app.add_middleware(
            CORSMiddleware, allow_origins=list(origins), allow_methods=METHODS, allow_headers=SENT, expose_headers=READ
        )
    return app


def _metrics(engine: Recollect, settings: Settings) -> Metrics | None:
    """What counts the engine's calls, if it is switched on and installed; requests are counted anyway."""
    if not settings.telemetry.metrics:
        return None
    try:
        metrics = make_metrics(settings.telemetry)
    except MissingExtra:
        return None
    engine.observed_by(metrics)
    return metrics


def _lifespan(wired: Wired) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """From start to stop: models are loaded while it serves already; at the end what is to be noted is written."""

    @asynccontextmanager
    async def alive(_: FastAPI) -> AsyncIterator[None]:
        loading = asyncio.create_task(warm(wired))
        try:
            yield
        finally:
            loading.cancel()
            await asyncio.wait({loading})
            await wired.engine.close()

    return alive


async def warm(wired: Wired) -> None:
    """Load the models; the service is usable then. Until it is, it says why not, and tries again."""
    while True:
        try:
            await wired.engine.spaces()
            await wired.engine.warm()
            tried = await wired.engine.search(FIRST_QUESTION, limit=1)
            break
        except Exception as error:  # noqa: BLE001 - a door: whatever is missing, it answers, and says so
            before, wired.state.problem = wired.state.problem, type(error).__name__
            if before != wired.state.problem:
                LOGGER.error(json.dumps({"event": "not_usable", "error": wired.state.problem, "detail": str(error)}))
            await asyncio.sleep(AGAIN_SECONDS)
    gc.collect()
    gc.freeze()  # what is loaded stays; looking through it again and again would hold every thread
    wired.state.degraded = tried.degraded
    wired.state.usable = True
