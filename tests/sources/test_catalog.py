from __future__ import annotations

import pytest

from recollect.errors import UnknownName
from recollect.sources.catalog import load_source, source_names
from recollect.sources.memory import MemorySource
from recollect.store.sqlite import SqliteStore


def test_the_memory_source_is_known() -> None:
    assert "memory" in source_names()


def test_a_known_name_gives_its_source(store: SqliteStore) -> None:
    assert isinstance(load_source("memory", store), MemorySource)


def test_an_unknown_name_lists_the_known_ones(store: SqliteStore) -> None:
    with pytest.raises(UnknownName, match="no source is called 'nowhere'; known: memory"):
        load_source("nowhere", store)
