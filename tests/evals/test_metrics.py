"""Each measure against the plainest way to compute it."""

from __future__ import annotations

import math
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.evals.metrics import (
    BINS,
    all_at,
    auroc,
    auroc_estimate,
    brier,
    calibration_error,
    mean_estimates,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
    reliability,
)

IDS = "abcdefgh"
rankings = st.lists(st.sampled_from(IDS), unique=True)
grades = st.dictionaries(st.sampled_from(IDS), st.integers(1, 3), min_size=1, max_size=4)
shares = st.floats(0, 1)
judged = st.lists(st.tuples(shares, st.booleans()), min_size=1, max_size=30)


def apart(cases: list[tuple[float, bool]]) -> tuple[list[float], list[bool]]:
    return [score for score, _ in cases], [label for _, label in cases]


@given(rankings, grades, st.integers(1, 10))
def test_recall_and_all_count_gold_in_the_first_k(ranking: list[str], gold: dict[str, int], k: int) -> None:
    found = sum(1 for id in gold if id in ranking[:k])
    assert recall_at(ranking, gold, k) == found / len(gold)
    assert all_at(ranking, gold, k) == (1.0 if found == len(gold) else 0.0)


@given(rankings, grades)
def test_reciprocal_rank_is_of_the_first_gold_document(ranking: list[str], gold: dict[str, int]) -> None:
    places = [place for place, id in enumerate(ranking, start=1) if id in gold]
    assert reciprocal_rank(ranking, gold) == (1 / min(places) if places else 0.0)


@given(rankings, grades, st.integers(1, 4))
def test_ndcg_is_the_gain_beside_the_best_of_all_orders(ranking: list[str], gold: dict[str, int], k: int) -> None:
    def gain(order: tuple[str, ...]) -> float:
        return sum(gold.get(id, 0) / math.log2(place + 1) for place, id in enumerate(order[:k], start=1))

    best = max(gain(order) for order in permutations(gold))
    assert ndcg_at(ranking, gold, k) == pytest.approx(gain(tuple(ranking)) / best)


@given(judged)
def test_auroc_is_the_share_of_pairs_in_the_right_order(cases: list[tuple[float, bool]]) -> None:
    good = [score for score, label in cases if label]
    bad = [score for score, label in cases if not label]
    pairs = [1.0 if one > other else 0.5 if one == other else 0.0 for one, other in product(good, bad)]
    expected = sum(pairs) / len(pairs) if pairs else None
    assert auroc(*apart(cases)) == (None if expected is None else pytest.approx(expected))


@given(judged)
def test_brier_and_ece_are_distances_between_said_and_so(cases: list[tuple[float, bool]]) -> None:
    scores, labels = apart(cases)
    assert brier(scores, labels) == pytest.approx(sum((said - so) ** 2 for said, so in cases) / len(cases))
    expected = 0.0
    for number in range(BINS):
        low, high = number / BINS, (number + 1) / BINS
        within = [(said, so) for said, so in cases if (low <= said < high) or (number == BINS - 1 and said == 1)]
        expected += abs(sum(said for said, _ in within) - sum(so for _, so in within)) / len(cases)
    assert calibration_error(scores, labels) == pytest.approx(expected, abs=1e-9)


@given(judged)
def test_every_question_is_in_one_range(cases: list[tuple[float, bool]]) -> None:
    found = reliability(*apart(cases))
    assert sum(each.questions for each in found) == len(cases)
    assert [each.low for each in found] == [number / BINS for number in range(BINS)]
    assert all(not each.questions or each.low - 1e-9 <= each.said <= each.high + 1e-9 for each in found)


@given(st.lists(shares, min_size=1, max_size=20))
def test_an_interval_is_around_its_mean_and_the_same_every_time(values: list[float]) -> None:
    (found,) = mean_estimates({"x": values}).values()
    assert found == mean_estimates({"x": values, "y": values})["y"]
    assert found.low is not None and found.high is not None
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.value == pytest.approx(sum(values) / len(values))


def test_an_interval_is_as_wide_as_theory_says() -> None:
    values = [float(number % 2) for number in range(400)]
    found = mean_estimates({"x": values})["x"]
    assert found.low == pytest.approx(0.5 - 1.96 * 0.5 / 20, abs=0.01)
    assert found.high == pytest.approx(0.5 + 1.96 * 0.5 / 20, abs=0.01)


def test_no_questions_give_no_figures() -> None:
    assert mean_estimates({"x": []}) == {}
    assert auroc_estimate([0.2, 0.3], [True, True]) is None


def test_an_auroc_has_an_interval() -> None:
    scores = [number / 40 for number in range(40)]
    labels = [number % 3 > 0 or number > 30 for number in range(40)]
    found = auroc_estimate(scores, labels)
    assert found is not None and found.low is not None and found.high is not None
    assert found.low < found.value < found.high


@given(st.lists(shares, min_size=1, max_size=30), st.floats(0.01, 1))
def test_a_percentile_is_a_value_so_many_do_not_exceed(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-9
    assert sum(value < found for value in values) < share * len(values) + 1e-9
