from __future__ import annotations

import asyncio

from recollect.sources.inmemory import InMemorySource
from recollect.testing.corpus import make_memory
from recollect.values import Lookup


def test_relevance_is_the_share_of_the_words_found() -> None:
    source = InMemorySource([make_memory(0, title="", body="alpha beta"), make_memory(1, title="", body="alpha")])
    hits = asyncio.run(source.search(Lookup("alpha beta", "default", "list", 9))).hits
    assert [(hit.memory.id, hit.relevance) for hit in hits] == [("memory-0000", 1.0), ("memory-0001", 0.5)]


def test_it_may_be_given_another_name() -> None:
    assert InMemorySource(name="notes").name == "notes"


def test_closing_lets_go_of_its_memories() -> None:
    source = InMemorySource([make_memory(0)])
    asyncio.run(source.close())
    assert asyncio.run(source.search(Lookup("BTC", "default", "list", 9))).hits == ()
