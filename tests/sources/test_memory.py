from __future__ import annotations

import asyncio

import pytest

from recollect.ports import Store
from recollect.records import PutMemory, Vector
from recollect.sources.memory import MemorySource
from recollect.store.sqlite import SqliteStore
from recollect.testing.corpus import make_memories, make_memory
from recollect.values import Lookup, Reply

from .test_contract import embedded, fill


def ask(store: Store, text: str, *, vector: Vector | None = None, limit: int = 10) -> Reply:
    return asyncio.run(MemorySource(store).search(Lookup(text, "default", "memory", limit, vector=vector)))


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    fill(store, make_memories())
    return store


def test_a_memory_that_shares_no_word_is_found_by_its_vector(filled: SqliteStore) -> None:
    vector = embedded(f"{make_memory(2).title}\n{make_memory(2).body}")
    hits = ask(filled, "qqq", vector=vector).hits
    assert hits[0].memory.id == "memory-0002"


def test_vectors_of_another_embedder_leave_keyword_search_and_a_note(filled: SqliteStore) -> None:
    reply = ask(filled, "BTC thesis", vector=Vector("another", embedded("x").data))
    assert [hit.memory.id for hit in reply.hits][:1] == ["memory-0000"]
    assert len(reply.notes) == 1
    assert "keyword search only" in reply.notes[0] and "reindex" in reply.notes[0]


def test_without_a_vector_there_is_no_note(filled: SqliteStore) -> None:
    assert ask(filled, "BTC thesis").notes == ()


def test_a_memory_found_by_both_arms_stands_before_those_found_by_one(filled: SqliteStore) -> None:
    text = "The office cat is called Minka"
    hits = ask(filled, text, vector=embedded(text)).hits
    assert hits[0].memory.id == "memory-0014"
    assert [detail.what for detail in hits[0].explanation.details[0].details] == ["keyword rank 1", "semantic rank 1"]


def test_a_hit_beyond_the_nearest_is_still_compared_by_its_vector(store: SqliteStore) -> None:
    near = [make_memory(n, title="", body=f"alpha beta gamma {n}") for n in range(3)]
    far = make_memory(9, title="", body="zebra")
    fill(store, [*near, far])
    reply = ask(store, "zebra", vector=embedded("alpha beta gamma"), limit=3)
    zebra = next(hit for hit in reply.hits if hit.memory.id == far.id)
    odds = next(detail for detail in zebra.explanation.details if "log-odds" in detail.what)
    assert any("cosine" in detail.what for detail in odds.details)


def test_a_memory_without_a_vector_is_still_found_by_its_words(store: SqliteStore) -> None:
    fill(store, [make_memory(1)])
    store.apply("default", [PutMemory(make_memory(2, title="", body="zebra crossing"))])
    hits = ask(store, "zebra crossing", vector=embedded("zebra crossing")).hits
    assert "memory-0002" in [hit.memory.id for hit in hits]


def test_the_better_match_is_the_more_relevant_one(filled: SqliteStore) -> None:
    relevant = {hit.memory.id: hit.relevance for hit in ask(filled, "the office cat Minka").hits}
    assert max(relevant, key=lambda id: relevant[id]) == "memory-0014"


def test_closing_leaves_the_store_open(filled: SqliteStore) -> None:
    asyncio.run(MemorySource(filled).close())
    assert ask(filled, "BTC thesis").hits
