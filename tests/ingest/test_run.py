"""Many projects in one run give what each alone gives, also when the run is cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import InvalidInput, StoreError
from recollect.graph.sqlite import SqliteKnowledge
from recollect.ingest import run as running
from recollect.ingest.jobs import Job, Order
from recollect.ingest.pool import Batch, _Worker
from recollect.ingest.project import Reader
from recollect.ingest.roots import is_unfinished, project_id
from recollect.ingest.run import Wanted, ingest_projects, projects_below
from recollect.knowledge import Ingested, Kept, Statement, Way
from recollect.models.hashing import HashingEmbedder
from recollect.reading.outline import Layout
from recollect.settings import ReadSettings, StoreSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock

from .test_project import EVERYTHING, SPACE, write

PROJECTS = ("shop", "pay", "mail")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    write(root, "shop/shop/orders.py", "from pay.card import charge\n\n\ndef order():\n    return charge(3)\n")
    write(root, "pay/pay/card.py", "import smtp\n\n\ndef charge(cents):\n    return smtp.send(cents)\n")
    write(root, "mail/smtp.py", "def send(what):\n    return what\n")
    write(root, "notes.txt", "No project.\n")
    write(root, ".hidden/a.py", "def hidden():\n    pass\n")
    return root


def ingest(reader: Reader, wanted: Iterable[Wanted], **more: Any) -> list[Ingested]:
    return asyncio.run(ingest_projects(list(wanted), space=SPACE, reader=reader, embed=False, **more))


def said(reader: Reader) -> set[tuple[str, str, str]]:
    """Every statement of the graph, by what it is between."""
    found: dict[str, Statement] = {}
    ids = ["shop::py:shop.orders.order", "pay::py:pay.card.charge", "mail::py:smtp.send"]
    for each in reader.knowledge.about(SPACE, ids, way=Way.BOTH):
        found[repr(each)] = each
    return {(each.subject, each.relation, each.object) for each in found.values()}


def test_every_folder_below_is_a_project(workspace: Path) -> None:
    assert [(each.project, each.paths) for each in projects_below([workspace])] == [
        (name, [str(workspace / name)]) for name in sorted(PROJECTS)
    ]


def test_folders_of_one_name_and_places_without_folders_are_refused(workspace: Path, tmp_path: Path) -> None:
    write(tmp_path / "more", "shop/a.py", "")
    with pytest.raises(InvalidInput, match="'shop'"):
        projects_below([workspace, tmp_path / "more"])
    with pytest.raises(InvalidInput, match="no folder in there"):
        projects_below([workspace / "mail"])
    with pytest.raises(InvalidInput, match="is no folder"):
        projects_below([workspace / "nowhere"])


def test_together_they_give_what_one_after_the_other_gives(reader: Reader, workspace: Path, tmp_path: Path) -> None:
    done = ingest(reader, projects_below([workspace]))
    assert [(each.project, each.read) for each in done] == [("mail", 1), ("pay", 1), ("shop", 1)]
    together = said(reader)
    assert ("shop::py:shop.orders.order", "calls", "pay::py:pay.card.charge") in together
    assert ("pay::py:pay.card.charge", "calls", "mail::py:smtp.send") in together
    for name in PROJECTS:
        reader.knowledge.forget(SPACE, name)
    for each in reversed(projects_below([workspace])):
        ingest(reader, [each])
    assert said(reader) == together


def test_projects_are_settled_in_groups(reader: Reader, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SETTLE_FILES", 2)
    ingest(reader, projects_below([workspace]))
    assert ("shop::py:shop.orders.order", "calls", "pay::py:pay.card.charge") in said(reader)
    assert not any(_is_unfinished(reader, name) for name in PROJECTS)


def test_unchanged_projects_are_left_alone(reader: Reader, workspace: Path) -> None:
    ingest(reader, projects_below([workspace]))
    write(workspace, "pay/pay/card.py", "def charge(cents):\n    return cents\n")
    done = ingest(reader, projects_below([workspace]))
    assert [(each.read, each.unchanged) for each in done] == [(0, 1), (1, 0), (0, 1)]


def test_progress_is_that_of_all_of_them(reader: Reader, workspace: Path) -> None:
    seen: list[tuple[int, int]] = []
    ingest(reader, projects_below([workspace]), on_progress=lambda done, total, rate: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_processes_go_on_from_project_to_project(reader: Reader, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        for number in range(50):
            write(tmp_path / "many", f"{name}/n{number}.py", f"def f{number}():\n    return f{number - 1}()\n")
    wanted = projects_below([tmp_path / "many"])
    done = ingest(replace(reader, settings=ReadSettings(workers=2)), wanted)
    assert [each.read for each in done] == [50, 50, 50]
    assert {memory.project for memory in reader.store.browse(SPACE, EVERYTHING, limit=1_000)} == {"a", "b", "c"}
    for name in ("a", "b", "c"):
        assert len(reader.knowledge.files(SPACE, name)) == 50


def test_pipes_that_are_full_both_ways_hold_nobody_up(tmp_path: Path) -> None:
    paths = frozenset(f"{'deep/' * 20}{number}.py" for number in range(3_000))
    text = "".join(f"# line {number}\n" for number in range(1_000))
    write(tmp_path, "a.txt", text)
    jobs = [Job(str(tmp_path / "a.txt"), f"{number}.txt", len(text), 1) for number in range(20)]
    worker = _Worker()
    try:
        for name in ("a", "b", "c"):
            worker.give(Batch(Order(name, Layout(name, paths, 1_500), ReadSettings()), jobs))
        assert [len(worker.take()) for _ in range(3)] == [20, 20, 20]
    finally:
        worker.end()


@pytest.mark.parametrize("wanted", [[], ["shop", "shop"], ["shop", " "]])
def test_mistakes_are_named_before_any_work(reader: Reader, workspace: Path, wanted: list[str]) -> None:
    with pytest.raises(InvalidInput):
        ingest(reader, [Wanted(name, [workspace / "shop"]) for name in wanted])
    assert reader.store.names() == []


class _CutOff:
    """A graph that takes the readings of some projects, and then no more."""

    def __init__(self, inner: Any, *, until: str) -> None:
        self._inner, self._until = inner, until

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def put(self, space: str, kept: list[Kept]) -> None:
        if any(each.project == self._until for each in kept):
            raise StoreError("cut off")
        self._inner.put(space, kept)


def test_cut_off_in_the_middle_it_goes_on(reader: Reader, workspace: Path) -> None:
    with pytest.raises(StoreError, match="cut off"):
        ingest(replace(reader, knowledge=_CutOff(reader.knowledge, until="shop")), projects_below([workspace]))
    assert [_is_unfinished(reader, name) for name in ("mail", "pay", "shop")] == [True, True, True]
    done = ingest(reader, projects_below([workspace]))
    assert [each.read for each in done] == [0, 0, 1], "what was stored is not read again"
    assert not any(_is_unfinished(reader, name) for name in PROJECTS)
    assert ("shop::py:shop.orders.order", "calls", "pay::py:pay.card.charge") in said(reader)


def _is_unfinished(reader: Reader, project: str) -> bool:
    (memory,) = reader.store.read(SPACE, [project_id(project)])
    return is_unfinished(memory)


def test_a_store_inside_a_project_is_not_read_in(workspace: Path, clock: FakeClock) -> None:
    store = SqliteStore(workspace / "shop" / "store", now=clock.now, settings=StoreSettings())
    knowledge = SqliteKnowledge(workspace / "shop" / "store", settings=StoreSettings())
    inside = Reader(store, knowledge, HashingEmbedder(), ReadSettings(), clock.now, clock.monotonic)
    try:
        for _ in range(2):
            ingest(inside, [Wanted("shop", [workspace / "shop"])])
        assert set(knowledge.files(SPACE, "shop")) == {"shop/orders.py"}
    finally:
        knowledge.close()
        store.close()
