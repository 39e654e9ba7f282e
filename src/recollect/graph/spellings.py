"""Names by how they are written: neighbouring letters to names, in memory, derived anew whenever the graph changed.

Finds what `alike.likeness` finds by comparing every name, by counting instead: a few milliseconds at 200,000 names.
"""

from __future__ import annotations

import sqlite3
import threading

import numpy as np
import numpy.typing as npt

from recollect.graph.alike import EDGE, LEAST_ALIKE, pairs, squeezed

ALL_NAMES = "select last from refs where node = id union select name from called"
WIDTH = 21  # bits of a code point
EDGE_CODE = ord(EDGE)


class Spellings:
    """The squeezed names of one graph."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at = -1
        self._names: list[str] = []
        self._forms: dict[str, list[str]] = {}  # squeezed -> as written
        self._codes: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._starts: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._holders: npt.NDArray[np.int32] = np.empty(0, np.int32)
        self._counts: npt.NDArray[np.int64] = np.empty(0, np.int64)

    def alike(self, db: sqlite3.Connection, name: str, *, changes: int) -> list[tuple[float, list[str]]]:
        """Names like this one as they are written, with how alike they are, best first."""
        with self._lock:
            if changes != self._at:
                self._load(db)
                self._at = changes
            return self._find(squeezed(name))

    def _find(self, name: str) -> list[tuple[float, list[str]]]:
        wanted = pairs(name)
        if not wanted or not self._names:
            return []
        shared = np.zeros(len(self._names), np.int64)
        for pair in wanted:
            code = (ord(pair[0]) << WIDTH) | ord(pair[1])
            place = int(np.searchsorted(self._codes, code))
            if place < len(self._codes) and self._codes[place] == code:
                shared[self._holders[self._starts[place] : self._starts[place + 1]]] += 1
        scores = 2 * shared / (self._counts + len(wanted))
        found = np.flatnonzero(scores >= LEAST_ALIKE)
        best = sorted((-float(scores[place]), self._names[place]) for place in found)
        return [(-score, self._forms[each]) for score, each in best]

    def _load(self, db: sqlite3.Connection) -> None:
        forms: dict[str, list[str]] = {}
        for (name,) in db.execute(ALL_NAMES):
            if short := squeezed(name):
                forms.setdefault(short, []).append(name)
        self._forms = forms
        self._names = list(forms)
        text = EDGE.join(["", *self._names, ""]).encode("utf-32-le", errors="surrogatepass")
        letters = np.frombuffer(text, np.uint32).astype(np.int64)
        # One edge between two names ends the first and begins the second.
        holder = np.cumsum(letters == EDGE_CODE)[:-1] - 1
        codes = (letters[:-1] << WIDTH) | letters[1:]
        if len(self._names):
            codes, holder = _unique_pairs(codes, holder)
        self._counts = np.bincount(holder, minlength=len(self._names)).astype(np.int64)
        self._codes, starts = np.unique(codes, return_index=True)
        self._starts = np.append(starts, len(codes)).astype(np.int64)
        self._holders = holder.astype(np.int32)


def _unique_pairs(
    codes: npt.NDArray[np.int64], holders: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Each pair of letters once a name, in order of letters, then names."""
    order = np.lexsort((holders, codes))
    codes, holders = codes[order], holders[order]
    first = np.ones(len(codes), bool)
    first[1:] = (codes[1:] != codes[:-1]) | (holders[1:] != holders[:-1])
    return codes[first], holders[first]
