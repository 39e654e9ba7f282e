"""The local source: instruction files and documents of the project at hand, by section, as they are on disk now.

At each lookup the folder is looked through and what changed is read again. Sections are searched as memories are, by
words and by meaning. Embedding goes on beside the lookups, and a lookup waits for it only a moment: as long as some
section has no vector, all are found by words alone, and the reply says so. The files belong to the project and not to
a space, so that every space sees them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from recollect.errors import InvalidInput
from recollect.hybrid import Hybrid, system_now
from recollect.offload import run_together
from recollect.ports import Embedder, Store, TextKind
from recollect.rank.identity import content_hash
from recollect.reading.local import Folder, LocalFile, LocalFiles, LocalSection
from recollect.records import AdoptEmbedder, EraseMemory, Memory, PutMemory, PutVector, Vector, Write
from recollect.settings import Settings
from recollect.values import Abilities, Health, Hit, Lookup, Reply

LOCAL = "local"
AT_ONCE = 4  # sections embedded together: a question that comes in between waits no longer than for these
CLOSING_SECONDS = 0.5
MOST_NOTES = 3  # of what is left out, in a check-up
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LocalSource:
    """Sections of the files under `settings.local.root`, over a store of their own, `shelf`."""

    def __init__(
        self,
        shelf: Store,
        *,
        settings: Settings,
        now: Callable[[], datetime] = system_now,
        embedder: Embedder | None = None,
    ) -> None:
        if settings.local.root is None:
            raise InvalidInput("the local source needs a folder; set local.root", field="local.root")
        self._root = settings.local.root.expanduser()
        self._shelf = shelf
        self._seconds, self._warm_seconds = settings.local.embed_seconds, settings.local.warm_seconds
        self._embedder = embedder
        self._files = LocalFiles(self._root, local=settings.local, read=settings.read)
        self._hybrid = Hybrid(shelf, name=LOCAL, settings=settings, now=now)
        self._seen = Folder()
        self._turn = threading.Lock()
        self._embedding: asyncio.Task[None] | None = None
        self._is_closing = False

    @property
    def name(self) -> str:
        return LOCAL

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=self._embedder is not None, cooperative=True)

    async def search(self, lookup: Lookup) -> Reply:
        if lookup.limit <= 0:
            return Reply(())
        folder = await self.refresh()
        notes = list(folder.notes)
        own = replace(lookup, space=LOCAL)
        if lookup.vector is not None and folder.sections and (missing := await self._embedded(self._seconds)):
            notes.append(f"local: by words alone, {missing}")
            own = replace(own, vector=None, about_vector=None)
        reply = await run_together(self, self._hybrid.search_now, own)
        hits = tuple(_seen_from(hit, lookup.space) for hit in reply.hits)
        return Reply(hits, (*notes, *reply.notes))

    async def close(self) -> None:
        """Stop embedding, after the texts under way: a next process finds their vectors kept."""
        self._is_closing, task = True, self._embedding
        if task is not None and not task.done() and task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([task], timeout=CLOSING_SECONDS)
            task.cancel()

    async def warm(self) -> None:
        """Read the files and embed their sections, for as long as that may take before the first lookup."""
        if (await self.refresh()).sections and self._embedder is not None:
            await self._embedded(self._warm_seconds)

    async def check(self) -> Health:
        """How many files and sections are seen, and what is left out."""
        folder = await self.refresh()
        read = [file for file in folder.files.values() if not file.problem]
        seen = f"{len(read):,} files, {folder.sections:,} sections below {self._root}"
        if folder.notes:
            noted = "; ".join(note.removeprefix("local: ") for note in folder.notes[:MOST_NOTES])
            more = len(folder.notes) - MOST_NOTES
            return Health("local files", bool(read), f"{seen} ({noted}{f'; and {more} more' if more > 0 else ''})")
        remedy = None if read else "see whether local.root is the project's folder"
        return Health("local files", bool(read), seen, remedy)

    async def refresh(self) -> Folder:
        """The folder as it is now, and the shelf with it."""
        return await run_together(self, self._refreshed)

    async def embed_all(self) -> None:
        """Embed what has no vector yet, however long it takes."""
        await self.refresh()
        if self._embedder is not None and self._waiting():
            await self._embed()

    # --- following the files ---------------------------------------------------------------------

    def _refreshed(self) -> Folder:
        with self._turn:
            found = self._files.refresh()
            if found is not self._seen:
                if writes := self._changes(self._seen.files, found.files):
                    self._shelf.apply(LOCAL, writes)
                self._seen = found
            return found

    def _changes(self, before: Mapping[str, LocalFile], now: Mapping[str, LocalFile]) -> list[Write]:
        """What makes the shelf hold the files as they are now; a text that only moved keeps its vector."""
        changed = [path for path in {**before, **now} if _sections(before, path) is not _sections(now, path)]
        old = sorted(id for path in changed if path in before for id in _by_id(before[path]))
        new = {id: section for path in changed if path in now for id, section in _by_id(now[path]).items()}
        hashes = [memory.content_hash for memory in self._shelf.read(LOCAL, old)]
        vectors = dict(zip(hashes, self._shelf.vectors(LOCAL, old), strict=True))
        project = self._root.resolve().name
        put = [_memory(id, section, project=project) for id, section in new.items()]
        gone: list[Write] = [EraseMemory(id) for id in old if id not in new]
        return [*gone, *(PutMemory(memory, vectors.get(memory.content_hash)) for memory in put)]

    # --- embedding -------------------------------------------------------------------------------

    async def _embedded(self, seconds: float) -> str:
        """Have all sections embedded, if that takes no longer than this; or else why not."""
        if self._embedder is None or not self._waiting():
            return "" if self._embedder is not None else "there is no embedder"
        if self._embedding is None or self._embedding.done():
            self._embedding = asyncio.ensure_future(self._embed())
        task = self._embedding
        if task.get_loop() is asyncio.get_running_loop():
            await asyncio.wait([task], timeout=seconds)
        if task.done() and not task.cancelled() and (error := task.exception()):
            return f"embedding failed: {error}"
        left = len(self._waiting())
        return f"{left:,} sections are not embedded yet" if left else ""

    def _waiting(self) -> Sequence[Memory]:
        assert self._embedder is not None
        return self._shelf.unembedded(LOCAL, self._embedder.identity, limit=self._seen.sections)

    async def _embed(self) -> None:
        assert self._embedder is not None
        tried: set[tuple[str, str]] = set()
        while waiting := [each for each in self._waiting() if (each.id, each.content_hash) not in tried][:AT_ONCE]:
            tried |= {(each.id, each.content_hash) for each in waiting}
            texts = [f"{memory.title}\n{memory.body}" for memory in waiting]
            made = await self._embedder.embed(texts, kind=TextKind.DOCUMENT)
            await run_together(self, self._keep, waiting, made)
            if self._is_closing:
                return

    def _keep(self, memories: Sequence[Memory], vectors: Sequence[Vector]) -> None:
        with self._turn:
            known = {each.id: each.content_hash for each in self._shelf.read(LOCAL, [each.id for each in memories])}
            writes: list[Write] = [AdoptEmbedder(vectors[0].identity)]
            for memory, vector in zip(memories, vectors, strict=True):
                if known.get(memory.id) == memory.content_hash:  # or it changed meanwhile, and comes again
                    writes.append(PutVector(memory.id, vector))
            self._shelf.apply(LOCAL, writes)


def _sections(files: Mapping[str, LocalFile], path: str) -> tuple[LocalSection, ...] | None:
    return files[path].sections if path in files else None


def _by_id(file: LocalFile) -> dict[str, LocalSection]:
    """The sections of a file; where a long one was cut, its pieces are numbered."""
    found: dict[str, LocalSection] = {}
    pieces: dict[str, int] = {}
    for section in file.sections:
        pieces[section.place] = pieces.get(section.place, 0) + 1
        piece = pieces[section.place]
        found[f"{LOCAL}:{section.place}" + (f"~{piece}" if piece > 1 else "")] = section
    return found


def _memory(id: str, section: LocalSection, *, project: str) -> Memory:
    moment = EPOCH + timedelta(microseconds=section.changed_ns // 1_000)
    return Memory(
        id=id,
        space=LOCAL,
        kind=section.kind.value,
        title=section.title,
        body=section.text,
        created_at=moment,
        updated_at=moment,
        content_hash=content_hash(section.title, section.text),
        project=project,
        source_uri=section.path,
        source_position=section.anchor or None,
        metadata={"lines": [section.start, section.end]},
    )


def _seen_from(hit: Hit, space: str) -> Hit:
    return replace(hit, memory=replace(hit.memory, space=space))
