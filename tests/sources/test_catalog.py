from __future__ import annotations

import pytest

from recollect.errors import UnknownName
from recollect.ports import Source
from recollect.settings import Settings
from recollect.sources.catalog import load_source, source_names
from recollect.sources.memory import MemorySource
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock


def load(name: str, store: SqliteStore) -> Source:
    return load_source(name, store, settings=Settings(), now=FakeClock().now)


def test_our_own_sources_are_known() -> None:
    assert {"memory", "messages"} <= set(source_names())


@pytest.mark.parametrize("name", ["memory", "messages"])
def test_a_known_name_gives_its_source(name: str, store: SqliteStore) -> None:
    source = load(name, store)
    assert isinstance(source, MemorySource)
    assert source.name == name
    assert source.abilities.semantic and source.abilities.cooperative


def test_an_unknown_name_lists_the_known_ones(store: SqliteStore) -> None:
    with pytest.raises(UnknownName, match="no source is called 'nowhere'; known: memory, messages"):
        load("nowhere", store)
