"""The routes that say how the service is: health, ready, metrics, version."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import APIRouter
from fastapi.responses import Response

from recollect.doors.http.access import Asker, Right
from recollect.doors.http.errors import Kind, Rejected, Told
from recollect.doors.http.openapi import problems
from recollect.doors.http.replies import HealthReply, ReadyReply, VersionReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired

NOT_READY = Kind("not-ready", 503, "Not ready")
TEXT = "text/plain; version=0.0.4; charset=utf-8"
SOON = "2"  # seconds
TAG = "service"


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(tags=[TAG])

    @routes.get("/health", response_model=HealthReply, responses=problems())
    async def health() -> Response:
        """The process runs and answers."""
        return await reply(lambda: {"status": "ok"})

    @routes.get("/ready", response_model=ReadyReply, responses=problems())
    async def ready() -> Response:
        """It can be used: the store opens and the models are loaded, or something stands in for them."""
        if not wired.state.usable:
            detail = wired.state.problem or "models are being loaded"
            raise Rejected(NOT_READY, Told(detail, reason=detail, headers={"Retry-After": SOON}))
        await wired.engine.spaces()
        return await reply(lambda: {"status": "ready", "degraded": list(wired.state.degraded)})

    @routes.get("/v1/version", response_model=VersionReply, responses=problems())
    async def show_version() -> Response:
        """Which program this is, and which embedder it was told to use."""
        told = {"name": "recollect", "version": version("recollect"), "embedder": wired.settings.embedder.name}
        return await reply(lambda: told)

    @routes.get(
        "/metrics",
        response_class=Response,
        responses={200: {"description": "Prometheus text.", "content": {"text/plain": {}}}, **problems()},
    )
    async def metrics(caller: Asker) -> Response:
        """Counts and times for Prometheus; for whoever administers the whole service."""
        caller.check_all(Right.ADMIN)
        told = wired.counts.text().encode()
        if wired.metrics is not None:
            await wired.metrics.look_at(wired.engine)
            told += wired.metrics.render()[0]
        return Response(told, media_type=TEXT)

    return routes
