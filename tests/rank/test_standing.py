from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.standing import TRUST, Standing, explained, fused, score, shares
from recollect.records import Memory, TimeAxis, TimeRange
from recollect.settings import RankSettings, Settings
from recollect.testing.clock import START
from recollect.testing.corpus import make_memory
from recollect.values import Explanation, Part

MEMORY = make_memory(10, created_at=START, event_time=None, trust="user", body="Ana keeps the key behind the desk.")
PLAIN = Standing(MEMORY, 0.5, [1], 1, 0, 1, 1, 1, [Part(0, "Where is the key?")])
TODAY = TimeRange(START - timedelta(hours=1), START + timedelta(hours=1))

DAY_BEFORE = (START - timedelta(days=2)).replace(hour=0, minute=0, second=0, microsecond=0)
ASKED = [Part(0, "", time=TimeRange(DAY_BEFORE, DAY_BEFORE + timedelta(days=1)))]
OPEN = [Part(0, "", time=TimeRange(end=DAY_BEFORE + timedelta(days=1)))]
STORED = [Part(0, "", time=TimeRange(DAY_BEFORE, DAY_BEFORE + timedelta(days=1), TimeAxis.STORED))]


def told(body: str) -> dict[str, Any]:
    """A text said the day before, of which the day before that is asked."""
    return {"body": body, "kind": "fact", "created_at": START - timedelta(days=1)}


def total(standing: Standing, **weights: float) -> float:
    return score(shares(standing, now=START, settings=Settings(rank=RankSettings(**weights))))


def value(standing: Standing, name: str) -> float:
    return {each.name: each.value for each in shares(standing, now=START, settings=Settings())}[name]


def changed(**fields: Any) -> Standing:
    about = {name: fields.pop(name) for name in list(fields) if name in Memory.__slots__}
    return PLAIN._replace(memory=replace(MEMORY, **about), **fields)


VALUES = {
    "first everywhere": ("places", changed(places=[1, 1], lists=2), 1.0),
    "first in one of two": ("places", changed(places=[1], lists=2), 0.5),
    "alone": ("agreement", changed(), 0.0),
    "one agrees": ("agreement", changed(agreeing=1), 0.5),
    "two agree": ("agreement", changed(agreeing=2), 0.75),
    "one evidence": ("evidence", changed(), 0.0),
    "three evidences": ("evidence", changed(evidences=3), 0.75),
    "new in the first round": ("novelty", changed(), 1.0),
    "new in the fourth": ("novelty", changed(first_round=4), 0.25),
    "today": ("recency", changed(), 1.0),
    "a month ago": ("recency", changed(created_at=START - timedelta(days=30)), 0.36787944),
    "it happened a month ago": ("recency", changed(event_time=START - timedelta(days=30)), 0.36787944),
    "in the future": ("recency", changed(created_at=START + timedelta(days=30)), 1.0),
    "hours make no difference": ("recency", changed(created_at=START - timedelta(hours=23)), 1.0),
    "one text found it": ("diversity", changed(), 0.0),
    "four texts": ("diversity", changed(texts=4), 0.75),
    "from the web": ("trust", changed(trust="web"), 0.3),
    "from who knows": ("trust", changed(trust="rumour"), 0.5),
    "short": ("length", changed(body="x" * 2_000), 1.0),
    "long": ("length", changed(body="x" * 12_000), 0.5),
    "endless": ("length", changed(body="x" * 100_000), 0.0),
    "names all": ("entity", changed(asked=[Part(0, "", ("ana",))]), 1.0),
    "names half": ("entity", changed(asked=[Part(0, "", ("Ana", "Ben"))]), 0.5),
    "names what one of its parts names": ("entity", changed(asked=[Part(0, "", ("Ben",)), Part(1, "", ("Ana",))]), 1.0),
    "of the project at hand": ("local", changed(at_hand=True), 1.0),
    "of another": ("local", changed(at_hand=False), 0.0),
    "within the time": ("time", changed(asked=[Part(0, "", time=TODAY)]), 1.0),
    "told yesterday of the day before": ("time", changed(**told("It rained yesterday."), asked=ASKED), 1.0),
    "told of another day": ("time", changed(**told("It rained last year."), asked=ASKED), 0.0),
    "told by its full date": ("time", changed(**told("It rained on 30 December 2029."), asked=ASKED), 1.0),
    "told, with open ends": ("time", changed(**told("It rained yesterday."), asked=OPEN), 1.0),
    "told far down": ("time", changed(**told("x " * 1_000 + "yesterday"), asked=ASKED), 0.0),
    "told, but asked when it was stored": ("time", changed(**told("It rained yesterday."), asked=STORED), 0.0),
    "told in a document of no known date": (
        "time",
        changed(**told("It rained yesterday.") | {"kind": "document"}, asked=ASKED),
        0.0,
    ),
    "outside the time": ("time", changed(asked=[Part(0, "", time=TimeRange(end=START))]), 0.0),
}


@pytest.mark.parametrize(("name", "standing", "expected"), VALUES.values(), ids=VALUES)
def test_components(name: str, standing: Standing, expected: float) -> None:
    assert value(standing, name) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["entity", "local", "time"])
def test_what_was_not_asked_for_cannot_be_missing(name: str) -> None:
    assert name not in {each.name for each in shares(PLAIN, now=START, settings=Settings())}


def test_without_other_weights_the_score_is_the_relevance() -> None:
    nothing = dict.fromkeys(RankSettings.__slots__, 0.0)
    assert total(PLAIN, **nothing) == 0.5
    assert [each.name for each in shares(PLAIN, now=START, settings=Settings(rank=RankSettings(**nothing)))] == [
        "relevance"
    ]


def test_perfect_in_everything_is_one() -> None:
    perfect = changed(relevance=1.0, agreeing=60, evidences=60, texts=10**9, asked=[Part(0, "", ("Ana",), time=TODAY)])
    assert total(perfect) == pytest.approx(1.0, abs=1e-7)
    assert total(perfect) <= 1


def test_small_things_decide_among_equals_and_not_against_relevance() -> None:
    assert total(changed(trust="user")) > total(changed(trust="web"))
    assert total(changed(agreeing=1, evidences=2)) > total(PLAIN)
    assert total(changed(relevance=0.8, trust="web")) > total(changed(relevance=0.5, agreeing=3, evidences=4, texts=5))


shared = st.builds(
    lambda relevance, places, agreeing, round, texts, days, trust, names: PLAIN._replace(
        memory=replace(MEMORY, created_at=START - timedelta(days=days), trust=trust),
        relevance=relevance,
        places=places,
        lists=max(1, len(places)),
        agreeing=agreeing,
        evidences=agreeing + 1,
        first_round=round,
        texts=texts,
        asked=[Part(0, "", tuple(names))],
    ),
    st.floats(0, 1),
    st.lists(st.integers(1, 50), max_size=5),
    st.integers(0, 9),
    st.integers(1, 6),
    st.integers(1, 12),
    st.integers(-5, 5_000),
    st.sampled_from([*TRUST, "odd"]),
    st.lists(st.sampled_from(["Ana", "Ben", "key"]), max_size=3, unique=True),
)


@settings(max_examples=200, deadline=None)
@given(shared)
def test_scores_are_within_0_and_1_and_explanations_add_up_to_the_last_bit(standing: Standing) -> None:
    made = shares(standing, now=START, settings=Settings())
    why = explained(made, because=Explanation(standing.relevance, "the source says so"))
    assert 0 <= score(made) <= 1
    assert why.total() == why.value == score(made)
    assert sum(sorted(each.share for each in made)) == score(made), "whatever the order"


@settings(max_examples=100, deadline=None)
@given(shared, st.floats(0, 0.99), st.floats(0.001, 1))
def test_more_relevance_never_ranks_lower(standing: Standing, relevance: float, more: float) -> None:
    lower, higher = (standing._replace(relevance=min(1.0, each)) for each in (relevance, relevance + more))
    assert total(lower) <= total(higher)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 100), min_size=1, max_size=10))
def test_fused_places_are_within_0_and_1(places: list[int]) -> None:
    assert 0 < fused(places, lists=len(places)) <= 1


def test_the_source_s_own_reason_is_kept_below_the_relevance() -> None:
    because = Explanation(2.5, "log-odds of relevance")
    why = explained(shares(PLAIN, now=START, settings=Settings()), because=because)
    assert why.details[0].details == (because,)
    assert not why.details[0].sums
