"""A journal that is damaged, held or cannot be made is no trouble to anything but itself."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from recollect.errors import StoreError
from recollect.records import EraseMemory, Filters, PutMemory
from recollect.testing.store_cases import THEN, matched, memory
from recollect.testing.store_journal import trace_record

from .journals import KEEP, SPACE, files_of, holding, ids_of, journal_of, noted, opened


def overwrite_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"not a database at all")


def scramble_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(Random(1).randbytes(path.stat().st_size - 4_096))


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def drop_a_table(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("drop table touched")
    db.close()


HARMS: list[Callable[[Path], None]] = [overwrite_header, scramble_pages, halve, drop_a_table]


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("first", ["note", "show", "shown", "traces", "trace", "erase"])
def test_a_damaged_journal_is_begun_anew_whatever_is_asked_of_it_first(
    harm: Callable[[Path], None], first: str, tmp_path: Path
) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory(id)) for id in "abc"])
        for number in range(200):
            store.note(SPACE, trace_record(f"{number}", "a", "b"), keep=KEEP)
            store.show(SPACE, f"session {number}", {"a": "1", "b": "2"}, at=THEN)
    harm(journal_of(tmp_path))
    with opened(tmp_path) as store:
        calls: dict[str, Callable[[], object]] = {
            "note": lambda: store.note(SPACE, trace_record("new", "b"), keep=KEEP),
            "show": lambda: store.show(SPACE, "s", {"b": "new"}, at=THEN),
            "shown": lambda: store.shown(SPACE, "s"),
            "traces": lambda: store.traces(SPACE, limit=KEEP),
            "trace": lambda: store.trace(SPACE, "7"),
            "erase": lambda: store.apply(SPACE, [EraseMemory("a")]),
        }
        calls[first]()
        assert ids_of(store.read(SPACE, ["b", "c"])) == ["b", "c"]
        for call in ("note", "show", *(["erase"] if first != "erase" else [])):
            calls[call]()
        assert store.trace(SPACE, "new") == trace_record("new", "b")
        assert store.shown(SPACE, "s") == {"b": "new"}
        assert not [trace for trace in store.traces(SPACE, limit=KEEP) if "a" in trace.touched]
        assert store.check(SPACE) == []
        assert matched(store, "common", space=SPACE) == ["b", "c"]


@pytest.mark.parametrize("harm", HARMS[:3], ids=lambda harm: harm.__name__)
def test_a_damaged_journal_is_told_of_and_the_record_is_sound(harm: Callable[[Path], None], tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a"))])
        noted(store, *(f"{number}" for number in range(200)))
    harm(journal_of(tmp_path))
    with opened(tmp_path) as store:
        problems = store.check(SPACE)
        assert problems and all(line.startswith("journal: ") for line in problems)
        assert ids_of(store.browse(SPACE, Filters(), limit=9)) == ["a"]


def test_random_damage_never_reaches_a_call_about_memories(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a"))])
        noted(store, *(f"{number}" for number in range(100)))
        store.show(SPACE, "s", {"a": "1"}, at=THEN)
    journal, chance = journal_of(tmp_path), Random(6)
    whole = journal.read_bytes()
    for round in range(60):
        for path in files_of(tmp_path):
            path.unlink()
        changed = bytearray(whole)
        for _ in range(40):
            changed[chance.randrange(len(whole))] = chance.randrange(256)
        journal.write_bytes(bytes(changed))
        with opened(tmp_path) as store:
            store.note(SPACE, trace_record("new", "a"), keep=KEEP)
            store.shown(SPACE, "s")
            store.check(SPACE)
            try:
                store.traces(SPACE, limit=KEEP)
            except StoreError as error:
                assert "No memory is affected" in str(error)
            store.apply(SPACE, [PutMemory(memory(f"m{round}")), EraseMemory("a")])
            store.apply(SPACE, [PutMemory(memory("a"))])
            assert ids_of(store.read(SPACE, ["a", f"m{round}"])) == ["a", f"m{round}"]


def test_where_no_journal_can_be_made_everything_else_goes_on(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory(id)) for id in "abc"])
        journal_of(tmp_path).mkdir()
        assert any(line.startswith("journal: ") for line in store.check(SPACE))
        store.note(SPACE, trace_record("t", "a"), keep=KEEP)
        store.show(SPACE, "s", {"a": "1"}, at=THEN)
        assert (store.trace(SPACE, "t"), store.traces(SPACE, limit=9), store.shown(SPACE, "s")) == (None, [], {})
        store.apply(SPACE, [EraseMemory("a"), PutMemory(memory("d"))])
        assert matched(store, "common", space=SPACE) == ["b", "c", "d"]
        journal_of(tmp_path).rmdir()
        store.note(SPACE, trace_record("t", "b"), keep=KEEP)
        assert (ids_of(store.traces(SPACE, limit=9)), store.check(SPACE)) == (["t"], [])


def test_a_journal_of_a_newer_program_is_left_alone_until_something_is_erased(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a")), PutMemory(memory("b"))])
        noted(store, "t")
    with sqlite3.connect(journal_of(tmp_path)) as db:
        db.execute("pragma user_version = 99")
    db.close()
    with opened(tmp_path) as store:
        store.note(SPACE, trace_record("u"), keep=KEEP)
        assert store.shown(SPACE, "s") == {}
        with pytest.raises(StoreError, match=r"schema 99.*upgrade recollect"):
            store.traces(SPACE, limit=9)
        assert any("schema 99" in line for line in store.check(SPACE))
        assert b"what about t?" in journal_of(tmp_path).read_bytes()
        store.apply(SPACE, [EraseMemory("a")])
        assert files_of(tmp_path) == [], "what this program cannot erase from it is erased with it"
        store.note(SPACE, trace_record("v", "b"), keep=KEEP)
        assert ids_of(store.traces(SPACE, limit=9)) == ["v"]


@contextmanager
def held(root: Path, begin: str) -> Iterator[None]:
    """The journal held by another connection, as another process would."""
    db = sqlite3.connect(journal_of(root), isolation_level=None)
    try:
        db.execute(begin)
        db.execute("select count(*) from traces").fetchone()
        yield
    finally:
        db.close()


def test_a_journal_that_another_holds_too_long_is_done_without(tmp_path: Path) -> None:
    with opened(tmp_path, busy_seconds=0.1) as store:
        store.apply(SPACE, [PutMemory(memory("a")), PutMemory(memory("b"))])
        noted(store, "t")
        with held(tmp_path, "begin immediate"):
            assert noted(store, "u") == ["t"], "reading goes on beside it"
            assert any("held it too long" in line for line in store.check(SPACE))
            store.apply(SPACE, [PutMemory(memory("c"))])
        assert (noted(store, "v"), store.check(SPACE)) == (["t", "v"], [])


@pytest.mark.parametrize("begin", ["begin immediate", "begin"], ids=["writing", "reading"])
def test_what_another_keeps_from_being_erased_is_erased_with_the_journal(begin: str, tmp_path: Path) -> None:
    with opened(tmp_path, busy_seconds=0.1) as store:
        store.apply(SPACE, [PutMemory(memory("a")), PutMemory(memory("b"))])
        noted(store, "t")
        with held(tmp_path, begin):
            store.apply(SPACE, [EraseMemory("a")])
            assert not holding(tmp_path, b"what about t?")
            store.note(SPACE, trace_record("u", "b"), keep=KEEP)
        assert ids_of(store.traces(SPACE, limit=9)) == ["u"]
        with opened(tmp_path) as other:
            assert ids_of(other.traces(SPACE, limit=9)) == ["u"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"A FULL DISK WAS NOT TESTED: this process may not mount one ({done.stderr.strip()})")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_costs_only_the_trace(small_disk: Path) -> None:
    with opened(small_disk / "root") as store:
        store.apply(SPACE, [PutMemory(memory("a", "alpha"))])
        assert matched(store, "alpha", space=SPACE) == ["a"]
        noted(store, "t")
        filler = small_disk / "filler"
        filler.write_bytes(bytes(shutil.disk_usage(small_disk).free))
        large = trace_record("u", "a", payload=Random(2).randbytes(200_000).hex())
        store.note(SPACE, large, keep=KEEP)
        assert ids_of(store.traces(SPACE, limit=9)) == ["t"]
        assert any("disk is full" in line for line in store.check(SPACE))
        assert (ids_of(store.read(SPACE, ["a"])), matched(store, "alpha", space=SPACE)) == (["a"], ["a"])
        filler.unlink()
        store.note(SPACE, large, keep=KEEP)
        assert (store.trace(SPACE, "u"), store.check(SPACE)) == (large, [])
