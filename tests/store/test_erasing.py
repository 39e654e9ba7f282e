"""What is erased from a space leaves the disk, also where another process was reading just then."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.errors import StoreError
from recollect.records import EraseMemory, PutMemory
from recollect.store.folders import DATABASE_FILE, folder_of
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import matched, memory, vector
from recollect.testing.store_journal import trace_record

from .holders import PATIENT, emptying_the_log, files_holding, needs_fcntl, reading
from .journals import KEEP, SPACE, ids_of, journal_of, noted, opened

RECORD = {DATABASE_FILE, f"{DATABASE_FILE}-wal"}


def fill(store: SqliteStore) -> None:
    secret = memory("s", "body secretbody " * 40, title="secrettitle")
    store.apply(SPACE, [PutMemory(memory("a", "common"), vector(1, 0)), PutMemory(secret, vector(0, 1))])
    assert matched(store, "secretbody", space=SPACE) == ["s"]
    store.note(SPACE, trace_record("secret", "s"), keep=KEEP)


def holding(root: Path) -> set[str]:
    return files_holding(folder_of(root, SPACE), "secretbody", "secrettitle", "what about secret?")


def erase_beside_a_reader(store: SqliteStore, root: Path) -> None:
    with reading(folder_of(root, SPACE) / DATABASE_FILE):
        store.apply(SPACE, [EraseMemory("s")])
        with pytest.raises(StoreError, match=r"memories\.db.*another process kept reading"):
            store.rebuild(SPACE)
        store.apply(SPACE, [PutMemory(memory("b", "common"))])
    assert holding(root) and holding(root) <= RECORD, "index and journal are clean"


def test_the_next_write_takes_out_of_the_record_what_a_reader_kept(tmp_path: Path) -> None:
    with opened(tmp_path, busy_seconds=0.1) as store:
        fill(store)
        erase_beside_a_reader(store, tmp_path)
        store.apply(SPACE, [PutMemory(memory("c", "common"))])
        assert holding(tmp_path) == set()
        assert matched(store, "common", space=SPACE) == ["a", "b", "c"]


@pytest.mark.parametrize("first", ["read", "write"])
def test_another_process_takes_out_of_the_record_what_a_reader_kept(first: str, tmp_path: Path) -> None:
    with opened(tmp_path, busy_seconds=0.1) as store, opened(tmp_path) as before, opened(tmp_path) as later:
        fill(store)
        before.read(SPACE, ["a"])
        erase_beside_a_reader(store, tmp_path)
        if first == "write":
            before.apply(SPACE, [PutMemory(memory("c", "common"))])
        else:
            later.read(SPACE, ["a"])
        assert holding(tmp_path) == set()


def test_no_word_stays_in_an_index_that_another_has_open(tmp_path: Path) -> None:
    with opened(tmp_path) as store, opened(tmp_path) as other:
        fill(store)
        assert matched(other, "secretbody", space=SPACE) == ["s"]
        store.apply(SPACE, [EraseMemory("s")])
        store.rebuild(SPACE)
        assert holding(tmp_path) == set()
        assert (matched(other, "secretbody", space=SPACE), matched(other, "common", space=SPACE)) == ([], ["a"])
        assert holding(tmp_path) == set()


@needs_fcntl
def test_a_journal_is_not_given_up_because_another_empties_its_log_just_then(tmp_path: Path) -> None:
    with opened(tmp_path, busy_seconds=PATIENT) as store, ThreadPoolExecutor() as pool:
        fill(store)
        noted(store, "t")
        with emptying_the_log(journal_of(tmp_path)):
            erasing = pool.submit(store.apply, SPACE, [EraseMemory("s")])
            with pytest.raises(TimeoutError):  # it waits for as long as the other takes
                erasing.result(timeout=0.2)
        erasing.result()
        assert ids_of(store.traces(SPACE, limit=KEEP)) == ["t"]
        assert holding(tmp_path) <= RECORD
