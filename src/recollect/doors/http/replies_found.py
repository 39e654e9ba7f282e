"""What replies say of a memory: as stored, as a hit, as evidence, and why it stands there. For the OpenAPI document."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from recollect.doors.http.said import When, one_of, says
from recollect.memories import Lifecycle


class ExplanationReply(BaseModel):
    """The tree behind a number; where `sums`, the details add up to the value."""

    value: float | None = says("The number; null where it is none.")
    what: str = says("What it is the number of.", examples=["relevance"])
    sums: bool = says("Whether the values of the details add up to this one.")
    details: list[ExplanationReply] = says("What it is made of.")


class SignalReply(BaseModel):
    """One thing that speaks for a hit."""

    value: float = says("0 to 1.")
    raw: float = says("The number it was made from, on its own scale: a cosine, a score of words …")


Signals = dict[str, SignalReply]


class AroundReply(BaseModel):
    """Where in its file a piece stands."""

    before: str = says("The lines right before it.")
    after: str = says("The lines right after it.")
    first: int = says("The number of its first line, from 1.")
    last: int = says("The number of its last line.")


class StoredReply(BaseModel):
    """What is said of a memory wherever one is shown."""

    id: str = says("Of the memory; for what a source has made up, such as a path in the graph, a name that stays.")
    space: str = says("The space it is in.")
    title: str = says("Its title; may be empty.")
    text: str = says("The whole text.")
    kind: str = says("What it is.", examples=["fact", "decision", "message"])
    created_at: When = says("When it was stored.")
    updated_at: When = says("When it was last changed.")
    event_time: When = says("When what it tells happened, where that was said.")
    valid_from: When = says("From when on it holds; null: from the start.")
    valid_to: When = says("Since when it no longer holds: it is superseded; null: it holds.")
    lifecycle: str = says(one_of(Lifecycle), examples=["active"])
    project: str | None = says("The project it belongs to.")
    author: str | None = says("Who said it.")
    trust: str = says("Whose word it is.", examples=["user", "agent", "tool", "document", "web"])
    tags: list[str] = says("Its tags.")
    clusters: list[str] = says("The clusters it is in.")
    source_uri: str | None = says("Where it is from: an address, or the path of a file within its project.")
    source_position: str | None = says("Where in there.", examples=["10-24"])


class MemoryReply(StoredReply):
    """One stored memory."""

    summary: str | None = says("In short, where somebody gave that.")
    metadata: dict[str, Any] = says("Whatever was stored with it.")
    access_count: int = says("How often it was read or recalled.")
    last_access: When = says("When that was last.")
    stability_days: float | None = says("In so many days without access it fades to 37 %; null: as usual for its kind.")
    embedded_by: str | None = says("The embedder its vector is from; null: it has none.")
    content_hash: str = says("Of title and text; the same for the same content.")
    favour: float = says("What feedback has taught about it, -1 to 1, as of `favour_at`; it wears off from then on.")
    favour_at: When = says("When feedback last taught something.")


class RecalledMemory(MemoryReply):
    """A memory with the relevance it had, where something was asked."""

    relevance: float | None = says("0 to 1; null where nothing was asked.")


class FoundReply(StoredReply):
    """What hits and evidence say of a memory."""

    superseded: bool = says("Whether something newer holds instead.")
    source: str | None = says("The source that found it.", examples=["memory", "messages", "graph", "vector"])
    relevance: float = says("How well it answers, 0 to 1, comparable across sources.")
    signals: Signals = says("What speaks for it, by name.")
    reached_by: list[str] = says("Ids of the memories or entities whose links led here; empty: good by itself.")
    around: AroundReply | None = says("What stands beside it, for a piece of a file.")
    explanation: ExplanationReply = says("How its number came about: `score` of evidence, `source_score` of a hit.")


class HitReply(FoundReply):
    """One thing a plain search found."""

    source_score: float = says("On the source's own scale; not comparable across sources.")
    contradicts: list[str] = says("Ids of memories that links say it contradicts.")
    supersedes: list[str] = says("Ids of memories that links say it supersedes.")
    coexists: list[str] = says("Ids of memories that were decided to hold beside it.")


class EvidenceReply(FoundReply):
    """One piece of evidence: what it says, where it was found, why it stands here."""

    score: float = says("What the order is by: the relevance, and what speaks for or against it beside.")
    weak: bool = says("Less relevant than what makes a question answerable.")
    parts: list[int] = says("Numbers of the parts of the question it serves.")
    sources: list[str] = says("All sources that found it.")
    rounds: list[int] = says("The rounds that found it, from 1.")
    lookups: list[str] = says("What brought it, as `source origin: text`.", examples=[["memory part: harbour plan"]])
    snippet: str = says("The sentence that best shows why it is here.")
    snippets: list[str] = says("The best sentences, best first.")
    fact_key: str = says("The same for whatever says the same.")
    evidence_key: str = says("The same for whatever says the same on the same account.")
    absorbed: list[str] = says("Ids of near repeats that this one stands for.")
    corroborated_by: list[str] = says("Ids of others that say the same on their own account.")
    novelty_added: int = says("The round in which it was new.")
    supporting_evidence_count: int = says("How many say so on their own account, this one included.")
    query_coverage_count: int = says("How many different texts that were looked up brought it.")
    contradicted_by: list[str] = says("Ids of evidence it cannot hold beside.")
    flags: list[str] = says("What looks suspicious in its text, such as an instruction to whoever reads it.")


class ConflictReply(BaseModel):
    """Two pieces of evidence that cannot both hold."""

    preferred: str = says("The id of the one that holds; where it is not settled, of the one that stands first.")
    other: str = says("The id of the other.")
    reason: str = says("What differs.", examples=["numbers_differ", "stated_contradiction"])
    kind: str = says("In what way.", examples=["temporal", "factual", "scope"])
    strategy: str = says("By what it was decided.", examples=["latest_wins", "source_priority"])
    settled: bool = says("Whether it was decided.")
