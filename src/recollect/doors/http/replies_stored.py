"""What replies about stored things hold, for the OpenAPI document: the shapes the `wire` modules make."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from recollect.doors.http.replies import AnyObject, MemoryReply, Share, When

Next = Annotated[str | None, Field(description="What to give as `after` for the next page; null at the end.")]


class MemoriesPage(BaseModel):
    """Memories newest first."""

    items: list[MemoryReply]
    next: Next


class SimilarReply(BaseModel):
    """A stored memory that says nearly the same."""

    id: str
    cosine: float


class RememberedReply(BaseModel):
    """What became of a text."""

    id: str
    fate: Annotated[str, Field(examples=["stored", "duplicate", "repeated"])]
    similar: list[SimilarReply]
    notes: list[str]


class RememberedManyReply(BaseModel):
    """What became of several texts, in order."""

    items: list[RememberedReply]


class LinkReply(BaseModel):
    """One connection."""

    from_id: str
    to_id: str
    relation: str
    weight: Share
    learned: float
    learned_at: When
    evidence: str | None
    created_at: When
    valid_from: When
    valid_to: When


class LinksPage(BaseModel):
    """The links at one memory or entity, in both directions."""

    items: list[LinkReply]
    next: Next


class PlaceReply(BaseModel):
    """Where something is defined."""

    path: str
    line: int


class NodeReply(BaseModel):
    """A named thing."""

    id: str
    key: str
    name: str
    kind: str
    project: str
    detail: str
    aliases: list[str]
    places: list[PlaceReply]


class StatementReply(BaseModel):
    """One fact, with the place that says it; `subject` and `object` are ids of entities."""

    subject: str
    relation: str
    object: str
    weight: float
    project: str
    path: str
    line: int
    sentence: str
    memory: str


class NodesReply(BaseModel):
    """Entities."""

    items: list[NodeReply]


class SameEntityReply(BaseModel):
    """The entities of one name by the project that defines them; the empty name is for what none defines."""

    projects: dict[str, list[NodeReply]]


class StatementsReply(BaseModel):
    """What is said; `more` where the limit cut it off."""

    items: list[StatementReply]
    more: bool


class ConnectionReply(BaseModel):
    """One path: ids of entities from end to end, and the statement between each two."""

    nodes: list[str]
    statements: list[StatementReply]
    cost: float


class PathsReply(BaseModel):
    """Paths, the cheapest first."""

    items: list[ConnectionReply]


class DisputeReply(BaseModel):
    """Two current memories that contradict each other."""

    newer: MemoryReply
    older: MemoryReply
    kind: Annotated[str, Field(examples=["temporal", "factual", "scope"])]
    reason: Annotated[str, Field(examples=["stated_contradiction", "numbers_differ"])]
    trace_id: str | None
    cursor: str


class DisputesPage(BaseModel):
    """Conflicts, the one stored last first."""

    items: list[DisputeReply]
    next: Next


class ResolvedReply(BaseModel):
    """What is current now, and what is superseded."""

    how: str
    current: list[str]
    superseded: list[str]


class ResolvedManyReply(BaseModel):
    """The same for each, in order."""

    items: list[ResolvedReply]


class ClusterReply(BaseModel):
    """A cluster, and how many current memories it has."""

    name: str
    memories: int


class ClustersReply(BaseModel):
    """All clusters by name."""

    items: list[ClusterReply]


class MemoriesReply(BaseModel):
    """Memories as they are now."""

    items: list[MemoryReply]


class TraceScore(BaseModel):
    """How sure the answer was."""

    score: float


class TraceLine(BaseModel):
    """A kept trace in a list."""

    id: str
    started_at: When
    seconds: float
    question: str
    verdict: str
    confidence: TraceScore
    stop_reason: str


class TracesPage(BaseModel):
    """Traces newest first."""

    items: list[TraceLine]
    next: Next


class TraceReply(BaseModel):
    """A kept trace whole."""

    id: str
    started_at: When
    seconds: float
    question: str
    verdict: str
    confidence: AnyObject
    stop_reason: str
    space: str
    parts: list[AnyObject]
    evidence: list[AnyObject]
    conflicts: list[AnyObject]
    steps: list[AnyObject]
    touched: list[str]


class ExplainedReply(BaseModel):
    """Why a memory stands where it does, in sentences, and the numbers behind its score."""

    trace_id: str
    id: str
    sentences: list[str]
    explanation: AnyObject | None


class ReplayReply(BaseModel):
    """What the changed settings changed."""

    space: str
    settings: AnyObject
    questions: int
    changed: Share
    figures: AnyObject
    differences: list[AnyObject]
    replies: list[AnyObject]
    notes: list[str]


class ProjectReply(BaseModel):
    """What is kept of one project."""

    project: str
    files: int
    chunks: int
    entities: int
    statements: int


class ProjectsReply(BaseModel):
    """The projects of a space by name."""

    items: list[ProjectReply]


class IngestedReply(BaseModel):
    """What one ingest did."""

    project: str
    read: int
    unchanged: int
    removed: int
    skipped: list[AnyObject]
    chunks: int
    entities: int
    statements: int
    embedded: int
    notes: list[str]
    seconds: float


class CountReply(BaseModel):
    """How many there were."""

    count: int


class SpacesReply(BaseModel):
    """The spaces the key may see."""

    items: list[str]


class StatsReply(BaseModel):
    """Counts for one space."""

    space: str
    memories: int
    by_lifecycle: dict[str, int]
    links: int
    entities: int
    vectors: int
    embedder: str | None
    bytes_on_disk: int


class ImportedReply(BaseModel):
    """How many of each sort were read."""

    memory: int
    entity: int
    link: int


class FadedReply(BaseModel):
    """Which memories changed their lifecycle, by id."""

    changed: dict[str, str]
