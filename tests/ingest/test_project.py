"""Reading projects in, over a real store and a real graph in a temporary folder."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput, StoreError
from recollect.ingest import pool
from recollect.ingest.chunks import Prepared
from recollect.ingest.jobs import BATCH_FILES, Job, Order, Same, plain, read_job, result_of
from recollect.ingest.project import Reader, forget_project
from recollect.ingest.run import Wanted, ingest_projects
from recollect.knowledge import Ingested, Kept
from recollect.models.hashing import HashingEmbedder
from recollect.reading.outline import Layout
from recollect.records import Filters, Lifecycle, Memory
from recollect.settings import ReadSettings

SPACE = "default"
CODE = "class OrderService:\n    def place(self):\n        return pay()\n\n\ndef pay():\n    return 1\n"
EVERYTHING = Filters(lifecycles=frozenset(Lifecycle))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    write(root, "README.md", "# Shop\n\nThe `OrderService` sells.\n\n## Setup\n\nRun it.\n")
    write(root, "src/shop/__init__.py", "")
    write(root, "src/shop/orders.py", CODE)
    write(root, "notes.txt", "Ana wrote this down.\n")
    return root


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(text)
    if before:  # later than it was, however coarse the clock of the file system
        os.utime(file, ns=(before + 10**9, before + 10**9))


def ingest(reader: Reader, *paths: Path, project: str = "shop", embed: bool = False, **more: Any) -> Ingested:
    wanted = [Wanted(project, paths)]
    (done,) = asyncio.run(ingest_projects(wanted, space=SPACE, reader=reader, embed=embed, **more))
    return done


def chunks(reader: Reader, *, project: str = "shop") -> dict[str, Memory]:
    """What is stored of a project's files, by id."""
    found = reader.store.browse(SPACE, EVERYTHING, limit=1_000)
    return {memory.id: memory for memory in found if memory.project == project and memory.kind != "project"}


def by_path(reader: Reader, **more: str) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {}
    for memory in chunks(reader, **more).values():
        found.setdefault(str(memory.source_uri), []).append(memory)
    return found


def test_files_become_chunks_with_place_and_title_and_a_graph(reader: Reader, folder: Path) -> None:
    done = ingest(reader, folder)
    assert (done.read, done.unchanged, done.removed, done.skipped) == (4, 0, 0, ())
    stored = by_path(reader)
    assert sorted(stored) == ["README.md", "notes.txt", "src/shop/orders.py"]
    setup = next(memory for memory in stored["README.md"] if "Run it" in memory.body)
    assert (setup.title, setup.source_position, setup.trust, setup.kind) == ("Shop > Setup", "5-7", "file", "chunk")
    (node,) = reader.knowledge.named(SPACE, ["orderservice"])["orderservice"]
    assert node.places == (("src/shop/orders.py", 1),)
    mentioned = [each for each in reader.knowledge.about(SPACE, [node.id]) if each.relation == "mentions"]
    said_by = next(memory.id for memory in stored["README.md"] if "sells" in memory.body)
    assert {(each.path, each.memory) for each in mentioned} == {("README.md", said_by)}
    assert done.chunks == len(chunks(reader)) and done.statements > 0 and done.entities > 0


def test_an_unchanged_tree_is_not_read_again(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    before = chunks(reader)
    again = ingest(reader, folder)
    assert (again.read, again.unchanged) == (0, 4)
    assert chunks(reader) == before


def test_a_touched_file_is_compared_by_digest(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    write(folder, "notes.txt", "Ana wrote this down.\n")
    again = ingest(reader, folder)
    assert (again.read, again.unchanged) == (0, 4)


def test_a_changed_file_replaces_its_own_chunks_and_nothing_else(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    before = chunks(reader)
    write(folder, "README.md", "# Shop\n\nThe `OrderService` sells.\n\nMore.\n\n## Setup\n\nRun it.\n")
    done = ingest(reader, folder)
    after = chunks(reader)
    assert (done.read, done.unchanged) == (1, 3)
    gone = [before[id] for id in before.keys() - after.keys()]
    new = [after[id] for id in after.keys() - before.keys()]
    assert [memory.source_uri for memory in gone] == [memory.source_uri for memory in new] == ["README.md"]
    moved = next(memory for memory in after.values() if "Run it" in memory.body)
    assert moved.id in before and (before[moved.id].source_position, moved.source_position) == ("5-7", "7-9")


def test_a_chunk_that_only_moved_keeps_its_vector(reader: Reader, folder: Path) -> None:
    first = ingest(reader, folder, embed=True)
    assert first.embedded == len(chunks(reader)) + 1  # and the project's own memory
    write(folder, "README.md", "# Shop\n\nAnother text.\n\nMore.\n\n## Setup\n\nRun it.\n")
    ingest(reader, folder, embed=False)
    embedded = {memory.body: memory.embedded_by for memory in by_path(reader)["README.md"]}
    assert [by is not None for by in embedded.values()].count(True) == 1
    later = ingest(reader, folder, embed=True)
    assert (later.read, later.embedded) == (0, 1)


def test_removed_files_go_with_their_chunks_and_statements(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    (folder / "src/shop/orders.py").unlink()
    done = ingest(reader, folder)
    assert done.removed == 1
    assert sorted(by_path(reader)) == ["README.md", "notes.txt"]
    assert sorted(reader.knowledge.files(SPACE, "shop")) == ["README.md", "notes.txt", "src/shop/__init__.py"]


def test_a_part_of_the_project_leaves_the_rest_alone(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    write(folder, "src/shop/more.py", "x = 1\n")
    (folder / "notes.txt").unlink()
    done = ingest(reader, folder / "src")
    assert (done.read, done.unchanged, done.removed) == (1, 2, 0)
    assert {"notes.txt", "src/shop/more.py"} <= by_path(reader).keys()


def test_a_folder_elsewhere_joins_the_project_under_its_name(reader: Reader, folder: Path, tmp_path: Path) -> None:
    ingest(reader, folder)
    write(tmp_path / "wiki", "README.md", "# Wiki\n\nText.\n")
    ingest(reader, tmp_path / "wiki")
    assert {"README.md", "wiki/README.md"} <= by_path(reader).keys()
    (tmp_path / "wiki" / "README.md").unlink()
    assert ingest(reader, folder).removed == 0
    assert ingest(reader, tmp_path / "wiki").removed == 1


def test_two_projects_with_equal_files_do_not_touch_each_other(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    ingest(reader, folder, project="copy")
    assert chunks(reader).keys().isdisjoint(chunks(reader, project="copy").keys())
    assert [each.project for each in reader.knowledge.projects(SPACE)] == ["copy", "shop"]
    before = chunks(reader, project="copy")
    assert forget_project(SPACE, "shop", reader=reader) == 4
    assert chunks(reader) == {} and chunks(reader, project="copy") == before
    assert [each.project for each in reader.knowledge.projects(SPACE)] == ["copy"]


def test_secrets_and_binaries_are_reported_and_never_stored(reader: Reader, folder: Path) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq\n"
    write(folder, ".env", "PASSWORD=hunter2secret\n")
    write(folder, "docs/setup.md", f"# Setup\n\n{key}")
    (folder / "data.blob").write_bytes(b"\x00\x01\x02")
    for _ in range(2):  # the second report names them too
        done = ingest(reader, folder)
        assert done.skipped == (
            (".env", "secret: by its name"),
            ("data.blob", "binary"),
            ("docs/setup.md", "secret: private key"),
        )
    everything = " ".join(memory.body for memory in chunks(reader).values())
    assert "hunter2" not in everything and "MIIE" not in everything


def test_a_file_that_becomes_a_secret_is_erased(reader: Reader, folder: Path) -> None:
    write(folder, "conf.md", "# Conf\n\nNothing yet.\n")
    ingest(reader, folder)
    write(folder, "conf.md", "# Conf\n\nNothing yet.\n\ntoken ghp_" + "aZ9k" * 9 + "\n")
    ingest(reader, folder)
    assert "conf.md" not in by_path(reader)
    assert "conf.md" not in reader.knowledge.files(SPACE, "shop")


def test_what_git_ignores_is_left_out_and_taken_out(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    write(folder, ".gitignore", "notes.txt\n")
    done = ingest(reader, folder)
    assert done.removed == 1 and "notes.txt" not in by_path(reader)


class _CutOff:
    """A graph that stops taking readings, as a process does that is ended between chunks and graph."""

    def __init__(self, inner: Any, *, after: int) -> None:
        self._inner = inner
        self._left = after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def put(self, space: str, kept: list[Kept]) -> None:
        if not self._left:
            raise StoreError("cut off")
        self._left -= 1
        self._inner.put(space, kept)


def test_cut_off_between_chunks_and_graph_it_goes_on(reader: Reader, folder: Path) -> None:
    cut_off = replace(reader, knowledge=_CutOff(reader.knowledge, after=0))
    with pytest.raises(StoreError):
        ingest(cut_off, folder)
    half = chunks(reader)
    assert half and reader.knowledge.files(SPACE, "shop") == {}  # chunks come first
    done = ingest(reader, folder)
    assert done.read == 4
    assert chunks(reader) == half  # the same ids, nothing twice
    assert ingest(reader, folder).unchanged == 4


def test_chunks_of_a_version_that_was_cut_off_do_not_stay(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    write(folder, "notes.txt", "A version that never got a mark.\n")
    with pytest.raises(StoreError):
        ingest(replace(reader, knowledge=_CutOff(reader.knowledge, after=0)), folder)
    write(folder, "notes.txt", "The version that stays.\n")
    ingest(reader, folder)
    assert [memory.body for memory in by_path(reader)["notes.txt"]] == ["The version that stays."]


def test_a_lost_graph_comes_back_from_the_files(reader: Reader, folder: Path, tmp_path: Path) -> None:
    ingest(reader, folder, embed=True)
    before = chunks(reader)
    reader.knowledge.forget(SPACE, "shop")
    (folder / "notes.txt").unlink()
    done = ingest(reader, folder)
    assert done.read == 3
    assert chunks(reader) == {id: memory for id, memory in before.items() if memory.source_uri != "notes.txt"}


def test_many_files_are_read_by_processes_and_give_the_same(reader: Reader, tmp_path: Path) -> None:
    root = tmp_path / "many"
    for number in range(pool.TOGETHER * BATCH_FILES + 5):
        write(root, f"m{number:03}.md", f"# Note {number}\n\nIt is about thing {number}.\n")
    seen: list[tuple[int, int]] = []
    done = ingest(reader, root, on_progress=lambda done, total, rate: seen.append((done, total)))
    assert done.read == len(list(root.iterdir())) == seen[-1][0] == seen[-1][1]
    assert len(seen) > 1 and sorted(seen) == seen
    stored = chunks(reader)
    forget_project(SPACE, "shop", reader=reader)
    alone = replace(reader, settings=ReadSettings(workers=1))
    ingest(alone, root)
    assert chunks(reader).keys() == stored.keys()


def test_messages_are_kept_with_author_and_moment(reader: Reader, tmp_path: Path) -> None:
    chat = [{"author": "Ana", "text": "The budget is fixed.", "time": "2026-03-01T10:00:00Z"}]
    write(tmp_path / "chat", "team.json", json.dumps(chat))
    ingest(reader, tmp_path / "chat", project="team")
    (memory,) = chunks(reader, project="team").values()
    assert (memory.kind, memory.author, memory.body) == ("message", "Ana", "The budget is fixed.")
    assert memory.event_time is not None and memory.event_time.isoformat() == "2026-03-01T10:00:00+00:00"


def test_files_of_triples_become_statements_and_go_with_their_file(reader: Reader, tmp_path: Path) -> None:
    root = tmp_path / "facts"
    write(root, "kb.triples", "Ana|leads|Billing\nBen|works_in|Billing\n")
    write(root, "more.jsonl", '{"subject": "Cy", "relation": "leads", "object": "Sales"}\n')
    done = ingest(reader, root, project="facts")
    assert (done.read, done.statements, done.chunks) == (2, 3, 0)
    (ana,) = reader.knowledge.named(SPACE, ["ana"])["ana"]
    assert [each.relation for each in reader.knowledge.about(SPACE, [ana.id])] == ["leads"]
    assert ingest(reader, root, project="facts").unchanged == 2
    (root / "kb.triples").unlink()
    ingest(reader, root, project="facts")
    assert reader.knowledge.named(SPACE, ["ana"]).get("ana", ()) == ()


def test_a_file_that_is_one_of_triples_no_more_takes_them_back(reader: Reader, tmp_path: Path) -> None:
    root = tmp_path / "facts"
    write(root, "kb.jsonl", '{"subject": "Ana", "relation": "leads", "object": "Sales"}\n')
    ingest(reader, root, project="facts")
    write(root, "kb.jsonl", '{"id": 1, "note": "nothing of the kind"}\n')
    ingest(reader, root, project="facts")
    assert reader.knowledge.named(SPACE, ["ana"]).get("ana", ()) == ()
    assert len(chunks(reader, project="facts")) == 1


def test_a_reading_process_that_dies_is_an_error_and_not_an_end(tmp_path: Path) -> None:
    jobs = [Job(str(tmp_path / f"{number}.md"), f"{number}.md", 1, 1) for number in range(2 * pool.FEW_FILES)]
    order = Order("shop", Layout("shop", frozenset(), 1_500), ReadSettings(workers=1))
    running = pool.Pool([(order, jobs)])
    try:
        (worker,) = running._workers
        assert isinstance(worker, pool._Worker)
        worker._process.kill()
        with pytest.raises(StoreError, match="run ingest again"):
            while running.take(order) is not None:
                pass
    finally:
        running.close()


def test_a_closed_folder_is_no_empty_folder(reader: Reader, folder: Path) -> None:
    ingest(reader, folder)
    (folder / "src").chmod(0)
    try:
        if os.access(folder / "src", os.R_OK):
            pytest.skip("this user may read everything")
        done = ingest(reader, folder)
    finally:
        (folder / "src").chmod(0o755)
    assert done.removed == 0 and ("src", "cannot be opened") in done.skipped


@pytest.mark.parametrize(("paths", "project"), [(["nowhere"], "shop"), ([], "shop"), (["README.md"], " ")])
def test_mistakes_are_named_before_any_work(reader: Reader, folder: Path, paths: list[str], project: str) -> None:
    with pytest.raises(InvalidInput):
        ingest(reader, *(folder / path for path in paths), project=project)
    assert reader.store.names() == []


def test_vectors_of_another_embedder_are_left_alone_with_a_note(reader: Reader, folder: Path) -> None:
    ingest(reader, folder, embed=True)
    write(folder, "new.md", "# New\n\nSomething new.\n")
    other = replace(reader, embedder=HashingEmbedder(dimensions=32))
    done = ingest(other, folder, embed=True)
    assert done.embedded == 0 and "reindex" in done.notes[-1]


def test_a_result_is_the_same_after_the_pipe(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n\n\ndef run():\n    return os.getcwd()\n")
    (tmp_path / "b.md").write_text("# Boat\n\nThe Blue Boat was directed by Ana Ortiz.\n")
    paths = frozenset({"a.py", "b.md"})
    order = Order("p", Layout("p", paths, 1500), ReadSettings())
    for path in sorted(paths):
        result = read_job(Job(str(tmp_path / path), path, 1, 2), order)
        assert isinstance(result, Prepared) and result.kept.facts
        assert result_of(pickle.loads(pickle.dumps(plain(result)))) == result
    assert result_of(plain(Same("a.py"))) == Same("a.py")
