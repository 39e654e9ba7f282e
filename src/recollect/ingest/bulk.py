"""Many writes at once: batches go into the record while another thread indexes those already there.

The record's commits wait for the disk and the index for a processor, so the two together take little longer than
one. Nothing depends on it: an index that is behind catches up by itself before the next search.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from recollect.errors import RecollectError
from recollect.ports import Store
from recollect.records import Write

INDEX_EVERY = 20_000  # rows: each indexing ends in a commit and perhaps a merge


class BulkLoad:
    """Used in a `with` block; when it ends without error, everything written is searchable."""

    def __init__(self, store: Store, space: str) -> None:
        self._store = store
        self._space = space
        self._waiting = 0
        self._indexing: threading.Thread | None = None

    def write(self, writes: Sequence[Write]) -> None:
        """One batch, one transaction; it is safe when this returns."""
        self._store.apply(self._space, writes)
        self._waiting += len(writes)
        if self._waiting >= INDEX_EVERY and not (self._indexing and self._indexing.is_alive()):
            self._waiting = 0
            self._indexing = threading.Thread(target=self._index, name="recollect-index", daemon=True)
            self._indexing.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._indexing:
            self._indexing.join()
        if kind is None:
            self._store.catch_up(self._space)

    def _index(self) -> None:
        with suppress(RecollectError):  # whatever it is, the catch-up at the end meets it again and raises
            self._store.catch_up(self._space)
