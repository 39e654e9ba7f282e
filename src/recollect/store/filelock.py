"""A lock between processes that the system frees when its holder dies."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import IO

from recollect.errors import StoreError

POLL_SECONDS = 0.005


class FileLock:
    """Held inside a `with` block; waits for another holder up to `patience` seconds."""

    def __init__(self, path: Path, *, patience: float) -> None:
        self._path = path
        self._patience = patience
        self._file: IO[bytes] | None = None

    def __enter__(self) -> None:
        self._path.parent.mkdir(exist_ok=True)  # its parent must exist: a folder dropped meanwhile stays away
        file = open(self._path, "ab")
        until = time.monotonic() + self._patience
        while not _try_lock(file):
            if time.monotonic() > until:
                file.close()
                raise StoreError(
                    f"another process held {str(self._path)!r} too long; try again, or raise store.busy_seconds"
                )
            time.sleep(POLL_SECONDS)
        self._file = file

    def __exit__(self, *_: object) -> None:
        if self._file:
            self._file.close()
            self._file = None


def _try_lock(file: IO[bytes]) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
