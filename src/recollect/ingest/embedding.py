"""Vectors for chunks while further files are being read, and at the end for whatever still has none."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from recollect.errors import NotFound
from recollect.ingest.write import embedding_text
from recollect.offload import run_in_thread
from recollect.ports import Embedder, Store, TextKind
from recollect.records import Memory, PutVector

BATCH = 64
PAGE = 1_024
WAITING = 16  # batches that may wait; then reading waits too


class Embedding:
    """Embeds what is added, in the background. `finish` embeds the rest; `stop` lets go, however far it came."""

    def __init__(self, store: Store, embedder: Embedder, space: str) -> None:
        self._store = store
        self._embedder = embedder
        self._space = space
        self._waiting: asyncio.Queue[list[Memory]] = asyncio.Queue(WAITING)
        self._task: asyncio.Task[None] | None = None
        self.done: Counter[str | None] = Counter()  # vectors made, by project

    async def add(self, memories: Sequence[Memory]) -> None:
        """Embed these in time; waits when too many wait already."""
        if self._task is None and memories:
            self._task = asyncio.create_task(self._work())
        for start in range(0, len(memories), BATCH):
            await self._until_room()
            self._waiting.put_nowait(list(memories[start : start + BATCH]))

    async def finish(self) -> str:
        """Embed what has no vector yet; what had to be done without."""
        if self._task is not None:
            joined = asyncio.ensure_future(self._waiting.join())
            await asyncio.wait({joined, self._task}, return_when=asyncio.FIRST_COMPLETED)
            joined.cancel()
            if self._task.done():
                self._task.result()
        if self._space not in await run_in_thread(self._store.names):
            return ""
        stats = await run_in_thread(self._store.stats, self._space)
        if stats.vectors >= stats.memories:
            return ""
        identity, held = await self._identity(), stats.embedder
        if held not in (None, identity):
            return f"the space's vectors are of {held!r}: new chunks have none; run 'recollect reindex'"
        while page := await run_in_thread(lambda: self._store.unembedded(self._space, identity, limit=PAGE)):
            before = self.done.total()
            for start in range(0, len(page), BATCH):
                await self._embed(page[start : start + BATCH])
            if self.done.total() == before:
                return "some chunks could not be given a vector; run 'recollect reindex'"
        return ""

    async def stop(self) -> None:
        """End the work in the background."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _until_room(self) -> None:
        while self._waiting.full():
            if self._task is not None and self._task.done():
                self._task.result()  # raises what ended it
            await asyncio.sleep(0.01)

    async def _identity(self) -> str:
        await self._embedder.embed(["warm up"], kind=TextKind.DOCUMENT)  # settles which embedder serves
        return self._embedder.identity

    async def _work(self) -> None:
        while True:
            batch = await self._waiting.get()
            await self._embed(batch)
            self._waiting.task_done()

    async def _embed(self, batch: Sequence[Memory]) -> None:
        vectors = await self._embedder.embed([embedding_text(memory) for memory in batch], kind=TextKind.DOCUMENT)
        writes = [PutVector(memory.id, vector) for memory, vector in zip(batch, vectors, strict=True)]
        try:
            applied = await run_in_thread(self._store.apply, self._space, writes)
        except NotFound:  # one of them was erased meanwhile; the others are found again at the end
            return
        if not applied.vectors_left_out:  # all of them are of one embedder
            self.done.update(memory.project for memory in batch)
