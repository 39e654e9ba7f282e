"""What searching passes along: lookups, hits, outcomes, and how the rounds stand.

Frozen values, re-exported by `values.py`, which holds what comes out at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

from recollect.questions import Part
from recollect.records import Filters, Memory, Vector


class Stop(StrEnum):
    """Why the search ended."""

    ENOUGH = "enough"
    MAX_ROUNDS = "max_rounds"
    MAX_FACTS = "max_facts"
    DEADLINE = "deadline"
    NO_NOVELTY = "no_novelty"
    NOTHING_TO_TRY = "nothing_to_try"
    TRIVIAL = "trivial"
    DISABLED = "disabled"


class Origin(StrEnum):
    """Where a lookup's text came from."""

    QUESTION = "question"  # as asked
    PART = "part"  # one part of it
    TIME = "time"  # as asked, only within the time it speaks of
    REWORDED = "reworded"  # without the words a question is wrapped in
    ATTRIBUTE = "attribute"  # what of what: entity and attribute
    ENTITY = "entity"  # a name in it
    NOUN_PHRASE = "noun_phrase"
    KEYWORD = "keyword"
    PAIR = "pair"  # two keywords that stand together
    PHRASE = "phrase"
    FORM = "form"  # the question as a statement would say it
    GOAL = "goal"  # the whole question, for one of its parts
    RELATED = "related"  # with related words from the thesaurus
    COOCCURRING = "cooccurring"  # with words the store uses beside those asked for
    MESSAGE = "message"  # names and words of the messages before
    BRIDGE = "bridge"  # a name found in an earlier round
    BROADENED = "broadened"  # the same words within wider filters
    STAND_IN = "stand_in"  # the same words to a source that was not asked at first
    REPLACEMENT = "replacement"  # the title of a weak piece of evidence


class Role(StrEnum):
    """What a source is to a part: asked at once, asked for less, or only when the others bring nothing."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    SKIPPED = "skipped"


# --- planning ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a source can do; the planner reads this instead of asking the class.

    A source that is `cooperative` never holds up the loop it runs on. Any other runs on a loop of its own, so that
    the deadline holds whatever it does.
    """

    filters: bool = True
    semantic: bool = False
    cooperative: bool = False


@dataclass(frozen=True, slots=True)
class Lookup:
    """One query text sent to one source within a scope, on behalf of a part.

    `names` are those the part mentions, `spellings` how each may be written. `about`, where it is not empty, is what
    the part asks in its own words: hits are found by `text` and judged by `about`, or else looking for a bare name
    would make everything under that name an answer. `belief` is how likely it is that this lookup is on the way at
    all: below 1 for one that rests on a hit of an earlier round, `via` its id; the relevance of what it finds is
    multiplied by it. Where `scoped_by` names a source, it looks where that source's lookup for the same part and text
    says to look, and is sent when that is known; one that only `repeats` another within that scope is not sent without.
    """

    text: str
    space: str
    source: str
    limit: int
    part: int = 0
    filters: Filters = field(default_factory=Filters)
    origin: Origin = Origin.QUESTION
    vector: Vector | None = None
    names: tuple[str, ...] = ()
    about: str = ""
    about_vector: Vector | None = None
    spellings: tuple[tuple[str, ...], ...] = ()
    role: Role = Role.PRIMARY
    belief: float = 1.0
    via: str = ""
    scoped_by: str = ""
    repeats: bool = False

    @property
    def key(self) -> Tried:
        """What makes it the same lookup again."""
        return Tried(self.source, self.text.casefold(), self.filters, self.scoped_by)


class Tried(NamedTuple):
    """A lookup as far as it matters for not sending it twice."""

    source: str
    text: str
    filters: Filters
    scoped_by: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where one call may look: space, filters, how many hits each lookup may bring, and the sources there are."""

    space: str
    filters: Filters
    limit: int
    sources: tuple[str, ...] = ()

    def lookup(self, part: Part, text: str, *, source: str, origin: Origin) -> Lookup:
        """A lookup for one part within this scope."""
        about = "" if text == part.text else part.text
        return Lookup(
            text, self.space, source, self.limit, part.number, self.filters, origin,
            names=part.entities, about=about, spellings=part.spellings,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """The lookups of one round, in the order their results are put back in."""

    round: int
    lookups: tuple[Lookup, ...]


# --- searching -----------------------------------------------------------------------------------


class Explanation(NamedTuple):
    """A number, what it is, and what it is made of. Where `sums`, the details add up to it.

    A named tuple, since a search makes hundreds: they cost a third of what frozen dataclasses do.
    """

    value: float
    what: str
    details: tuple[Explanation, ...] = ()
    sums: bool = False

    def total(self) -> float:
        """The value as the details give it."""
        return sum(detail.total() for detail in self.details) if self.sums else self.value


class Signal(NamedTuple):
    """One thing that speaks for a hit: 0..1, and the raw number it was made from."""

    name: str
    value: float
    raw: float


class Shown(NamedTuple):
    """Why a hit scored as it did, and the signals that speak for it."""

    explanation: Explanation
    signals: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True)
class Later:
    """The same, worked out when somebody asks: most hits are never shown, and showing costs more than finding."""

    build: Callable[..., Shown]
    given: tuple[Any, ...]

    def shown(self) -> Shown:
        return self.build(*self.given)


class Around(NamedTuple):
    """The lines right before and right after a piece of a file, and which lines of the file the piece is."""

    before: str = ""
    after: str = ""
    first: int = 0
    last: int = 0

    def __bool__(self) -> bool:
        return bool(self.before or self.after)


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing a source returned: its own score and why, and a relevance comparable across sources (0..1).

    `reached_by` are the ids (of memories or entities) whose links led here; empty for what is good by itself.
    `contradicts`, `supersedes` and `coexists` are ids, as stored links say. `merits` are the signals about the memory
    itself, whatever was asked. `vector` lets merging tell near repeats. `around` is what stands beside it, to be shown
    with it.
    """

    memory: Memory
    source: str
    source_score: float
    relevance: float
    reasons: Explanation | Shown | Later
    vector: Vector | None = None
    reached_by: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    merits: tuple[Signal, ...] = ()
    around: Around = Around()
    coexists: tuple[str, ...] = ()

    @property
    def shown(self) -> Shown:
        """Its explanation and signals."""
        match self.reasons:
            case Explanation():
                return Shown(self.reasons)
            case Later():
                return self.reasons.shown()
            case _:
                return self.reasons

    @property
    def explanation(self) -> Explanation:
        return self.shown.explanation

    @property
    def signals(self) -> tuple[Signal, ...]:
        return self.shown.signals


class Narrowing(NamedTuple):
    """Where a source says to look: projects, file patterns, and the entities (by id) that led there."""

    projects: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    entities: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.projects or self.paths)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a source gives back: hits, best first, and in `notes` what it had to do without.

    `narrowing` is where others had better look; empty says nothing about that.
    """

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()
    narrowing: Narrowing = Narrowing()


@dataclass(frozen=True, slots=True)
class Found:
    """A lookup that came back, possibly with nothing.

    `narrowing` is where its source says others had better look; `within`, where this one looked as another had said.
    """

    lookup: Lookup
    hits: tuple[Hit, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    narrowing: Narrowing = Narrowing()
    within: Narrowing = Narrowing()


@dataclass(frozen=True, slots=True)
class Failed:
    """A lookup whose source raised."""

    lookup: Lookup
    error: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TimedOut:
    """A lookup that had not come back at its deadline; it was abandoned, not awaited."""

    lookup: Lookup
    seconds: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """A lookup that was never sent, and why."""

    lookup: Lookup
    reason: str


Outcome: TypeAlias = Found | Failed | TimedOut | Skipped


@dataclass(frozen=True, slots=True)
class Findings:
    """All outcomes of one round, in plan order, and what the round had to do without."""

    round: int
    outcomes: tuple[Outcome, ...]
    degraded: tuple[str, ...] = ()
