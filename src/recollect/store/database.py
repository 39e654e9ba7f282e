"""The record of one space: `memories.db`.

`synchronous=FULL` makes a returned commit survive power loss, not only a killed process. `secure_delete` overwrites
what is erased.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from recollect.store.filtering import add_functions
from recollect.store.migrations import migrate
from recollect.store.pool import Pool


class Database(Pool):
    """Connections to one record, and its change log."""

    what = "store file"
    when_damaged = "restore it from an export or a backup copy ('recollect doctor' says more)"
    pragmas = (
        "synchronous = full",
        "foreign_keys = on",
        "secure_delete = on",
        "cache_size = -16000",  # 16 MB
        "wal_autocheckpoint = 8000",  # 32 MB: pages a bulk load writes over and over reach the file once
    )

    def __init__(self, path: Path, *, space: str, busy_seconds: float, mode: str = "rwc") -> None:
        self._space = space
        super().__init__(path, busy_seconds=busy_seconds, mode=mode)

    def head(self) -> int:
        """The change log's last position."""
        with self.reading() as db:
            return int(db.execute("select coalesce(max(seq), 0) from changes").fetchone()[0])

    def mark(self, position: int) -> int | None:
        """The random mark of one entry of the change log: two histories that parted do not agree on it."""
        with self.reading() as db:
            found = db.execute("select mark from changes where seq = ?", (position,)).fetchone()
        return int(found[0]) if found else None

    def _begin(self, db: sqlite3.Connection) -> None:
        migrate(db, space=self._space, path=self.path)
        self.uid = str(db.execute("select value from meta where key = 'uid'").fetchone()[0])

    def _connect(self, mode: str) -> sqlite3.Connection:
        db = super()._connect(mode)
        add_functions(db)
        return db
