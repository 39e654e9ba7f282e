from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recollect.ports import Store
from recollect.records import Filters, PutMemory, Vector
from recollect.settings import Settings
from recollect.sources.memory import MemorySource
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import START
from recollect.testing.corpus import make_memories, make_memory
from recollect.values import Explanation, Hit, Lookup, Reply

from .test_contract import embedded, fill

MESSAGE = frozenset({"message"})


def ask(store: Store, text: str, *, settings: Settings | None = None, **fields: Any) -> Reply:
    lookup = Lookup(text, **{"space": "default", "source": "memory", "limit": 10, **fields})
    return asyncio.run(MemorySource(store, settings=settings, now=lambda: START).search(lookup))


def detail(hit: Hit, what: str) -> Explanation:
    return next(each for each in hit.explanation.details if what in each.what)


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    fill(store, make_memories())
    return store


# --- by words and by meaning ---------------------------------------------------------------------


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
    ranks = [each.what for each in detail(hits[0], "fused rank").details]
    assert ranks == ["keyword rank 1", "semantic rank 1"]


def test_a_hit_beyond_the_nearest_is_still_compared_by_its_vector(store: SqliteStore) -> None:
    near = [make_memory(n, title="", body=f"alpha beta gamma {n}") for n in range(3)]
    far = make_memory(9, title="", body="zebra")
    fill(store, [*near, far])
    reply = ask(store, "zebra", vector=embedded("alpha beta gamma"), limit=3)
    zebra = next(hit for hit in reply.hits if hit.memory.id == far.id)
    standing = detail(zebra, "log-odds").details[1].details[0]
    assert any(each.what.startswith("cosine ") for each in standing.details)


def test_a_memory_without_a_vector_is_still_found_by_its_words(store: SqliteStore) -> None:
    fill(store, [make_memory(1)])
    store.apply("default", [PutMemory(make_memory(2, title="", body="zebra crossing"))])
    hits = ask(store, "zebra crossing", vector=embedded("zebra crossing")).hits
    assert "memory-0002" in [hit.memory.id for hit in hits]
    assert next(hit for hit in hits if hit.memory.id == "memory-0002").vector is None


def test_the_better_match_is_the_more_relevant_one(filled: SqliteStore) -> None:
    relevant = {hit.memory.id: hit.relevance for hit in ask(filled, "the office cat Minka").hits}
    assert max(relevant, key=lambda id: relevant[id]) == "memory-0014"


def test_what_is_found_by_other_words_is_judged_by_the_part_s_own(store: SqliteStore) -> None:
    fill(store, [make_memory(1, title="", body="Ana likes tea"), make_memory(2, title="", body="Ana moved to Oslo")])
    hits = ask(store, "Ana", about="where did Ana move to Oslo").hits
    assert [hit.memory.id for hit in hits] == ["memory-0002", "memory-0001"]


def test_closing_leaves_the_store_open(filled: SqliteStore) -> None:
    asyncio.run(MemorySource(filled).close())
    assert ask(filled, "BTC thesis").hits


# --- what a hit carries --------------------------------------------------------------------------


def test_the_score_is_that_of_the_six_signals_and_the_rest_is_told_beside_it(filled: SqliteStore) -> None:
    for hit in ask(filled, "BTC thesis", vector=embedded("BTC thesis")).hits:
        why = hit.explanation
        assert why.total() == why.value == hit.source_score == detail(hit, "six signals").value
        assert len(hit.signals) == len(detail(hit, "six signals").details) == 6
        assert [each.what.split(" (")[0] for each in why.details] == [
            "six signals",
            "log-odds of relevance",
            "fused rank",
            "keyword score",
        ]


def test_a_hit_carries_its_vector(filled: SqliteStore) -> None:
    for hit in ask(filled, "BTC thesis").hits:
        assert [hit.vector] == filled.vectors("default", [hit.memory.id])
        assert hit.vector is not None


def test_an_old_answer_is_not_behind_what_is_only_new(store: SqliteStore) -> None:
    old = make_memory(1, title="", body="The plumber is called Ozols", kind="fact", updated_at=START.replace(year=2020))
    new = [make_memory(n, title="", body=f"The roof called {n}", kind="signal", updated_at=START) for n in range(2, 6)]
    fill(store, [old, *new])
    hits = ask(store, "the plumber is called").hits
    assert hits[0].memory.id == old.id
    assert hits[0].source_score < max(hit.source_score for hit in hits), "or this would show nothing"


# --- messages belong to their own source ---------------------------------------------------------


def test_messages_are_left_to_the_messages_source(filled: SqliteStore) -> None:
    assert {hit.memory.kind for hit in ask(filled, "the plants on the second floor", limit=50).hits} & MESSAGE == set()


@pytest.mark.parametrize("kinds", [MESSAGE, MESSAGE | {"fact"}], ids=["alone", "among others"])
def test_even_where_messages_are_asked_for(filled: SqliteStore, kinds: frozenset[str]) -> None:
    hits = ask(filled, "the plants on the second floor", filters=Filters(kinds=kinds), limit=50).hits
    assert {hit.memory.kind for hit in hits} == set(kinds - MESSAGE)


@pytest.mark.parametrize("kinds", [frozenset[str](), MESSAGE], ids=["everything", "messages"])
def test_memory_searches_messages_too_where_their_source_is_off(filled: SqliteStore, kinds: frozenset[str]) -> None:
    alone = Settings(enable_messages=False)
    hits = ask(filled, "the plants on the second floor", settings=alone, filters=Filters(kinds=kinds)).hits
    assert hits[0].memory.kind == "message"
