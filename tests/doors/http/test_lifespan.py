"""From start to stop in this process: ready when it can be used, and closed whatever happened before."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from recollect.doors.http import app as parts

from .conftest import Service

PATIENCE = 60.0


class Broken:
    """Loading that fails so many times, with an error nobody foresaw."""

    def __init__(self, service: Service, times: int) -> None:
        self.left = times
        self._load = service.engine.warm
        service.engine.warm = self  # type: ignore[method-assign, assignment]

    async def __call__(self) -> None:
        if self.left:
            self.left -= 1
            raise OSError("the disk is away")
        await self._load()


async def ready(service: Service) -> tuple[int, str]:
    reply = await service._ask("GET", "/ready")
    return reply.status_code, reply.json().get("detail", "")


def test_what_is_not_there_at_the_start_is_looked_for_again(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(parts, "AGAIN_SECONDS", 0.01)
    Broken(service, times=2)

    async def live() -> None:
        async with service.app.router.lifespan_context(service.app):
            async with asyncio.timeout(PATIENCE):
                while (await ready(service))[0] != 200:
                    await asyncio.sleep(0.01)

    with caplog.at_level(logging.ERROR, logger="recollect.http"):
        service.run(live())
    lines = [json.loads(each.getMessage()) for each in caplog.records]
    assert lines == [{"event": "not_usable", "error": "OSError", "detail": "the disk is away"}], (
        "told once, not each time"
    )


def test_it_is_closed_even_if_it_was_never_usable(service: Service) -> None:
    broken, closed = Broken(service, times=1_000), []
    close = service.engine.close

    async def closing() -> None:
        closed.append(True)
        await close()

    service.engine.close = closing  # type: ignore[method-assign]

    async def live() -> None:
        async with service.app.router.lifespan_context(service.app):
            async with asyncio.timeout(PATIENCE):
                while broken.left == 1_000:
                    await asyncio.sleep(0.01)
            assert await ready(service) == (503, "OSError")

    service.run(live())
    assert closed == [True]
