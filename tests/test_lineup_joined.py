"""What a graph adds to a lineup: memories that speak of what a match names, within what may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.knowledge import Triple
from recollect.models.hashing import hash_text
from recollect.records import Filters, Memory, PutMemory, Vector
from recollect.sources.memory import MemorySource, messages_source
from recollect.store.inmemory import InMemoryStore
from recollect.testing.clock import START, FakeClock
from recollect.testing.corpus import SPACE, make_memory
from recollect.testing.source_contract import adds_up
from recollect.values import Hit, Lookup

QUESTION = "Who is the spouse of the director of Harbour Light?"
FILM = "Harbour Light is a drama film directed by Raoul Marsh in Faro."
OTHER = "Night Ferry was written by Raoul Marsh. His wife Miriam Cope played in it."
DECOYS = [f"The director of ferry number {number} is away until the morning." for number in range(8)]
VECTOR = {"vector": Vector("hashing-64-v1", hash_text(QUESTION, dimensions=64))}
STATED = [
    Triple("Harbour Light", "directed_by", "Raoul Marsh", FILM, "film"),
    Triple("Night Ferry", "written_by", "Raoul Marsh", OTHER, "other"),
]


def memory(id: str, body: str, **fields: Any) -> Memory:
    plain = {"kind": "note", "title": "", "project": None, "trust": "user"}
    return make_memory(0, id=id, body=body, **{**plain, **fields})


@pytest.fixture
def store(clock: FakeClock) -> InMemoryStore:
    made = InMemoryStore(clock.now)
    kept = [
        memory("film", FILM, title="Harbour Light"),
        memory("other", OTHER),
        *(memory(f"d{n}", body) for n, body in enumerate(DECOYS)),
    ]
    made.apply(SPACE, [PutMemory(each, Vector("hashing-64-v1", hash_text(each.body, dimensions=64))) for each in kept])
    return made


def knows(triples: Sequence[Triple]) -> InMemoryKnowledge:
    made = InMemoryKnowledge()
    made.state(SPACE, "set", triples)
    made.settle(SPACE)
    return made


def ask(store: InMemoryStore, knowledge: InMemoryKnowledge | None, *, limit: int = 6, **fields: Any) -> tuple[Hit, ...]:
    source = MemorySource(store, now=lambda: START, knowledge=knowledge)
    lookup = Lookup(
        QUESTION,
        **{"space": SPACE, "source": "memory", "limit": limit, "names": ("Harbour Light",), **VECTOR, **fields},
    )
    return source.search_now(lookup).hits


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.memory.id for hit in hits]


def test_what_speaks_of_a_name_in_the_best_match_comes_in_and_says_through_whom(store: InMemoryStore) -> None:
    before, after = ask(store, None, limit=4), ask(store, knows(STATED), limit=4)
    assert "other" not in ids(before)
    (reached,) = [hit for hit in after if hit.memory.id == "other"]
    assert reached.reached_by == ("film",)


def test_the_best_stay_where_they_were(store: InMemoryStore) -> None:
    assert ids(ask(store, knows(STATED)))[0] == ids(ask(store, None))[0] == "film"


def test_without_statements_nothing_changes(store: InMemoryStore) -> None:
    plain = ask(store, None)
    empty = ask(store, InMemoryKnowledge())
    assert [(hit.memory.id, hit.relevance) for hit in empty] == [(hit.memory.id, hit.relevance) for hit in plain]


def test_what_may_not_be_seen_does_not_come_in(store: InMemoryStore) -> None:
    others = frozenset(["film", *(f"d{n}" for n in range(len(DECOYS)))])
    assert "other" not in ids(ask(store, knows(STATED), filters=Filters(ids=others)))


def test_statements_of_a_memory_that_is_gone_lead_nowhere(store: InMemoryStore) -> None:
    gone = [*STATED, Triple("Lost Boat", "built_by", "Raoul Marsh", "", "gone")]
    assert "gone" not in ids(ask(store, knows(gone)))


def test_the_reasons_still_add_up(store: InMemoryStore) -> None:
    for hit in ask(store, knows(STATED)):
        assert adds_up(hit.explanation)


def test_turns_of_conversations_are_left_as_they_are(store: InMemoryStore) -> None:
    turns = messages_source(store, now=lambda: START)
    assert turns.search_now(Lookup(QUESTION, space=SPACE, source="messages", limit=3)).hits == ()
