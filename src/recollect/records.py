"""What is stored and how it changes: filters, the small writes, and what primitive searches give.

Plain frozen values; the store gives and takes them. What a space holds is in `memories.py`, re-exported here; what
one search passes along is in `values.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.memories import EMPTY as EMPTY
from recollect.memories import LEARNED_RELATION as LEARNED_RELATION
from recollect.memories import LONGEST_SPACE_NAME as LONGEST_SPACE_NAME
from recollect.memories import Draft as Draft
from recollect.memories import Entity as Entity
from recollect.memories import Lifecycle as Lifecycle
from recollect.memories import Link as Link
from recollect.memories import Memory as Memory
from recollect.memories import Ties as Ties
from recollect.memories import TraceRecord as TraceRecord
from recollect.memories import Vector as Vector
from recollect.memories import check_space as check_space
from recollect.memories import goes_by as goes_by
from recollect.memories import name_key as name_key
from recollect.memories import utc as utc
from recollect.memories import whole_text as whole_text
from recollect.memories import worn_off as worn_off
from recollect.paths import path_matcher

SITTING = timedelta(hours=12)  # told further apart than this, two turns are not of one conversation


class TimeAxis(StrEnum):
    """Which of a memory's times a range speaks of."""

    EVENT = "event"
    STORED = "stored"
    ANY = "any"


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
        if self.axis not in set(TimeAxis):
            raise InvalidInput(f"axis is {self.axis!r}; give one of {', '.join(TimeAxis)}", field="axis")
        object.__setattr__(self, "axis", TimeAxis(self.axis))  # its name is as good
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
SETS = ("ids", "kinds", "without_kinds", "lifecycles", "projects", "paths", "trusts", "tags", "clusters")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a lookup may return. The default is everything that is not archived and holds at `as_of` (or now).

    Several values of one filter mean any of them; several filters mean all of them; `tags` means all of them.
    `paths` are patterns on where a memory is from (`*`, `?`, `**`, as `paths.py` reads them); one that does not say
    where it is from fits none. Where nothing fits, a search may drop kinds, tags, clusters or time, unless `strict`.
    """

    ids: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    without_kinds: frozenset[str] = frozenset()
    lifecycles: frozenset[Lifecycle] = VISIBLE
    projects: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    trusts: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    clusters: frozenset[str] = frozenset()
    time: TimeRange | None = None
    as_of: datetime | None = None
    superseded: bool = False
    strict: bool = False

    def __post_init__(self) -> None:
        for name in SETS:
            wanted = getattr(self, name)
            if not isinstance(wanted, set | frozenset) or not all(isinstance(each, str) for each in wanted):
                raise InvalidInput(f"filters.{name} is {wanted!r}; give a set of texts", field=f"filters.{name}")
        for unknown in sorted(self.lifecycles - set(Lifecycle)):
            message = f"filters.lifecycles holds {unknown!r}; give some of {', '.join(Lifecycle)}"
            raise InvalidInput(message, field="filters.lifecycles")
        object.__setattr__(self, "lifecycles", frozenset(Lifecycle(each) for each in self.lifecycles))
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
            and memory.kind not in self.without_kinds
            and (not self.projects or memory.project in self.projects)
            and (not self.paths or self.passes_path(memory.source_uri))
            and (not self.trusts or memory.trust in self.trusts)
            and self.tags <= set(memory.tags)
            and (not self.clusters or not self.clusters.isdisjoint(memory.clusters))
            and (self.time is None or self.time.covers(memory))
            and (self.superseded or self._holds(memory, now=now))
        )

    def passes_path(self, uri: str | None) -> bool:
        """Whether what is from there fits one of the paths: all that the filter looks at, for stores."""
        return uri is not None and path_matcher(self.paths)(uri)

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
    """Really erase a memory, its vector, its links, and every journal entry that speaks of it."""

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
class Strengthen:
    """Add to what was learned about two memories: to every link between them, in either direction, or else to a new
    one, `recalled_with`, whose stated weight is zero. What was learned before first wears off; the sum stays within
    0 and `most`. A negative amount weakens and makes no new link. Not a change: derived indexes do not see it.
    """

    one: str
    other: str
    amount: float
    at: datetime
    most: float
    half_life_days: float


@dataclass(frozen=True, slots=True)
class Favour:
    """Add to what feedback taught about a memory, in the same way, within -`most` and `most`."""

    id: str
    amount: float
    at: datetime
    most: float
    half_life_days: float


@dataclass(frozen=True, slots=True)
class Unlearn:
    """Undo all learning in the space: learned weights and favours to zero, links that were only learned removed."""


@dataclass(frozen=True, slots=True)
class PutEntity:
    """Insert or replace an entity."""

    entity: Entity


@dataclass(frozen=True, slots=True)
class AdoptEmbedder:
    """Drop vectors of every other embedder and make this one the space's."""

    identity: str


Write = (
    PutMemory
    | PutVector
    | Touch
    | EraseMemory
    | PutLink
    | EraseLink
    | PutEntity
    | AdoptEmbedder
    | Strengthen
    | Favour
    | Unlearn
)


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


class Beside(NamedTuple):
    """The ids of what was stored right before and right after a memory, in the same sitting."""

    before: str | None = None
    after: str | None = None


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
