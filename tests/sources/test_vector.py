"""The vector source: pieces of files by likeness, within the projects and paths asked for, with the lines beside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.knowledge import CHUNK, Chunk, FileMark, Reading, kept_of
from recollect.ports import Source, Store
from recollect.records import Filters, Memory
from recollect.settings import Settings
from recollect.sources.memory import MemorySource
from recollect.sources.vector import VectorSource
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import START, FakeClock
from recollect.testing.corpus import make_memories, make_memory
from recollect.testing.source_contract import MakeSource, SourceContract
from recollect.values import Hit, Lookup

from .test_contract import embedded, fill

CHUNKS = frozenset({CHUNK})


class TestVectorSource(SourceContract):
    """All memories of the suite as pieces of files: there is one kind, so that filters on kinds say little."""

    @pytest.fixture
    def make_source(self, make_store: Callable[[], Store], clock: FakeClock) -> MakeSource:
        def make(memories: Sequence[Memory]) -> VectorSource:
            store = make_store()
            fill(store, [replace(memory, kind=CHUNK) for memory in memories])
            return VectorSource(store, now=clock.now, knowledge=InMemoryKnowledge())

        return make

    def lookup(self, text: str, source: Source, **fields: Any) -> Lookup:
        return super().lookup(text, source, vector=embedded(text), **fields)

    def test_filters_are_respected(self, make_source: MakeSource) -> None:
        rows = [make_memory(n, title="", body=f"common words {n}", source_uri=f"src/{n}.py") for n in range(12)]
        source = make_source(rows)
        cases = {
            Filters(projects=frozenset({"desk"})): {row.id for row in rows if row.project == "desk"},
            Filters(paths=frozenset({"src/1*.py"})): {
                row.id for row in rows if str(row.source_uri).startswith("src/1")
            },
            Filters(kinds=CHUNKS, trusts=frozenset({"web"})): {row.id for row in rows if row.trust == "web"},
            Filters(kinds=frozenset({"fact"})): set(),
            Filters(without_kinds=CHUNKS): set(),
        }
        for filters, expected in cases.items():
            hits = self.find(source, "common words", filters=filters)
            assert {hit.memory.id for hit in hits} == expected, filters

    def test_filters_apply_before_the_limit(self, make_source: MakeSource) -> None:
        rows = [make_memory(n, title="", body="common words", project="many") for n in range(30)]
        source = make_source([*rows, make_memory(99, title="", body="common words here too", project="one")])
        found = self.find(source, "common words", limit=3, filters=Filters(projects=frozenset({"one"})))
        assert [hit.memory.id for hit in found] == ["memory-0099"]


def ask(source: Source, text: str, **fields: Any) -> tuple[Hit, ...]:
    given = {"space": "default", "source": source.name, "limit": 25, "vector": embedded(text), **fields}
    return asyncio.run(source.search(Lookup(text, **given))).hits


def piece(n: int, body: str, **fields: Any) -> Memory:
    return make_memory(n, **{"kind": CHUNK, "title": "", "body": body, "project": "billing", **fields})


def test_only_pieces_of_files_are_found_and_the_memory_source_leaves_them(store: SqliteStore) -> None:
    fill(store, [*make_memories(), piece(100, "The rent of the office is paid by billing.")])
    assert [hit.memory.id for hit in ask(VectorSource(store, now=lambda: START), "rent of the office")] == [
        "memory-0100"
    ]
    remembered = ask(MemorySource(store, now=lambda: START), "rent of the office")
    assert remembered and CHUNK not in {hit.memory.kind for hit in remembered}
    alone = MemorySource(store, settings=Settings(enable_vector=False), now=lambda: START)
    assert "memory-0100" in {hit.memory.id for hit in ask(alone, "rent of the office")}


# --- scope -----------------------------------------------------------------------------------------


def test_the_scope_holds_inside_the_search_and_not_after_it(store: SqliteStore) -> None:
    """All of the first 25 are of another project; the one asked for still gives its own."""
    loud = [
        piece(n, f"retry the payment gateway, retry payment {n}", project="auth", source_uri=f"a/{n}.py")
        for n in range(60)
    ]
    quiet = [
        piece(200 + n, f"retry once, then give up ({n})", project="billing", source_uri=f"b/deep/{n}.py")
        for n in range(3)
    ]
    fill(store, [*loud, *quiet])
    source = VectorSource(store, now=lambda: START)
    assert {hit.memory.project for hit in ask(source, "retry the payment gateway")} == {"auth"}
    scopes = (Filters(projects=frozenset({"billing"})), Filters(paths=frozenset({"b/**"})))
    for filters in (*scopes, Filters(projects=frozenset({"billing", "crm"}), paths=frozenset({"**/*.py"}))):
        found = {hit.memory.id for hit in ask(source, "retry the payment gateway", filters=filters)}
        assert found == {memory.id for memory in quiet}, filters


# --- the same relevance ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["the rent of the office", "getUserName returns", "weekly report as a table", "zebra"])
def test_a_piece_is_as_relevant_as_the_same_text_remembered(make_store: Callable[..., SqliteStore], text: str) -> None:
    remembered, read = make_store("remembered"), make_store("read")
    rows = [memory for memory in make_memories() if memory.kind != "message"]
    fill(remembered, rows)
    fill(read, [replace(memory, kind=CHUNK) for memory in rows])
    expected = ask(MemorySource(remembered, now=lambda: START), text)
    found = ask(VectorSource(read, now=lambda: START), text)
    assert [(hit.memory.id, hit.relevance) for hit in found] == [(hit.memory.id, hit.relevance) for hit in expected]


# --- the lines beside ------------------------------------------------------------------------------

TEXTS = (
    "import os\n\n\ndef open_file():\n    pass",
    "def charge(card):\n    send(card)",
    "def refund(card):\n    undo(card)",
)
LINES = ((1, 5), (7, 8), (11, 12))


def read_file(
    store: Store, *, texts: Sequence[str] = TEXTS, lines: Sequence[tuple[int, int]] = LINES, **fields: Any
) -> InMemoryKnowledge:
    chunks = [Chunk(text, *span) for text, span in zip(texts, lines, strict=True)]
    where = {"project": "billing", "source_uri": "src/pay.py", **fields}
    memories = [
        piece(n, chunk.text, source_position=f"{chunk.start}-{chunk.end}", **where) for n, chunk in enumerate(chunks)
    ]
    fill(store, memories)
    files = InMemoryKnowledge()
    reading = Reading("billing", "src/pay.py", FileMark("d", 1, 1), chunks=tuple(chunks))
    files.put("default", [kept_of(reading, tuple(memory.id for memory in memories))])
    return files


def around(store: Store, files: InMemoryKnowledge | None, text: str, **fields: Any) -> Any:
    return ask(VectorSource(store, now=lambda: START, knowledge=files), text, **fields)[0].around


def test_a_hit_comes_with_the_lines_beside_it(store: SqliteStore) -> None:
    files = read_file(store)
    assert around(store, files, "def charge(card) send") == (
        "\ndef open_file():\n    pass", "def refund(card):\n    undo(card)", 7, 8
    )  # fmt: skip
    assert around(store, files, "import os open_file") == ("", "def charge(card):\n    send(card)", 1, 5)


def test_without_the_graph_a_hit_stands_by_itself(store: SqliteStore) -> None:
    read_file(store)
    assert not around(store, None, "def charge(card) send")
    assert not around(store, InMemoryKnowledge(), "def charge(card) send")


def test_pieces_that_do_not_adjoin_are_not_beside_each_other(store: SqliteStore) -> None:
    files = read_file(store, lines=((1, 5), (70, 71), (80, 81)))
    assert not around(store, files, "def charge(card) send")


def test_what_says_no_lines_has_none_beside(store: SqliteStore) -> None:
    files = InMemoryKnowledge()
    fill(store, [piece(0, "def charge(card)", source_position="page 3", source_uri="a.pdf")])
    reading = Reading("billing", "a.pdf", FileMark("d", 1, 1), chunks=(Chunk("def charge(card)", 3, 3),))
    files.put("default", [kept_of(reading, ("memory-0000",))])
    assert not around(store, files, "def charge(card)")


def test_what_may_not_be_seen_is_not_shown_beside_either(store: SqliteStore) -> None:
    files = read_file(store)
    hidden = piece(2, TEXTS[2], source_position="11-12", source_uri="src/pay.py", trust="web")
    fill(store, [hidden])
    seen = frozenset({"user", "agent", "tool"})
    assert around(store, files, "def charge(card) send", filters=Filters(trusts=seen)).after == ""
