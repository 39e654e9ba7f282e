"""One SQLite file: pooled readers beside one writer, transactions that are durable, errors with a remedy.

WAL lets readers go on beside a writer, in this process and others. `synchronous=FULL` makes a returned commit
survive power loss, not only a killed process. `secure_delete` overwrites what is erased.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import StoreError
from recollect.store.filtering import add_functions
from recollect.store.migrations import migrate

MAX_IDLE_READERS = 4
PRAGMAS = (
    "synchronous = full",
    "foreign_keys = on",
    "secure_delete = on",
    "cache_size = -16000",  # 16 MB
    "wal_autocheckpoint = 8000",  # 32 MB: pages a bulk load writes over and over reach the file once
)


class Database:
    """Connections to one file."""

    def __init__(self, path: Path, *, space: str, busy_seconds: float, mode: str = "rwc") -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._idle_lock = threading.Lock()
        self._write_lock = threading.Lock()
        with self._named_errors():
            self._writer = self._connect(mode=mode)
            try:
                migrate(self._writer, space=space, path=path)
                self.uid = str(self._writer.execute("select value from meta where key = 'uid'").fetchone()[0])
                self.inode = path.stat().st_ino
            except FileNotFoundError as error:
                self._writer.close()
                raise StoreError(f"store file {str(path)!r} was dropped while it was opened; try again") from error
            except BaseException:
                self._writer.close()
                raise

    def is_current(self) -> bool:
        """Whether the path still leads to the file that is open (another process may have dropped the space)."""
        try:
            return self.path.stat().st_ino == self.inode
        except FileNotFoundError:
            return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees the last commit, and nothing newer until the block ends."""
        with self._named_errors():
            with self._idle_lock:
                db = self._idle.pop() if self._idle else None
            db = db or self._connect(mode="rw")
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

    def head(self) -> int:
        """The change log's last position."""
        with self.reading() as db:
            return int(db.execute("select coalesce(max(seq), 0) from changes").fetchone()[0])

    def mark(self, position: int) -> int | None:
        """The random mark of one entry of the change log: two histories that parted do not agree on it."""
        with self.reading() as db:
            found = db.execute("select mark from changes where seq = ?", (position,)).fetchone()
        return int(found[0]) if found else None

    def shrink_log(self) -> None:
        """Move everything from the write-ahead log into the file, so that erased text is nowhere left."""
        with self._named_errors(), self._write_lock:
            busy = self._writer.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
        if busy:  # it has waited `busy_seconds` for them already
            raise StoreError(
                f"store file {str(self.path)!r}: another process kept reading, so that erased text may still stand in "
                "the write-ahead log; run 'recollect reindex' when it is done"
            )

    def close(self) -> None:
        with self._idle_lock:
            for db in self._idle:
                db.close()
            self._idle.clear()
        with self._write_lock:
            self._writer.close()

    def _connect(self, *, mode: str) -> sqlite3.Connection:
        # Only a writer's first connection may make the file: any other would bring back a space dropped meanwhile.
        db = connect(self.path, mode=mode, busy_seconds=self._busy_seconds, pragmas=PRAGMAS)
        add_functions(db)
        return db

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise StoreError(f"store file {str(self.path)!r}: {explain(error)}") from error


def connect(path: Path, *, mode: str, busy_seconds: float, pragmas: Sequence[str]) -> sqlite3.Connection:
    """A connection to a file in WAL mode, for any thread; transactions are the caller's."""
    db = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        # A rollback-journal file turns into WAL only under a lock that does not wait; one retry is enough.
        for attempt in (1, 2):
            try:
                db.execute("pragma journal_mode = wal")
                break
            except sqlite3.OperationalError:
                if attempt == 2:
                    raise
                db.execute("begin exclusive")
                db.execute("commit")
        for pragma in pragmas:
            db.execute(f"pragma {pragma}")
    except BaseException:
        db.close()
        raise
    return db


def explain(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """What SQLite's error means for the caller, and what to do."""
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith("SQLITE_FULL"):
        return "the disk is full; nothing of this call was written. Free some space and try again"
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another process held the write lock too long; try again, or raise store.busy_seconds"
    garbled = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    if garbled or code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return "the file is damaged; restore it from an export or a backup copy ('recollect doctor' says more)"
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return "cannot be opened for writing; check that the folder exists and its permissions"
    if code.startswith("SQLITE_IOERR"):
        return (
            f"the disk reported an error ({code}); nothing of this call was written. Check the disk and its free space"
        )
    return f"{error} ({code or type(error).__name__})"
