"""What filters look at, as arrays in memory: one entry per row, so that a filter is a few vector comparisons.

Derived from the record at open and from the change log after that; never written anywhere. Tags and clusters
are looked up in their table instead, since a memory has any number of them.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recollect.records import Filters, Lifecycle, TimeAxis
from recollect.store.rows import micros, only_sound_rows, to_micros
from recollect.store.writing import chunks

Mask = NDArray[np.bool_]

ABSENT = 0
LIFECYCLE_CODES = {lifecycle.value: code for code, lifecycle in enumerate(Lifecycle, start=1)}
KEPT_MASKS = 32
NEVER = int(np.iinfo(np.int64).max)  # a time that is not set: later than any upper bound asks for
TIMES = ("created_at", "event_time", "valid_from", "valid_to")
CODED = ("kind", "project", "trust", "source_uri")
SELECT = (
    "select row, id, lifecycle, content_hash, kind, project, trust, source_uri, "
    "created_at, event_time, valid_from, valid_to from memories"
)
FIRST_CODED = 4  # columns before them in the above


class Columns:
    """The filterable attributes of one space's memories, by row."""

    def __init__(self) -> None:
        self.size = 0  # one past the highest row seen
        self.live = 0
        self.ids: list[str | None] = []
        self._lifecycle = np.zeros(0, dtype=np.uint8)
        self._coded = {name: np.zeros(0, dtype=np.int32) for name in CODED}
        self._times = {name: np.zeros(0, dtype=np.int64) for name in TIMES}
        self._content = np.zeros(0, dtype=np.uint32)
        self._codes: dict[str, dict[str | None, int]] = {name: {} for name in CODED}
        self._masks: dict[Filters, tuple[int, int, Mask | None]] = {}

    @only_sound_rows()
    def load(self, db: sqlite3.Connection) -> None:
        """Everything, from scratch."""
        self.__init__()  # type: ignore[misc]
        self._store(db.execute(SELECT + " order by row").fetchall())

    @only_sound_rows()
    def refresh(self, db: sqlite3.Connection, rows: Sequence[int]) -> None:
        """These rows as they are now; a row that is gone becomes absent."""
        for chunk in chunks(rows):
            marks = ", ".join("?" * len(chunk))
            found = db.execute(f"{SELECT} where row in ({marks}) order by row", chunk).fetchall()
            for row in set(chunk) - {each[0] for each in found}:
                self._remove(row)
            self._store(found)

    def with_content(self, content_hash: str) -> list[int]:
        """Live rows whose text may have this hash, by a checksum of it; the caller compares the whole.

        An array beside the others rather than an index in the file: hashes come in no order, and keeping them in
        order on disk took a quarter of the time of a bulk load.
        """
        alike = self._content[: self.size] == _short(content_hash)
        return [int(row) for row in np.flatnonzero(alike & (self._lifecycle[: self.size] != ABSENT))]

    def mask(self, filters: Filters, *, db: sqlite3.Connection, now: datetime) -> Mask | None:
        """Which rows pass, or None when all live rows do. Kept until a row changes or a validity begins or ends."""
        if filters.kinds and self._codes["kind"].keys().isdisjoint(filters.kinds):
            return np.zeros(self.size, dtype=np.bool_)
        moment = micros(now)
        since, until, mask = self._masks.get(filters, (0, 0, None))
        if not since <= moment < until:
            found = self._passing(filters, db=db, now=now)
            mask = None if np.count_nonzero(found) == self.live else found
            if len(self._masks) >= KEPT_MASKS:
                self._masks.clear()
            if not filters.ids:  # never asked twice
                self._masks[filters] = (moment, self._next_boundary(moment), mask)
        return mask

    def _passing(self, filters: Filters, *, db: sqlite3.Connection, now: datetime) -> Mask:
        mask = self._visible(filters, now=now)
        if filters.ids:
            mask &= self._named(db, sorted(filters.ids))
        for name, wanted in (
            ("kind", filters.kinds),
            ("project", filters.projects),
            ("trust", filters.trusts),
        ):
            if wanted:
                mask &= self._has(name, wanted)
        if filters.paths:  # each place once, however many memories are from there
            mask &= self._has("source_uri", [uri for uri in self._codes["source_uri"] if filters.passes_path(uri)])
        if filters.without_kinds:
            mask &= ~self._has("kind", filters.without_kinds)
        if filters.time:
            mask &= self._in_range(filters)
        for tag in sorted(filters.tags):
            mask &= self._labelled(db, "tag", [tag])
        if filters.clusters:
            mask &= self._labelled(db, "cluster", sorted(filters.clusters))
        return mask

    def _has(self, name: str, wanted: Iterable[str | None]) -> Mask:
        codes = [self._codes[name][value] for value in wanted if value in self._codes[name]]
        if not codes:  # no memory ever had any of them
            return np.zeros(self.size, dtype=np.bool_)
        mask: Mask = np.isin(self._coded[name][: self.size], codes)
        return mask

    def _next_boundary(self, moment: int) -> int:
        """When a validity begins or ends next."""
        ahead = [
            times[times > moment]
            for name in ("valid_from", "valid_to")
            if (times := self._times[name][: self.size]).size
        ]
        return min((int(times.min()) for times in ahead if times.size), default=NEVER)

    def _visible(self, filters: Filters, *, now: datetime) -> Mask:
        lifecycle = self._lifecycle[: self.size]
        mask: Mask = np.isin(lifecycle, [LIFECYCLE_CODES[each] for each in filters.lifecycles])
        if not filters.superseded:
            moment = micros(filters.as_of or now)
            times = {name: self._times[name][: self.size] for name in TIMES}
            mask &= times["valid_to"] > moment
            if filters.as_of is None:
                begins = np.where(times["valid_from"] == NEVER, np.iinfo(np.int64).min, times["valid_from"])
            else:  # what was not stored yet, or had not happened yet, was not known then
                known = np.where(times["event_time"] == NEVER, times["created_at"], times["event_time"])
                begins = np.where(times["valid_from"] == NEVER, known, times["valid_from"])
            mask &= begins <= moment
        return mask

    def _in_range(self, filters: Filters) -> Mask:
        assert filters.time is not None
        start, end = to_micros(filters.time.start), to_micros(filters.time.end)

        def within(name: str) -> Mask:
            times = self._times[name][: self.size]
            mask: Mask = times != NEVER
            if start is not None:
                mask &= times >= start
            if end is not None:
                mask &= times < end
            return mask

        match filters.time.axis:
            case TimeAxis.EVENT:
                return within("event_time")
            case TimeAxis.STORED:
                return within("created_at")
            case TimeAxis.ANY:
                return within("event_time") | within("created_at")

    def _named(self, db: sqlite3.Connection, ids: Sequence[str]) -> Mask:
        mask: Mask = np.zeros(self.size, dtype=np.bool_)
        for chunk in chunks(ids):
            marks = ", ".join("?" * len(chunk))
            found = db.execute(f"select row from memories where id in ({marks})", chunk).fetchall()
            mask[[row for (row,) in found if row < self.size]] = True
        return mask

    def _labelled(self, db: sqlite3.Connection, sort: str, labels: Sequence[str]) -> Mask:
        mask: Mask = np.zeros(self.size, dtype=np.bool_)
        for label in labels:
            rows = [row for (row,) in db.execute("select row from labels where sort = ? and label = ?", (sort, label))]
            fitting = [row for row in rows if row < self.size]
            mask[fitting] = True
        return mask

    def _store(self, found: Sequence[Sequence[Any]]) -> None:
        if not found:
            return
        self._masks.clear()
        self._grow(found[-1][0] + 1)
        rows = np.fromiter((each[0] for each in found), dtype=np.int64, count=len(found))
        self.live += int(np.count_nonzero(self._lifecycle[rows] == ABSENT))
        for each in found:
            self.ids[each[0]] = each[1]
        self._lifecycle[rows] = [LIFECYCLE_CODES[each[2]] for each in found]
        self._content[rows] = [_short(each[3]) for each in found]
        for offset, name in enumerate(CODED, start=FIRST_CODED):
            codes = self._codes[name]
            self._coded[name][rows] = [codes.setdefault(each[offset], len(codes) + 1) for each in found]
        for offset, name in enumerate(TIMES, start=FIRST_CODED + len(CODED)):
            self._times[name][rows] = [NEVER if each[offset] is None else each[offset] for each in found]

    def _remove(self, row: int) -> None:
        if row < self.size and self._lifecycle[row] != ABSENT:
            self._masks.clear()
            self._lifecycle[row] = ABSENT
            self.ids[row] = None
            self.live -= 1

    def _grow(self, size: int) -> None:
        if size <= self.size:
            return
        if size > len(self._lifecycle):
            capacity = max(size, 2 * len(self._lifecycle), 64)
            self._lifecycle = _resized(self._lifecycle, capacity)
            self._content = _resized(self._content, capacity)
            self._coded = {name: _resized(column, capacity) for name, column in self._coded.items()}
            self._times = {name: _resized(column, capacity) for name, column in self._times.items()}
        self.ids.extend([None] * (size - self.size))
        self.size = size


def _short(content_hash: str) -> int:
    return zlib.crc32(content_hash.encode())


def _resized(column: NDArray[Any], capacity: int) -> NDArray[Any]:
    grown = np.zeros(capacity, dtype=column.dtype)
    grown[: len(column)] = column
    return grown


def rows_passing(mask: Mask) -> Iterable[int]:
    """The rows a mask lets through."""
    return (int(row) for row in np.flatnonzero(mask))
