"""Which questions each figure is averaged over."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.evals.baselines import Scored
from recollect.evals.layout import Document, LabelledSet, Labels, Query
from recollect.evals.run import Outcome, Ran
from recollect.evals.scores import MEASURES, score_set

GIVEN = LabelledSet(
    "made up",
    tuple(Document(id, "", id) for id in "abcd"),
    tuple(Query(f"q{number}", "?") for number in range(4)),
    {
        "q0": Labels(True, "one"),
        "q1": Labels(True, "two"),
        "q2": Labels(False, "one"),
        "q3": Labels(None, None),
    },
    {"q0": {"a": 1, "b": 1}, "q1": {"c": 1}, "q2": {"d": 1}},
    contradictions={"a": ("x",), "b": ("x",), "c": ("x", "lost"), "d": ("x",)},
)


def outcome(query: str, ranking: str, *, kept: int, confidence: float, **fields: Any) -> Outcome:
    ranked = tuple(Scored(id, 1 - place / 10) for place, id in enumerate(ranking))
    given: dict[str, Any] = {
        "verdict": "answerable",
        "parts": (),
        "stop": "enough",
        "seconds": 0.01,
        "tokens": 100,
        "rounds": 1,
    }
    return Outcome(query, ranked, tuple(ranking[:kept]), kept, confidence=confidence, **given | fields)


OUTCOMES = (
    outcome("q0", "axb", kept=2, confidence=0.9, seconds=0.03, tokens=300, rounds=2, conflicts={frozenset("ax")}),
    outcome("q1", "xc", kept=1, confidence=0.8),
    outcome("q2", "d", kept=0, confidence=0.1, verdict="none", stop="max_rounds", degraded=("static embedder",)),
    outcome("q3", "", kept=0, confidence=0.5, verdict="none", seconds=0.02),
)
PLAIN = tuple((Scored(id, score),) for id, score in (("a", 0.9), ("c", 0.4), ("d", 0.5), ("x", 0.1)))


@pytest.fixture(scope="module")
def scores() -> Any:
    return score_set(Ran(GIVEN, OUTCOMES, 1.5, "hashing", {"bm25": PLAIN, "rrf": PLAIN}, ("a note",)))


def values(estimates: Any) -> dict[str, float]:
    return {name: each.value for name, each in estimates.items()}


def test_rankings_count_where_there_is_gold_and_an_answer(scores: Any) -> None:
    assert scores.ranked.questions == 2
    assert list(scores.ranked.measures) == list(MEASURES)
    found = values(scores.ranked.measures)
    assert found["recall@2"] == 0.75
    assert found["recall@5"] == found["all@5"] == 1.0
    assert found["MRR"] == 0.75


def test_categories_are_those_that_have_gold(scores: Any) -> None:
    assert {name: each.questions for name, each in scores.categories.items()} == {"one": 1, "two": 1}
    assert values(scores.categories["two"].measures)["MRR"] == 0.5


def test_the_cut_off_is_seen_in_precision_and_recall(scores: Any) -> None:
    found = values(scores.cut_off)
    assert found["precision"] == 0.25
    assert found["recall"] == 0.25
    assert found["precision@10"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found["recall@10"] == 1.0


def test_a_newer_fact_counts_as_first_where_it_was_found_above_the_old_one(scores: Any) -> None:
    found = values(scores.updates)
    assert found["newest first"] == 2 / 4, "x above b and above c; not above a, and one was never found"
    assert found["flagged"] == 1 / 4


def test_confidence_counts_where_answerable_is_labelled(scores: Any) -> None:
    found = scores.calibrated
    assert (found.questions, found.answerable) == (3, 2)
    assert found.auroc.value == 1.0
    assert found.brier == pytest.approx((0.1**2 + 0.2**2 + 0.1**2) / 3)
    assert found.verdicts == {"answerable": {"answerable": 2}, "unanswerable": {"none": 1}}


def test_time_and_tokens_count_everywhere(scores: Any) -> None:
    assert (scores.cost.p50_seconds, scores.cost.p95_seconds) == (0.01, 0.03)
    assert scores.cost.tokens == 150
    assert scores.cost.pieces == 0.75
    assert scores.cost.rounds == 1.25
    assert scores.stops == {"enough": 3, "max_rounds": 1}


def test_a_baseline_is_judged_by_the_same_measures(scores: Any) -> None:
    plain = scores.baselines["bm25"]
    assert values(plain.ranked.measures)["recall@5"] == 0.75
    assert plain.auroc.value == 0.5, "q0 above q2, q1 below it"
    assert scores.baselines["rrf"].auroc is None


def test_what_was_degraded_is_said(scores: Any) -> None:
    assert scores.notes == ("a note", "static embedder: 1 of 4 questions")


def test_a_set_without_labels_has_no_confidence_figures_and_no_gold_no_measures() -> None:
    bare = LabelledSet(GIVEN.name, GIVEN.documents, GIVEN.queries)
    scores = score_set(Ran(bare, OUTCOMES, 1.5, "hashing"))
    assert scores.calibrated is None
    assert scores.ranked.questions == 0
    assert scores.ranked.measures == scores.cut_off == scores.categories == scores.updates == {}
