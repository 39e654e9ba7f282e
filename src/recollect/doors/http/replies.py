"""What replies hold, for the OpenAPI document: the shapes `wire.py` makes. Fields may be added, none changes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

Share = Annotated[float, Field(ge=0, le=1)]
When = Annotated[str | None, Field(examples=["2026-03-01T14:30:00+00:00"])]
AnyObject = dict[str, Any]


class ConfidenceReply(BaseModel):
    """How sure, in a number, in a word, and what it is made of."""

    score: Share
    label: Annotated[str, Field(examples=["high"])]
    components: dict[str, float]


class FoundReply(BaseModel):
    """What hits and evidence say of a memory."""

    id: str
    title: str
    text: str
    kind: str
    created_at: When
    event_time: When
    lifecycle: str
    project: str | None
    author: str | None
    trust: str
    tags: list[str]
    source_uri: str | None
    superseded: bool
    source: str | None
    relevance: float
    explanation: AnyObject


class EvidenceReply(FoundReply):
    """One piece of evidence: what it says, where it was found, why it stands here."""

    score: float
    weak: bool
    parts: list[int]
    sources: list[str]
    rounds: list[int]
    snippet: str
    fact_key: str
    evidence_key: str
    corroborated_by: list[str]
    novelty_added: int
    supporting_evidence_count: int
    query_coverage_count: int
    contradicted_by: list[str]
    flags: list[str]


class AnswerReply(BaseModel):
    """The verdict and everything behind it."""

    question: str
    rewritten: str | None
    traits: list[str]
    type: str
    verdict: Annotated[str, Field(examples=["answerable"])]
    confidence: ConfidenceReply
    answer: str
    parts: list[AnyObject]
    evidence: list[EvidenceReply]
    conflicts: list[AnyObject]
    gaps: list[AnyObject]
    degraded: list[str]
    stop_reason: Annotated[str, Field(examples=["enough"])]
    rounds: list[AnyObject]
    timings: AnyObject
    counters: AnyObject
    trace_id: str
    started_at: When
    context: str


class HitReply(FoundReply):
    """One thing a plain search found."""

    source_score: float
    signals: AnyObject
    reached_by: list[str]


class SearchMetrics(BaseModel):
    """How a search went."""

    processing_time_ms: float
    top_relevance: float
    sources: dict[str, int]
    degraded: list[str]


class SearchReply(BaseModel):
    """Hits best first, how many, how it went, and how the query was understood (`qcs`)."""

    data: list[HitReply]
    count: int
    metrics: SearchMetrics
    qcs: QuestionReply


class QuestionReply(BaseModel):
    """What the words of a question show, and the one-category view of it."""

    question: str
    rewritten: str | None
    traits: list[str]
    type: str
    entities: list[str]
    parts: list[str]
    parts_in_detail: list[AnyObject]
    time: AnyObject | None
    disqualified: bool
    category: str | None
    reason: str | None
    query_type: str
    confidence: float
    entity: str | None
    attribute: str | None


class ContextReply(BaseModel):
    """The block for a prompt, or why there is none."""

    context: str
    memories: list[str]
    already_shown: list[str]
    reason: str
    verdict: str
    trace_id: str | None


class MemoryReply(BaseModel):
    """One stored memory."""

    id: str
    space: str
    title: str
    text: str
    kind: str
    summary: str | None
    created_at: When
    updated_at: When
    event_time: When
    valid_from: When
    valid_to: When
    lifecycle: str
    project: str | None
    author: str | None
    trust: str
    tags: list[str]
    clusters: list[str]
    source_uri: str | None
    metadata: AnyObject
    access_count: int


class RecalledMemory(MemoryReply):
    """A memory with the relevance it had, where something was asked."""

    relevance: float | None


class RecallReply(BaseModel):
    """Memories best first, or newest first."""

    memories: list[RecalledMemory]
    verdict: str | None
    degraded: list[str]
    trace_id: str | None


class FactReply(BaseModel):
    """A fact for a conversation."""

    id: str
    content: str
    title: str
    kind: str
    source: str | None
    relevance: Share
    weak: bool
    superseded: bool
    contradicted_by: list[str]
    flags: list[str]
    timestamp: When
    author: str | None
    tags: list[str]


class ConversationMessageReply(BaseModel):
    """An earlier message that bears on a conversation."""

    id: str
    content: str
    author_name: str | None
    channel_ids: list[str]
    timestamp: When
    relevance: Share
    weak: bool
    flags: list[str]


class Novelty(BaseModel):
    """What the rounds brought."""

    new_facts_per_round: list[int]
    new_evidence_per_round: list[int]
    total_new_facts: int
    no_gain_streak: int


class ConversationMetadata(BaseModel):
    """How the search went."""

    queries_executed: int
    facts_retrieved: int
    messages_retrieved: int
    processing_time_ms: float
    iterations_used: int
    tool_calls: Annotated[list[AnyObject], Field(description="Every lookup, in order: source, query, hits, seconds.")]
    novelty: Novelty
    stop_reason: str
    verdict: str
    degraded: list[str]
    trace_id: str


class ConversationReply(BaseModel):
    """Facts and messages for a conversation, with how sure it is."""

    facts: list[FactReply]
    messages: list[ConversationMessageReply]
    context_summary: str
    confidence: Annotated[str, Field(pattern="^(low|medium|high)$")]
    confidence_score: Share
    metadata: ConversationMetadata


class ConversationDebugReply(ConversationReply):
    """The same, with the whole traces."""

    debug: Annotated[AnyObject, Field(description="`answers`: each search whole; `traces`: its trace, step by step.")]


class HealthReply(BaseModel):
    """The process runs."""

    status: Annotated[str, Field(examples=["ok"])]


class ReadyReply(BaseModel):
    """It can be used; `degraded` says what stands in for something better."""

    status: Annotated[str, Field(examples=["ready"])]
    degraded: list[str]


class VersionReply(BaseModel):
    """Which program this is."""

    name: str
    version: str
    embedder: str


SearchReply.model_rebuild()
