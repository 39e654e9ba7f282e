from __future__ import annotations

import asyncio
from typing import Any

import pytest

from recollect.records import Filters
from recollect.sources.memory import messages_source
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import START
from recollect.testing.corpus import make_memories, make_memory
from recollect.values import Hit, Lookup

from .test_contract import embedded, fill


def ask(store: SqliteStore, text: str, **fields: Any) -> tuple[Hit, ...]:
    lookup = Lookup(text, **{"space": "default", "source": "messages", "limit": 50, **fields})
    return asyncio.run(messages_source(store, now=lambda: START).search(lookup)).hits


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    fill(store, make_memories(200))
    return store


@pytest.mark.parametrize("text", ["the plants", "the office", "BTC thesis"])
def test_only_messages_are_found(filled: SqliteStore, text: str) -> None:
    hits = ask(filled, text, vector=embedded(text))
    assert hits
    assert {(hit.memory.kind, hit.source) for hit in hits} == {("message", "messages")}


@pytest.mark.parametrize(
    "filters",
    [
        Filters(kinds=frozenset({"fact"})),
        Filters(without_kinds=frozenset({"message"})),
        Filters(kinds=frozenset({"message"}), without_kinds=frozenset({"message"})),
    ],
    ids=["other kinds", "no messages", "both"],
)
def test_filters_that_exclude_messages_give_nothing(filled: SqliteStore, filters: Filters) -> None:
    assert ask(filled, "the plants", filters=filters) == ()


def test_filters_that_allow_messages_among_others_give_messages(filled: SqliteStore) -> None:
    kinds = frozenset({"message", "fact"})
    assert {hit.memory.kind for hit in ask(filled, "the plants", filters=Filters(kinds=kinds))} == {"message"}


def test_who_said_it_counts(store: SqliteStore) -> None:
    said = [
        make_memory(n, title="", body="I will water the plants", kind="message", author=author)
        for n, author in enumerate(("Ben", "Ana"), start=1)
    ]
    fill(store, said)
    hits = ask(store, "Did Ana water the plants?", names=("Ana",))
    assert [hit.memory.author for hit in hits] == ["Ana", "Ben"]
    assert hits[0].relevance > hits[1].relevance


def test_the_explanation_says_which_search_it_was(filled: SqliteStore) -> None:
    assert ask(filled, "the plants")[0].explanation.what == "messages search"
