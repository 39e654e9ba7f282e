"""How the schema got here: plain functions, applied in order, each inside the transaction that records it."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable
from pathlib import Path

from recollect.errors import StoreError
from recollect.store.schema import INITIAL, LEARNING, TURNS
from recollect.store.writing import title_key


def m001_initial(db: sqlite3.Connection, space: str) -> None:
    run_script(db, INITIAL)
    db.execute("insert into meta values ('space', ?), ('uid', ?)", (space, secrets.token_hex(8)))


def m002_learning(db: sqlite3.Connection, space: str) -> None:
    run_script(db, LEARNING)


def m003_titles(db: sqlite3.Connection, space: str) -> None:
    _label(db, "title <> ''")


def _label(db: sqlite3.Connection, which: str) -> None:
    for row, title, body in db.execute(f"select row, title, body from memories where {which}").fetchall():
        if key := title_key(title, body):
            db.execute("insert or ignore into labels values ('title', ?, ?)", (key, row))


def m004_turns(db: sqlite3.Connection, space: str) -> None:
    run_script(db, TURNS)
    _label(db, "title = ''")


MIGRATIONS: list[Callable[[sqlite3.Connection, str], None]] = [
    m001_initial,
    m002_learning,
    m003_titles,
    m004_turns,
]


def migrate(db: sqlite3.Connection, *, space: str, path: Path) -> None:
    """Bring the file to this program's schema; several processes may try at once."""
    if version(db) == len(MIGRATIONS):
        return
    db.execute("begin immediate")  # taken before looking again, so that only one process migrates
    try:
        found = version(db)
        if found > len(MIGRATIONS):
            raise StoreError(
                f"store file {str(path)!r} has schema {found}, this program knows {len(MIGRATIONS)}; "
                "upgrade recollect, or export with the newer version"
            )
        for number, step in enumerate(MIGRATIONS[found:], start=found + 1):
            step(db, space)
            db.execute(f"pragma user_version = {number:d}")
        db.execute("commit")
    except BaseException:
        db.rollback()  # nothing, where SQLite has done it itself, as on a full disk
        raise


def run_script(db: sqlite3.Connection, script: str) -> None:
    """Its statements one by one: `executescript` would commit the transaction they are part of."""
    for statement in script.split(";"):
        if statement.strip():
            db.execute(statement)


def version(db: sqlite3.Connection) -> int:
    """The schema version the file says it has."""
    return int(db.execute("pragma user_version").fetchone()[0])
