from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import settings

from recollect import Recollect
from recollect.graph.inmemory import InMemoryKnowledge
from recollect.models.hashing import HashingEmbedder
from recollect.ports import Clock, Store
from recollect.settings import Settings, StoreSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock
from recollect.trace import Recorder
from recollect.wiring import make_sources

settings.register_profile("recollect", derandomize=True, deadline=None)  # the same examples on every machine
settings.load_profile("recollect")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def make_store(tmp_path: Path, clock: FakeClock) -> Iterator[Callable[[str], SqliteStore]]:
    """Real stores in folders of their own, closed at the end."""
    opened: list[SqliteStore] = []

    def make(name: str = "store") -> SqliteStore:
        opened.append(SqliteStore(tmp_path / name, now=clock.now, settings=StoreSettings()))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: Callable[[], SqliteStore]) -> SqliteStore:
    return make_store()


@pytest.fixture
def make_recollect(clock: FakeClock) -> Callable[..., Recollect]:
    """An engine on real parts whose clock stands still and whose ids are the same every time."""

    def make(store: Store, *, embedder: Any = None, clock: Clock = clock, seed: int = 7, **changes: Any) -> Recollect:
        chosen = Settings(**changes)
        return Recollect(
            chosen,
            store=store,
            embedder=embedder or HashingEmbedder(),
            sources=make_sources(chosen, store, clock),
            knowledge=InMemoryKnowledge(),
            clock=clock,
            entropy=Random(seed).randbytes,
        )

    return make


@pytest.fixture
def recollect(make_recollect: Callable[..., Recollect], store: SqliteStore) -> Recollect:
    return make_recollect(store)


@pytest.fixture
def trace(clock: FakeClock) -> Recorder:
    return Recorder("trace", started_at=clock.now(), monotonic=clock.monotonic)
