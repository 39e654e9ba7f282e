"""What is stored: memories, links, entities, and the writes that change them.

Plain frozen values; the store gives and takes them. What one search passes along is in `values.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from recollect.errors import InvalidInput

LONGEST_SPACE_NAME = 200
EMPTY: Mapping[str, Any] = MappingProxyType({})


class Lifecycle(StrEnum):
    """How present a memory is. Archived is a decision; weak and dormant are what the forgetting curve says."""

    ACTIVE = "active"
    WEAK = "weak"
    DORMANT = "dormant"
    ARCHIVED = "archived"


class TimeAxis(StrEnum):
    """Which of a memory's times a range speaks of."""

    EVENT = "event"
    STORED = "stored"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Vector:
    """An embedding: who made it, and its float32 values, little-endian, of length one."""

    identity: str
    data: bytes

    @property
    def dimensions(self) -> int:
        return len(self.data) // 4


@dataclass(frozen=True, slots=True)
class Memory:
    """One stored item. `valid_to` set means superseded: a closed interval, never a delete."""

    id: str
    space: str
    kind: str
    title: str
    body: str
    created_at: datetime
    updated_at: datetime
    content_hash: str
    summary: str | None = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    lifecycle: Lifecycle = Lifecycle.ACTIVE
    project: str | None = None
    source_uri: str | None = None
    source_position: str | None = None
    author: str | None = None
    trust: str = "user"
    tags: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)
    access_count: int = 0
    last_access: datetime | None = None
    stability_days: float | None = None
    embedded_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a caller wants remembered; the engine adds id, times, hash and vector."""

    body: str
    title: str = ""
    kind: str = "fact"
    summary: str | None = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    project: str | None = None
    source_uri: str | None = None
    source_position: str | None = None
    author: str | None = None
    trust: str = "user"
    tags: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Link:
    """A directed, typed edge between two memories or entities. `learned` is kept apart so it can be undone."""

    from_id: str
    to_id: str
    relation: str
    created_at: datetime
    weight: float = 0.5
    learned: float = 0.0
    evidence: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing the graph knows."""

    id: str
    name: str
    kind: str
    created_at: datetime
    aliases: tuple[str, ...] = ()
    project: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `start` (included) to `end` (left out), either side open."""

    start: datetime | None = None
    end: datetime | None = None
    axis: TimeAxis = TimeAxis.ANY

    def __post_init__(self) -> None:
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment is not None and moment.tzinfo is None:
                raise InvalidInput(f"time range {name} {moment.isoformat()!r} has no time zone; add one", field=name)
        if self.start and self.end and self.start >= self.end:
            raise InvalidInput(
                f"time range ends ({self.end.isoformat()}) before it starts ({self.start.isoformat()}); swap them",
                field="time_range",
            )

    def covers(self, memory: Memory) -> bool:
        """Whether one of the memory's times on this axis lies within."""
        moments = {
            TimeAxis.EVENT: (memory.event_time,),
            TimeAxis.STORED: (memory.created_at,),
            TimeAxis.ANY: (memory.event_time, memory.created_at),
        }[self.axis]
        return any(
            moment is not None
            and (self.start is None or moment >= self.start)
            and (self.end is None or moment < self.end)
            for moment in moments
        )


VISIBLE = frozenset({Lifecycle.ACTIVE, Lifecycle.WEAK, Lifecycle.DORMANT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a lookup may return. The default is everything that is not archived and holds at `as_of` (or now).

    Several values of one filter mean any of them; several filters mean all of them; `tags` means all of them.
    """

    ids: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    lifecycles: frozenset[Lifecycle] = VISIBLE
    projects: frozenset[str] = frozenset()
    trusts: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    clusters: frozenset[str] = frozenset()
    time: TimeRange | None = None
    as_of: datetime | None = None
    superseded: bool = False

    def __post_init__(self) -> None:
        for name in ("ids", "kinds", "lifecycles", "projects", "trusts", "tags", "clusters"):
            wanted = getattr(self, name)
            if not isinstance(wanted, set | frozenset) or not all(isinstance(each, str) for each in wanted):
                raise InvalidInput(f"filters.{name} is {wanted!r}; give a set of texts", field=f"filters.{name}")
        if self.time is not None and not isinstance(self.time, TimeRange):
            raise InvalidInput(f"filters.time is {self.time!r}; give a TimeRange", field="filters.time")
        if self.as_of is not None and (not isinstance(self.as_of, datetime) or self.as_of.tzinfo is None):
            raise InvalidInput(f"filters.as_of is {self.as_of!r}; give a datetime with zone", field="filters.as_of")

    def passes(self, memory: Memory, *, now: datetime) -> bool:
        """Whether a memory is let through: the meaning of the filters, which stores put into their own terms."""
        return (
            memory.lifecycle in self.lifecycles
            and (not self.ids or memory.id in self.ids)
            and (not self.kinds or memory.kind in self.kinds)
            and (not self.projects or memory.project in self.projects)
            and (not self.trusts or memory.trust in self.trusts)
            and self.tags <= set(memory.tags)
            and (not self.clusters or not self.clusters.isdisjoint(memory.clusters))
            and (self.time is None or self.time.covers(memory))
            and (self.superseded or self._holds(memory, now=now))
        )

    def _holds(self, memory: Memory, *, now: datetime) -> bool:
        """Whether it is valid at the moment; looking back, it must also have been known or have happened by then."""
        begins = memory.valid_from
        if self.as_of is not None:
            begins = begins or memory.event_time or memory.created_at
        moment = self.as_of or now
        return (begins is None or begins <= moment) and (memory.valid_to is None or memory.valid_to > moment)


# --- writes: small commands, applied together in one transaction ---------------------------------


@dataclass(frozen=True, slots=True)
class PutMemory:
    """Insert, or replace whole. With `expected`, only if the stored `updated_at` is still that one."""

    memory: Memory
    vector: Vector | None = None
    expected: datetime | None = None


@dataclass(frozen=True, slots=True)
class PutVector:
    """Attach a vector to a stored memory (re-embedding)."""

    id: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class Touch:
    """Count one access. Not a change: the derived indexes do not see it."""

    id: str
    at: datetime
    stability_days: float


@dataclass(frozen=True, slots=True)
class EraseMemory:
    """Really erase a memory, its vector and its links."""

    id: str


@dataclass(frozen=True, slots=True)
class PutLink:
    """Insert or replace the link of these ends and relation."""

    link: Link


@dataclass(frozen=True, slots=True)
class EraseLink:
    """Remove one link."""

    from_id: str
    to_id: str
    relation: str


@dataclass(frozen=True, slots=True)
class PutEntity:
    """Insert or replace an entity."""

    entity: Entity


@dataclass(frozen=True, slots=True)
class AdoptEmbedder:
    """Drop vectors of every other embedder and make this one the space's."""

    identity: str


Write = PutMemory | PutVector | Touch | EraseMemory | PutLink | EraseLink | PutEntity | AdoptEmbedder


@dataclass(frozen=True, slots=True)
class Once:
    """An idempotency key with the fingerprint of the request it stands for and the answer to repeat."""

    key: str
    fingerprint: str
    answer: str


@dataclass(frozen=True, slots=True)
class Applied:
    """What a batch of writes did: the change log's position, and the stored answer when it was a repeat."""

    position: int
    repeated: str | None = None
    vectors_left_out: int = 0


class Match(NamedTuple):
    """One memory a primitive search found, with the score on that primitive's own scale."""

    id: str
    source_score: float


class Term(NamedTuple):
    """One searched term, how rare it is in the space (BM25's idf), and in how many of its texts it occurs."""

    text: str
    idf: float
    occurs: int = 1


@dataclass(frozen=True, slots=True)
class Lag:
    """How far one derived index is behind the record."""

    index: str
    position: int
    head: int
    note: str | None = None

    @property
    def behind(self) -> int:
        return self.head - self.position


@dataclass(frozen=True, slots=True)
class SpaceStats:
    """Counts for one space."""

    memories: int
    by_lifecycle: Mapping[str, int]
    links: int
    entities: int
    vectors: int
    embedder: str | None
    bytes_on_disk: int


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; a moment without zone is refused.

    >>> utc(datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
    '2026-01-01T00:00:00+00:00'
    """
    if moment.tzinfo is None:
        raise InvalidInput(f"{moment.isoformat()!r} has no time zone; add one", field="time")
    return moment.astimezone(UTC)


def check_space(space: str) -> str:
    """The name, if a space may be called that."""
    if not isinstance(space, str) or not space.strip() or len(space) > LONGEST_SPACE_NAME or not space.isprintable():
        raise InvalidInput(
            f"space name {space!r} cannot be used; give 1 to {LONGEST_SPACE_NAME} printable characters",
            field="space",
        )
    return space
