"""One SQLite file: pooled readers beside one writer, transactions, errors with a remedy, and erased text that goes.

WAL lets readers go on beside a writer, in this process and others; but while another process reads, what was erased
stays in the log and in the file. It is marked until it is gone, so that whoever writes or opens the file next tries
again. The file has a table `meta` of keys and values, and `secure_delete` is on.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar

from recollect.errors import StoreError

MAX_IDLE_READERS = 4
POLL_SECONDS = 0.005
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
CLOSED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")
MARK = "log_holds_erased"


class Pool:
    """Connections to one file. What it is and how it is begun, a class of its own says."""

    what: ClassVar[str]
    when_damaged: ClassVar[str]
    pragmas: ClassVar[Sequence[str]]
    gives_back_room: ClassVar[bool] = False  # whether shrinking makes the file smaller

    def __init__(self, path: Path, *, busy_seconds: float, mode: str) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._idle: list[sqlite3.Connection] = []
        self._idle_lock = threading.Lock()
        self._write_lock = threading.Lock()
        with self._named_errors():
            self._writer = self._connect(mode)
            try:
                self._begin(self._writer)
                self._inode = path.stat().st_ino
                if _mark_of(self._writer) is not None:
                    self._try_to_empty_log()
            except FileNotFoundError as error:
                self._writer.close()
                raise StoreError(f"{self.what} {str(path)!r} was dropped while it was opened; try again") from error
            except BaseException:
                self._writer.close()
                raise

    def is_current(self) -> bool:
        """Whether the path still leads to the file that is open (another process may have dropped the space)."""
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
                is_left = _mark_of(self._writer) is not None
                yield self._writer
                self._writer.execute("commit")
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("rollback")
                raise
            if is_left:
                self._try_to_empty_log()

    def shrink(self) -> bool:
        """Take off the disk what `mark_erased` spoke of; whether all of it is gone, or another process kept it."""
        with self._named_errors(), self._write_lock:
            if _mark_of(self._writer) is None:
                return True
            try:
                if self.gives_back_room:
                    self._writer.execute("vacuum")
                return self._empty_log(self._busy_seconds)
            except sqlite3.OperationalError as error:
                if code_of(error).startswith(BUSY):
                    return False
                raise

    def leftovers(self) -> list[str]:
        """What is to be said of text that was erased and may still be on the disk."""
        with self.reading() as db:
            if _mark_of(db) is None:
                return []
        return [
            f"{self.what} {str(self.path)!r}: another process kept reading, so that erased text may still stand in the "
            "write-ahead log; it goes with the first write or opening after that"
        ]

    def close(self) -> None:
        with self._idle_lock:
            for db in self._idle:
                db.close()
            self._idle.clear()
        with self._write_lock:
            self._writer.close()

    def _begin(self, db: sqlite3.Connection) -> None:
        """Bring a file that may be new to its schema."""
        raise NotImplementedError

    def _connect(self, mode: str) -> sqlite3.Connection:
        # Only a writer's first connection may make the file: any other would bring back a space dropped meanwhile.
        return connect(self.path, mode=mode, busy_seconds=self._busy_seconds, pragmas=self.pragmas)

    def _try_to_empty_log(self) -> None:
        with suppress(sqlite3.Error):  # the mark stays
            self._empty_log(0)

    def _empty_log(self, seconds: float) -> bool:
        """Whether that could be done, waiting this long for others. The write lock is held."""
        mark = _mark_of(self._writer)
        is_empty = empty_log(self._writer, seconds)
        if is_empty:  # the mark goes with it, but not one that was made since
            self._writer.execute("delete from meta where key = ? and value = ?", (MARK, mark))
        return is_empty

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            found = f"the file is damaged; {self.when_damaged}" if is_damage(error) else explain(error)
            raise StoreError(f"{self.what} {str(self.path)!r}: {found}") from error


def mark_erased(db: sqlite3.Connection) -> None:
    """Say, with the transaction that erases text, that it must leave the disk."""
    db.execute("insert or replace into meta values (?, random())", (MARK,))


def _mark_of(db: sqlite3.Connection) -> object:
    found = db.execute("select value from meta where key = ?", (MARK,)).fetchone()
    return found and found[0]


def empty_log(db: sqlite3.Connection, seconds: float | None = None) -> bool:
    """Move everything from the write-ahead log into the file; whether others let that be done in time.

    That is as long as this connection waits for others, where nothing else is said.
    """
    usual = db.execute("pragma busy_timeout").fetchone()[0] / 1000
    until = time.monotonic() + (usual if seconds is None else seconds)
    try:
        while True:
            wait_up_to(db, max(until - time.monotonic(), 0))
            busy = db.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
            if not busy or time.monotonic() >= until:
                return not busy
            time.sleep(POLL_SECONDS)  # SQLite waits for readers and writers, but not for another who empties the log
    finally:
        wait_up_to(db, usual)


def wait_up_to(db: sqlite3.Connection, seconds: float) -> None:
    """How long this connection waits for others from now on."""
    db.execute(f"pragma busy_timeout = {round(seconds * 1000):d}")


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


def code_of(error: BaseException) -> str:
    """SQLite's name for it, where it has one."""
    return getattr(error, "sqlite_errorname", None) or ""


def is_damage(error: BaseException, codes: tuple[str, ...] = DAMAGED) -> bool:
    """Whether it says that the file is not what it was."""
    garbled = isinstance(error, UnicodeDecodeError) or "decode to UTF-8" in str(error)
    return garbled or code_of(error).startswith(codes)


def explain(error: BaseException) -> str:
    """What SQLite's error means for the caller, and what to do; damage aside."""
    code = code_of(error)
    if code.startswith("SQLITE_FULL"):
        return "the disk is full; nothing of this call was written. Free some space and try again"
    if code.startswith(BUSY):
        return "another process held the write lock too long; try again, or raise store.busy_seconds"
    if code.startswith(CLOSED):
        return "cannot be opened for writing; check that the folder exists and its permissions"
    if code.startswith("SQLITE_IOERR"):
        return (
            f"the disk reported an error ({code}); nothing of this call was written. Check the disk and its free space"
        )
    return f"{error} ({code or type(error).__name__})"
