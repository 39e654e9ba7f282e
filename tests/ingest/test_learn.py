"""Which pairs are taught, and what undoes them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import combinations

import pytest

from recollect.ingest.learn import favour, lessons, undone, with_lessons
from recollect.settings import LearningSettings, Settings
from recollect.values import (
    Answer,
    Confidence,
    Evidence,
    Explanation,
    Label,
    Part,
    PartState,
    Question,
    Stop,
    Trace,
    Use,
    VerdictKind,
)

from ..steps.build import memory

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SETTINGS = Settings()


def piece(id: str, *parts: int, relevance: float = 0.8, superseded: bool = False) -> Evidence:
    why = Explanation(relevance, "relevance")
    return Evidence(memory(id), relevance, relevance, parts, ("memory",), (1,), why, superseded=superseded)


def answer(*evidence: Evidence, parts: int = 1) -> Answer:
    states = tuple(PartState(Part(number, f"part {number}"), 0.8, True) for number in range(parts))
    question = Question("question", frozenset(), tuple(state.part for state in states))
    sure = Confidence(0.8, Label.HIGH)
    trace = Trace("t", NOW, ())
    return Answer(question, states, VerdictKind.ANSWERABLE, sure, evidence, (), (), (), Stop.ENOUGH, "", trace)


def pairs(given: Answer, **changes: object) -> list[tuple[str, str]]:
    found = lessons(given, amount=0.05, settings=Settings(**changes), now=NOW)  # type: ignore[arg-type]
    return [(each.one, each.other) for each in found]


def test_pieces_of_one_part_are_taught_pairwise() -> None:
    assert pairs(answer(piece("b", 0), piece("a", 0), piece("c", 0))) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_pieces_of_different_parts_are_not() -> None:
    assert pairs(answer(piece("a", 0), piece("b", 1), parts=2)) == []


def test_a_pair_that_serves_two_parts_is_taught_once() -> None:
    assert pairs(answer(piece("a", 0, 1), piece("b", 0, 1), parts=2)) == [("a", "b")]


def test_weak_and_superseded_pieces_teach_nothing() -> None:
    assert pairs(answer(piece("a", 0), piece("b", 0, relevance=0.21), piece("c", 0, superseded=True))) == []


def test_only_the_best_few_count_as_together() -> None:
    ids = [f"{number:02d}" for number in range(10)]
    most = SETTINGS.learning.together
    assert pairs(answer(*(piece(id, 0) for id in ids))) == list(combinations(ids[:most], 2))


def test_switched_off_or_without_an_amount_nothing_is_taught() -> None:
    given = answer(piece("a", 0), piece("b", 0))
    assert pairs(given, learning=LearningSettings(enabled=False)) == []
    assert lessons(given, amount=0.0, settings=SETTINGS, now=NOW) == []


def test_the_trace_says_what_was_taught_and_that_is_what_undoing_reads() -> None:
    given = answer(piece("a", 0), piece("b", 0))
    taught = lessons(given, amount=0.05, settings=SETTINGS, now=NOW)
    (span,) = with_lessons(given, taught, because="recalled").trace.spans
    payload = {
        "spans": [
            {"name": span.name, "decisions": [{"what": each.what, "numbers": each.numbers} for each in span.decisions]}
        ]
    }
    (back,) = undone(payload, learning=SETTINGS.learning, now=NOW)
    assert (back.one, back.other, back.amount) == ("a", "b", -0.05)


@pytest.mark.parametrize(("use", "sign"), [(Use.USED, 1), (Use.NOT_USED, -1), (Use.WRONG, -1)])
def test_feedback_goes_the_right_way(use: Use, sign: int) -> None:
    assert favour("a", use, learning=SETTINGS.learning, now=NOW).amount * sign > 0
