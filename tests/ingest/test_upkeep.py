from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from recollect.errors import Unavailable
from recollect.ingest.upkeep import BATCH, fade, reembed
from recollect.models.hashing import HashingEmbedder
from recollect.ports import Store, TextKind
from recollect.records import Filters, Lifecycle, PutMemory, Vector
from recollect.settings import ForgettingSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import START
from recollect.testing.corpus import make_memory
from recollect.testing.store_contract import EVERYTHING, vector

SPACE = "default"
COUNT = BATCH * 2 + 5


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    """More than two batches, embedded by something else."""
    store.apply(SPACE, [PutMemory(make_memory(n), vector(1.0, n)) for n in range(COUNT)])
    return store


def embedders(store: Store) -> set[str | None]:
    return {memory.embedded_by for memory in store.browse(SPACE, EVERYTHING, limit=1_000)}


class FailingEmbedder(HashingEmbedder):
    """Gives up after so many batches."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self.left = batches

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        if not self.left:
            raise Unavailable("the service is gone")
        self.left -= 1
        return await super().embed(texts, kind=kind)


def ignore(done: int, total: int) -> None:
    """Nobody watches."""


def test_every_memory_gets_a_vector_of_the_embedder(filled: SqliteStore) -> None:
    embedder = HashingEmbedder()
    assert asyncio.run(reembed(filled, embedder, SPACE, progress=ignore)) == COUNT
    assert embedders(filled) == {embedder.identity}
    assert filled.stats(SPACE).vectors == COUNT


def test_progress_is_reported_batch_by_batch(filled: SqliteStore) -> None:
    seen: list[tuple[int, int]] = []
    asyncio.run(reembed(filled, HashingEmbedder(), SPACE, progress=lambda done, total: seen.append((done, total))))
    assert seen == [(BATCH, COUNT), (2 * BATCH, COUNT), (COUNT, COUNT)]


def test_cut_off_half_way_it_goes_on_where_it_stopped(filled: SqliteStore) -> None:
    with pytest.raises(Unavailable):
        asyncio.run(reembed(filled, FailingEmbedder(batches=2), SPACE, progress=ignore))
    assert filled.stats(SPACE).vectors == BATCH
    seen: list[int] = []
    again = reembed(filled, HashingEmbedder(), SPACE, progress=lambda done, total: seen.append(done))
    assert asyncio.run(again) == COUNT
    assert seen == [2 * BATCH, COUNT]
    assert filled.stats(SPACE).vectors == COUNT


def test_an_embedder_that_does_not_work_at_all_destroys_nothing(filled: SqliteStore) -> None:
    with pytest.raises(Unavailable):
        asyncio.run(reembed(filled, FailingEmbedder(batches=0), SPACE, progress=ignore))
    assert filled.stats(SPACE).vectors == COUNT


def test_a_second_time_there_is_nothing_to_do(filled: SqliteStore) -> None:
    asyncio.run(reembed(filled, HashingEmbedder(), SPACE, progress=ignore))
    seen: list[int] = []
    asyncio.run(reembed(filled, HashingEmbedder(), SPACE, progress=lambda done, total: seen.append(done)))
    assert seen == []


def test_archived_and_superseded_memories_are_embedded_too(store: SqliteStore) -> None:
    hidden = [make_memory(0, lifecycle=Lifecycle.ARCHIVED), make_memory(1, valid_to=START - timedelta(days=1))]
    store.apply(SPACE, [PutMemory(memory) for memory in hidden])
    asyncio.run(reembed(store, HashingEmbedder(), SPACE, progress=ignore))
    assert embedders(store) == {HashingEmbedder().identity}


# --- the forgetting curve ------------------------------------------------------------------------


def faded(store: Store, *, days: float) -> dict[str, str]:
    return fade(store, SPACE, now=START + timedelta(days=days), settings=ForgettingSettings())


def put(store: Store, id: str, **fields: object) -> None:
    memory = make_memory(0, id=id, kind="fact", lifecycle=Lifecycle.ACTIVE, created_at=START, updated_at=START)
    from dataclasses import replace

    store.apply(SPACE, [PutMemory(replace(memory, **fields))])


def lifecycles(store: Store) -> dict[str, Lifecycle]:
    return {memory.id: memory.lifecycle for memory in store.browse(SPACE, EVERYTHING, limit=1_000)}


def test_what_was_not_fetched_for_long_fades_step_by_step(store: SqliteStore) -> None:
    put(store, "a")
    assert faded(store, days=1) == {}
    assert faded(store, days=60) == {"a": "weak"}
    assert faded(store, days=60) == {}, "a second time nothing changes"
    assert faded(store, days=400) == {"a": "dormant"}


def test_fading_is_no_change_of_the_text(store: SqliteStore) -> None:
    put(store, "a")
    faded(store, days=400)
    (memory,) = store.read(SPACE, ["a"])
    assert memory.updated_at == START


def test_what_was_fetched_meanwhile_comes_back(store: SqliteStore) -> None:
    put(store, "a", lifecycle=Lifecycle.DORMANT, last_access=START + timedelta(days=399))
    assert faded(store, days=400) == {"a": "active"}


def test_archived_is_never_touched(store: SqliteStore) -> None:
    put(store, "a", lifecycle=Lifecycle.ARCHIVED, last_access=START)
    for days in (0, 60, 400):
        assert faded(store, days=days) == {}
    assert lifecycles(store) == {"a": Lifecycle.ARCHIVED}


def test_superseded_is_never_touched(store: SqliteStore) -> None:
    put(store, "a", lifecycle=Lifecycle.DORMANT, valid_to=START - timedelta(days=1), last_access=START)
    assert faded(store, days=0) == {}
    assert lifecycles(store) == {"a": Lifecycle.DORMANT}


def test_more_than_one_page_is_faded(store: SqliteStore) -> None:
    memories = [make_memory(n, kind="fact", lifecycle=Lifecycle.ACTIVE) for n in range(510)]
    store.apply(SPACE, [PutMemory(memory) for memory in memories])
    assert len(faded(store, days=4_000)) == 510
    assert store.browse(SPACE, Filters(lifecycles=frozenset({Lifecycle.ACTIVE})), limit=1) == []


def test_a_space_that_is_not_there_has_nothing_to_fade(store: SqliteStore) -> None:
    assert faded(store, days=0) == {}
    assert store.names() == []
