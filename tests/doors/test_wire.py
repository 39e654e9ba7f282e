"""The shapes the doors promise, made from answers of a real engine."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import InvalidInput, NotFound, Recollect, Refused
from recollect.doors import wire
from recollect.journal import explain, trace_record
from recollect.records import Memory
from recollect.values import Answer, Confidence, Context, Explained, Explanation, Label

from . import answers

FOUND = [
    "id", "title", "text", "kind", "created_at", "event_time", "lifecycle", "project", "author", "trust", "tags",
    "source_uri", "superseded", "space", "updated_at", "valid_from", "valid_to", "clusters", "source_position",
]  # fmt: skip
ANSWER = [
    "question", "rewritten", "traits", "type", "verdict", "confidence", "answer", "parts", "evidence", "conflicts",
    "gaps", "degraded", "stop_reason", "rounds", "timings", "counters", "trace_id", "context", "started_at",
]  # fmt: skip
EVIDENCE = [
    *FOUND, "source", "score", "relevance", "weak", "parts", "sources", "rounds", "lookups", "snippet", "snippets",
    "fact_key", "evidence_key", "absorbed", "corroborated_by", "novelty_added", "supporting_evidence_count",
    "query_coverage_count", "signals", "reached_by", "contradicted_by", "flags", "around", "explanation",
]  # fmt: skip
PART = [
    "number", "text", "type", "entities", "covered", "passed", "best", "coverage", "served", "evidence", "gap",
    "strong",
]  # fmt: skip
CONFLICT = ["preferred", "other", "reason", "kind", "strategy", "settled"]
LINE = ["id", "started_at", "seconds", "question", "verdict", "confidence", "stop_reason"]
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
    assert list(first) == PART
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
    assert [list(each) for each in said["conflicts"]] == [CONFLICT]
    assert [list(each) for each in said["gaps"]] == [["part", "text", "reason"]]
    steps = [step["name"] for step in said["timings"]["steps"]]
    assert steps[0] == "understand"
    assert steps[-1] == "answer"
    assert list(said["timings"]) == ["total", "steps", "sources"]
    assert "memory" in said["timings"]["sources"]
    assert said["counters"]["queries_executed"] > 0
    assert [round["round"] for round in said["rounds"]] == list(range(1, len(said["rounds"]) + 1))


def test_a_trace_tells_every_decision(answer: Answer) -> None:
    said = wire.trace(answer.trace)
    assert list(said) == ["id", "started_at", "seconds", "counters", "steps"]
    assert [step["name"] for step in said["steps"]] == [span.name for span in answer.trace.spans]
    decisions = [decision for step in said["steps"] for decision in step["decisions"]]
    assert decisions
    assert all(list(decision) == ["what", "because", "numbers"] for decision in decisions)


def test_everything_goes_through_json_unchanged(answer: Answer) -> None:
    for said in (wire.answer(answer, weak_below=0.5), wire.trace(answer.trace)):
        assert json.loads(json.dumps(said, allow_nan=False)) == said


def test_what_was_found_out_about_a_piece_is_all_there() -> None:
    said = wire.answer(answers.answer(), weak_below=0.5)
    first, second = said["evidence"]
    assert (first["source"], first["snippet"], first["snippets"]) == ("memory", answers.SECRET, [answers.SECRET])
    assert first["signals"] == {"semantic": {"value": 0.7, "raw": 0.65}, "keyword": {"value": 0.5, "raw": 11.2}}
    assert (first["corroborated_by"], first["reached_by"]) == ([answers.TWIN], [answers.LINKED])
    assert (first["superseded"], second["superseded"]) == (False, True)
    assert [(part["coverage"], part["served"]) for part in said["parts"]] == [(1.0, True), (0.0, True)]
    assert said["conflicts"][0]["strategy"] == "latest_wins"
    assert said["timings"]["sources"] == {"memory": 0.007, "messages": 0.009}
    assert answers.SECRET in said["answer"]


def test_a_memory_that_was_superseded_makes_its_piece_superseded() -> None:
    piece = answers.piece(answers.GATE, 0.5)
    closed = replace(piece, memory=replace(piece.memory, valid_to=answers.NOON))
    assert wire.evidence(closed, weak_below=0.5)["superseded"] is True


def test_a_kept_trace_has_the_names_of_an_answer() -> None:
    record = trace_record(answers.answer(), space="port")
    line, whole = wire.trace_line(record), wire.trace_record(record)
    assert list(line) == LINE
    assert line["confidence"] == {"score": 0.512346}
    fresh = wire.answer(answers.answer(), weak_below=0.5) | wire.trace(answers.answer().trace)
    same = (
        "question", "rewritten", "traits", "type", "verdict", "confidence", "conflicts", "gaps", "degraded",
        "stop_reason", "rounds", "counters", "id", "started_at", "seconds", "steps",
    )  # fmt: skip
    for name in same:
        assert whole[name] == fresh[name], name
    for kept, made in zip(whole["evidence"], fresh["evidence"], strict=True):
        assert kept == {name: made[name] for name in kept}
    assert whole["touched"] == sorted(record.touched)
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole


def test_a_context_and_an_explanation_have_their_shapes() -> None:
    none = wire.context(Context("", reason="already_shown", already_shown=("01a",)))
    assert none == {
        "context": "",
        "memories": [],
        "already_shown": ["01a"],
        "reason": "already_shown",
        "verdict": "none",
        "trace_id": None,
    }
    why = explain(trace_record(answers.answer(), space="port"), answers.GATE)
    said = wire.explained(why)
    assert list(said) == ["trace_id", "id", "sentences", "explanation"]
    assert said["explanation"]["sums"] is True
    assert wire.explained(Explained("01t", "01a", ("Never found.",)))["explanation"] is None


def test_an_explanation_without_a_number_is_still_json() -> None:
    assert wire.explanation(Explanation(float("inf"), "log-odds"))["value"] is None


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
    assert list(said["search"]["hits"][0]) == [
        *FOUND, "source", "source_score", "relevance", "signals", "reached_by", "explanation", "contradicts",
        "supersedes", "coexists", "around",
    ]  # fmt: skip
    assert said["recalled"]["verdict"] == "answerable"
    assert said["recalled"]["memories"][0]["relevance"] > 0.5
    assert said["recalled"]["trace_id"]
    assert said["newest"]["trace_id"] is None
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
