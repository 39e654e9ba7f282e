"""Following a folder: when it is read again, told by what happens between looks rather than by a clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.ingest.watch import Looks, follow
from recollect.knowledge import Ingested
from recollect.reading.walk import Seen

A, B, C = (frozenset({Seen("a.md", size, 1)}) for size in (1, 2, 3))


def followed(looks: list[Looks]) -> list[int]:
    """At which look each reading came, over these looks, one after each sleep and one at the start."""
    taken: list[Looks] = []
    read_at: list[int] = []

    def look() -> Looks:
        if len(taken) == len(looks):
            raise asyncio.CancelledError
        taken.append(looks[len(taken)])
        return taken[-1]

    async def read() -> bool:
        read_at.append(len(taken))
        return True

    async def sleep(seconds: float) -> None:
        assert seconds == 2.0

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(follow(look, read, sleep=sleep, seconds=2.0))
    return read_at


@pytest.mark.parametrize(
    ("looks", "read_at"),
    [
        ([A, A, A], [1]),
        ([A, B, B], [1, 3]),  # read once it has come to rest
        ([A, B, C, C], [1, 4]),  # not while it still moves
        ([A, B, C, A, A, A], [1, 5]),
        ([A, B, B, B, C, C], [1, 3, 6]),
    ],
    ids=["quiet", "one change", "a burst", "a burst that ends as it began", "two changes"],
)
def test_it_reads_after_every_change_that_came_to_rest(looks: list[Looks], read_at: list[int]) -> None:
    assert followed(looks) == read_at


def test_the_verb_follows_real_files(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("# A\n\nFirst.\n")
    steps: list[Callable[[], object]] = [
        lambda: (root / "b.md").write_text("# B\n\nSecond.\n"),
        lambda: (root / "a.md").unlink(),
    ]
    told: list[tuple[int, int, int]] = []

    async def run() -> None:
        settings = {"read.watch_seconds": 0.02}
        async with Recollect.open(tmp_path / "store", embedder="hashing", environment={}, **settings) as engine:

            def on_ingested(report: Ingested) -> bool:
                told.append((report.read, report.unchanged, report.removed))
                if steps:
                    steps.pop(0)()
                    return True
                return False

            await engine.follow(root, project="notes", on_ingested=on_ingested)

    asyncio.run(run())
    assert told == [(1, 0, 0), (1, 1, 0), (0, 1, 1)]
