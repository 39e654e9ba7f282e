"""What routes that ask reply, for the OpenAPI document: the shapes `wire.py` makes. Fields may be added, none changes.

What is said of a memory is in `replies_found.py`, of how a question was answered in `replies_trace.py`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from recollect.doors.http.replies_found import ConflictReply, EvidenceReply, HitReply, RecalledMemory
from recollect.doors.http.replies_trace import (
    ConfidenceReply,
    GapReply,
    Numbers,
    PartBasis,
    PartReply,
    PathReply,
    RoundReply,
    TimingsReply,
)
from recollect.doors.http.said import Share, When, one_of, says
from recollect.findings import Origin
from recollect.questions import QuestionType, Trait
from recollect.values import Label, Stop, VerdictKind

DEGRADED = "What went on without something: a source that was not there, a stand-in for a model."


class AnswerReply(BaseModel):
    """The verdict and everything behind it."""

    question: str = says("As asked.")
    rewritten: str | None = says("With references to earlier messages filled in; null where there were none.")
    traits: list[str] = says(f"What the question is like. Any of: {', '.join(Trait)}.")
    type: str = says(f"What it is after. {one_of(QuestionType)}")
    verdict: str = says(f"Whether what is stored answers it. {one_of(VerdictKind)}", examples=["answerable"])
    confidence: ConfidenceReply = says("How sure that is.")
    answer: str = says("The best sentences of the evidence, each with its citation, and what is missing.")
    parts: list[PartReply] = says("The parts of the question, and how each fared.")
    evidence: list[EvidenceReply] = says("What it rests on, best first.")
    conflicts: list[ConflictReply] = says("Evidence that cannot both hold.")
    gaps: list[GapReply] = says("What is missing.")
    degraded: list[str] = says(DEGRADED)
    stop_reason: str = says(f"Why the search ended. {one_of(Stop)}", examples=["enough"])
    rounds: list[RoundReply] = says("What each round brought.")
    timings: TimingsReply = says("Where the time went.")
    counters: Numbers = says("What was counted, by name: lookups, hits, rounds …")
    trace_id: str = says("Names the trace that is kept of it.")
    context: str = says("The evidence as a block for a prompt, fenced as data, within `max_tokens`.")
    started_at: When = says("When it was asked.")


class AskedPart(PartBasis):
    """One part of a question as asked."""

    time: TimeSpan | None = says("The time it speaks of.")


class TimeSpan(BaseModel):
    """From `start` (included) to `end` (left out); null where a side is open."""

    start: When = says("Where it begins.")
    end: When = says("Where it ends.")


class QuestionReply(BaseModel):
    """What the words of a question show, and the one-category view of it."""

    question: str = says("As asked.")
    rewritten: str | None = says("With references to earlier messages filled in; null where there were none.")
    traits: list[str] = says(f"What it is like. Any of: {', '.join(Trait)}.")
    type: str = says(f"What it is after. {one_of(QuestionType)}")
    entities: list[str] = says("The names in it.")
    parts: list[str] = says("Its parts, each a question of its own; none where nothing is asked.")
    parts_in_detail: list[AskedPart] = says("The same parts with what each shows.")
    time: TimeSpan | None = says("The time it speaks of.")
    disqualified: bool = says("Whether it is more than a plain lookup of one thing.")
    category: str | None = says("Why, as a code.", examples=["D3"])
    reason: str | None = says("Why, in a word.", examples=["time_reference"])
    query_type: str = says("LOOKUP where it asks for one attribute of one thing, else AMBIGUOUS.")
    confidence: float = says("How sure the query type is, 0 to 1.")
    entity: str | None = says("Of what, for a lookup.")
    attribute: str | None = says("What of it, for a lookup.")


class SearchMetrics(BaseModel):
    """How a search went."""

    processing_time_ms: float = says("How long it took, in milliseconds.")
    top_relevance: float = says("Of the best hit, 0 to 1; 0 where there is none.")
    sources: dict[str, int] = says("How many hits each source has here.")
    degraded: list[str] = says(DEGRADED)


class SearchReply(BaseModel):
    """Hits best first, how many, how it went, and how the query was understood."""

    data: list[HitReply] = says("The hits, best first.")
    count: int = says("How many there are.")
    metrics: SearchMetrics = says("How it went.")
    qcs: QuestionReply = says("How the query was understood.")


class ContextReply(BaseModel):
    """The block for a prompt, or why there is none."""

    context: str = says("The block, fenced as data; empty where there is nothing to give.")
    memories: list[str] = says("Ids of the memories in it.")
    already_shown: list[str] = says("Ids of those left out because this session has had them.")
    reason: str = says("Why it is empty; empty where it is not.", examples=["already_shown", "nothing_relevant"])
    verdict: str = says(f"Whether what is stored answers. {one_of(VerdictKind)}")
    trace_id: str | None = says("Names the trace that is kept of it.")


class RecallReply(BaseModel):
    """Memories best first, or newest first."""

    memories: list[RecalledMemory] = says("Those that pass, best first; where nothing was asked, the newest first.")
    verdict: str | None = says(f"Whether they answer; null where nothing was asked. {one_of(VerdictKind)}")
    degraded: list[str] = says(DEGRADED)
    trace_id: str | None = says("Names the trace that is kept of it; null where nothing was asked.")


# --- conversations -------------------------------------------------------------------------------


class FactReply(BaseModel):
    """A fact for a conversation."""

    id: str = says("Of the memory.")
    content: str = says("The whole text.")
    title: str = says("Its title; may be empty.")
    kind: str = says("What it is.", examples=["fact"])
    source: str | None = says("The source that found it.")
    relevance: Share = says("How well it answers.")
    weak: bool = says("Less relevant than what makes a question answerable.")
    superseded: bool = says("Whether something newer holds instead.")
    contradicted_by: list[str] = says("Ids of evidence it cannot hold beside.")
    flags: list[str] = says("What looks suspicious in its text.")
    timestamp: When = says("When what it tells happened, or else when it was stored.")
    author: str | None = says("Who said it.")
    tags: list[str] = says("Its tags.")


class ConversationMessageReply(BaseModel):
    """An earlier message that bears on a conversation."""

    id: str = says("Of the memory.")
    content: str = says("The whole text.")
    author_name: str | None = says("Who said it.")
    channel_ids: list[str] = says("The channels it is from: its clusters.")
    timestamp: When = says("When it was said, or else when it was stored.")
    relevance: Share = says("How well it answers.")
    weak: bool = says("Less relevant than what makes a question answerable.")
    flags: list[str] = says("What looks suspicious in its text.")


class Novelty(BaseModel):
    """What the rounds brought."""

    new_facts_per_round: list[int] = says("How many facts were new in each round.")
    new_evidence_per_round: list[int] = says("How many more said what was known, in each round.")
    total_new_facts: int = says("How many facts in all.")
    no_gain_streak: int = says("How many rounds at the end brought nothing new.")


class ToolCall(BaseModel):
    """One lookup. `via`, `error` and `reason` are there where there is something to say."""

    tool: str = says("The source that was searched.")
    outcome: str = says("What became of it.", examples=["found", "empty", "failed", "timed_out"])
    seconds: float = says("How long it took.")
    hits: int = says("How many hits it gave.")
    part: int = says("The number of the part it was for.")
    origin: str = says(f"Where its words came from. {one_of(Origin)}")
    text: str = says("The words that were looked up.")
    via: str = says("The id of what led to it.", default="")
    error: str = says("What went wrong.", default="")
    reason: str = says("Why it was cut short or left out.", default="")


class ConversationMetadata(BaseModel):
    """How the search went."""

    queries_executed: int = says("How many lookups were made.")
    facts_retrieved: int = says("How many facts are here.")
    messages_retrieved: int = says("How many messages are here.")
    processing_time_ms: float = says("How long it took, in milliseconds.")
    iterations_used: int = says("How many rounds were made.")
    tool_calls: list[ToolCall] = says("Every lookup, in order.")
    novelty: Novelty = says("What its rounds brought.")
    stop_reason: str = says(f"Why the search ended. {one_of(Stop)}")
    verdict: str = says(f"Whether what is stored answers. {one_of(VerdictKind)}")
    degraded: list[str] = says(DEGRADED)
    trace_id: str = says("Names the trace that is kept of it; empty where nothing was searched.")


class ConversationReply(BaseModel):
    """Facts and messages for a conversation, with how sure it is."""

    facts: list[FactReply] = says("What is known, best first.")
    messages: list[ConversationMessageReply] = says("What was said before, best first.")
    context_summary: str = says("The best sentences, each with its citation.")
    confidence: Annotated[str, Field(pattern="^(low|medium|high)$")] = says(one_of(Label))
    confidence_score: Share = says("The same as a number.")
    metadata: ConversationMetadata = says("How the search for them went.")


class DebugReply(BaseModel):
    """Every search whole."""

    answers: list[AnswerReply] = says("Each search, the surest first.")
    traces: list[PathReply] = says("The trace of each, step by step.")


class ConversationDebugReply(ConversationReply):
    """The same, with the whole traces."""

    debug: DebugReply = says("Every search whole, with its trace.")


# --- the service ---------------------------------------------------------------------------------


class HealthReply(BaseModel):
    """The process runs."""

    status: str = says("Always `ok`.", examples=["ok"])


class ReadyReply(BaseModel):
    """It can be used."""

    status: str = says("Always `ready`; what is not ready answers 503.", examples=["ready"])
    degraded: list[str] = says("What stands in for something better.")


class VersionReply(BaseModel):
    """Which program this is."""

    name: str = says("Always `recollect`.")
    version: str = says("Its version.")
    embedder: str = says("The embedder it was told to use.")
