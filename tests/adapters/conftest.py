from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import BlockingRecollect, Recollect
from recollect.store.sqlite import SqliteStore

NOTES = (
    "The lighthouse of Vila Nova was built in 1899 by the harbour guild.",
    "Ines keeps the lighthouse of Vila Nova since 2011.",
    "The ferry to the island leaves at nine in the morning.",
    "The weekly report goes to Ana as a table.",
)
# The embedder that is always there, and time enough for a machine that is busy with something else.
OPENED: dict[str, Any] = {
    "embedder": "static",
    "environment": {},
    "timeout_seconds": 600.0,
    "lookup_timeout": 600.0,
}


@pytest.fixture
def blocking(tmp_path: Path) -> Iterator[BlockingRecollect]:
    """A real store with a few notes."""
    with BlockingRecollect.open(tmp_path / "blocking", **OPENED) as opened:
        for note in NOTES:
            opened.remember(note)
        yield opened


@pytest.fixture
def recollect(make_recollect: Callable[..., Recollect], make_store: Callable[[], SqliteStore]) -> Recollect:
    return make_recollect(make_store())
