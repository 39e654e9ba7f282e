from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.answering import Signs
from recollect.rank.clues import MOST_SHARE, Clues, Mention, Shape
from recollect.rank.model import (
    Arms,
    chance_in_list,
    chance_of_answer,
    full_score,
    logistic,
    on_curve,
    own_score,
    read_model,
    scorer,
    shipped_model,
    terms_of,
)

FILE: dict[str, Any] = json.loads((files("recollect") / "data" / "relevance.json").read_text(encoding="utf-8"))
LABELS = ("with_vectors", "keyword_only")
ARMS: dict[str, Arms] = {label: getattr(shipped_model(), label) for label in LABELS}
CURVE = ((1.0, 0.2), (2.0, 0.6), (4.0, 0.9))

shares = st.floats(0, 1)
clues = st.builds(
    Clues, **dict.fromkeys(Clues._fields, shares) | {"named": st.floats(-1, 1), "length": st.floats(-3, 4)}
)
shapes = st.builds(Shape, st.sampled_from([0.0, 1.0]), shares, shares, shares, shares, shares)
mentions = st.builds(Mention, *[shares] * 4, st.sampled_from([0.0, 1.0]), shares)
signs = st.builds(Signs, **dict.fromkeys(Signs._fields, shares) | {"named": st.floats(-1, 1)})
arms = st.sampled_from(LABELS)


# --- the arithmetic ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "chance"), [(-9.0, 0.2), (1.0, 0.2), (1.5, 0.4), (2.0, 0.6), (3.0, 0.75), (4.0, 0.9), (1e308, 0.9)]
)
def test_on_the_curve_and_beyond_both_of_its_ends(at: float, chance: float) -> None:
    assert on_curve(at, CURVE) == pytest.approx(chance)


def test_a_curve_of_one_point_is_level() -> None:
    assert {on_curve(at, [(0.0, 0.5)]) for at in (-1.0, 0.0, 1.0)} == {0.5}


@given(st.floats(-20, 20), st.floats(-20, 20))
def test_more_on_the_curve_is_never_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert on_curve(low, CURVE) <= on_curve(high, CURVE)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_odds_are_a_chance(odds: float) -> None:
    assert 0 <= logistic(odds) <= 1
    assert logistic(odds) + logistic(-odds) == pytest.approx(1)


def test_clues_count_once_more_where_they_count_differently() -> None:
    found = terms_of(Clues(cosine=0.5, keyword_share=0.4, coverage=0.2, code=0.5), Shape(1.0, 0.25, 0.1, 0.5))
    assert "code" not in found, "by itself it says nothing about what was asked"
    assert (found["code_keyword_share"], found["code_coverage"]) == (0.2, 0.1)
    assert (found["keyword_fall_cosine"], found["cosine_fall_cosine"], found["names_cosine"]) == (0.125, 0.05, 0.5)
    plain = terms_of(Clues(cosine=0.5, keyword_share=0.4), Shape())
    assert not any(value for name, value in plain.items() if name.startswith(("code_", "names_", "keyword_fall")))


def test_the_best_of_weak_keyword_scores_is_best_at_little() -> None:
    shares = [
        terms_of(Clues(keyword_share=1.0), Shape(keyword_strength=s))["keyword_share"] for s in (0.0, 0.1, 0.4, 0.9)
    ]
    assert shares == [0.0, 0.25, 1.0, 1.0]


@given(clues, shapes)
def test_a_score_is_linear_in_its_weights(each: Clues, shape: Shape) -> None:
    names = terms_of(each, shape)
    ones = {name: 1.0 for name in names}
    assert own_score(each, shape, ones) == pytest.approx(sum(names.values()))
    assert own_score(each, shape, {name: 2.0 for name in names}) == pytest.approx(2 * sum(names.values()))
    assert own_score(each, shape, {}) == 0.0


@given(clues, shapes, arms)
def test_a_scorer_for_a_list_says_what_each_text_alone_would_get(each: Clues, shape: Shape, label: str) -> None:
    weights = getattr(shipped_model(), label).own
    assert scorer(shape, weights)(each) == pytest.approx(own_score(each, shape, weights), abs=1e-9)


@given(mentions, st.floats(-9, 9))
def test_what_others_say_is_added(mention: Mention, own: float) -> None:
    weights = dict(zip(Mention._fields, (1.0, 2.0, 3.0, 4.0, -1.0, 5.0), strict=True))
    expected = own + sum(weights[name] * value for name, value in mention._asdict().items())
    assert full_score(own, mention, weights) == pytest.approx(expected)
    assert full_score(own, Mention(), weights) == own


@given(clues, shapes, mentions, signs, arms)
def test_a_relevance_is_a_chance_whatever_the_clues(
    each: Clues, shape: Shape, mention: Mention, seen: Signs, label: str
) -> None:
    weights = ARMS[label]
    score = full_score(own_score(each, shape, weights.own), mention, weights.mentions)
    answers = chance_of_answer(seen._asdict(), weights)
    assert 0 < answers <= 1, "never none at all: what stands higher still comes first"
    assert 0 < chance_in_list(score, weights.chance) <= 1


# --- the shipped file ----------------------------------------------------------------------------


def test_the_file_says_which_version_it_is_and_where_it_comes_from() -> None:
    assert FILE["version"] == 3
    fitted = FILE["fitted"]
    assert all(fitted[name] for name in ("on", "date", "command", "by_hand", "held_out"))
    assert "fit half" in fitted["on"] and "benchmarks/fit_relevance.py" in fitted["command"]
    assert set(FILE) == {"version", "fitted", *LABELS}


@pytest.mark.parametrize("label", LABELS)
def test_how_it_did_is_said_for_every_set_it_names(label: str) -> None:
    named = FILE["fitted"]["on"].rpartition("each of ")[2].split(", ")
    held_out = FILE["fitted"]["held_out"][label]
    assert len(named) > 1 and list(held_out) == named
    for name, figures in held_out.items():
        assert {"ndcg", "recall5"} <= set(figures), name
        assert all(0 <= figure <= 1 for figure in figures.values()), name
    assert sum("auroc" in figures for figures in held_out.values()) > 1, "some sets have questions without an answer"


@pytest.mark.parametrize("label", LABELS)
def test_every_weight_is_one_the_code_knows_and_none_is_missing(label: str) -> None:
    own, weights = set(terms_of(Clues(), Shape())), ARMS[label]
    meaning = {name for name in own if name.endswith(("cosine", "cosine_share"))}
    assert set(weights.own) == (own if label == "with_vectors" else own - meaning)
    assert set(weights.mentions) == set(Mention._fields)
    assert set(weights.answers) == set(Signs._fields) - (set() if label == "with_vectors" else {"cosine"})
    assert set(weights.chance) == {"bias", "slope"}


@given(clues, shapes, shares)
def test_texts_that_are_all_code_gain_nothing_by_it_together(best: Clues, shape: Shape, code: float) -> None:
    """What is best in every way stands where it stood: only how far the others are behind it changes."""
    best = best._replace(keyword_share=1.0, cosine_share=1.0, sentence=1.0)
    shape = shape._replace(keyword_strength=1.0)
    weights = ARMS["with_vectors"].own
    plain, coded = shape._replace(code=0.0), shape._replace(code=code)
    assert own_score(best, coded, weights) == pytest.approx(own_score(best, plain, weights), abs=1e-9)


@pytest.mark.parametrize("label", LABELS)
def test_the_curve_rises_within_zero_and_one(label: str) -> None:
    curve = ARMS[label].curve
    assert len(curve) > 2
    for (at, chance), (next_at, next_chance) in pairwise(curve):
        assert at < next_at and chance < next_chance
    assert 0 <= curve[0][1] < 0.3 and 0.7 < curve[-1][1] <= 1, "or nothing could be told apart"


@pytest.mark.parametrize("label", LABELS)
def test_the_directions_that_must_hold_whatever_was_fitted(label: str) -> None:
    weights = ARMS[label]
    assert weights.chance["slope"] > 0 and weights.complement >= 0
    assert weights.own["keyword_share"] > 0 and weights.own["sentence"] > 0
    assert weights.own["titled"] > 0 and weights.own["by_named"] > 0 > weights.own["by_other"]
    assert weights.mentions["any"] > 0 > weights.mentions["beside"] and weights.mentions["names"] > 0
    assert weights.answers["denied"] < 0
    assert weights.mentions["sentence"] + weights.mentions["close"] > 0, "words of the question where it is named"
    assert weights.answers["sentence"] + weights.answers["pairs"] > 0 and weights.answers["named"] > 0
    if label == "with_vectors":
        assert weights.own["cosine"] > 0 and weights.answers["cosine"] > 0


@pytest.mark.parametrize("label", LABELS)
def test_a_title_that_is_named_stands_before_those_that_are_not(label: str) -> None:
    weights = ARMS[label]
    beside = full_score(0.0, Mention(beside=1.0), weights.mentions)
    for share in (0.0, 0.1, 0.3, MOST_SHARE):
        assert own_score(Clues(titled=1.0, title_share=share), Shape(), weights.own) > beside
        assert own_score(Clues(titled_alike=1.0, title_share=share), Shape(), weights.own) > beside


def test_a_file_is_read_as_it_is_written() -> None:
    part = {
        "own": {"cosine": 1.0}, "mentions": {}, "complement": 0.5, "chance": {"bias": 0, "slope": 1},
        "answers": {"sentence": 1.0}, "curve": [[0, 0.25], [1, 1]],
    }  # fmt: skip
    model = read_model(json.dumps({"with_vectors": part, "keyword_only": part | {"complement": 0.0}}))
    assert model.with_vectors.curve == ((0.0, 0.25), (1.0, 1.0))
    assert (model.with_vectors.complement, model.keyword_only.complement) == (0.5, 0.0)
