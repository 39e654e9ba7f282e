"""All stores keep every promise of `ports.Store`."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.settings import StoreSettings
from recollect.store.inmemory import InMemoryStore
from recollect.store.shelf import Shelf
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_contract import StoreContract


def now() -> datetime:
    return datetime(2030, 1, 1, tzinfo=UTC)


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> InMemoryStore:
        return InMemoryStore(now)


class TestShelf(StoreContract):
    @pytest.fixture
    def store(self) -> Shelf:
        return Shelf(now)


class TestSqliteStore(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        store = SqliteStore(tmp_path, now=now, settings=StoreSettings())
        yield store
        store.close()


class TestSqliteStoreThatKeepsOneSpaceOpenAndScansSigns(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SqliteStore]:
        settings = StoreSettings(open_spaces=1, exact_vectors=0)
        store = SqliteStore(tmp_path, now=now, settings=settings)
        yield store
        store.close()
