"""The service in this process, over a real store, with and without keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from recollect import Recollect
from recollect.doors.http.app import make_app
from recollect.doors.http.keys import KeyRing

T = TypeVar("T")
HOST = "http://localhost"


class Service:
    """One service on one loop, spoken to as over the network."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.engine = Recollect.open(folder, embedder="hashing", environment={}, **settings)
        self.keys = KeyRing(folder)
        self.app = make_app(self.engine, keys=self.keys)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def remember(self, text: str, **fields: Any) -> str:
        return self.run(self.engine.remember(text, **fields)).id

    def ask(self, method: str, path: str, body: Any = None, *, key: str | None = None, **more: Any) -> httpx.Response:
        headers = {**more.pop("headers", {}), **({"Authorization": f"Bearer {key}"} if key else {})}
        return self.run(self._ask(method, path, json=body, headers=headers, **more))

    async def _ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as client:
            return await client.request(method, path, **{name: each for name, each in more.items() if each is not None})

    def key(self, *rights: str, spaces: tuple[str, ...] = ("*",)) -> str:
        return self.keys.create(label="", spaces=spaces, rights=rights)[1]

    def close(self) -> None:
        self.run(self.engine.close())
        self.loop.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """A service over a store of its own; settings as the engine takes them."""
    started: list[Service] = []

    def make(**settings: Any) -> Service:
        started.append(Service(tmp_path / f"served-{len(started)}", **settings))
        return started[-1]

    yield make
    for service in started:
        service.close()


@pytest.fixture
def service(start: Callable[..., Service]) -> Service:
    """A service that knows a few things about a harbour."""
    made = start()
    made.remember("The harbour plan is due in March 2027.", title="Harbour plan")
    made.remember("Ana leads the harbour project.")
    made.remember("The harbour plan needs another review.", kind="message", author="Ana", clusters=("planning",))
    made.remember("The harbour party is on Friday.", kind="message", author="Ben", clusters=("social",))
    return made
