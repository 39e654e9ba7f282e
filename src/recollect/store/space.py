"""One open space: its database and what is derived from it, kept in step through the change log."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

from recollect.errors import EmbedderMismatch, InvalidInput, StoreError
from recollect.records import Filters, Lag, Match, Term, Vector
from recollect.settings import StoreSettings
from recollect.store.columns import Columns, Mask
from recollect.store.database import Database
from recollect.store.folders import DATABASE_FILE
from recollect.store.journal import JOURNAL_FILE, Journal
from recollect.store.lexical import Lexical
from recollect.store.pool import mark_erased
from recollect.store.rows import digest_of
from recollect.store.vectors import Vectors
from recollect.store.writing import chunks, embedder_of

MANY_ROWS = 1_000


class Space:
    """Search over one space."""

    def __init__(self, folder: Path, *, name: str, settings: StoreSettings, mode: str) -> None:
        self.name = name
        self.database = Database(folder / DATABASE_FILE, space=name, busy_seconds=settings.busy_seconds, mode=mode)
        self._lexical = Lexical(folder / "lexical", database=self.database, busy_seconds=settings.busy_seconds)
        self.journal = Journal(folder / JOURNAL_FILE, busy_seconds=settings.busy_seconds)
        self._columns = Columns()
        self._vectors = Vectors(exact_up_to=settings.exact_vectors, candidates=settings.candidates)
        self._position = -1  # of columns and vectors; nothing is loaded before the first search
        self._lock = threading.Lock()

    def match(self, text: str, *, filters: Filters, limit: int, now: datetime) -> tuple[list[Match], list[Term]]:
        """Search by words; see `ports.Words`."""
        if filters.kinds and self._has_none(filters, now=now):  # known before the index is brought up to date
            return [], []
        searcher = self._lexical.catch_up()
        # The columns are read after the searcher was made, so that they know every row it finds.
        with self._lock, self.database.reading() as db:
            mask = self._prepare(db, filters, now=now)
            live = self._columns.live
            ids = self._columns.ids
        if _lets_none_through(mask, live=live):
            return [], []
        found, terms = self._lexical.search(text, searcher=searcher, mask=mask, live=live, limit=limit)
        matches = [Match(id, score) for row, score in found if (id := ids[row])]
        return _best(matches, limit), terms

    def nearest(self, vector: Vector, *, filters: Filters, limit: int, now: datetime) -> list[Match]:
        """Search by meaning; see `ports.Vectors`."""
        with self._lock, self.database.reading() as db:
            self._check_comparable(db, vector)
            mask = self._prepare(db, filters, now=now)
            if _lets_none_through(mask, live=self._columns.live):
                return []
            found = self._vectors.nearest(vector.data, mask=mask, limit=limit)
            ids = self._columns.ids
            matches = [Match(id, cosine) for row, cosine in found if (id := ids[row])]
        return _best(matches, limit)

    def cosines(self, vector: Vector, *, ids: Sequence[str]) -> dict[str, float]:
        """How near each of these memories is, where it has a vector."""
        with self._lock, self.database.reading() as db:
            self._check_comparable(db, vector)
            self._catch_up(db)
            found: dict[str, float] = {}
            for chunk in chunks(list(dict.fromkeys(ids))):
                marks = ", ".join("?" * len(chunk))
                rows = dict(db.execute(f"select row, id from memories where id in ({marks})", chunk).fetchall())
                found |= {rows[row]: cosine for row, cosine in self._vectors.cosines(vector.data, rows=list(rows))}
        return found

    def alike(self, content_hash: str, *, now: datetime) -> list[str]:
        """Ids of memories in force that may have this content hash."""
        with self._lock, self.database.reading() as db:
            mask = self._prepare(db, Filters(), now=now)
            rows = [row for row in self._columns.with_content(content_hash) if mask is None or mask[row]]
            return [id for row in rows if (id := self._columns.ids[row])]

    def catch_up(self) -> None:
        """Bring the index on disk up to date; what lives in memory is brought up with the next search."""
        self._lexical.catch_up()

    def lag(self) -> list[Lag]:
        """How far each derived index is behind, without catching up."""
        head = self.database.head()
        note = None if self._position >= 0 else "not loaded yet"
        return [
            Lag("lexical", self._lexical.position, head, None if self._lexical.position else "not opened yet"),
            Lag("vectors", max(self._position, 0), head, note),
        ]

    def rebuild(self) -> None:
        """Derive everything anew, and leave nothing of erased memories behind."""
        self._lexical.rebuild()
        with self._lock:
            self._position = -1
        with self.database.writing() as db:
            mark_erased(db)
        if not self.database.shrink() and (left := self.database.leftovers()):
            raise StoreError("; ".join(left))

    def check(self) -> list[str]:
        """What is wrong with the record itself, in SQLite's words; empty when nothing is."""
        with self.database.reading() as db:
            found = [str(row[0]) for row in db.execute("pragma quick_check(20)")]
            found += [f"broken reference in {row[0]!r}" for row in db.execute("pragma foreign_key_check")]
        left = [f"erased: {line}" for line in self.database.leftovers()]
        return [*(line for line in found if line != "ok"), *left, *self.journal.check()]

    def gone(self, ids: Iterable[str]) -> set[str]:
        """Those of these memories that were erased and are not there again."""
        digests = {digest_of(id): id for id in ids}
        found: set[str] = set()
        with self.database.reading() as db:
            for chunk in chunks(list(digests)):
                marks = ", ".join("?" * len(chunk))
                rows = db.execute(f"select digest from erased where digest in ({marks})", chunk)
                found |= {digests[digest] for (digest,) in rows}
            for chunk in chunks(sorted(found)):
                marks = ", ".join("?" * len(chunk))
                found -= {id for (id,) in db.execute(f"select id from memories where id in ({marks})", chunk)}
        return found

    def is_current(self) -> bool:
        """Whether the folder still holds the record that is open."""
        return self.database.is_current()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A reader of the record."""
        return self.database.reading()

    def close(self) -> None:
        self.journal.close()
        self.database.close()

    def _has_none(self, filters: Filters, *, now: datetime) -> bool:
        with self._lock, self.database.reading() as db:
            return _lets_none_through(self._prepare(db, filters, now=now), live=self._columns.live)

    def _check_comparable(self, db: sqlite3.Connection, vector: Vector) -> None:
        held, dimensions = embedder_of(db)
        if held not in (None, vector.identity):
            raise EmbedderMismatch(
                f"space {self.name!r} holds vectors of {held!r}, the question was embedded by {vector.identity!r}; "
                "run 'recollect reindex', or set the embedder back"
            )
        if dimensions and vector.dimensions != dimensions:
            raise InvalidInput(
                f"a vector of {vector.identity!r} has {vector.dimensions} dimensions, not {dimensions}", field="vector"
            )

    def _prepare(self, db: sqlite3.Connection, filters: Filters, *, now: datetime) -> Mask | None:
        self._catch_up(db)
        return self._columns.mask(filters, db=db, now=now)

    def _catch_up(self, db: sqlite3.Connection) -> None:
        head = int(db.execute("select coalesce(max(seq), 0) from changes").fetchone()[0])
        if head == self._position:
            return
        changes = "select op, row from changes where seq > ? and seq <= ?"
        changed = db.execute(changes, (self._position, head)).fetchall() if self._position >= 0 else []
        rows = sorted({row for _, row in changed})
        # Reading everything in order is faster than picking out a large share of it.
        many = len(rows) > max(MANY_ROWS, self._columns.size // 4)
        if self._position < 0 or many or any(op == "embedder" for op, _ in changed):
            self._columns.load(db)
            self._vectors.load(db)
        else:
            self._columns.refresh(db, rows)
            self._vectors.refresh(db, rows)
        self._position = head


def _lets_none_through(mask: Mask | None, *, live: int) -> bool:
    return not live if mask is None else not mask.any()


def _best(matches: list[Match], limit: int) -> list[Match]:
    return sorted(matches, key=lambda match: (-match.source_score, match.id))[:limit]
