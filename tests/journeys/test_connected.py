"""Memories that speak of the same names are found through each other once they are connected, and forgotten whole."""

from __future__ import annotations

from pathlib import Path

from recollect import BlockingRecollect

BOAT = "The Blue Boat was built by Ana Ortiz."
ANA = "Ana Ortiz was born in Porto."


def test_forgetting_a_memory_takes_what_it_stated_out_of_the_graph(tmp_path: Path) -> None:
    with BlockingRecollect.open(tmp_path, embedder="static", environment={}) as memory:
        boat = memory.remember(BOAT, title="The Blue Boat", kind="document")
        memory.remember(ANA, title="Ana Ortiz", kind="document")
        assert memory.connect() >= 2
        assert [each.name for each in memory.entities("The Blue Boat")] == ["The Blue Boat"]
        memory.forget(boat.id)
        assert memory.entities("The Blue Boat") == []
        assert memory.entities("Ana Ortiz"), "somebody else speaks of her"
    left = b"".join(path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file())
    assert b"Blue Boat" not in left and b"blue boat" not in left


def test_the_graph_answers_from_what_memories_state(tmp_path: Path) -> None:
    with BlockingRecollect.open(tmp_path, embedder="static", environment={}) as memory:
        memory.remember(BOAT, title="The Blue Boat", kind="document")
        memory.remember(ANA, title="Ana Ortiz", kind="document")
        memory.connect()
        answer = memory.retrieve("Who built the Blue Boat?")
        first = answer.evidence[0]
        assert set(first.sources) == {"graph", "memory"}, "it is the sentence of the memory, found both ways"
        assert first.memory.body == BOAT
