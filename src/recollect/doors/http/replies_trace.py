"""What replies say of how a question was answered: parts, rounds, steps, traces kept. For the OpenAPI document."""

from __future__ import annotations

from pydantic import BaseModel

from recollect.doors.http.replies_found import ConflictReply, ExplanationReply, Signals
from recollect.doors.http.said import Share, When, one_of, says
from recollect.questions import QuestionType, Trait
from recollect.values import Label, Stop, VerdictKind

Numbers = dict[str, int | float | str | None]


class ConfidenceReply(BaseModel):
    """How sure, in a number, in a word, and what it is made of."""

    score: Share = says("How likely what is shown answers the question.")
    label: str = says(one_of(Label))
    components: dict[str, float] = says("What the score is made of, by name.")


class PartBasis(BaseModel):
    """One part of a question."""

    number: int = says("From 0.")
    text: str = says("The part as a question of its own.")
    type: str = says(f"What it is after. {one_of(QuestionType)}")
    entities: list[str] = says("The names in it.")


class TracedPart(PartBasis):
    """How one part of a question fared."""

    best: float = says("The relevance of its best hit, 0 to 1.")
    passed: bool = says("Whether that is good enough.")
    coverage: float = says("The share of what it names that good hits speak of.")
    served: bool = says("Whether any source answered for it at all.")


class PartReply(TracedPart):
    """How one part of a question fared, and what serves it."""

    covered: bool = says("Whether it is answered: no gap names it.")
    evidence: list[str] = says("Ids of the evidence that serves it.")
    gap: str | None = says("What is missing; null where it is covered.")
    strong: bool = says("Whether its best hit is so good that one round was enough.")


class GapReply(BaseModel):
    """A part of the question nothing was found for."""

    part: int = says("Its number.")
    text: str = says("The part.")
    reason: str = says("What is missing.")


class RoundReply(BaseModel):
    """What one round of searching brought."""

    round: int = says("From 1.")
    new_facts: int = says("How many facts were new.")
    new_evidence: int = says("How many more say what was known.")
    coverage_score: float = says("The share of the question that is covered after it.")
    no_gain_streak: int = says("How many rounds in a row brought nothing new.")


class StepTime(BaseModel):
    """How long one step took."""

    name: str = says("The step.", examples=["search"])
    seconds: float = says("How long it took.")


class TimingsReply(BaseModel):
    """Where the time went, in seconds."""

    total: float = says("In all.")
    steps: list[StepTime] = says("Each step in order; one that was taken again stands here again.")
    sources: dict[str, float] = says("Of all lookups in each source, which overlap one another.")


class DecisionReply(BaseModel):
    """Something that was decided, and why."""

    what: str = says("What was decided.")
    because: str = says("A reason code.")
    numbers: Numbers = says("What it was decided by, by name: counts, scores, seconds, ids, words of a lookup.")


class SpanReply(BaseModel):
    """One step, or something that ran inside one."""

    name: str = says("The step, or `lookup` and its source.")
    began: float = says("Seconds from the start of the call.")
    seconds: float = says("How long it took.")
    decisions: list[DecisionReply] = says("What was decided there, in order.")
    inside: list[SpanReply] = says("What ran inside it, at the same time.")


class PathReply(BaseModel):
    """The path one question took."""

    id: str = says("Of the trace.")
    started_at: When = says("When it was asked.")
    seconds: float = says("How long it took.")
    counters: Numbers = says("What was counted, by name.")
    steps: list[SpanReply] = says("Every step, in order.")


class TraceScore(BaseModel):
    """How sure the answer was."""

    score: Share = says("How likely what was shown answers the question.")


class TraceBasis(BaseModel):
    """What every kept trace says."""

    id: str = says("Of the trace.")
    started_at: When = says("When it was asked.")
    seconds: float = says("How long it took.")
    question: str = says("As asked.")
    verdict: str = says(one_of(VerdictKind))
    stop_reason: str = says(f"Why the search ended. {one_of(Stop)}")


class TraceLine(TraceBasis):
    """A kept trace in a list."""

    confidence: TraceScore = says("How sure it was.")


class TracedEvidence(BaseModel):
    """A piece of evidence as a trace keeps it: everything but its text. The fields are those of evidence."""

    id: str = says("Of the memory.")
    score: float = says("What the order is by.")
    relevance: float = says("How well it answers, 0 to 1.")
    parts: list[int] = says("Numbers of the parts it serves.")
    sources: list[str] = says("All sources that found it.")
    rounds: list[int] = says("The rounds that found it, from 1.")
    lookups: list[str] = says("What brought it, as `source origin: text`.")
    fact_key: str = says("The same for whatever says the same.")
    evidence_key: str = says("The same for whatever says the same on the same account.")
    absorbed: list[str] = says("Ids of near repeats that it stands for.")
    corroborated_by: list[str] = says("Ids of others that say the same on their own account.")
    novelty_added: int = says("The round in which it was new.")
    supporting_evidence_count: int = says("How many say so on their own account, this one included.")
    query_coverage_count: int = says("How many different texts that were looked up brought it.")
    signals: Signals = says("What speaks for it, by name.")
    reached_by: list[str] = says("Ids of the memories or entities whose links led here.")
    contradicted_by: list[str] = says("Ids of evidence it cannot hold beside.")
    superseded: bool = says("Whether a later piece of evidence holds instead.")
    flags: list[str] = says("What looks suspicious in its text.")
    explanation: ExplanationReply = says("How its score came about.")


class TraceReply(TraceBasis):
    """A kept trace whole."""

    confidence: ConfidenceReply = says("How sure it was.")
    space: str = says("Where it was asked.")
    rewritten: str | None = says("The question with references filled in; null where there were none.")
    traits: list[str] = says(f"What the question is like. Any of: {', '.join(Trait)}.")
    type: str = says(f"What it is after. {one_of(QuestionType)}")
    parts: list[TracedPart] = says("The parts of the question, and how each fared.")
    evidence: list[TracedEvidence] = says("The evidence, best first.")
    conflicts: list[ConflictReply] = says("Evidence that cannot both hold.")
    gaps: list[GapReply] = says("What is missing.")
    degraded: list[str] = says("What went on without something: a source that was not there, a stand-in.")
    rounds: list[RoundReply] = says("What each round brought.")
    counters: Numbers = says("What was counted, by name.")
    steps: list[SpanReply] = says("Every step, in order.")
    touched: list[str] = says("Ids of all memories it speaks of.")


class ExplainedReply(BaseModel):
    """Why a memory stands where it does."""

    trace_id: str = says("The answer that is meant.")
    id: str = says("The memory.")
    sentences: list[str] = says("The reasons in words.")
    explanation: ExplanationReply | None = says("The numbers behind its score; null where it is no evidence.")
