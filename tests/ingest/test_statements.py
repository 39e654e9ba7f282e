"""What stored memories state, put into a graph with the memory that says it."""

from __future__ import annotations

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.ingest.statements import COLLECTION, state_memories, triples_of
from recollect.memories import Memory
from recollect.records import Filters, PutMemory
from recollect.store.inmemory import InMemoryStore
from recollect.testing.clock import FakeClock
from recollect.testing.corpus import SPACE, make_memory


def document(id: str, title: str, body: str, kind: str = "document") -> Memory:
    return make_memory(0, id=id, title=title, body=body, kind=kind)


BOAT = document("m1", "Blue Boat", "Blue Boat is a film directed by Ana Ortiz.")


def test_a_memory_says_whose_statements_they_are_and_where_it_says_so() -> None:
    (made,) = [each for each in triples_of(BOAT) if each.relation == "directed_by"]
    assert (made.subject, made.object, made.memory, made.sentence) == ("Blue Boat", "Ana Ortiz", "m1", BOAT.body)


def test_other_names_are_stated_too() -> None:
    found = triples_of(document("m2", "Ana Ortiz", "Ana Maria Ortiz (born 5 May 1901) was a poet."))
    assert ("Ana Ortiz", "also_called", "Ana Maria Ortiz") in {each[:3] for each in found}


def test_turns_and_pieces_of_files_are_not_read() -> None:
    for kind in ("message", "chunk"):
        assert triples_of(document("m3", BOAT.title, BOAT.body, kind=kind)) == []


def test_all_memories_of_a_space_are_stated_and_stating_again_replaces(clock: FakeClock) -> None:
    store, graph = InMemoryStore(clock.now), InMemoryKnowledge()
    store.apply(SPACE, [PutMemory(BOAT), PutMemory(document("m2", "Ana Ortiz", "Ana Ortiz was born in Faro."))])
    count = state_memories(store, graph, SPACE, filters=Filters())
    (ana,) = graph.named(SPACE, ["ana ortiz"])["ana ortiz"]
    said = graph.about(SPACE, [ana.id])
    assert {(each.relation, each.memory) for each in said} == {("directed_by", "m1"), ("born_in", "m2")}
    assert state_memories(store, graph, SPACE, filters=Filters()) == count
    assert graph.about(SPACE, [ana.id]) == said
    state_memories(store, graph, SPACE, filters=Filters(ids=frozenset({"m1"})))
    assert {each.memory for each in graph.about(SPACE, [ana.id])} == {"m1"}
    assert COLLECTION
