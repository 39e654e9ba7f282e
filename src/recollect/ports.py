"""The seams: what a back end must offer. Contract suites for each are in `recollect.testing`.

Sources and models are asynchronous and must be cancellable. The store is synchronous and thread-safe:
the engine calls it from worker threads, so that no disk access ever blocks the event loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from recollect.knowledge import (
    FileMark,
    Kept,
    Node,
    ProjectRead,
    RelationUse,
    Statement,
    Triple,
    Way,
)
from recollect.records import (
    Applied,
    Beside,
    Entity,
    Filters,
    Lag,
    Link,
    Match,
    Memory,
    Once,
    SpaceStats,
    Term,
    Ties,
    TraceRecord,
    Vector,
    Write,
)
from recollect.values import Abilities, Health, Lookup, Operation, Reply


class TextKind(StrEnum):
    """Which side of a comparison a text stands on; some embedders treat the two differently."""

    QUERY = "query"
    DOCUMENT = "document"


class Clock(Protocol):
    """Time, injected. `now` is wall time with zone; `monotonic` only ever grows; `sleep` waits on it."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class Source(Protocol):
    """A place that can be searched.

    `search` returns at most `lookup.limit` hits, best first by relevance, ties broken by id; the same lookup on the
    same content gives the same reply. A limit of zero gives nothing. It raises for a failure and never returns an empty
    reply instead of one; what it had to do without is in the notes. It may be cancelled at any await and must then
    leave nothing half done.
    """

    @property
    def name(self) -> str: ...

    @property
    def abilities(self) -> Abilities: ...

    async def search(self, lookup: Lookup) -> Reply: ...

    async def close(self) -> None: ...


@runtime_checkable
class Checked(Protocol):
    """A source that can say how it is, for `doctor`."""

    async def check(self) -> Health: ...


@runtime_checkable
class Warmed(Protocol):
    """A source that can be made ready before the first lookup."""

    async def warm(self) -> None: ...


class Observer(Protocol):
    """Somebody who is told of every call of a verb after it, in order, in a thread of its own.

    It is told within the caller's context (contextvars). What it raises is kept for `doctor` and hurts nobody; one that
    is slower than the calls misses some of them.
    """

    def observed(self, operation: Operation) -> None: ...


class Embedder(Protocol):
    """Texts to vectors of length one.

    `identity` names model, precision and version: vectors compare only within one identity. Vectors come in
    the order of the texts and do not depend on which texts were embedded beside them. `note` is None, or the
    reason why answers made with this embedder are degraded.
    """

    @property
    def identity(self) -> str: ...

    @property
    def note(self) -> str | None: ...

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]: ...

    async def close(self) -> None: ...


class Records(Protocol):
    """The system of record. Every call names a space and sees nothing of another.

    A space comes to be with its first memory or entity. `apply` runs all writes in one transaction; when it returns,
    they survive a crash of this process and of the machine. With `once`, a repeated key returns the first answer and
    writes nothing; the same key with another fingerprint raises WriteConflict. `browse` is newest first by creation,
    then by id, after the id given. `same_content` gives the memories with this content hash that the
    default filters let through, by id. `around` gives for each id the ones of its kind and project that were stored
    right before and right after it and are of the same sitting, where there are any. `clusters` counts the memories of
    each cluster that pass, by its name.
    """

    def read(self, space: str, ids: Sequence[str]) -> list[Memory]: ...

    def browse(self, space: str, filters: Filters, *, limit: int, after: str | None = None) -> list[Memory]: ...

    def same_content(self, space: str, content_hash: str) -> list[Memory]: ...

    def around(self, space: str, ids: Sequence[str]) -> dict[str, Beside]: ...

    def clusters(self, space: str, filters: Filters) -> dict[str, int]: ...

    def apply(self, space: str, writes: Sequence[Write], *, once: Once | None = None) -> Applied: ...


class Graph(Protocol):
    """What connects memories and entities. `links` gives those at any of the ids, in both directions, in order.

    `ties` gives for each id that has any the strongest `most` of its links that hold now, in both directions, by
    stated and learned weight (ties by ends and relation), and counts all that hold, each way. `titled` gives for each
    name (a `name_key`) that some memory goes by, its title or what its text begins with, the ids of those memories.
    `related` gives all links of one relation, in order.
    """

    def links(self, space: str, ids: Sequence[str]) -> list[Link]: ...

    def ties(self, space: str, ids: Sequence[str], *, most: int) -> dict[str, Ties]: ...

    def titled(self, space: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]: ...

    def related(self, space: str, relation: str) -> list[Link]: ...

    def entities(self, space: str) -> list[Entity]: ...


class Words(Protocol):
    """Derived search by words: BM25 with the term statistics of that space alone.

    It sees every write acknowledged before it began. Best first, ties by id, filters applied before the limit;
    beside the matches, the terms that were looked for.
    """

    def match(self, space: str, text: str, *, filters: Filters, limit: int) -> tuple[list[Match], list[Term]]: ...


class Vectors(Protocol):
    """Derived search by meaning: cosines between vectors of one embedder; another's raise EmbedderMismatch.

    `nearest` as `match` does. `cosines` and `vectors` are of the given ids, where they have one; `unembedded` are
    memories that have none of this embedder.
    """

    def nearest(self, space: str, vector: Vector, *, filters: Filters, limit: int) -> list[Match]: ...

    def cosines(self, space: str, vector: Vector, ids: Sequence[str]) -> dict[str, float]: ...

    def vectors(self, space: str, ids: Sequence[str]) -> list[Vector | None]: ...

    def unembedded(self, space: str, identity: str, *, limit: int) -> list[Memory]: ...


class Spaces(Protocol):
    """The spaces themselves. `drop` erases a space whole; nothing of it stays on disk."""

    def names(self) -> list[str]: ...

    def drop(self, space: str) -> bool: ...

    def stats(self, space: str) -> SpaceStats: ...

    def close(self) -> None: ...


class Upkeep(Protocol):
    """What is derived, and whether the record is sound.

    `catch_up` makes everything findable now rather than at the next search; `lag` says how far behind each index
    is; `rebuild` derives all anew and leaves nothing of erased memories behind; `check` gives what is wrong.
    """

    def catch_up(self, space: str) -> None: ...

    def lag(self, space: str) -> list[Lag]: ...

    def rebuild(self, space: str) -> None: ...

    def check(self, space: str) -> list[str]: ...


class Journal(Protocol):
    """What was asked and what was shown, per space: kept beside the record, never a part of it.

    Losing it loses no memory. `note` keeps the newest `keep` traces; in a space that does not exist it does nothing.
    `traces` lists without payload, newest first, those older than the trace `before`. `shown` gives what a session
    was shown, by id, with the mark it had then; `show` adds to it. Erasing a memory erases every trace that touched
    it and every mark of it.
    """

    def note(self, space: str, record: TraceRecord, *, keep: int) -> None: ...

    def trace(self, space: str, id: str) -> TraceRecord | None: ...

    def traces(self, space: str, *, limit: int, before: str | None = None) -> list[TraceRecord]: ...

    def shown(self, space: str, session: str) -> dict[str, str]: ...

    def show(self, space: str, session: str, marks: Mapping[str, str], *, at: datetime) -> None: ...


class Store(Records, Graph, Words, Vectors, Spaces, Upkeep, Journal, Protocol):
    """All of the above in one place."""


class FilesRead(Protocol):
    """Which files of which projects were read, and what they gave. A call names a space and sees nothing of another.

    `put` replaces all that is kept of each of these files, and of nothing else, in one transaction; `chunks_of` are the
    ids their chunks were stored under. `settle` works out what keys mean across files and projects; until then, names
    that only another file explains lead nowhere. `holds` says whether anything may be kept of a space; it is so cheap
    that it may be asked on the loop.
    """

    def holds(self, space: str) -> bool: ...

    def files(self, space: str, project: str) -> dict[str, FileMark]: ...

    def chunks_of(self, space: str, project: str, paths: Sequence[str]) -> dict[str, tuple[str, ...]]: ...

    def put(self, space: str, kept: Sequence[Kept]) -> None: ...

    def remove(self, space: str, project: str, paths: Sequence[str]) -> None: ...

    def settle(self, space: str) -> None: ...

    def projects(self, space: str) -> list[ProjectRead]: ...


class Knowledge(FilesRead, Protocol):
    """Named things and what is said of them, settled, beside the files they were read in.

    `state` of a `put` under the project "" and a name of its own for the collection: triples replace those of the same
    collection. `named` gives for each name (a `name_key`) the nodes that are called so or go by it, the project's own
    first, then by id; `resembling` the nodes whose names are written most alike, 0..1, best first. `about` gives the
    statements at any of the nodes, in order of subject, relation, object and place, at most `limit` of each node.
    With `projects`, only what these projects define or say. `forget` erases all of a space, or of one project of it;
    `erase` all that was read out of these memories: of a file one of them is a piece of, everything, so that it is read
    again when it is ingested again; of triples, those they make. `check` gives what is wrong, such as erased text that
    another process kept on the disk.
    """

    def state(self, space: str, collection: str, triples: Sequence[Triple]) -> None: ...

    def nodes(self, space: str, ids: Sequence[str]) -> list[Node]: ...

    def named(
        self, space: str, names: Sequence[str], *, projects: frozenset[str] = frozenset()
    ) -> dict[str, tuple[Node, ...]]: ...

    def resembling(
        self, space: str, name: str, *, limit: int, projects: frozenset[str] = frozenset()
    ) -> list[tuple[Node, float]]: ...

    def about(
        self,
        space: str,
        ids: Sequence[str],
        *,
        way: Way = Way.BOTH,
        relations: frozenset[str] = frozenset(),
        projects: frozenset[str] = frozenset(),
        limit: int | None = None,
    ) -> list[Statement]: ...

    def relations(self, space: str) -> list[RelationUse]: ...

    def forget(self, space: str, project: str | None = None) -> None: ...

    def erase(self, space: str, memories: Sequence[str]) -> None: ...

    def check(self, space: str) -> list[str]: ...

    def close(self) -> None: ...
