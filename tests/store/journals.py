"""Stores whose journal is looked at as files, for `test_journal.py` and `test_journal_damage.py`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.records import Memory, TraceRecord
from recollect.settings import StoreSettings
from recollect.store.folders import folder_of
from recollect.store.journal import JOURNAL_FILE
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_journal import trace_record

from .writers import now

SPACE = "journal"
KEEP = 1_000


@contextmanager
def opened(root: Path, *, busy_seconds: float = 5.0) -> Iterator[SqliteStore]:
    store = SqliteStore(root, now=now, settings=StoreSettings(busy_seconds=busy_seconds))
    try:
        yield store
    finally:
        store.close()


def journal_of(root: Path) -> Path:
    return folder_of(root, SPACE) / JOURNAL_FILE


def files_of(root: Path) -> list[Path]:
    return sorted(folder_of(root, SPACE).glob(f"{JOURNAL_FILE}*"))


def ids_of(found: Iterable[TraceRecord | Memory]) -> list[str]:
    return sorted(each.id for each in found)


def noted(store: SqliteStore, *ids: str) -> list[str]:
    """Note traces of these ids, each touching 'a', and say what is kept then."""
    for id in ids:
        store.note(SPACE, trace_record(id, "a"), keep=KEEP)
    return ids_of(store.traces(SPACE, limit=KEEP))


def holding(root: Path, *needles: bytes) -> list[tuple[str, bytes]]:
    contents = {path.name: path.read_bytes() for path in files_of(root)}
    return [(name, needle) for name, data in contents.items() for needle in needles if needle in data]
