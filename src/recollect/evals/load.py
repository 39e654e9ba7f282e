"""A labelled set in a temporary store, with an engine over it.

Takes a set and settings; gives spaces that hold the documents, one per group, stored in file order a second apart, and
the way back from a memory to its document. What of a document is embedded is the engine's own decision. The labels stay
outside.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from recollect.engine import Recollect
from recollect.evals.layout import Document, LabelledSet, Query
from recollect.evals.triples import COLLECTION, Triples, check_triples, triples_of_set
from recollect.knowledge import Triple
from recollect.ports import Embedder, Store
from recollect.rank.identity import content_hash
from recollect.records import Memory, PutMemory
from recollect.settings import Settings
from recollect.wiring import make_knowledge, make_sources, make_store

Progress = Callable[[str, int, int], None]

BATCH = 1_000  # memories in one transaction
MOST_OPEN = 140  # spaces: at about six file handles each, under the usual limit of 1024
TIMELESS = datetime(2026, 1, 1, tzinfo=UTC)  # when a set without any times was stored and is asked


class SetClock:
    """Wall time that is set for each question, beside the real monotonic clock."""

    def __init__(self, now: datetime = TIMELESS) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def set_now(self, now: datetime) -> None:
        """From here on it is that moment."""
        self._now = now


class Space(NamedTuple):
    """One group's documents: where they are stored, when they were, and which memory is which document."""

    name: str
    moment: datetime
    documents: Mapping[str, str]


class Loaded(NamedTuple):
    """A set that can be asked."""

    engine: Recollect
    store: Store
    clock: SetClock
    spaces: Mapping[str | None, Space]

    def space_of(self, query: Query) -> Space:
        """Where a query searches; a group nobody has documents of is an empty space."""
        return self.spaces.get(query.group) or Space("nothing here", TIMELESS, {})


@asynccontextmanager
async def loaded(
    given: LabelledSet,
    *,
    settings: Settings,
    embedder: Embedder,
    progress: Progress,
    triples: Triples | None = None,
) -> AsyncIterator[Loaded]:
    """The set in a store of its own, gone afterwards; the embedder is closed too. With triples, also in a graph."""
    check_triples(given, triples)
    groups = _by_group(given.documents)
    total = sum(map(len, groups.values()))
    clock = SetClock()
    with TemporaryDirectory(prefix="recollect-eval-") as folder:
        chosen = _settings(settings, Path(folder), spaces=len(groups))
        store = make_store(chosen, clock)
        knowledge = make_knowledge(chosen)
        sources = make_sources(chosen, store, clock, embedder=embedder, knowledge=knowledge)
        parts: dict[str, Any] = {"store": store, "embedder": embedder, "sources": sources, "knowledge": knowledge}
        async with Recollect(chosen, **parts, clock=clock) as engine:
            await engine.warm()
            spaces: dict[str | None, Space] = {}
            done = 0
            for number, (group, documents) in enumerate(groups.items()):
                moment = _moment(documents, [query for query in given.queries if query.group == group])
                space = Space(f"group {number}", moment, {})
                spaces[group] = await _store_group(documents, space, engine, store, _counted(progress, done, total))
                done += len(documents)
                if knowledge is not None and triples is not None:
                    stated = _stated(given, triples, store, spaces[group])
                    knowledge.state(space.name, COLLECTION, stated)
                    knowledge.settle(space.name)
            yield Loaded(engine, store, clock, spaces)


async def _store_group(
    documents: Sequence[Document], space: Space, engine: Recollect, store: Store, progress: Callable[[int, int], None]
) -> Space:
    """The space with one group's documents in it, embedded and ready to be searched."""
    memories = list(_memories(documents, space=space.name, until=space.moment))
    for start in range(0, len(memories), BATCH):
        store.apply(space.name, [PutMemory(memory) for memory in memories[start : start + BATCH]])
    await engine.reindex(space=space.name, progress=progress)
    await engine.search("warm up", space=space.name, limit=1)
    ids = {memory.id: document.id for memory, document in zip(memories, documents, strict=True)}
    return space._replace(documents=ids)


def _stated(given: LabelledSet, triples: Triples, store: Store, space: Space) -> list[Triple]:
    memories = store.read(space.name, list(space.documents))
    return list(triples_of_set(given, triples, memories, space.documents))


def _settings(settings: Settings, folder: Path, *, spaces: int) -> Settings:
    """The same, in that folder, with every space kept open and no traces kept: neither changes an answer."""
    room = max(settings.store.open_spaces, min(spaces, MOST_OPEN))
    return replace(settings, store=replace(settings.store, path=folder, open_spaces=room), keep_traces=0)


def _counted(progress: Progress, before: int, total: int) -> Callable[[int, int], None]:
    return lambda done, _: progress("loading", before + done, total)


def _by_group(documents: Sequence[Document]) -> dict[str | None, list[Document]]:
    """Each group's documents in file order; a document that stands there twice, once."""
    groups: dict[str | None, dict[Document, None]] = {}
    for document in documents:
        groups.setdefault(document.group, {})[document] = None
    return {group: list(held) for group, held in groups.items()}


def _moment(documents: Sequence[Document], queries: Sequence[Query]) -> datetime:
    """When a group was stored: before its first question, else when its last document was written."""
    asked = [query.now for query in queries if query.now]
    written = [document.time for document in documents if document.time]
    return min(asked) if asked else max(written, default=TIMELESS)


def _memories(documents: Sequence[Document], *, space: str, until: datetime) -> Iterator[Memory]:
    """The documents as memories, a second apart in their order, the last one second before `until`."""
    kind = "message" if any(document.author for document in documents) else "document"
    for number, document in enumerate(documents):
        stored = until - timedelta(seconds=len(documents) - number)
        title = document.title.strip()
        yield Memory(
            id=f"{number:08d}",
            space=space,
            kind=kind,
            title=title,
            body=document.text,
            created_at=stored,
            updated_at=stored,
            content_hash=content_hash(title, document.text),
            event_time=document.time,
            author=document.author,
            metadata={"document": document.id},
        )
