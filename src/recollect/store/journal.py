"""The journal of one space: traces of questions, and what each session was shown. An own SQLite file, `journal.db`.

It is no part of the record: made at its first use, begun anew when it is damaged, and never a reason for a call about
memories to fail. Only erasing insists on it: what cannot be erased from the journal is erased with it.
`synchronous=NORMAL`: a power cut may cost the last traces, and noting one waits for no disk.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from recollect.errors import NotFound, StoreError
from recollect.records import TraceRecord, utc
from recollect.store.migrations import run_script, version
from recollect.store.pool import BUSY, CLOSED, code_of, connect, empty_log, is_damage, wait_up_to
from recollect.store.rows import DAMAGE, EPOCH, micros
from recollect.store.writing import chunks

JOURNAL_FILE = "journal.db"
MOST_MARKS = 10_000  # per space: a long session is shown hundreds; what falls out is at worst shown once more
PATIENCE = 2.0  # seconds a question waits for another process: a trace is not worth more. Erasing waits as writes do
LEVEL = 1  # of compression: a quarter of the usual time, for a twentieth more bytes
SCHEMA_VERSION = 1
PRAGMAS = ("synchronous = normal", "foreign_keys = on", "secure_delete = on")
SCHEMA = """
create table traces (
    id text primary key,
    started_at integer not null,
    question text not null,
    verdict text not null,
    confidence real not null,
    stop text not null,
    seconds real not null,
    payload blob not null
);
create index traces_by_time on traces (started_at, id);

create table touched (
    memory_id text not null,
    trace_id text not null references traces (id) on delete cascade,
    primary key (memory_id, trace_id)
) without rowid;
create index touched_by_trace on touched (trace_id);

create table shown (
    session text not null,
    memory_id text not null,
    mark text not null,
    at integer not null,
    primary key (session, memory_id)
) without rowid;
create index shown_by_memory on shown (memory_id);
create index shown_by_time on shown (at, session, memory_id);
"""
TRACE_COLUMNS = "id, started_at, question, verdict, confidence, stop, seconds"
DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_IOERR_SHORT_READ", "SQLITE_ERROR")  # the last: no such table
FAILURES = (sqlite3.Error, zlib.error, *DAMAGE)  # what a damaged file may do to its reader

Result = TypeVar("Result")
Gone = Callable[[Iterable[str]], AbstractSet[str]]


class Journal:
    """One connection, used by one thread at a time; other processes have their own."""

    def __init__(self, path: Path, *, busy_seconds: float) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._inode = 0
        self._problem: str | None = None

    def note(self, record: TraceRecord, *, keep: int, gone: Gone) -> None:
        """Keep a trace, and the newest `keep` in all; not one that speaks of a memory erased meanwhile.

        `gone` tells which of some memories are erased. It is asked while the journal is locked, so that an erasure
        is either seen here or finds the trace.
        """
        payload = zlib.compress(record.payload.encode(errors="surrogatepass"), LEVEL) if keep > 0 else b""
        row = (
            record.id, micros(utc(record.started_at)), record.question, record.verdict, record.confidence,
            record.stop, record.seconds, payload,
        )  # fmt: skip
        touched = sorted(record.touched)
        self._attempt(lambda db: _note(db, row, touched, keep=keep, gone=gone), create=keep > 0)

    def show(self, session: str, marks: Mapping[str, str], *, at: datetime, gone: Gone) -> None:
        """Add to what a session was shown."""
        moment = micros(utc(at))
        self._attempt(lambda db: _show(db, session, marks, at=moment, gone=gone), create=bool(marks))

    def shown(self, session: str) -> dict[str, str]:
        """What a session was shown, by id; nothing where that cannot be told."""
        sql = "select memory_id, mark from shown where session = ? order by memory_id"
        return self._attempt(lambda db: dict(db.execute(sql, (session,)).fetchall()), create=False) or {}

    def trace(self, id: str) -> TraceRecord | None:
        """One trace, whole."""
        return self._read(lambda db: _trace(db, id))

    def traces(self, *, limit: int, before: str | None) -> list[TraceRecord]:
        """Newest first, without payload."""
        found = self._read(lambda db: _traces(db, limit=max(limit, 0), before=before))
        if found is None and before is not None:
            raise _no_such(before)
        return found or []

    def erase(self, ids: Sequence[str]) -> None:
        """Every trace that touched these memories and every mark of them, out of the file and its log.

        Where that cannot be done (a full disk, another process that never lets go), the whole journal goes.
        """
        with self._lock:
            try:
                is_left = self._run(lambda db: self._erased(db, ids), create=False)
            except (*FAILURES, StoreError):
                is_left = True
            if is_left:
                self._remove()

    def check(self) -> list[str]:
        """What is wrong with it; empty when nothing is. Mends nothing."""
        with self._lock:
            try:
                db = self._connected(create=False)
                found = [str(row[0]) for row in db.execute("pragma quick_check(5)")] if db else []
                if db is None and self._path.exists():
                    found = ["something that is not a file stands in its place; remove it"]
            except (*FAILURES, StoreError) as error:
                self._disconnect()
                found = [str(self._named(error))]
        problems = [f"journal: {line}" for line in found if line != "ok"]
        return problems or ([f"journal: {self._problem}"] if self._problem else [])

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _attempt(self, work: Callable[[sqlite3.Connection], Result], *, create: bool) -> Result | None:
        """Do it, or do without: `check` tells what the matter was."""
        try:
            with self._lock:
                result = self._run(work, create=create)
        except (*FAILURES, StoreError) as error:
            self._problem = str(self._named(error))
            return None
        self._problem = None
        return result

    def _read(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        try:
            with self._lock:
                return self._run(work, create=False)
        except FAILURES as error:
            raise self._named(error) from error

    # --- below here the lock is held -------------------------------------------------------------

    def _run(self, work: Callable[[sqlite3.Connection], Result], *, create: bool) -> Result | None:
        """What the work gives, or None when there is no journal. A damaged one is begun anew, once."""
        try:
            return self._once(work, create=create)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if not is_damage(error, DAMAGED):
                raise
            self._remove()
        return self._once(work, create=create)

    def _once(self, work: Callable[[sqlite3.Connection], Result], *, create: bool) -> Result | None:
        db = self._connected(create=create)
        if db is None:
            return None
        try:
            return work(db)
        except BaseException:
            self._disconnect()  # which also undoes what was begun
            raise

    def _connected(self, *, create: bool) -> sqlite3.Connection | None:
        """The connection, if the path still leads to the file it is of; another process may have begun anew."""
        found = _inode(self._path)
        if self._db is not None and found == self._inode:
            return self._db
        self._disconnect()
        if found is None and not create:
            return None
        mode = "rwc" if create else "rw"
        patience = min(self._busy_seconds, PATIENCE)
        db = connect(self._path, mode=mode, busy_seconds=patience, pragmas=PRAGMAS)
        try:
            _prepare(db)
            self._inode = self._path.stat().st_ino
        except FileNotFoundError:  # dropped at this moment
            db.close()
            return None
        except BaseException:
            db.close()
            raise
        self._db = db
        return db

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _erased(self, db: sqlite3.Connection, ids: Sequence[str]) -> bool:
        wait_up_to(db, self._busy_seconds)
        is_left = _erase(db, ids)
        wait_up_to(db, min(self._busy_seconds, PATIENCE))
        return is_left

    def _remove(self) -> None:
        """The file and all that belongs to it. Not set aside: a copy would be out of reach of later erasures."""
        self._disconnect()
        for suffix in ("", "-wal", "-shm"):
            try:
                os.unlink(f"{self._path}{suffix}")
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StoreError(
                    f"journal {str(self._path)!r} cannot be removed: {error.strerror}; remove it by hand"
                ) from error

    def _named(self, error: Exception) -> StoreError:
        if isinstance(error, StoreError):
            return error
        code = code_of(error)
        if isinstance(error, UnicodeEncodeError):
            what = f"a text cannot be stored ({error})"
        elif code.startswith(BUSY):
            what = "another process held it too long; try again, or raise store.busy_seconds"
        elif code.startswith("SQLITE_FULL"):
            what = "the disk is full; free some space"
        elif code.startswith(CLOSED):
            what = "cannot be opened for writing; check its permissions, or remove it"
        else:
            what = f"it is damaged ({error}); it is begun anew at its next use, or remove it"
        return StoreError(f"journal {str(self._path)!r}: {what}. No memory is affected")


# --- what is done in it --------------------------------------------------------------------------


def _prepare(db: sqlite3.Connection) -> None:
    """Make the tables where there are none; several processes may try at once."""
    if version(db) == SCHEMA_VERSION:
        return
    db.execute("begin immediate")
    found = version(db)
    if found > SCHEMA_VERSION:
        raise StoreError(f"the journal has schema {found}, this program knows {SCHEMA_VERSION}; upgrade recollect")
    if found == 0:
        run_script(db, SCHEMA)
        db.execute(f"pragma user_version = {SCHEMA_VERSION:d}")
    db.execute("commit")


def _note(db: sqlite3.Connection, row: Sequence[Any], touched: Sequence[str], *, keep: int, gone: Gone) -> None:
    if keep <= 0:
        db.execute("delete from traces")
        empty_log(db)
        return
    db.execute("begin immediate")
    if gone(touched):
        db.execute("rollback")
        return
    db.execute("delete from traces where id = ?", (row[0],))  # and what it touched, if it was there before
    db.execute(f"insert into traces ({TRACE_COLUMNS}, payload) values (?, ?, ?, ?, ?, ?, ?, ?)", row)
    db.executemany("insert into touched values (?, ?)", [(memory_id, row[0]) for memory_id in touched])
    excess = db.execute("select count(*) from traces").fetchone()[0] - keep
    if excess > 0:
        db.execute("delete from traces where id in (select id from traces order by started_at, id limit ?)", (excess,))
    db.execute("commit")


def _show(db: sqlite3.Connection, session: str, marks: Mapping[str, str], *, at: int, gone: Gone) -> None:
    db.execute("begin immediate")
    erased = gone(marks)
    rows = [(session, id, mark, at) for id, mark in sorted(marks.items()) if id not in erased]
    db.executemany("insert or replace into shown values (?, ?, ?, ?)", rows)
    excess = db.execute("select count(*) from shown").fetchone()[0] - MOST_MARKS
    if excess > 0:
        oldest = "select session, memory_id from shown order by at, session, memory_id limit ?"
        db.execute(f"delete from shown where (session, memory_id) in ({oldest})", (excess,))
    db.execute("commit")


def _erase(db: sqlite3.Connection, ids: Sequence[str]) -> bool:
    """Erase, and say whether another process kept the text in the write-ahead log."""
    db.execute("begin immediate")
    for chunk in chunks(ids):
        wanted = ", ".join("?" * len(chunk))
        touching = f"select trace_id from touched where memory_id in ({wanted})"
        db.execute(f"delete from traces where id in ({touching})", chunk)
        db.execute(f"delete from shown where memory_id in ({wanted})", chunk)
    db.execute("commit")
    # Also when nothing was found: the log may still hold a trace that was pruned since.
    return not empty_log(db)


def _trace(db: sqlite3.Connection, id: str) -> TraceRecord | None:
    row = db.execute(f"select {TRACE_COLUMNS}, payload from traces where id = ?", (id,)).fetchone()
    if row is None:
        return None
    payload = zlib.decompress(row[7]).decode(errors="surrogatepass")
    return _record(row, payload=payload, touched=_touched(db, [id]).get(id, []))


def _traces(db: sqlite3.Connection, *, limit: int, before: str | None) -> list[TraceRecord]:
    where, values = "", list[Any]()
    if before is not None:
        last = db.execute("select started_at, id from traces where id = ?", (before,)).fetchone()
        if last is None:
            raise _no_such(before)
        where, values = "where (started_at, id) < (?, ?)", list(last)
    sql = f"select {TRACE_COLUMNS} from traces {where} order by started_at desc, id desc limit ?"
    rows = db.execute(sql, [*values, limit]).fetchall()
    touched = _touched(db, [row[0] for row in rows])
    return [_record(row, payload="", touched=touched.get(row[0], [])) for row in rows]


def _touched(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for chunk in chunks(ids):
        wanted = ", ".join("?" * len(chunk))
        for trace_id, memory_id in db.execute(
            f"select trace_id, memory_id from touched where trace_id in ({wanted})", chunk
        ):
            found.setdefault(trace_id, []).append(memory_id)
    return found


def _record(row: Sequence[Any], *, payload: str, touched: Iterable[str]) -> TraceRecord:
    id, started_at, question, verdict, confidence, stop, seconds, *_ = row
    return TraceRecord(
        id=id, started_at=EPOCH + timedelta(microseconds=started_at), question=question, verdict=verdict,
        confidence=confidence, stop=stop, seconds=seconds, payload=payload, touched=frozenset(touched),
    )  # fmt: skip


def _no_such(id: str) -> NotFound:
    return NotFound(f"no trace {id!r} to continue after; start again without it")


def _inode(path: Path) -> int | None:
    """Of the file, if it is one."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino if stat.S_ISREG(found.st_mode) else None
