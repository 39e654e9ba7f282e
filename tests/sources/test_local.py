"""The local source: the files of the project at hand as they are at this moment, by section."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.models.cached import CachedEmbedder
from recollect.models.hashing import HashingEmbedder
from recollect.ports import Source, TextKind
from recollect.records import Filters, Memory, Vector
from recollect.settings import LocalSettings, Settings
from recollect.sources.local import LocalSource
from recollect.sources.memory import MemorySource
from recollect.store.shelf import Shelf
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import START, FakeClock
from recollect.testing.corpus import make_memory
from recollect.testing.source_contract import MakeSource, SourceContract
from recollect.values import Lookup, Reply

from .test_contract import embedded, fill

PATIENT = 30.0  # seconds: the machine may be busy, and these are tests of what comes, not of when
LONG_AGO = 1_700_000_000


class Counting(HashingEmbedder):
    """The reference embedder, counting the texts it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        self.texts += texts
        return await super().embed(texts, kind=kind)


class Slow(HashingEmbedder):
    """Embeds nothing before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        await self.gate.wait()
        return await super().embed(texts, kind=kind)


class Broken(HashingEmbedder):
    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        raise RuntimeError("no model")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "harbour"
    folder.mkdir()
    return folder


def write(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def source_of(root: Path, *, embedder: Any = None, seconds: float = PATIENT, **local: Any) -> LocalSource:
    settings = Settings(local=LocalSettings(root=root, embed_seconds=seconds, **local))
    return LocalSource(
        Shelf(lambda: START), settings=settings, now=lambda: START, embedder=embedder or HashingEmbedder()
    )


def look(source: LocalSource, text: str, **fields: Any) -> Reply:
    given = {"space": "default", "source": "local", "limit": 10, "vector": embedded(text), **fields}
    return asyncio.run(source.search(Lookup(text, **given)))


def ids(source: LocalSource, text: str, **fields: Any) -> list[str]:
    return [hit.memory.id for hit in look(source, text, **fields).hits]


class TestLocalSource(SourceContract):
    """The memories of the suite as files, one each. Files know no space, no trust and no lifecycle."""

    @pytest.fixture
    def make_source(self, tmp_path: Path, clock: FakeClock) -> MakeSource:
        def make(memories: Sequence[Memory]) -> LocalSource:
            root = tmp_path / f"project-{len(list(tmp_path.iterdir()))}"
            root.mkdir()
            for memory in memories:
                write(root, f"docs/{memory.id}.md", f"# {memory.title or memory.id}\n\n{memory.body}\n")
            return source_of(root)

        return make

    def lookup(self, text: str, source: Source, **fields: Any) -> Lookup:
        return super().lookup(text, source, vector=embedded(text), **fields)

    def test_nothing_of_another_space_is_seen(self, make_source: MakeSource) -> None:
        """The files belong to the project: every space sees them, each as its own."""
        source = make_source([make_memory(0)])
        for space in ("default", "other"):
            assert [hit.memory.space for hit in self.find(source, "BTC thesis", space=space)] == [space]

    test_unknown_space_gives_nothing = test_nothing_of_another_space_is_seen
    test_archived_memories_are_hidden_unless_asked_for = test_nothing_of_another_space_is_seen
    test_superseded_memories_are_hidden_unless_asked_for = test_nothing_of_another_space_is_seen

    def test_filters_are_respected(self, make_source: MakeSource) -> None:
        rows = [make_memory(n, title="", body=f"common words {n}") for n in range(12)]
        source = make_source(rows)
        cases: dict[Filters, set[str]] = {
            Filters(paths=frozenset({"docs/memory-000?.md"})): {row.id for row in rows[:10]},
            Filters(paths=frozenset({"src/**"})): set(),
            Filters(projects=frozenset({"another"})): set(),
            Filters(without_kinds=frozenset({"fact"})): set(),
            Filters(kinds=frozenset({"fact"})): {row.id for row in rows},
        }
        for filters, expected in cases.items():
            found = {str(hit.memory.source_uri) for hit in self.find(source, "common words", filters=filters)}
            assert found == {f"docs/{id}.md" for id in expected}, filters

    def test_filters_apply_before_the_limit(self, make_source: MakeSource) -> None:
        rows = [make_memory(n, title="", body="common words") for n in range(30)]
        source = make_source([*rows, make_memory(99, title="", body="common words here too")])
        found = self.find(source, "common words", limit=3, filters=Filters(paths=frozenset({"**/memory-0099.md"})))
        assert [hit.memory.source_uri for hit in found] == ["docs/memory-0099.md"]


# --- what a hit is ---------------------------------------------------------------------------------

GUIDE = """# Guide

What the harbour is for.

## Setup

Run `make harbour` before the first boat comes in.

## Tides

The tide table is kept in the office of the pilot.

### Spring tides

They come twice a month.
"""


def test_a_hit_is_a_section_that_can_be_cited(root: Path) -> None:
    write(root, "docs/guide.md", GUIDE)
    (best, *_) = look(source_of(root), "where is the tide table kept?").hits
    memory = best.memory
    assert (memory.source_uri, memory.source_position, memory.title) == ("docs/guide.md", "tides", "Guide > Tides")
    assert (memory.kind, memory.project, best.source) == ("fact", "harbour", "local")
    assert memory.body == "The tide table is kept in the office of the pilot."
    assert memory.metadata == {"lines": [9, 11]}
    assert look(source_of(root), "make harbour before the first boat").hits[0].memory.kind == "instruction"


def test_a_text_in_a_file_is_as_relevant_as_the_same_text_remembered(root: Path, store: SqliteStore) -> None:
    write(root, "docs/guide.md", GUIDE)
    question = "where is the tide table kept?"
    found = look(source_of(root), question).hits
    fill(store, [hit.memory for hit in found])
    lookup = Lookup(question, "default", "memory", 10, vector=embedded(question))
    remembered = asyncio.run(MemorySource(store, now=lambda: START).search(lookup)).hits
    expected = [(hit.memory.id, pytest.approx(hit.relevance, abs=1e-6)) for hit in remembered]
    assert len(found) > 2 and [(hit.memory.id, hit.relevance) for hit in found] == expected


# --- always current --------------------------------------------------------------------------------


def test_an_edit_is_seen_at_the_next_lookup(root: Path) -> None:
    file = write(root, "README.md", "# Boat\n\nThe pump is red.\n")
    source = source_of(root)
    assert look(source, "colour of the pump").hits[0].memory.body.endswith("red.")
    file.write_text("# Boat\n\nThe pump is bluish.\n")
    assert look(source, "colour of the pump").hits[0].memory.body.endswith("bluish.")


def test_an_edit_of_the_same_size_right_after_is_seen(root: Path) -> None:
    file = write(root, "README.md", "# Boat\n\nThe pump is red.\n")
    source = source_of(root)
    for colour in ("tan", "red", "sky", "red"):
        file.write_text(f"# Boat\n\nThe pump is {colour}.\n")
        assert look(source, "colour of the pump").hits[0].memory.body.endswith(f"{colour}.")


def test_an_edit_that_keeps_the_time_but_not_the_size_is_seen(root: Path) -> None:
    file = write(root, "README.md", "# Boat\n\nThe pump is red.\n")
    os.utime(file, (LONG_AGO, LONG_AGO))
    source = source_of(root)
    assert look(source, "pump").hits
    file.write_text("# Boat\n\nThe pump is crimson.\n")
    os.utime(file, (LONG_AGO, LONG_AGO))
    assert look(source, "pump").hits[0].memory.body.endswith("crimson.")


def test_a_file_replaced_by_another_of_the_same_size_and_time_is_seen(root: Path) -> None:
    file = write(root, "README.md", "# Boat\n\nThe pump is red.\n")
    os.utime(file, (LONG_AGO, LONG_AGO))
    source = source_of(root)
    assert look(source, "pump").hits
    other = write(root, "new.txt", "# Boat\n\nThe pump is tan.\n")
    os.utime(other, (LONG_AGO, LONG_AGO))
    os.replace(other, file)
    assert look(source, "pump").hits[0].memory.body.endswith("tan.")


def test_files_come_and_go(root: Path) -> None:
    write(root, "README.md", "# Boat\n\nThe pump is red.\n")
    source = source_of(root)
    assert ids(source, "the pump of the crane") == ["local:README.md"]
    write(root, "docs/crane.md", "# Crane\n\nThe crane has a pump too.\n")
    assert set(ids(source, "the pump of the crane")) == {"local:README.md", "local:docs/crane.md"}
    (root / "README.md").unlink()
    assert ids(source, "the pump of the crane") == ["local:docs/crane.md"]
    (root / "docs/crane.md").unlink()
    assert ids(source, "the pump of the crane") == []


def test_a_section_that_is_gone_from_a_file_is_gone(root: Path) -> None:
    write(root, "docs/guide.md", GUIDE)
    source = source_of(root)
    assert "local:docs/guide.md#spring-tides" in ids(source, "spring tides twice a month")
    write(root, "docs/guide.md", GUIDE.partition("### Spring")[0])
    assert "local:docs/guide.md#spring-tides" not in ids(source, "spring tides twice a month")


def test_a_folder_that_is_not_there_is_noted_and_may_come(tmp_path: Path) -> None:
    source = source_of(tmp_path / "later")
    reply = look(source, "pump")
    assert reply.hits == () and "cannot be looked into" in reply.notes[0]
    write(tmp_path / "later", "README.md", "# Boat\n\nThe pump is red.\n")
    reply = look(source, "pump")
    assert len(reply.hits) == 1 and reply.notes == ()


def test_what_cannot_be_read_is_noted_and_the_rest_is_found(root: Path) -> None:
    write(root, "README.md", "# Boat\n\nThe pump is red.\n")
    (root / "docs").mkdir()
    (root / "docs/loop.md").symlink_to("loop.md")
    (root / "docs/picture.md").write_bytes(b"\x89PNG\0\0")
    source = source_of(root)
    for _ in range(2):
        reply = look(source, "pump")
        assert [hit.memory.source_uri for hit in reply.hits] == ["README.md"]
        assert [note.split(" is left out: ")[0] for note in reply.notes] == [
            "local: docs/loop.md",
            "local: docs/picture.md",
        ]
    write(root, "docs/picture.md", "The pump is on deck.")
    assert {hit.memory.source_uri for hit in look(source, "pump").hits} == {"README.md", "docs/picture.md"}


# --- embedding beside the lookups ------------------------------------------------------------------


def test_a_text_is_embedded_once_wherever_it_moves(root: Path) -> None:
    embedder = Counting()
    write(root, "docs/guide.md", GUIDE)
    source = source_of(root, embedder=embedder)
    look(source, "tides")
    first = list(embedder.texts)
    assert len(first) == len(set(first)) == 4
    write(root, "docs/guide.md", f"\n\n{GUIDE}\n## New\n\nOne more section.\n")
    look(source, "tides")
    assert embedder.texts[4:] == ["Guide > New\nOne more section."]
    (root / "docs/guide.md").rename(root / "docs/manual.md")
    look(source, "tides")
    assert len(embedder.texts) == 5


def test_vectors_kept_on_disk_serve_another_process(root: Path, tmp_path: Path) -> None:
    write(root, "docs/guide.md", GUIDE)
    counting = [Counting(), Counting()]
    replies = [
        look(source_of(root, embedder=CachedEmbedder(each, tmp_path / "cache", kinds=[TextKind.DOCUMENT])), "tides")
        for each in counting
    ]
    assert [len(each.texts) for each in counting] == [4, 0]
    assert replies[0] == replies[1]


def test_a_lookup_is_not_held_up_by_embedding(root: Path) -> None:
    write(root, "docs/guide.md", GUIDE)

    async def ask_twice() -> tuple[Reply, Reply]:
        embedder = Slow()
        source = source_of(root, embedder=embedder, seconds=0.01)
        lookup = Lookup("the tide table", "default", "local", 10, vector=embedded("the tide table"))
        before = await source.search(lookup)
        embedder.gate.set()
        await source.embed_all()
        after = await source.search(lookup)
        await source.close()
        return before, after

    before, after = asyncio.run(ask_twice())
    assert before.notes == ("local: by words alone, 4 sections are not embedded yet",)
    assert before.hits[0].memory.id == after.hits[0].memory.id == "local:docs/guide.md#tides"
    assert before.hits[0].vector is None and after.hits[0].vector is not None and after.notes == ()


def test_an_embedder_that_fails_leaves_the_words(root: Path) -> None:
    write(root, "docs/guide.md", GUIDE)
    reply = look(source_of(root, embedder=Broken()), "the tide table")
    assert reply.hits[0].memory.id == "local:docs/guide.md#tides"
    assert reply.notes == ("local: by words alone, embedding failed: no model",)


def test_warming_up_embeds_before_the_first_lookup(root: Path) -> None:
    embedder = Counting()
    write(root, "docs/guide.md", GUIDE)
    source = source_of(root, embedder=embedder)
    asyncio.run(source.warm())
    assert len(embedder.texts) == 4
    assert look(source, "tides").hits and len(embedder.texts) == 4


def test_closing_waits_for_the_texts_under_way_and_no_longer(root: Path) -> None:
    for number in range(3):
        write(root, f"docs/{number}.md", GUIDE.replace("tide", f"tide {number}"))

    class Pausing(Counting):
        async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
            await asyncio.sleep(0.01)
            return await super().embed(texts, kind=kind)

    async def ask_and_close() -> tuple[list[str], int]:
        embedder = Pausing()
        source = source_of(root, embedder=embedder, seconds=0.0)
        await source.search(Lookup("tides", "default", "local", 10, vector=embedded("tides")))
        await source.close()
        return embedder.texts, len(asyncio.all_tasks()) - 1

    texts, tasks = asyncio.run(ask_and_close())
    assert 0 < len(texts) < 12 and tasks == 0


def test_closing_ends_what_goes_on_beside(root: Path) -> None:
    write(root, "docs/guide.md", GUIDE)

    async def ask_and_close() -> int:
        source = source_of(root, embedder=Slow(), seconds=0.0)
        await source.search(Lookup("tides", "default", "local", 10, vector=embedded("tides")))
        await source.close()
        await asyncio.sleep(0)
        return len(asyncio.all_tasks()) - 1

    assert asyncio.run(ask_and_close()) == 0


def test_the_engine_answers_from_files_and_cites_them(
    root: Path, make_recollect: Callable[..., Any], store: SqliteStore
) -> None:
    write(root, "docs/guide.md", GUIDE)
    recollect = make_recollect(store, local=LocalSettings(root=root))
    answer = asyncio.run(recollect.retrieve("Where is the tide table kept?"))
    assert answer.evidence[0].sources == ("local",)
    assert "[local:docs/guide.md#tides]" in answer.text
    assert "## local" in answer.context
    missing = make_recollect(store, local=LocalSettings(root=root), enable_local=False)
    assert asyncio.run(missing.retrieve("Where is the tide table kept?")).evidence == ()
