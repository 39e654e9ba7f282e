from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import BlockingRecollect, Recollect
from recollect.store.sqlite import SqliteStore

NOTES = (
    "The lighthouse of Vila Nova was built in 1899 by the harbour guild.",
    "Ines keeps the lighthouse of Vila Nova since 2011.",
    "The ferry to the island leaves at nine in the morning.",
    "The weekly report goes to Ana as a table.",
)


@pytest.fixture
def blocking(tmp_path: Path) -> Iterator[BlockingRecollect]:
    """A real store with a few notes, and the embedder that is always there."""
    with BlockingRecollect.open(tmp_path / "blocking", embedder="static", environment={}) as opened:
        for note in NOTES:
            opened.remember(note)
        yield opened


@pytest.fixture
def recollect(make_recollect: Callable[..., Recollect], make_store: Callable[[], SqliteStore]) -> Recollect:
    return make_recollect(make_store())
