"""Composition root: settings become a wired `Recollect` with its verbs. The only file that knows both sides.

Verbs check what the caller gave, hop to a worker thread for the store, and return values. How a question is
answered is in `retrieve.py`; how a text is stored, in `ingest/`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from recollect.checkup import check_embedder, check_store, check_vectors
from recollect.clock import SystemClock
from recollect.configure import configure
from recollect.errors import InvalidInput, NotFound
from recollect.ids import Entropy, new_id
from recollect.ingest.gate import check_draft, check_relation
from recollect.ingest.transfer import export_lines, import_lines
from recollect.ingest.upkeep import Progress, fade, reembed
from recollect.ingest.write import (
    Desk,
    draft_fields,
    embedding_text,
    make_draft,
    make_link,
    make_memory,
    read_one,
    revised,
    store_draft,
    supersede_writes,
    with_lifecycle,
)
from recollect.inputs import check_filters, check_ids, check_limit, check_messages, check_moment, check_question
from recollect.models.tokens import TokenCounter
from recollect.offload import run_in_thread
from recollect.ports import Clock, Embedder, Source, Store, TextKind
from recollect.rank.forgetting import strengthened
from recollect.recipes import PLAIN, recipe_named
from recollect.records import (
    Draft,
    EraseLink,
    EraseMemory,
    Filters,
    Lifecycle,
    Link,
    Memory,
    PutLink,
    PutMemory,
    SpaceStats,
    Touch,
    Vector,
    check_space,
)
from recollect.retrieve import Request, retrieve
from recollect.settings import Settings
from recollect.sources.catalog import load_source
from recollect.steps.search import Means, search_plainly
from recollect.steps.understand import understand
from recollect.trace import Recorder
from recollect.values import Answer, Health, Message, Question, Recalled, Remembered, Scope, SearchResult
from recollect.wiring import make_embedder, make_store

DEFAULT_SPACE = "default"


def _ignore(done: int, total: int) -> None:
    """Progress nobody watches."""


class Recollect:
    """Memory that answers with a verdict. `Recollect.open(path)` makes one; use it in an `async with` block."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: Store,
        embedder: Embedder,
        sources: Sequence[Source],
        clock: Clock | None = None,
        entropy: Entropy = os.urandom,
    ) -> None:
        self.settings = settings
        self._store = store
        self._embedder = embedder
        self._clock = clock or SystemClock()
        self._entropy = entropy
        self._count_tokens = TokenCounter()
        self._means = Means({source.name: source for source in sources}, embedder, self._clock, settings)
        self._desk = Desk(store, settings.write, self._clock.now, entropy)

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        config: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
        **arguments: Any,
    ) -> Self:
        """Open the store at `path`. Settings are keywords: `recipe="fast"`, `embedder="static"`, `store__path=…`."""
        given = {name.replace("__", "."): value for name, value in arguments.items()}
        if path is not None:
            given["store.path"] = path
        settings = configure(
            given,
            file=Path(config) if config else None,
            environment=os.environ if environment is None else environment,
        )
        clock = SystemClock()
        store = make_store(settings, clock)
        return cls(
            settings,
            store=store,
            embedder=make_embedder(settings, progress),
            sources=[load_source("memory", store)],
            clock=clock,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of files and models."""
        for source in self._means.sources.values():
            await source.close()
        await self._embedder.close()
        await run_in_thread(self._store.close)

    # --- writing ---------------------------------------------------------------------------------

    async def remember(
        self, body: str, *, space: str = DEFAULT_SPACE, key: str | None = None, **fields: Any
    ) -> Remembered:
        """Store one text. `fields` are those of `Draft`; `key` makes a repeated call harmless."""
        (remembered,) = await self.remember_many(
            [make_draft(body=body, **fields)], space=space, keys=None if key is None else [key]
        )
        return remembered

    async def remember_many(
        self, drafts: Sequence[Draft], *, space: str = DEFAULT_SPACE, keys: Sequence[str] | None = None
    ) -> list[Remembered]:
        """Store several, each in its own transaction, in order; all are checked before the first is stored."""
        for draft in drafts:
            check_draft(draft, settings=self.settings.write)
        check_ids(*(keys or ()), field="key")
        if keys is not None and len(keys) != len(drafts):
            raise InvalidInput(f"{len(drafts)} drafts but {len(keys)} keys; give one for each", field="keys")
        vectors = await self._embedder.embed([embedding_text(draft) for draft in drafts], kind=TextKind.DOCUMENT)

        def store_all() -> list[Remembered]:
            chosen: Sequence[str | None] = keys or [None] * len(drafts)
            return [
                store_draft(draft, space=space, vector=vector, key=key, desk=self._desk)
                for draft, vector, key in zip(drafts, vectors, chosen, strict=True)
            ]

        return await run_in_thread(store_all)

    async def update(self, id: str, *, space: str = DEFAULT_SPACE, append: str | None = None, **changes: Any) -> Memory:
        """Change fields of a memory: replace `body`, or `append` to it; a changed text is embedded anew."""
        if append is not None and "body" in changes:
            raise InvalidInput("give body or append, not both", field="append")
        if append is not None and not isinstance(append, str):
            raise InvalidInput(f"append must be text, not {type(append).__name__}", field="append")
        old = await self._get(space, id)
        if append is not None:
            changes["body"] = f"{old.body.rstrip()}\n{append}"
        draft = make_draft(**{**{name: getattr(old, name) for name in draft_fields()}, **changes})
        check_draft(draft, settings=self.settings.write)
        changed = revised(old, {name: getattr(draft, name) for name in changes}, now=self._clock.now())
        vector = None if changed.embedded_by else await self._embed_one(changed)
        await run_in_thread(self._store.apply, space, [PutMemory(changed, vector, expected=old.updated_at)])
        return await self._get(space, id)

    async def supersede(self, id: str, body: str, *, space: str = DEFAULT_SPACE, **fields: Any) -> Memory:
        """Store a newer version: the old memory stays, its interval closed, linked from the new one."""
        old = await self._get(space, id)
        if old.valid_to is not None and old.valid_to <= self._clock.now():
            raise InvalidInput(f"memory {id!r} is superseded already; supersede the newest one", field="id")
        inherited = {"title": old.title, "kind": old.kind, "project": old.project, "tags": old.tags, "trust": old.trust}
        draft = make_draft(body=body, **{**inherited, **fields})
        check_draft(draft, settings=self.settings.write)
        new = make_memory(draft, space=space, now=self._clock.now(), entropy=self._entropy)
        writes = supersede_writes(old, new, vector=await self._embed_one(new))
        await run_in_thread(self._store.apply, space, writes)
        return await self._get(space, new.id)

    async def archive(self, id: str, *, space: str = DEFAULT_SPACE) -> Memory:
        """Take a memory out of every search; `restore` brings it back."""
        return await self._set_lifecycle(space, id, Lifecycle.ARCHIVED)

    async def restore(self, id: str, *, space: str = DEFAULT_SPACE) -> Memory:
        """Bring an archived memory back."""
        return await self._set_lifecycle(space, id, Lifecycle.ACTIVE)

    async def forget(self, *ids: str, space: str = DEFAULT_SPACE) -> int:
        """Really erase: the memories, their vectors and links, and every trace of their words in the indexes."""
        if not ids:
            raise InvalidInput("name at least one memory to forget", field="ids")
        check_ids(*ids)
        erasures = [EraseMemory(id) for id in dict.fromkeys(ids)]
        await run_in_thread(self._store.apply, space, erasures)
        await run_in_thread(self._store.rebuild, space)
        return len(erasures)

    async def link(
        self, from_id: str, to_id: str, relation: str = "relates_to", *, space: str = DEFAULT_SPACE, **fields: Any
    ) -> Link:
        """Connect two memories or entities. `fields`: weight 0..1, evidence, valid_from, valid_to."""
        check_ids(from_id, to_id)
        link = make_link(from_id, to_id, check_relation(relation), now=self._clock.now(), fields=fields)
        await run_in_thread(self._store.apply, space, [PutLink(link)])
        return link

    async def unlink(
        self, from_id: str, to_id: str, relation: str = "relates_to", *, space: str = DEFAULT_SPACE
    ) -> None:
        """Remove one connection."""
        check_ids(from_id, to_id, check_relation(relation))
        await run_in_thread(self._store.apply, space, [EraseLink(from_id, to_id, relation)])

    # --- reading ---------------------------------------------------------------------------------

    async def get(self, id: str, *, space: str = DEFAULT_SPACE) -> Memory:
        """One memory by id. This counts as an access and makes it last longer."""
        memory = await self._get(space, id)
        stability = strengthened(memory, settings=self.settings.forgetting)
        await run_in_thread(self._store.apply, space, [Touch(id, self._clock.now(), stability)])
        return await self._get(space, id)

    async def links(self, id: str, *, space: str = DEFAULT_SPACE) -> list[Link]:
        """The links at one memory or entity, in both directions."""
        check_ids(id)
        return await run_in_thread(self._store.links, space, [id])

    async def browse(
        self, *, space: str = DEFAULT_SPACE, filters: Filters | None = None, limit: int = 20, after: str | None = None
    ) -> list[Memory]:
        """Memories newest first; `after` is the id of the last one seen."""
        check_limit(limit)
        check_filters(filters)
        check_ids(*([] if after is None else [after]), field="after")
        return await run_in_thread(lambda: self._store.browse(space, filters or Filters(), limit=limit, after=after))

    async def search(
        self, text: str, *, space: str = DEFAULT_SPACE, filters: Filters | None = None, limit: int = 10
    ) -> SearchResult:
        """One plain hybrid search, with explained scores and no verdict."""
        check_space(space)
        check_question(text)
        check_limit(limit)
        check_filters(filters)
        scope = Scope(space, filters or Filters(), limit)
        return await search_plainly(text, scope=scope, means=self._means)

    async def recall(
        self,
        text: str | None = None,
        *,
        space: str = DEFAULT_SPACE,
        filters: Filters | None = None,
        limit: int = 10,
    ) -> Recalled:
        """Memories for a question, only those that pass; without a question, the newest."""
        check_limit(limit)
        if text is None:
            return Recalled(tuple(await self.browse(space=space, filters=filters, limit=limit)))
        answer = await self.retrieve(text, space=space, filters=filters)
        evidence = answer.evidence[:limit]
        relevance = {each.memory.id: each.relevance for each in evidence}
        return Recalled(tuple(each.memory for each in evidence), relevance, answer.verdict, answer.degraded)

    async def retrieve(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        filters: Filters | None = None,
        recipe: str | None = None,
        deadline: float | None = None,
        messages: Sequence[Message] = (),
    ) -> Answer:
        """Search like a researcher; returns by the deadline (seconds from now) with a verdict.

        `messages` are what was said before, oldest first; references to them are filled in.
        """
        check_space(space)
        check_question(text)
        check_filters(filters)
        check_messages(messages)
        seconds = self.settings.timeout_seconds if deadline is None else deadline
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < inf:
            raise InvalidInput(f"deadline is {seconds!r}; give a number of seconds above zero", field="deadline")
        chosen = recipe_named(recipe or self.settings.recipe) if self.settings.enabled else PLAIN
        scope = Scope(space, filters or Filters(), self.settings.search_limit_per_query)
        now = self._clock.now()
        trace = self._recorder(now)
        request = Request(text, scope, chosen, self._clock.monotonic() + seconds, tuple(messages))
        if not self._count_tokens.is_loaded:  # takes longer than the event loop may be held
            await run_in_thread(self._count_tokens, "")
        return await retrieve(request, means=self._means, count_tokens=self._count_tokens, trace=trace)

    async def classify(self, text: str, *, now: datetime | None = None, messages: Sequence[Message] = ()) -> Question:
        """What the words of a question show, without looking anything up; `now` is for "yesterday" and the like."""
        check_question(text)
        check_moment(now)
        check_messages(messages)
        asked_at = now or self._clock.now()
        recipe, trace = recipe_named(self.settings.recipe), self._recorder(asked_at)
        return understand(text, recipe=recipe, settings=self.settings, trace=trace, now=asked_at, messages=messages)

    async def warm(self) -> None:
        """Load the models now, so that the first question does not wait for them inside its deadline."""
        await self._embedder.embed(["warm up"], kind=TextKind.QUERY)
        await run_in_thread(self._count_tokens, "warm up")

    # --- spaces and upkeep -----------------------------------------------------------------------

    async def spaces(self) -> list[str]:
        """The names of all spaces."""
        return await run_in_thread(self._store.names)

    async def stats(self, *, space: str = DEFAULT_SPACE) -> SpaceStats:
        """Counts for one space."""
        return await run_in_thread(self._store.stats, space)

    async def forget_space(self, space: str) -> None:
        """Erase a whole space."""
        if not await run_in_thread(self._store.drop, space):
            raise NotFound(f"no space {space!r}; known: {', '.join(await self.spaces()) or 'none'}")

    async def reindex(self, *, space: str = DEFAULT_SPACE, progress: Progress = _ignore) -> int:
        """Derive anew: vectors, where they are missing or of another embedder, and all indexes."""
        done = await reembed(self._store, self._embedder, space, progress=progress)
        await run_in_thread(self._store.rebuild, space)
        return done

    async def fade(self, *, space: str = DEFAULT_SPACE) -> dict[str, str]:
        """Move memories along the forgetting curve; gives what changed, by id."""
        return await run_in_thread(
            lambda: fade(self._store, space, now=self._clock.now(), settings=self.settings.forgetting)
        )

    async def export_space(self, *, space: str = DEFAULT_SPACE) -> list[str]:
        """The whole space as JSON lines."""
        return await run_in_thread(lambda: list(export_lines(self._store, space)))

    async def import_space(self, lines: Iterable[str], *, space: str = DEFAULT_SPACE) -> dict[str, int]:
        """Read an export into a space; gives how many of each sort there were."""
        return await run_in_thread(import_lines, self._store, space, lines)

    async def doctor(self, *, space: str = DEFAULT_SPACE) -> list[Health]:
        """Look at every part that can be wrong."""
        found = await run_in_thread(lambda: list(check_store(self._store, space)))
        readable = all(each.ok for each in found if not each.what.endswith("index"))
        found.append(await check_embedder(self._embedder))
        if readable:
            found += await run_in_thread(lambda: list(check_vectors(self._store, space, self._embedder)))
        return found

    # --- inside ----------------------------------------------------------------------------------

    def _recorder(self, now: datetime) -> Recorder:
        return Recorder(new_id(now, entropy=self._entropy), started_at=now, monotonic=self._clock.monotonic)

    async def _get(self, space: str, id: str) -> Memory:
        check_ids(id)
        return await run_in_thread(read_one, self._store, space, id)

    async def _embed_one(self, memory: Memory) -> Vector:
        (vector,) = await self._embedder.embed([embedding_text(memory)], kind=TextKind.DOCUMENT)
        return vector

    async def _set_lifecycle(self, space: str, id: str, lifecycle: Lifecycle) -> Memory:
        memory = await self._get(space, id)
        write = with_lifecycle(memory, lifecycle, now=self._clock.now())
        await run_in_thread(self._store.apply, space, [write])
        return replace(write.memory)
