"""Keeping a space in order: new vectors after a change of embedder, and the forgetting curve."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.ingest.write import embedding_text, with_lifecycle
from recollect.offload import run_in_thread
from recollect.ports import Embedder, Store, TextKind
from recollect.rank.forgetting import faded
from recollect.records import AdoptEmbedder, Filters, Lifecycle, Memory, PutVector
from recollect.settings import ForgettingSettings

Progress = Callable[[int, int], None]

BATCH = 64
PAGE = 500
NOT_ARCHIVED = Filters(lifecycles=frozenset({Lifecycle.ACTIVE, Lifecycle.WEAK, Lifecycle.DORMANT}))


async def reembed(store: Store, embedder: Embedder, space: str, *, progress: Progress) -> int:
    """Give every memory a vector of this embedder. Cut off half-way, it goes on where it stopped."""
    await embedder.embed(["warm up"], kind=TextKind.DOCUMENT)  # settles which embedder serves, and its identity
    identity = embedder.identity
    stats = await run_in_thread(store.stats, space)
    await run_in_thread(store.apply, space, [AdoptEmbedder(identity)])
    done = stats.vectors if stats.embedder == identity else 0
    while batch := await run_in_thread(_next_batch, store, space, identity):
        vectors = await embedder.embed([embedding_text(memory) for memory in batch], kind=TextKind.DOCUMENT)
        writes = [PutVector(memory.id, vector) for memory, vector in zip(batch, vectors, strict=True)]
        await run_in_thread(store.apply, space, writes)
        done += len(batch)
        progress(done, stats.memories)
    return done


def fade(store: Store, space: str, *, now: datetime, settings: ForgettingSettings) -> dict[str, str]:
    """Set each memory's lifecycle by the forgetting curve; what changed, by id."""
    changed: dict[str, str] = {}
    after: str | None = None
    while page := store.browse(space, NOT_ARCHIVED, limit=PAGE, after=after):
        after = page[-1].id
        moved = [(memory, faded(memory, now=now, settings=settings)) for memory in page]
        moved = [(memory, lifecycle) for memory, lifecycle in moved if lifecycle is not memory.lifecycle]
        store.apply(space, [with_lifecycle(memory, lifecycle, now=memory.updated_at) for memory, lifecycle in moved])
        changed |= {memory.id: lifecycle.value for memory, lifecycle in moved}
    return changed


def _next_batch(store: Store, space: str, identity: str) -> list[Memory]:
    return store.unembedded(space, identity, limit=BATCH)
