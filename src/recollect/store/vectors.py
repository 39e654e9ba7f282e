"""Nearest vectors of one space, in memory, exact or by a two-stage scan.

Up to `exact_up_to` vectors, all are compared. Above that, every vector's sign bits (one bit per dimension) are
compared first, a fraction of a millisecond per 100,000, and only the closest candidates are compared exactly.
No graph to build, nothing to train, nothing on disk that could be damaged; a row added is searchable at once.
docs/decisions/004 has the figures beside HNSW.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from recollect.store.columns import Mask
from recollect.store.rows import only_sound_rows
from recollect.store.writing import chunks

Number = TypeVar("Number", np.float32, np.int64)

LOAD_CHUNK = 4_096
NO_SLOT = -1
ROUNDING = 1e-5  # how far two float32 sums of the same products may differ, generously


class Vectors:
    """Vectors by slot; `rows[slot]` is the memory's row, and removed slots are filled by the last one."""

    def __init__(self, *, exact_up_to: int, candidates: int) -> None:
        self._exact_up_to = exact_up_to
        self._cut = 0  # of the search before; the next one is seldom far from it
        self._candidates = candidates
        self._reset(0)

    def __len__(self) -> int:
        return self._count

    @property
    def dimensions(self) -> int:
        return int(self._floats.shape[1])

    @only_sound_rows()
    def load(self, db: sqlite3.Connection) -> None:
        """Everything, from scratch."""
        found = db.execute("select value from meta where key = 'dimensions'").fetchone()
        self._reset(int(found[0]) if found else 0)
        count, last = db.execute("select count(*), coalesce(max(row), 0) from vectors").fetchone()
        self._grow(rows=last + 1, slots=count)  # once, rather than by and by
        cursor = db.execute("select row, data from vectors order by row")
        while batch := cursor.fetchmany(LOAD_CHUNK):
            self._put([row for row, _ in batch], b"".join(data for _, data in batch))

    @only_sound_rows()
    def refresh(self, db: sqlite3.Connection, rows: Sequence[int]) -> None:
        """These rows as they are now."""
        for chunk in chunks(rows):
            marks = ", ".join("?" * len(chunk))
            found = db.execute(f"select row, data from vectors where row in ({marks}) order by row", chunk).fetchall()
            for row in sorted(set(chunk) - {each[0] for each in found}):
                self._remove(row)
            if found:
                if not self.dimensions:
                    self._reset(len(found[0][1]) // 2)
                self._put([row for row, _ in found], b"".join(data for _, data in found))

    def nearest(self, data: bytes, *, mask: Mask | None, limit: int) -> list[tuple[int, float]]:
        """Rows and cosines, unordered: the best `limit` and everything tied with the last of them."""
        if not self._count or limit <= 0:
            return []
        query = np.frombuffer(data, dtype="<f4")
        slots = None if mask is None else np.flatnonzero(mask[self._rows[: self._count]])
        many = self._count if slots is None else len(slots)
        if many > self._exact_up_to:
            slots = self._closest_by_sign(query, slots, wanted=max(self._candidates, 8 * limit))
        floats = self._floats[: self._count] if slots is None else self._floats[slots]
        # Not `@`: a matrix product wakes a pool of threads, which on busy cores costs more than it saves.
        best = _shortlist(np.einsum("ij,j->i", floats, query), limit)
        rows = self._rows[: self._count][best] if slots is None else self._rows[slots[best]]
        return _pairs(rows, floats[best], query)

    def cosines(self, data: bytes, *, rows: Sequence[int]) -> list[tuple[int, float]]:
        """The cosine of each of these rows that has a vector."""
        known = np.asarray([row for row in rows if row < len(self._slot_of)], dtype=np.int64)
        slots = self._slot_of[known]
        held = slots != NO_SLOT
        return _pairs(known[held], self._floats[slots[held]], np.frombuffer(data, dtype="<f4"))

    def _closest_by_sign(
        self, query: NDArray[np.float32], slots: NDArray[np.int64] | None, *, wanted: int
    ) -> NDArray[np.int64]:
        count = self._count
        words, bytes_, totals = self._scratch
        differing, bits, distance = words[:count], bytes_[:count], totals[:count]
        distance.fill(0)
        # Into buffers that are kept: fresh ones of this size would be mapped and cleared on each search.
        for word, column in zip(_sign_bits(query[None, :])[:, 0], self._signs, strict=True):
            np.bitwise_xor(column[:count], word, out=differing)
            np.bitwise_count(differing, out=bits)
            np.add(distance, bits, out=distance)
        if slots is not None:
            distance = distance[slots]
        self._cut = _least_cut(distance, wanted=min(wanted, len(distance)), near=self._cut)
        close = np.flatnonzero(distance <= self._cut)
        return close if slots is None else slots[close]

    def _reset(self, dimensions: int) -> None:
        self._count = 0
        self._floats: NDArray[np.float32] = np.zeros((0, dimensions), dtype=np.float32)
        self._signs = np.zeros((-(-dimensions // 64), 0), dtype=np.uint64)
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._slot_of = np.zeros(0, dtype=np.int64)
        self._scratch = _buffers(0)

    def _put(self, rows: Sequence[int], halves: bytes) -> None:
        floats = np.frombuffer(halves, dtype="<f2").reshape(len(rows), -1).astype(np.float32)
        self._grow(rows=max(rows) + 1, slots=self._count + len(rows))
        slots = self._slot_of[np.asarray(rows)]
        fresh = np.flatnonzero(slots == NO_SLOT)
        slots[fresh] = np.arange(self._count, self._count + len(fresh))
        self._count += len(fresh)
        self._slot_of[np.asarray(rows)] = slots
        self._rows[slots] = rows
        self._floats[slots] = floats
        self._signs[:, slots] = _sign_bits(floats)

    def _remove(self, row: int) -> None:
        slot = int(self._slot_of[row]) if row < len(self._slot_of) else NO_SLOT
        if slot == NO_SLOT:
            return
        last = self._count - 1
        moved = int(self._rows[last])
        self._floats[slot], self._signs[:, slot], self._rows[slot] = (
            self._floats[last],
            self._signs[:, last],
            moved,
        )
        self._slot_of[moved] = slot
        self._slot_of[row] = NO_SLOT
        self._count = last

    def _grow(self, *, rows: int, slots: int) -> None:
        if rows > len(self._slot_of):
            grown = np.full(max(rows, 2 * len(self._slot_of), 64), NO_SLOT, dtype=np.int64)
            grown[: len(self._slot_of)] = self._slot_of
            self._slot_of = grown
        if slots > len(self._rows):
            capacity = max(slots, len(self._rows) * 3 // 2, 64)
            self._floats = _with_rows(self._floats, capacity)
            self._rows = _with_rows(self._rows, capacity)
            signs = np.zeros((len(self._signs), capacity), dtype=np.uint64)
            signs[:, : self._signs.shape[1]] = self._signs
            self._signs = signs
            self._scratch = _buffers(capacity)


def _least_cut(distance: NDArray[np.uint16], *, wanted: int, near: int) -> int:
    """The least distance within which `wanted` lie. A few counts from a good guess take less than a histogram."""

    def within(cut: int) -> bool:
        return int(np.count_nonzero(distance <= cut)) >= wanted

    step, cut = 1, near
    if within(cut):
        while cut > 0 and within(cut - step):
            cut, step = max(cut - step, 0), 2 * step
        low, high = max(cut - step, -1), cut
    else:
        while not within(cut + step):
            cut, step = cut + step, 2 * step
        low, high = cut, cut + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if within(middle) else (middle, high)
    return high


def _pairs(rows: NDArray[np.int64], floats: NDArray[np.float32], query: NDArray[np.float32]) -> list[tuple[int, float]]:
    """Rows with their cosines, summed so that the last digit does not depend on which rows stand beside each other:
    the same memories score the same in every process."""
    cosines = (floats.astype(np.float64) * query).sum(axis=1)
    return list(zip(rows.tolist(), cosines.round(9).tolist(), strict=True))


def _buffers(capacity: int) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint16]]:
    return np.empty(capacity, np.uint64), np.empty(capacity, np.uint8), np.empty(capacity, np.uint16)


def _sign_bits(floats: NDArray[np.float32]) -> NDArray[np.uint64]:
    """One bit per dimension, as 64-bit words, a row per word: words lie together in memory for the scan."""
    packed = np.packbits(floats > 0, axis=1)
    padding = -packed.shape[1] % 8
    if padding:
        packed = np.pad(packed, ((0, 0), (0, padding)))
    return np.ascontiguousarray(packed).view(np.uint64).T.copy()


def _shortlist(cosines: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Positions of the best `limit` and of whatever is too close to the last of them to tell apart."""
    if limit >= len(cosines):
        return np.arange(len(cosines))
    floor = np.partition(cosines, len(cosines) - limit)[len(cosines) - limit]
    return np.flatnonzero(cosines >= floor - ROUNDING)


def _with_rows(array: NDArray[Number], capacity: int) -> NDArray[Number]:
    grown = np.zeros((capacity, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown
