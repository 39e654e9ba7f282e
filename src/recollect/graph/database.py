"""One open `graph.db`: pooled readers beside one writer, errors with a remedy, and how often it changed.

All in it comes from files that can be read again, except collections of triples, which can be stated again.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import StoreError
from recollect.graph.looking import relation_uses
from recollect.graph.schema import migrate
from recollect.graph.spellings import Spellings
from recollect.knowledge import RelationUse
from recollect.store.database import connect, explain

GRAPH_FILE = "graph.db"
MAX_IDLE_READERS = 4
PRAGMAS = (
    "synchronous = full",
    "secure_delete = on",
    "cache_size = -64000",  # 64 MB: the tables that a question reads, at a few hundred thousand statements
    "wal_autocheckpoint = 8000",
)
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class GraphDatabase:
    """Connections to one file. `users` counts the calls in flight; it is closed only at zero."""

    def __init__(self, path: Path, *, busy_seconds: float, mode: str) -> None:
        self.path = path
        self.users = 0
        self.spellings = Spellings()
        self._uses: tuple[int, list[RelationUse]] | None = None
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._idle_lock = threading.Lock()
        self._write_lock = threading.Lock()
        with self._named_errors():
            self._writer = self._connect(mode)
            try:
                migrate(self._writer, path=path)
                self._inode = path.stat().st_ino
            except FileNotFoundError as error:
                self._writer.close()
                raise StoreError(f"graph file {str(path)!r} was dropped while it was opened; try again") from error
            except BaseException:
                self._writer.close()
                raise

    def is_current(self) -> bool:
        """Whether the path still leads to the file that is open (the space may have been dropped)."""
        try:
            return self.path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the last commit, and nothing newer until the block ends."""
        with self._named_errors():
            with self._idle_lock:
                db = self._idle.pop() if self._idle else None
            db = db or self._connect("rw")
            try:
                db.execute("begin")
                yield db
            finally:
                db.rollback()
                with self._idle_lock:
                    keep = len(self._idle) < MAX_IDLE_READERS
                    if keep:
                        self._idle.append(db)
                if not keep:
                    db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed when the block ends, rolled back when it raises."""
        with self._named_errors(), self._write_lock:
            self._writer.execute("begin immediate")
            try:
                yield self._writer
                self._writer.execute("commit")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("rollback")
                raise

    def shrink(self) -> None:
        """Give back the room of what was erased, and leave nothing of it in the write-ahead log."""
        with self._named_errors(), self._write_lock:
            self._writer.execute("vacuum")
            self._writer.execute("pragma wal_checkpoint(truncate)").fetchone()

    def relation_uses(self, db: sqlite3.Connection) -> list[RelationUse]:
        """The relations in use, counted once for each state of the graph."""
        at = changes(db)
        if self._uses is None or self._uses[0] != at:
            self._uses = (at, relation_uses(db))
        return list(self._uses[1])

    def close(self) -> None:
        with self._idle_lock:
            for db in self._idle:
                db.close()
            self._idle.clear()
        with self._write_lock:
            self._writer.close()

    def _connect(self, mode: str) -> sqlite3.Connection:
        return connect(self.path, mode=mode, busy_seconds=self._busy_seconds, pragmas=PRAGMAS)

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            code = getattr(error, "sqlite_errorname", "") or ""
            if isinstance(error, UnicodeDecodeError) or code.startswith(DAMAGED):
                remedy = "the file is damaged; delete it, ingest the projects again and state the triples again"
            else:
                remedy = explain(error)
            raise StoreError(f"graph file {str(self.path)!r}: {remedy}") from error


def changes(db: sqlite3.Connection) -> int:
    """How often the graph was changed."""
    return int(db.execute("select value from meta where key = 'changes'").fetchone()[0])


def note_change(db: sqlite3.Connection, projects: Iterable[str]) -> None:
    """Say that it was, and in which projects: what was worked out from it is out of date."""
    db.executemany("insert or ignore into unsettled values (?, '')", [(project,) for project in projects])
    db.execute("update meta set value = value + 1 where key = 'changes'")
