from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import exp, tanh
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from recollect.rank.signals import KIND_GROUPS, NAMES, Sighting, measure, score, weights_for
from recollect.records import Memory
from recollect.settings import LearningSettings, Settings, SignalSettings, SignalWeights, SpreadSettings
from recollect.testing.corpus import make_memory
from recollect.values import Signal

NOW = datetime(2030, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
SETTINGS = Settings()


def a_memory(**fields: Any) -> Memory:
    return make_memory(1, **{"updated_at": NOW, "event_time": None, **fields})


def one(name: str, memory: Memory, sighting: Sighting | None = None, *, settings: Settings = SETTINGS) -> Signal:
    return measure(memory, sighting or Sighting(), settings=settings, now=NOW)[NAMES.index(name)]


def test_there_are_six_in_a_fixed_order() -> None:
    assert tuple(signal.name for signal in measure(a_memory(), Sighting(), settings=SETTINGS, now=NOW)) == NAMES


@pytest.mark.parametrize(("cosine", "value"), [(0.7, 0.7), (-0.2, 0.0), (1.0000001, 1.0), (None, 0.0)])
def test_semantic_is_the_cosine_clipped(cosine: float | None, value: float) -> None:
    assert one("semantic", a_memory(), Sighting(cosine)) == Signal("semantic", value, cosine or 0.0)


def test_keyword_is_the_share_of_the_highest_score_possible() -> None:
    assert one("keyword", a_memory(), Sighting(strength=0.3, bm25=4.2)) == Signal("keyword", 0.3, 4.2)


def test_graph_is_what_was_received() -> None:
    assert one("graph", a_memory(), Sighting(received=0.25)) == Signal("graph", 0.25, 0.25)


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({"updated_at": NOW - 40 * DAY}, 40),
        ({"updated_at": NOW - 40 * DAY, "last_access": NOW - 3 * DAY}, 3),
        ({"updated_at": NOW, "last_access": NOW, "event_time": NOW - 9 * DAY}, 9),
        ({"event_time": NOW + 5 * DAY}, 0),
    ],
    ids=["changed", "fetched", "happened", "will happen"],
)
def test_recency_counts_from_when_it_happened_was_fetched_or_was_changed(fields: dict[str, Any], days: int) -> None:
    assert one("recency", a_memory(**fields)) == Signal("recency", exp(-days / 30), days)


def test_recency_counts_whole_days_so_that_a_day_s_answers_agree() -> None:
    memory = a_memory(updated_at=NOW - 3 * DAY)
    later = measure(memory, Sighting(), settings=SETTINGS, now=NOW + timedelta(hours=23))
    assert later == measure(memory, Sighting(), settings=SETTINGS, now=NOW)
    assert measure(memory, Sighting(), settings=SETTINGS, now=NOW + DAY) != later


def test_authority_is_one_half_at_the_number_of_links_set() -> None:
    settings = Settings(spread=SpreadSettings(inbound_for_half=8))
    values = [one("authority", a_memory(), Sighting(inbound=links), settings=settings) for links in (0, 8, 24)]
    assert values == [Signal("authority", 0.0, 0), Signal("authority", 0.5, 8), Signal("authority", 0.75, 24)]


def test_affinity_without_use_or_feedback_is_neutral() -> None:
    assert one("affinity", a_memory()) == Signal("affinity", 0.5, 0.0)


def test_affinity_rises_with_use_and_falls_with_time() -> None:
    fresh = one("affinity", a_memory(access_count=10, last_access=NOW))
    stale = one("affinity", a_memory(access_count=10, last_access=NOW - 60 * DAY))
    assert fresh.value == pytest.approx((1 + tanh(1)) / 2)
    assert 0.5 < stale.value < fresh.value


@pytest.mark.parametrize(("favour", "value"), [(0.4, 0.7), (-0.4, 0.3)])
def test_affinity_follows_feedback_both_ways(favour: float, value: float) -> None:
    assert one("affinity", a_memory(favour=favour, favour_at=NOW)).value == pytest.approx(value)


def test_feedback_wears_off() -> None:
    settings = Settings(learning=LearningSettings(half_life_days=10))
    memory = a_memory(favour=0.4, favour_at=NOW - 10 * DAY)
    assert one("affinity", memory, settings=settings).raw == pytest.approx(0.2)


def test_feedback_does_not_count_while_learning_is_off() -> None:
    off = Settings(learning=LearningSettings(enabled=False))
    assert one("affinity", a_memory(favour=0.6, favour_at=NOW), settings=off) == Signal("affinity", 0.5, 0.0)


def test_affinity_stays_within_bounds() -> None:
    much = a_memory(access_count=1_000, last_access=NOW, favour=0.6, favour_at=NOW)
    assert one("affinity", much).value == 1.0


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("message", "episodic"),
        ("episode", "episodic"),
        ("signal", "signals"),
        ("fact", "knowledge"),
        ("procedure", "procedural"),
        ("never heard of", "knowledge"),
    ],
)
def test_a_kind_is_weighed_by_its_group(kind: str, group: str) -> None:
    assert weights_for(kind, SETTINGS.signals) is getattr(SETTINGS.signals, group)


def test_every_group_in_the_table_has_weights() -> None:
    assert {type(getattr(SignalSettings(), group)) for group in KIND_GROUPS.values()} == {SignalWeights}


def test_weights_are_divided_by_their_sum() -> None:
    signals = measure(a_memory(), Sighting(0.6, 0.2, 3.0, 0.1, 2), settings=SETTINGS, now=NOW)
    weights = SETTINGS.signals.knowledge
    halved = replace(weights, **{name: getattr(weights, name) / 2 for name in NAMES})
    assert score(signals, halved).value == pytest.approx(score(signals, weights).value)


def test_without_any_weight_the_score_is_zero() -> None:
    none = SignalWeights(**dict.fromkeys(NAMES, 0.0))
    assert score([Signal(name, 1.0, 1.0) for name in NAMES], none).value == 0.0


shares = st.floats(0, 1)
some_weights = st.builds(SignalWeights, **dict.fromkeys(NAMES, shares))
some_signals = st.tuples(*(st.builds(Signal, st.just(name), shares, st.floats(-9, 9)) for name in NAMES))


@examples(max_examples=150)
@given(some_signals, some_weights)
def test_the_explanation_adds_up_to_the_score(signals: tuple[Signal, ...], weights: SignalWeights) -> None:
    why = score(signals, weights)
    assert why.sums and why.total() == why.value
    assert 0 <= why.value <= 1 + 1e-9
    assert [detail.what.split(",")[0] for detail in why.details] == list(NAMES)


@examples(max_examples=150)
@given(some_signals, some_weights, st.sampled_from(range(6)), shares)
def test_a_stronger_signal_never_lowers_the_score(
    signals: tuple[Signal, ...], weights: SignalWeights, which: int, more: float
) -> None:
    raised = list(signals)
    raised[which] = signals[which]._replace(value=max(more, signals[which].value))
    assert score(raised, weights).value >= score(signals, weights).value - 1e-12


moments = st.none() | st.integers(-400, 4_000).map(lambda days: NOW - days * DAY)
sightings = st.builds(Sighting, st.none() | st.floats(-1, 1), shares, st.floats(0, 99), shares, st.integers(0, 10_000))


@examples(max_examples=150)
@given(moments, moments, st.integers(0, 10_000), st.floats(-1, 1), sightings)
def test_every_signal_stays_within_bounds(
    event: datetime | None, access: datetime | None, count: int, favour: float, sighting: Sighting
) -> None:
    memory = a_memory(event_time=event, last_access=access, access_count=count, favour=favour, favour_at=access)
    for signal in measure(memory, sighting, settings=SETTINGS, now=NOW):
        assert 0 <= signal.value <= 1, signal
