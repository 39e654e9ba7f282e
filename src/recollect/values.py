"""What one question passes along the path: frozen values between the steps, never changed after they are made.

Here is what comes out at the end; `questions.py` and `findings.py`, re-exported, hold what it is made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import quote

from recollect.findings import Abilities as Abilities
from recollect.findings import Around as Around
from recollect.findings import Explanation as Explanation
from recollect.findings import Failed as Failed
from recollect.findings import Findings as Findings
from recollect.findings import Found as Found
from recollect.findings import Hit as Hit
from recollect.findings import Later as Later
from recollect.findings import Lookup as Lookup
from recollect.findings import Narrowing as Narrowing
from recollect.findings import Origin as Origin
from recollect.findings import Outcome as Outcome
from recollect.findings import Plan as Plan
from recollect.findings import Reply as Reply
from recollect.findings import Role as Role
from recollect.findings import Scope as Scope
from recollect.findings import Shown as Shown
from recollect.findings import Signal as Signal
from recollect.findings import Skipped as Skipped
from recollect.findings import Stop as Stop
from recollect.findings import TimedOut as TimedOut
from recollect.findings import Tried as Tried
from recollect.judgements import Enough as Enough
from recollect.judgements import Judgement as Judgement
from recollect.judgements import Observation as Observation
from recollect.judgements import PartState as PartState
from recollect.judgements import Pool as Pool
from recollect.judgements import Progress as Progress
from recollect.judgements import RoundGain as RoundGain
from recollect.judgements import Weak as Weak
from recollect.questions import Message as Message
from recollect.questions import Part as Part
from recollect.questions import Question as Question
from recollect.questions import QuestionType as QuestionType
from recollect.questions import Trait as Trait
from recollect.records import EMPTY, Memory


class VerdictKind(StrEnum):
    """Whether what is stored answers the question."""

    ANSWERABLE = "answerable"
    PARTIAL = "partial"
    NONE = "none"


class Label(StrEnum):
    """A confidence score in one word."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ConflictKind(StrEnum):
    """In what way two pieces of evidence cannot both hold."""

    TEMPORAL = "temporal"  # what held then does not hold now
    FACTUAL = "factual"  # they say different things of the same moment
    SCOPE = "scope"  # each holds in its own project or setting


class Strategy(StrEnum):
    """What to do about a conflict."""

    BY_KIND = "by_kind"  # temporal: latest wins; factual: the more trusted source; scope: both
    LATEST_WINS = "latest_wins"
    HIGHEST_CONFIDENCE = "highest_confidence"
    SOURCE_PRIORITY = "source_priority"
    ASK_USER = "ask_user"
    INCLUDE_BOTH = "include_both"


# --- evidence and answer -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Evidence:
    """Hits merged by identity: what it says, which parts it serves, where it was found, how it scored.

    `fact_key` is the identity of what is said, `evidence_key` of who says it. `lookups` are the places that brought
    it, as "source origin: text". `corroborated_by` are ids of others that say the same on their own account. It was
    new in round `novelty_added`. `flags` name what looks suspicious in its text. `around` stands beside it in its file.
    """

    memory: Memory
    score: float
    relevance: float
    parts: tuple[int, ...]
    sources: tuple[str, ...]
    rounds: tuple[int, ...]
    explanation: Explanation
    snippets: tuple[str, ...] = ()
    fact_key: str = ""
    evidence_key: str = ""
    lookups: tuple[str, ...] = ()
    absorbed: tuple[str, ...] = ()
    corroborated_by: tuple[str, ...] = ()
    novelty_added: int = 1
    supporting_evidence_count: int = 1
    query_coverage_count: int = 1
    signals: tuple[Signal, ...] = ()
    reached_by: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    contradicted_by: tuple[str, ...] = ()
    superseded: bool = False
    flags: tuple[str, ...] = ()
    around: Around = Around()
    coexists: tuple[str, ...] = ()

    @property
    def snippet(self) -> str:
        """The sentence that best shows why it is here."""
        return self.snippets[0] if self.snippets else ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two pieces of evidence that cannot both hold.

    `preferred` stands first; where the conflict is not `settled`, only because one has to. `reason` is what differs.
    """

    preferred: str
    other: str
    reason: str
    kind: ConflictKind = ConflictKind.TEMPORAL
    strategy: Strategy = Strategy.LATEST_WINS
    settled: bool = True


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
class Worded:
    """The answer in words: the context block for a prompt, and the best sentences with their citations."""

    context: str = ""
    text: str = ""
    cited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a step: what, why (a reason code), and the numbers behind it."""

    what: str
    because: str
    numbers: Mapping[str, float | int | str] = field(default_factory=lambda: EMPTY)


class Happening(NamedTuple):
    """Something that just happened to a question, told to whoever watches: a step begins or ends, a step decides, or
    a lookup ran; `at` is in seconds from the call's start."""

    what: str
    name: str
    at: float
    numbers: Mapping[str, float | int | str]


@dataclass(frozen=True, slots=True)
class Span:
    """One step of the path as it ran, and what ran inside it; `began` is in seconds from the call's start."""

    name: str
    seconds: float
    decisions: tuple[Decision, ...] = ()
    began: float = 0.0
    inside: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """What happened to one question, in order, and counted."""

    id: str
    started_at: datetime
    spans: tuple[Span, ...]
    counters: Mapping[str, float | int | str] = field(default_factory=lambda: EMPTY)

    @property
    def seconds(self) -> float:
        return sum(span.seconds for span in self.spans)


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict and everything behind it. `text` is made of the best sentences, each with its citation; `ranking` is
    all that was found, before anything was cut."""

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
    text: str = ""
    gains: tuple[RoundGain, ...] = ()
    ranking: tuple[tuple[str, float], ...] = ()


# --- what the other verbs return -----------------------------------------------------------------


class Ruling(StrEnum):
    """What somebody decides about two memories that contradict each other."""

    NEW_IS_CURRENT = "new_is_current"
    OLD_IS_CURRENT = "old_is_current"
    KEEP_BOTH = "keep_both"
    MERGE = "merge"


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two memories that contradict each other and are both current; `trace_id` is the newest answer that noted it."""

    newer: Memory
    older: Memory
    kind: ConflictKind
    reason: str
    trace_id: str | None = None

    @property
    def cursor(self) -> str:
        """What to give as `after` to go on behind this one."""
        return f"{quote(self.newer.id, safe='')}:{quote(self.older.id, safe='')}"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What to do about two memories, by id; `text` is that of the memory a merge makes."""

    one: str
    other: str
    how: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a resolution left: the ids of what is current, and of what is superseded."""

    how: Ruling
    current: tuple[str, ...]
    superseded: tuple[str, ...] = ()


class Fate(StrEnum):
    """What became of a text given to `remember`."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    REPEATED = "repeated"


class Use(StrEnum):
    """What became of a piece of evidence, as its reader says."""

    USED = "used"
    NOT_USED = "not_used"
    WRONG = "wrong"


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
    trace_id: str | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The block for a prompt, or an empty text and the reason why; `already_shown` were in an earlier block."""

    text: str
    memories: tuple[str, ...] = ()
    already_shown: tuple[str, ...] = ()
    reason: str = ""
    verdict: VerdictKind = VerdictKind.NONE
    trace_id: str | None = None

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True, slots=True)
class Explained:
    """Why one piece of evidence stands in an answer, or what became of something that does not, in sentences."""

    trace_id: str
    id: str
    sentences: tuple[str, ...]
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """One line of a check-up: what was looked at, whether it is fine, what was seen, and the remedy if not."""

    what: str
    ok: bool
    seen: str
    remedy: str | None = None


# --- what observers are told ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Operation:
    """One call of a verb, told after it: what it was given, and what it returned or the type of what it raised.

    `reason` is the code of a refusal. `answer` is there where a question was answered, `trace` where one was looked up.
    """

    name: str
    started_at: datetime
    seconds: float
    given: Mapping[str, object] = field(default_factory=lambda: EMPTY)
    result: object = None
    error: str = ""
    reason: str = ""
    answer: Answer | None = None
    trace: Trace | None = None

    @property
    def space(self) -> str:
        """The space it was about, where it was about one."""
        return str(self.given.get("space", ""))
