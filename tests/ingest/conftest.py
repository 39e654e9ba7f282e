from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.graph.sqlite import SqliteKnowledge
from recollect.ingest.project import Reader
from recollect.models.hashing import HashingEmbedder
from recollect.settings import ReadSettings, StoreSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock


@pytest.fixture
def reader(tmp_path: Path, store: SqliteStore, clock: FakeClock) -> Iterator[Reader]:
    knowledge = SqliteKnowledge(tmp_path / "store", settings=StoreSettings())
    yield Reader(store, knowledge, HashingEmbedder(), ReadSettings(), clock.now, clock.monotonic)
    knowledge.close()
