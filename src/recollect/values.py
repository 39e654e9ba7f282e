"""What one question passes along the path: frozen values between the steps, never changed after they are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from recollect.questions import Message as Message
from recollect.questions import Part as Part
from recollect.questions import Question as Question
from recollect.questions import QuestionType as QuestionType
from recollect.questions import Trait as Trait
from recollect.records import EMPTY, Filters, Memory, Vector


class VerdictKind(StrEnum):
    """Whether what is stored answers the question."""

    ANSWERABLE = "answerable"
    PARTIAL = "partial"
    NONE = "none"


class Stop(StrEnum):
    """Why the search ended."""

    ENOUGH = "enough"
    MAX_ROUNDS = "max_rounds"
    DEADLINE = "deadline"
    NO_NOVELTY = "no_novelty"
    NOTHING_TO_TRY = "nothing_to_try"
    TRIVIAL = "trivial"
    DISABLED = "disabled"


class Label(StrEnum):
    """A confidence score in one word."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Origin(StrEnum):
    """Where a lookup's text came from."""

    QUESTION = "question"
    PART = "part"
    REWORDED = "reworded"
    ENTITY = "entity"


# --- planning ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a source can do; the planner reads this instead of asking the class."""

    filters: bool = True
    semantic: bool = False


@dataclass(frozen=True, slots=True)
class Lookup:
    """One query text sent to one source within a scope, on behalf of a part.

    `names` are those the part mentions. `about`, where it is not empty, is what the part asks in its own words: hits
    are found by `text` and judged by `about`, or else looking for a bare name would make everything under that name
    an answer.
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


@dataclass(frozen=True, slots=True)
class Scope:
    """Where one call may look, and how many hits each lookup may bring."""

    space: str
    filters: Filters
    limit: int

    def lookup(self, part: Part, text: str, *, source: str, origin: Origin) -> Lookup:
        """A lookup for one part within this scope."""
        about = "" if text == part.text else part.text
        return Lookup(
            text, self.space, source, self.limit, part.number, self.filters, origin, names=part.entities, about=about
        )


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


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing a source returned: its own score and why, and a relevance comparable across sources (0..1)."""

    memory: Memory
    source: str
    source_score: float
    relevance: float
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class Reply:
    """What a source gives back: hits, best first, and in `notes` what it had to do without."""

    hits: tuple[Hit, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A lookup that came back, possibly with nothing."""

    lookup: Lookup
    hits: tuple[Hit, ...]
    seconds: float
    notes: tuple[str, ...] = ()


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


# --- judging -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PartState:
    """How one part stands after a round: its best relevance, and whether that passes the gate."""

    part: Part
    best: float
    passed: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """What the rounds so far brought."""

    rounds: int = 0
    seen: frozenset[str] = frozenset()
    tried: frozenset[str] = frozenset()
    streak_without_news: int = 0


@dataclass(frozen=True, slots=True)
class Enough:
    """Stop: every part is covered, or nothing more can be had; `stop` says which."""

    stop: Stop
    states: tuple[PartState, ...]
    progress: Progress


@dataclass(frozen=True, slots=True)
class Weak:
    """Go on: these parts have nothing good yet."""

    states: tuple[PartState, ...]
    progress: Progress

    @property
    def weak_parts(self) -> tuple[Part, ...]:
        return tuple(state.part for state in self.states if not state.passed)


Judgement: TypeAlias = Enough | Weak


# --- evidence and answer -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hits merged by identity: what it says, which parts it serves, where it was found, how it scored."""

    memory: Memory
    score: float
    relevance: float
    parts: tuple[int, ...]
    sources: tuple[str, ...]
    rounds: tuple[int, ...]
    explanation: Explanation
    snippet: str = ""
    absorbed: tuple[str, ...] = ()
    contradicted_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two pieces of evidence that cannot both hold, and which side is preferred."""

    preferred: str
    other: str
    reason: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of the question nothing was found for."""

    part: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure, 0..1, what that is made of, and in one word."""

    score: float
    label: Label
    components: Mapping[str, float] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Weighed:
    """What the evidence amounts to."""

    verdict: VerdictKind
    confidence: Confidence
    gaps: tuple[Gap, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a step: what, why (a reason code), and the numbers behind it."""

    what: str
    because: str
    numbers: Mapping[str, float | int | str] = field(default_factory=lambda: EMPTY)


@dataclass(frozen=True, slots=True)
class Span:
    """One step of the path as it ran."""

    name: str
    seconds: float
    decisions: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened to one question, in order."""

    id: str
    started_at: datetime
    spans: tuple[Span, ...]

    @property
    def seconds(self) -> float:
        return sum(span.seconds for span in self.spans)


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict and everything behind it."""

    question: Question
    parts: tuple[PartState, ...]
    verdict: VerdictKind
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    conflicts: tuple[Conflict, ...]
    gaps: tuple[Gap, ...]
    degraded: tuple[str, ...]
    stop: Stop
    context: str
    trace: Trace


# --- what the other verbs return -----------------------------------------------------------------


class Fate(StrEnum):
    """What became of a text given to `remember`."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Remembered:
    """The fate of one text: its id (of the twin, when a duplicate), and what was noticed."""

    id: str
    fate: Fate
    similar: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A plain search: hits best first, and what was degraded."""

    hits: tuple[Hit, ...]
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled:
    """What `recall` brought back: memories best first (newest first when nothing was asked)."""

    memories: tuple[Memory, ...]
    relevance: Mapping[str, float] = field(default_factory=lambda: EMPTY)
    verdict: VerdictKind | None = None
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """One line of a check-up: what was looked at, whether it is fine, what was seen, and the remedy if not."""

    what: str
    ok: bool
    seen: str
    remedy: str | None = None
