"""One open `graph.db`, what was worked out from it, and how often it changed.

All in it comes from files that can be read again, except collections of triples, which can be stated again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from recollect.graph.looking import relation_uses
from recollect.graph.schema import migrate
from recollect.graph.spellings import Spellings
from recollect.knowledge import RelationUse
from recollect.store.pool import Pool

GRAPH_FILE = "graph.db"


class GraphDatabase(Pool):
    """Connections to one graph."""

    what = "graph file"
    when_damaged = "delete it, ingest the projects again and state the triples again"
    pragmas = (
        "synchronous = full",
        "secure_delete = on",
        "cache_size = -64000",  # 64 MB: the tables that a question reads, at a few hundred thousand statements
        "wal_autocheckpoint = 8000",
    )
    gives_back_room = True

    def __init__(self, path: Path, *, busy_seconds: float, mode: str) -> None:
        self.spellings = Spellings()
        self._uses: tuple[int, list[RelationUse]] | None = None
        super().__init__(path, busy_seconds=busy_seconds, mode=mode)

    def relation_uses(self, db: sqlite3.Connection) -> list[RelationUse]:
        """The relations in use, counted once for each state of the graph."""
        at = changes(db)
        if self._uses is None or self._uses[0] != at:
            self._uses = (at, relation_uses(db))
        return list(self._uses[1])

    def _begin(self, db: sqlite3.Connection) -> None:
        migrate(db, path=self.path)


def changes(db: sqlite3.Connection) -> int:
    """How often the graph was changed."""
    return int(db.execute("select value from meta where key = 'changes'").fetchone()[0])


def note_change(db: sqlite3.Connection, projects: Iterable[str]) -> None:
    """Say that it was, and in which projects: what was worked out from it is out of date."""
    db.executemany("insert or ignore into unsettled values (?, '')", [(project,) for project in projects])
    db.execute("update meta set value = value + 1 where key = 'changes'")
