"""The shapes the doors promise, made from answers of a real engine."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import InvalidInput, NotFound, Recollect, Refused
from recollect.doors import wire
from recollect.records import Memory
from recollect.values import Answer, Confidence, Explanation, Label

FOUND = [
    "id", "title", "text", "kind", "created_at", "event_time", "lifecycle", "project", "author", "trust", "tags",
    "source_uri", "superseded",
]  # fmt: skip
ANSWER = [
    "question", "traits", "verdict", "confidence", "parts", "evidence", "conflicts", "gaps", "degraded",
    "stop_reason", "timings", "trace_id", "context",
]  # fmt: skip
EVIDENCE = [
    *FOUND, "score", "relevance", "weak", "parts", "sources", "rounds", "snippet", "absorbed", "contradicted_by",
    "explanation",
]  # fmt: skip
QUESTION = "What is the gate code and where is the moon base?"


@pytest.fixture
def answer(recollect: Recollect) -> Answer:
    async def ask() -> Answer:
        await recollect.remember(
            "The gate code is 4471", title="Gate code", event_time=datetime(2026, 1, 1, tzinfo=UTC)
        )
        await recollect.remember(
            "The gate code is 1299", title="Gate code", event_time=datetime(2025, 1, 1, tzinfo=UTC)
        )
        return await recollect.retrieve(QUESTION)

    return asyncio.run(ask())


def test_an_answer_has_its_keys_in_order(answer: Answer) -> None:
    said = wire.answer(answer, weak_below=0.5)
    assert list(said) == ANSWER
    assert said["verdict"] == "partial"
    assert said["question"] == QUESTION
    assert said["trace_id"] == answer.trace.id
    assert list(said["confidence"]) == ["score", "label", "components"]
    assert set(said["confidence"]["components"]) == {"relevance", "evidence", "coverage", "reliability"}


def test_a_part_is_covered_when_no_gap_names_it(answer: Answer) -> None:
    first, second = wire.answer(answer, weak_below=0.5)["parts"]
    assert list(first) == ["number", "text", "entities", "covered", "best", "evidence", "gap"]
    assert (first["covered"], first["gap"]) == (True, None)
    assert first["best"] == max(round(piece.relevance, 6) for piece in answer.evidence)
    assert set(first["evidence"]) == {piece.memory.id for piece in answer.evidence}
    assert second["covered"] is False
    assert second["best"] == round(answer.parts[1].best, 6)
    assert second["gap"]


def test_evidence_carries_its_memory_and_its_reasons(answer: Answer) -> None:
    first = wire.answer(answer, weak_below=0.5)["evidence"][0]
    assert list(first) == EVIDENCE
    assert (first["text"], first["event_time"]) == ("The gate code is 4471", "2026-01-01T00:00:00+00:00")
    assert first["contradicted_by"] == [answer.evidence[1].memory.id]
    assert list(first["explanation"]) == ["value", "what", "sums", "details"]


@pytest.mark.parametrize(("weak_below", "weak"), [(0.0, False), (1.01, True)])
def test_evidence_below_the_threshold_is_weak(answer: Answer, weak_below: float, weak: bool) -> None:
    assert wire.answer(answer, weak_below=weak_below)["evidence"][0]["weak"] is weak


def test_conflicts_gaps_and_timings_are_told(answer: Answer) -> None:
    said = wire.answer(answer, weak_below=0.5)
    assert [list(each) for each in said["conflicts"]] == [["preferred", "other", "reason"]]
    assert [list(each) for each in said["gaps"]] == [["part", "text", "reason"]]
    steps = [step["name"] for step in said["timings"]["steps"]]
    assert steps[0] == "understand"
    assert steps[-1] == "answer"
    assert list(said["timings"]) == ["total", "steps"]


def test_a_trace_tells_every_decision(answer: Answer) -> None:
    said = wire.trace(answer.trace)
    assert list(said) == ["id", "started_at", "seconds", "steps"]
    assert [step["name"] for step in said["steps"]] == [span.name for span in answer.trace.spans]
    decisions = [decision for step in said["steps"] for decision in step["decisions"]]
    assert decisions
    assert all(list(decision) == ["what", "because", "numbers"] for decision in decisions)


def test_everything_goes_through_json_unchanged(answer: Answer) -> None:
    for said in (wire.answer(answer, weak_below=0.5), wire.trace(answer.trace)):
        assert json.loads(json.dumps(said, allow_nan=False)) == said


def test_numbers_are_rounded_to_six_digits() -> None:
    said = wire.confidence(Confidence(1 / 3, Label.LOW, {"relevance": 2 / 3}))
    assert said == {"score": 0.333333, "label": "low", "components": {"relevance": 0.666667}}


def test_an_explanation_is_a_tree() -> None:
    said = wire.explanation(Explanation(3.0, "both", (Explanation(1.0, "one"), Explanation(2.0, "two")), sums=True))
    assert [detail["what"] for detail in said["details"]] == ["one", "two"]
    assert said["sums"]


def test_the_other_verbs_have_their_shapes(recollect: Recollect) -> None:
    async def use() -> dict[str, Any]:
        stored = await recollect.remember("The gate code is 4471", title="Gate code", tags=("harbour",))
        other = await recollect.remember("The boat is called Albatross")
        return {
            "remembered": wire.remembered(stored),
            "memory": wire.memory(await recollect.get(stored.id)),
            "link": wire.link(await recollect.link(stored.id, other.id)),
            "search": wire.search_result(await recollect.search("gate code")),
            "recalled": wire.recalled(await recollect.recall("gate code")),
            "newest": wire.recalled(await recollect.recall()),
            "stats": wire.stats(await recollect.stats(), space="default"),
            "health": wire.healths(await recollect.doctor()),
        }

    said = asyncio.run(use())
    assert json.loads(json.dumps(said)) == said
    assert list(said["remembered"]) == ["id", "fate", "similar", "notes"]
    assert set(said["memory"]) == {each if each != "body" else "text" for each in Memory.__dataclass_fields__}
    assert said["memory"]["tags"] == ["harbour"]
    assert said["link"]["relation"] == "relates_to"
    assert list(said["search"]["hits"][0]) == [*FOUND, "source", "source_score", "relevance", "explanation"]
    assert said["recalled"]["verdict"] == "answerable"
    assert said["recalled"]["memories"][0]["relevance"] > 0.5
    assert said["newest"]["verdict"] is None
    assert said["newest"]["memories"][0]["relevance"] is None
    assert (said["stats"]["memories"], said["stats"]["links"]) == (2, 1)
    assert all(list(each) == ["what", "ok", "seen", "remedy"] for each in said["health"])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            InvalidInput("no", field="limit"),
            {"type": "InvalidInput", "message": "no", "field": "limit", "reason": None},
        ),
        (Refused("no", reason="empty"), {"type": "Refused", "message": "no", "field": "body", "reason": "empty"}),
        (NotFound("no"), {"type": "NotFound", "message": "no", "field": None, "reason": None}),
        (
            ZeroDivisionError("oh"),
            {"type": "InternalError", "message": "ZeroDivisionError: oh", "field": None, "reason": None},
        ),
    ],
    ids=lambda each: type(each).__name__,
)
def test_an_error_says_what_a_caller_can_act_on(error: Exception, said: dict[str, Any]) -> None:
    assert wire.error(error) == {"error": said}
