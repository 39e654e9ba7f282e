"""What a space holds: memories, links, entities, and the journal's traces. Re-exported by `records.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from recollect.errors import InvalidInput

LONGEST_SPACE_NAME = 200
NAME_WORD = re.compile(r"\w+")
LONGEST_NAME = 120  # characters; a longer title is a sentence
BEGINNING = re.compile(r"[^\W\d_][\w'’-]*(?: [^\W\d_][\w'’.-]*){2,5}")  # words that may be a name and what follows it
NAME_WORDS = range(2, 6)
BRACKETED_ENDING = re.compile(r"\s*\([^()]*\)\s*$")
EMPTY: Mapping[str, Any] = MappingProxyType({})


class Lifecycle(StrEnum):
    """How present a memory is. Archived is a decision; weak and dormant are what the forgetting curve says."""

    ACTIVE = "active"
    WEAK = "weak"
    DORMANT = "dormant"
    ARCHIVED = "archived"


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
    """One stored item. `valid_to` set means superseded: a closed interval, never a delete.

    `favour` is what feedback has taught about it, -1..1, as of `favour_at`; it wears off from then on.
    """

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
    favour: float = 0.0
    favour_at: datetime | None = None


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
    """A directed, typed edge between two memories or entities.

    `learned` is kept apart so it can be undone; it is what was learned as of `learned_at` and wears off from then on.
    """

    from_id: str
    to_id: str
    relation: str
    created_at: datetime
    weight: float = 0.5
    learned: float = 0.0
    evidence: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    learned_at: datetime | None = None


class Ties(NamedTuple):
    """The links at one memory or entity: the strongest of them, and how many there are each way."""

    links: tuple[Link, ...]
    inbound: int
    outbound: int


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


LEARNED_RELATION = "recalled_with"


def worn_off(learned: float, since: datetime | None, *, now: datetime, half_life_days: float) -> float:
    """What is left of something learned: half after each half-life, by whole days, so that a day's answers agree.

    >>> worn_off(0.2, datetime(2026, 1, 1, tzinfo=UTC), now=datetime(2026, 1, 31, tzinfo=UTC), half_life_days=30)
    0.1
    """
    days = max(0, (now - since).days) if since else 0
    left: float = 0.5 ** (days / half_life_days)
    return learned * left


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One stored trace: a line about it, all of it as JSON in `payload`, and the memories it speaks of."""

    id: str
    started_at: datetime
    question: str
    verdict: str
    confidence: float
    stop: str
    seconds: float
    payload: str = ""
    touched: frozenset[str] = frozenset()


def name_key(name: str) -> str:
    """What names have in common however they are written: their words in small letters, a bracketed ending left out.

    >>> name_key("The Blue Boat (1998 film)"), name_key("Ana-Maria  Ortiz."), name_key("(x)")
    ('the blue boat', 'ana maria ortiz', 'x')
    """
    words = " ".join(NAME_WORD.findall(name.casefold()))
    shorter = BRACKETED_ENDING.sub("", name)
    return " ".join(NAME_WORD.findall(shorter.casefold())) or words


def whole_text(memory: Memory) -> str:
    """All that a memory says: who said it, its title and its text."""
    return f"{memory.author or ''}\n{memory.title}\n{memory.body}"


def goes_by(title: str, body: str) -> str:
    """The name a memory goes by: its title, or else the name of several words its text begins with; empty for none.

    >>> goes_by("", "Ana-Maria Ortiz moved to Porto."), goes_by("Plan", "x"), goes_by("", "Yesterday it rained.")
    ('Ana-Maria Ortiz', 'Plan', '')
    """
    if title:
        return title if len(title) <= LONGEST_NAME else ""
    begins = BEGINNING.match(body)
    words = begins[0].split(" ") if begins else []
    capitals = next((place for place, word in enumerate(words) if not word[0].isupper()), 0)
    return " ".join(words[:capitals]) if capitals in NAME_WORDS else ""


def utc(moment: datetime) -> datetime:
    """The same moment in UTC; a moment without zone is refused.

    >>> utc(datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
    '2026-01-01T00:00:00+00:00'
    """
    if moment.tzinfo is None:
        raise InvalidInput(f"{moment.isoformat()!r} has no time zone; add one", field="time")
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        message = f"{moment.isoformat()!r} is outside the calendar in UTC; give a year from 1 to 9999"
        raise InvalidInput(message, field="time") from error


def check_space(space: str) -> str:
    """The name, if a space may be called that."""
    if not isinstance(space, str) or not space.strip() or len(space) > LONGEST_SPACE_NAME or not space.isprintable():
        raise InvalidInput(
            f"space name {space!r} cannot be used; give 1 to {LONGEST_SPACE_NAME} printable characters",
            field="space",
        )
    return space
