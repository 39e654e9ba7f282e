"""What a replay replies, for the OpenAPI document: what changed settings would make of questions asked before."""

from __future__ import annotations

from pydantic import BaseModel

from recollect.doors.http.said import Share, one_of, says
from recollect.values import Label, VerdictKind

TWO = "Two: under the settings of the service, under the changed ones."


class EstimateReply(BaseModel):
    """A figure and its 95 % interval."""

    value: float = says("The figure.")
    low: float | None = says("Where the interval begins; null where there is none.")
    high: float | None = says("Where it ends.")


class FigureReply(BaseModel):
    """One measure."""

    questions: int = says("Over so many questions.")
    sides: list[EstimateReply | None] = says(f"{TWO} Null: not known.")
    change: EstimateReply | None = says("The second less the first.")


class MovedReply(BaseModel):
    """A memory that stayed in the evidence, at another place."""

    id: str = says("Of the memory.")
    before: int = says("Its place, from 1.")
    after: int = says("Its place with the changed settings.")


class DifferenceReply(BaseModel):
    """What changed for one question."""

    id: str = says("Of the trace it was asked in.")
    text: str = says("The question.")
    entered: list[str] = says("Ids of memories that came into the evidence.")
    left: list[str] = says("Ids of those that left it.")
    moved: list[MovedReply] = says("Those that stayed, at another place among them.")
    verdicts: list[str] = says(f"{TWO} {one_of(VerdictKind)}")
    labels: list[str] = says(f"{TWO} {one_of(Label)}")
    confidences: list[float] = says(f"{TWO} 0 to 1.")
    agreement: Share = says("How far the two orders of the evidence agree, the top counting most.")


class SideReply(BaseModel):
    """What came back for one question under one of the two."""

    verdict: str = says(one_of(VerdictKind))
    label: str = says(one_of(Label))
    confidence: Share = says("How sure it was.")
    rounds: int = says("How many rounds were made.")
    tokens: int | None = says("The size of the context block; null: not known.")
    evidence: list[str] = says("Ids of the evidence, best first.")
    degraded: list[str] = says("What went on without something.")


class RepliesReply(BaseModel):
    """One question and what came back."""

    id: str = says("Of the trace it was asked in.")
    text: str = says("The question.")
    sides: list[SideReply] = says(TWO)


class ReplayReply(BaseModel):
    """What the changed settings changed."""

    space: str = says("Where it was asked.")
    settings: dict[str, bool | int | float | str] = says("The settings that were changed, by name.")
    questions: int = says("How many were asked again.")
    changed: Share = says("The share of them whose evidence, verdict or label changed.")
    figures: dict[str, FigureReply] = says("By name: rounds, tokens (of the context block), p50 ms (milliseconds).")
    differences: list[DifferenceReply] = says("What changed, the most changed first.")
    replies: list[RepliesReply] = says("Every question, oldest first.")
    notes: list[str] = says("What to know before trusting the figures.")
