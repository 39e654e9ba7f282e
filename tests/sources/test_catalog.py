from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput, UnknownName
from recollect.ports import Source
from recollect.settings import LocalSettings, Settings
from recollect.sources.catalog import load_source, source_names
from recollect.sources.memory import MemorySource
from recollect.sources.vector import VectorSource
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock
from recollect.wiring import make_sources


def load(name: str, store: SqliteStore) -> Source:
    return load_source(name, store, settings=Settings(), now=FakeClock().now)


def test_our_own_sources_are_known() -> None:
    assert {"graph", "local", "memory", "messages", "vector"} <= set(source_names())


@pytest.mark.parametrize("name", ["memory", "messages"])
def test_a_known_name_gives_its_source(name: str, store: SqliteStore) -> None:
    source = load(name, store)
    assert isinstance(source, MemorySource)
    assert source.name == name
    assert source.abilities.semantic and source.abilities.cooperative


def test_pieces_of_files_are_the_vector_source_s(store: SqliteStore) -> None:
    source = load("vector", store)
    assert isinstance(source, VectorSource) and source.name == "vector"


def test_the_local_source_needs_a_folder(store: SqliteStore) -> None:
    with pytest.raises(InvalidInput, match=r"set local\.root"):
        load("local", store)


def test_a_source_is_made_where_it_is_wanted_and_has_what_it_needs(store: SqliteStore, tmp_path: Path) -> None:
    def names(**changes: Any) -> list[str]:
        return [source.name for source in make_sources(Settings(**changes), store, FakeClock())]

    root = LocalSettings(root=tmp_path)
    assert names() == ["memory", "messages", "vector"]
    assert names(local=root) == ["memory", "messages", "local", "vector"]
    assert names(local=root, enable_local=False, enable_vector=False) == ["memory", "messages"]


def test_an_unknown_name_lists_the_known_ones(store: SqliteStore) -> None:
    with pytest.raises(UnknownName, match=r"no source is called 'nowhere'; known: .*memory, messages"):
        load("nowhere", store)
