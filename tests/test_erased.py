"""Forgetting says so when another process keeps what was erased on the disk, and `doctor` does until it is gone."""

import asyncio
from pathlib import Path

import pytest

from recollect import NotFound, Recollect
from recollect.errors import StoreError
from recollect.graph.database import GRAPH_FILE
from recollect.store.folders import DATABASE_FILE, folder_of
from recollect.values import Health

from .store.holders import files_holding, reading


def wrong(found: list[Health]) -> list[str]:
    """What a reader can bring about, of what is not in order."""
    return [each.what for each in found if not each.ok and each.what in ("record", "erased text", "graph")]


@pytest.mark.parametrize(("held", "told"), [(GRAPH_FILE, "graph"), (DATABASE_FILE, "erased text")])
def test_what_a_reader_keeps_is_told_by_forgetting_and_by_doctor(held: str, told: str, tmp_path: Path) -> None:
    async def story() -> None:
        changes = {"store.busy_seconds": 0.1}
        async with Recollect.open(tmp_path, embedder="hashing", environment={}, **changes) as engine:
            one = await engine.remember("Ana Unforgettable leads the Harbour Project.")
            await engine.remember("The rent is due on Monday.")
            await engine.connect()
            assert wrong(await engine.doctor()) == []
            with reading(folder_of(tmp_path, "default") / held):
                with pytest.raises(StoreError, match=f"{held}.*kept reading"):
                    await engine.forget(one.id)
                with pytest.raises(NotFound):
                    await engine.get(one.id)
                assert wrong(await engine.doctor()) == [told]
            await engine.remember("The Harbour Project ends in May.")
            await engine.connect()
            assert wrong(await engine.doctor()) == []
            assert files_holding(tmp_path, "unforgettable") == set()

    asyncio.run(story())
