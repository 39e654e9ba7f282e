"""The journal as a file of its own: made late, gone with its space, and without a word of what was erased."""

import sqlite3
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest

from recollect.errors import StoreError
from recollect.records import EraseMemory, PutMemory
from recollect.store import journal
from recollect.store.journal import LEVEL, SCHEMA_VERSION
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import THEN, memory, vector
from recollect.testing.store_journal import trace_record

from .holders import PATIENT
from .journals import KEEP, SPACE, files_of, holding, ids_of, journal_of, noted, opened


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory(id), vector(1, 0)) for id in "abc"])
        yield store


# --- when there is one ---------------------------------------------------------------------------


def test_a_journal_that_is_never_used_is_never_made(store: SqliteStore, tmp_path: Path) -> None:
    assert (store.trace(SPACE, "t"), store.traces(SPACE, limit=9), store.shown(SPACE, "s")) == (None, [], {})
    store.note(SPACE, trace_record("t"), keep=0)
    store.show(SPACE, "s", {}, at=THEN)
    store.apply(SPACE, [EraseMemory("a")])
    assert (store.check(SPACE), files_of(tmp_path)) == ([], [])
    store.note(SPACE, trace_record("t"), keep=1)
    assert journal_of(tmp_path) in files_of(tmp_path)


def test_a_journal_outlives_its_process_and_goes_with_its_space(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a"))])
        noted(store, "t")
    with opened(tmp_path) as store:
        assert store.trace(SPACE, "t") == trace_record("t", "a")
        assert store.drop(SPACE)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
        store.apply(SPACE, [PutMemory(memory("a"))])
        assert store.traces(SPACE, limit=9) == []


def test_another_process_may_begin_the_journal_anew(store: SqliteStore, tmp_path: Path) -> None:
    noted(store, "t")
    for path in files_of(tmp_path):
        path.unlink()
    assert store.traces(SPACE, limit=9) == []
    assert noted(store, "u") == ["u"]
    with opened(tmp_path) as other:
        assert ids_of(other.traces(SPACE, limit=9)) == ["u"]


# --- erasing -------------------------------------------------------------------------------------


def test_after_erasing_no_byte_of_a_trace_is_left(tmp_path: Path) -> None:
    """Also of traces that were pruned or replaced before, and in pages that were split and merged."""
    chance = Random(4)
    needles: list[bytes] = []
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory(id)) for id in ("secret", "plain")])
        for number in range(300):
            id, secret = f"{number:03}", number % 3 == 0
            payload = "".join(chance.choices("abcdefghij ", k=chance.randrange(10, 6_000)))
            question = f"question{number}{'secret' if secret else ''}? " * chance.randrange(1, 40)
            touched = ("secret", "plain") if secret else ("plain",)
            record = trace_record(id, *touched, hours=number, question=question, payload=payload)
            store.note(SPACE, record, keep=200)
            packed = zlib.compress(payload.encode(), LEVEL)
            needles += [f"question{number}secret".encode(), packed[len(packed) // 2 :][:40]] if secret else []
        store.show(SPACE, "s", {"secret": "marksecretmark", "plain": "plainmark"}, at=THEN)
        assert len({needle for _, needle in holding(tmp_path, *needles)}) > 100, "else this would prove nothing"
        assert holding(tmp_path, b"marksecretmark")
        store.apply(SPACE, [EraseMemory("secret")])
        wanted = [*needles, b"marksecretmark"]
        assert holding(tmp_path, *wanted) == [], "while the space is open"
        kept = [f"{number:03}" for number in range(100, 300) if number % 3]
        assert ids_of(store.traces(SPACE, limit=KEEP)) == kept
        assert store.shown(SPACE, "s") == {"plain": "plainmark"}
    assert holding(tmp_path, *wanted) == [], "after it is closed"


def test_no_trace_outlives_a_memory_that_is_erased_while_questions_are_under_way(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as other:
        ids = [f"m{number}" for number in range(60)]
        one.apply(SPACE, [PutMemory(memory(id)) for id in ids])
        stop = threading.Event()

        def ask(store: SqliteStore, name: str) -> None:
            """Until all are erased, and then of one that stays."""
            for number in count():
                is_last = stop.is_set() and number % 60 >= 40
                store.note(SPACE, trace_record(f"{name}{number}", ids[number % 60], hours=number), keep=KEEP)
                store.show(SPACE, name, {id: "x" for id in ids[number % 60 :][:3]}, at=THEN)
                if is_last:
                    return

        threads = [threading.Thread(target=ask, args=each) for each in ((one, "x"), (one, "y"), (other, "z"))]
        for thread in threads:
            thread.start()
        try:
            for id in ids[:40]:
                one.apply(SPACE, [EraseMemory(id)])
                assert not [trace for trace in one.traces(SPACE, limit=KEEP) if id in trace.touched]
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        left = {id for trace in one.traces(SPACE, limit=KEEP) for id in trace.touched}
        assert left and left <= set(ids[40:])
        assert {id for name in "xyz" for id in one.shown(SPACE, name)} <= set(ids[40:])


# --- several at once -----------------------------------------------------------------------------

NOTER = """
import sys
from pathlib import Path
from recollect.settings import StoreSettings
from recollect.store import journal
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import THEN
from recollect.testing.store_journal import trace_record

root, name = Path(sys.argv[1]), sys.argv[2]
journal.PATIENCE = float(sys.argv[3])
store = SqliteStore(root, now=lambda: THEN, settings=StoreSettings(busy_seconds=journal.PATIENCE))
sys.stdin.readline()
for number in range(50):
    store.note("journal", trace_record(f"{name}-{number}", "a"), keep=1_000)
    store.show("journal", name, {f"m{number}": "x"}, at=THEN)
store.close()
"""


def test_processes_and_threads_note_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with all the time in the world: a question would do without a trace that takes too long."""
    monkeypatch.setattr(journal, "PATIENCE", PATIENT)
    with opened(tmp_path, busy_seconds=PATIENT) as store:
        store.apply(SPACE, [PutMemory(memory("a"))])
        note_at_once(store, tmp_path)
        expected = sorted(f"{name}-{number}" for name in "pqrxy" for number in range(50))
        assert ids_of(store.traces(SPACE, limit=KEEP)) == expected
        assert [len(store.shown(SPACE, name)) for name in "pqr"] == [50, 50, 50]
        assert store.check(SPACE) == []


def note_at_once(store: SqliteStore, root: Path) -> None:
    command = [sys.executable, "-c", NOTER, str(root)]
    processes = [subprocess.Popen([*command, name, str(PATIENT)], stdin=subprocess.PIPE, text=True) for name in "pqr"]

    def work(name: str) -> None:
        for number in range(50):
            store.note(SPACE, trace_record(f"{name}-{number}", "a"), keep=KEEP)

    threads = [threading.Thread(target=work, args=(name,)) for name in "xy"]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0, 0]
    for process in processes:
        assert process.stdin
        process.stdin.close()


def test_noting_beside_dropping_brings_nothing_back(tmp_path: Path) -> None:
    failures: list[BaseException] = []
    stop = threading.Event()

    def note() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                store.note(SPACE, trace_record(f"{number}"), keep=KEEP)
            except StoreError:
                pass
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test must fail of it
                failures.append(error)

    with opened(tmp_path) as store:
        threads = [threading.Thread(target=note) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for round in range(30):
                store.apply(SPACE, [PutMemory(memory(f"m{round}"))])
                assert store.drop(SPACE)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert failures == []
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_the_schema_is_the_one_the_version_says(store: SqliteStore, tmp_path: Path) -> None:
    noted(store, "t")
    with sqlite3.connect(journal_of(tmp_path)) as db:
        tables = {name for (name,) in db.execute("select name from sqlite_master where type = 'table'")}
        assert (tables, db.execute("pragma user_version").fetchone()) == (
            {"traces", "touched", "shown"},
            (SCHEMA_VERSION,),
        )
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
    db.close()
