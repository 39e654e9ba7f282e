"""A real service in this process, and clients of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from recollect import Recollect
from recollect.client import Client
from recollect.doors.http.app import make_app
from recollect.doors.http.keys import KeyRing

T = TypeVar("T")
ADDRESS = "http://localhost"
# Time enough for a machine that is busy with something else.
OPENED: dict[str, Any] = {"embedder": "hashing", "environment": {}, "timeout_seconds": 600.0, "lookup_timeout": 600.0}


class Served:
    """A service over a store of its own, on one loop; `library` is the engine behind it."""

    def __init__(self, folder: Path, *, monotonic: Callable[[], float], **settings: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.library = Recollect.open(folder, **OPENED | settings)
        self.keys = KeyRing(folder)
        self.app = make_app(self.library, keys=self.keys, monotonic=monotonic)

    def client(self, **options: Any) -> Client:
        return Client(ADDRESS, transport=httpx.ASGITransport(self.app), **options)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def key(self, *rights: str, spaces: tuple[str, ...] = ("*",)) -> str:
        return self.keys.create(label="", spaces=spaces, rights=rights)[1]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    made: list[Served] = []

    def serve(*, monotonic: Callable[[], float] = lambda: 0.0, **settings: Any) -> Served:
        made.append(Served(tmp_path / f"served-{len(made)}", monotonic=monotonic, **settings))
        return made[-1]

    yield serve
    for each in made:
        each.run(each.library.close())
        each.loop.close()


@pytest.fixture
def served(serve: Callable[..., Served]) -> Served:
    return serve()
