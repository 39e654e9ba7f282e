from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.forgetting import STABILITY_DAYS, faded, retrievability, stability, strengthened
from recollect.records import Lifecycle, Memory
from recollect.settings import ForgettingSettings
from recollect.testing.clock import START
from recollect.testing.corpus import make_memory

DEFAULTS = ForgettingSettings()
days = st.floats(0, 5_000)


def fact(**fields: object) -> Memory:
    return make_memory(0, kind="fact", created_at=START, updated_at=START, **fields)


def test_just_stored_is_fully_there() -> None:
    assert retrievability(fact(), now=START) == 1.0


def test_after_its_stability_a_share_of_one_in_e_is_left() -> None:
    assert retrievability(fact(), now=START + timedelta(days=60)) == pytest.approx(0.3679, abs=1e-4)


@settings(max_examples=100, deadline=None)
@given(days, days)
def test_it_only_ever_fades(one: float, more: float) -> None:
    early, late = (retrievability(fact(), now=START + timedelta(days=day)) for day in (one, one + more))
    assert 0 <= late <= early <= 1


def test_a_clock_set_back_does_not_make_it_more_than_there() -> None:
    assert retrievability(fact(), now=START - timedelta(days=9)) == 1.0


def test_the_last_access_counts_and_not_when_it_was_stored() -> None:
    later = START + timedelta(days=60)
    assert retrievability(fact(last_access=later), now=later) == 1.0


@pytest.mark.parametrize(("kind", "expected"), [*STABILITY_DAYS.items(), ("made up", 60.0)])
def test_each_kind_lasts_its_own_time(kind: str, expected: float) -> None:
    assert stability(make_memory(0, kind=kind)) == expected


def test_own_stability_goes_before_the_kind_s() -> None:
    assert stability(fact(stability_days=7.5)) == 7.5


@settings(max_examples=100, deadline=None)
@given(st.none() | st.floats(0.01, 1_000), st.floats(1, 10), st.floats(1, 1_000))
def test_strengthening_is_bounded_and_never_weakens(own: float | None, growth: float, cap: float) -> None:
    memory = fact(stability_days=own)
    after = strengthened(memory, settings=ForgettingSettings(growth=growth, cap_days=cap))
    assert stability(memory) <= after <= max(stability(memory), cap)


def test_many_accesses_reach_the_cap_and_stay_there() -> None:
    memory = fact()
    for _ in range(50):
        memory = replace(memory, stability_days=strengthened(memory, settings=DEFAULTS))
    assert memory.stability_days == DEFAULTS.cap_days


FADES = {
    "fresh": (1, Lifecycle.ACTIVE),
    "after two months": (60, Lifecycle.WEAK),
    "after a year": (365, Lifecycle.DORMANT),
}


@pytest.mark.parametrize(("after_days", "expected"), FADES.values(), ids=FADES)
@pytest.mark.parametrize("before", [Lifecycle.ACTIVE, Lifecycle.WEAK, Lifecycle.DORMANT])
def test_lifecycle_follows_the_curve(before: Lifecycle, after_days: int, expected: Lifecycle) -> None:
    memory = fact(lifecycle=before)
    assert faded(memory, now=START + timedelta(days=after_days), settings=DEFAULTS) is expected


@settings(max_examples=100, deadline=None)
@given(days)
def test_archived_is_never_revived(day: float) -> None:
    memory = fact(lifecycle=Lifecycle.ARCHIVED)
    assert faded(memory, now=START + timedelta(days=day), settings=DEFAULTS) is Lifecycle.ARCHIVED


@settings(max_examples=100, deadline=None)
@given(days, st.sampled_from(Lifecycle))
def test_superseded_is_never_revived(day: float, before: Lifecycle) -> None:
    memory = fact(lifecycle=before, valid_to=START, last_access=START + timedelta(days=day))
    assert faded(memory, now=START + timedelta(days=day), settings=DEFAULTS) is before
