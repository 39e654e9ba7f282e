"""Every source keeps the promises of `ports.Source`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from recollect.models.hashing import hash_text
from recollect.ports import Source, Store
from recollect.records import Link, Memory, PutLink, PutMemory, Vector
from recollect.settings import Settings
from recollect.sources.inmemory import InMemorySource
from recollect.sources.memory import MemorySource
from recollect.testing.clock import FakeClock
from recollect.testing.source_contract import MakeSource, SourceContract
from recollect.values import Lookup

EVERY_KIND = Settings(enable_messages=False)  # or the memory source leaves messages to another


def embedded(text: str) -> Vector:
    return Vector("hashing-64-v1", hash_text(text, dimensions=64))


def fill(store: Store, memories: Iterable[Memory]) -> None:
    for memory in memories:
        store.apply(memory.space, [PutMemory(memory, embedded(f"{memory.title}\n{memory.body}"))])


class TestInMemorySource(SourceContract):
    @pytest.fixture
    def make_source(self, clock: FakeClock) -> MakeSource:
        return partial(InMemorySource, now=clock.now)


class TestMemorySourceByWordsAlone(SourceContract):
    @pytest.fixture
    def make_source(self, make_store: Callable[[], Store], clock: FakeClock) -> MakeSource:
        def make(memories: Sequence[Memory]) -> MemorySource:
            store = make_store()
            fill(store, memories)
            return MemorySource(store, settings=EVERY_KIND, now=clock.now)

        return make


class TestMemorySourceByWordsAndMeaning(TestMemorySourceByWordsAlone):
    def lookup(self, text: str, source: Source, **fields: Any) -> Lookup:
        return super().lookup(text, source, vector=embedded(text), **fields)


class TestMemorySourceOverLinks(TestMemorySourceByWordsAndMeaning):
    """The promises hold where everything is linked with its neighbours in the row."""

    @pytest.fixture
    def make_source(self, make_store: Callable[[], Store], clock: FakeClock) -> MakeSource:
        def make(memories: Sequence[Memory]) -> MemorySource:
            store = make_store()
            fill(store, memories)
            for one, other in pairwise(memories):
                if one.space == other.space:
                    link = Link(one.id, other.id, "part_of", one.created_at, weight=1.0)
                    store.apply(one.space, [PutLink(link)])
            return MemorySource(store, settings=EVERY_KIND, now=clock.now)

        return make
