from __future__ import annotations

from math import log

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.rank.answering import Signs
from recollect.rank.clues import Clues, Mention, Shape
from recollect.rank.model import Arms, answer_sum, full_score, own_score, shipped_model
from recollect.rank.reasons import explain_answering, explain_relevance, explain_standing, through_links
from recollect.testing.source_contract import adds_up
from recollect.values import Explanation

from .test_model import clues, mentions, shapes, signs

chances = st.floats(0, 1)
arms = st.sampled_from([shipped_model().with_vectors, shipped_model().keyword_only])
UNKNOWN = Explanation(0.0, "nothing known")


@given(chances, chances)
@example(1.0, 1.0)
@example(0.0, 0.0)
def test_links_only_raise_and_stay_a_chance(own: float, best: float) -> None:
    raised = through_links(own, best=best)
    assert max(own, best) - 1e-12 <= raised <= 1
    assert through_links(own, best=0.0) == own


@given(clues, shapes, mentions, arms, st.floats(-3, 3))
def test_the_standing_is_the_score_and_its_details_add_up(
    each: Clues, shape: Shape, mention: Mention, weights: Arms, complement: float
) -> None:
    why = explain_standing(each, shape, mention, weights, complement=complement)
    score = full_score(own_score(each, shape, weights.own), mention, weights.mentions) + complement
    assert why.sums and adds_up(why)
    assert why.value == pytest.approx(score, abs=1e-9)
    assert all(detail.value for detail in why.details), "what adds nothing is left out"


@given(signs, arms, chances)
def test_the_signs_add_up_beside_the_chance_they_make(seen: Signs, weights: Arms, answers: float) -> None:
    why = explain_answering(seen, weights, answers=answers)
    assert (why.value, why.sums) == (answers, False)
    assert adds_up(why)
    assert why.details[0].value == pytest.approx(answer_sum(seen._asdict(), weights.answers), abs=1e-9)
    assert len(why.details[0].details) == len(weights.answers)


@given(chances, chances, chances)
@example(0.0, 0.5, 0.0)
@example(1.0, 1.0, 0.0)
@example(1.0, 1.0, 1.0)
@example(0.0, 0.0, 1.0)
def test_the_relevance_adds_up_to_its_log_odds(answers: float, beside_best: float, links: float) -> None:
    relevance = through_links(answers * beside_best, best=links)
    answering = Explanation(answers, "chance that the list answers")
    why = explain_relevance(relevance, answering=answering, standing=UNKNOWN, beside_best=beside_best, links=links)
    assert why.sums and adds_up(why)
    if 1e-9 < relevance < 1 - 1e-9:
        assert why.value == pytest.approx(log(relevance / (1 - relevance)), abs=1e-6)
    assert len(why.details) == (3 if links > 0 else 2)


@given(chances, chances)
def test_a_place_behind_the_best_takes_away_and_links_add(answers: float, beside_best: float) -> None:
    relevance = through_links(answers * beside_best, best=0.5)
    answering = Explanation(answers, "chance that the list answers")
    why = explain_relevance(relevance, answering=answering, standing=UNKNOWN, beside_best=beside_best, links=0.5)
    assert why.details[1].value <= 0 <= why.details[2].value
