from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.attention import observe
from recollect.settings import Settings
from recollect.values import Failed, Findings, Hit, Observation, Pool, Skipped, TimedOut

from ..steps.build import findings, found, hit, lookup

GATE = 0.2


def observed(*rounds: Findings, **changes: Any) -> Pool:
    return observe(rounds, gate=GATE, settings=Settings(**changes))


def round_of(number: int, *hits: Hit) -> Findings:
    return findings(found(*hits), round=number)


def only(pool: Pool) -> Observation:
    (observation,) = pool.observations
    return observation


def test_attention_starts_at_the_relevance() -> None:
    assert only(observed(round_of(1, hit("a", 0.5)))) == Observation(hit("a", 0.5), 0.5, (1,), True)


def test_attention_fades_with_every_later_round() -> None:
    pool = observed(round_of(1, hit("a", 0.5)), round_of(2), round_of(3))
    assert only(pool).attention == pytest.approx(0.5 * 0.9 * 0.9)
    assert only(pool).rounds == (1,)


def test_being_found_again_in_a_later_round_earns_attention() -> None:
    pool = observed(round_of(1, hit("a", 0.5)), round_of(2, hit("a", 0.4)))
    assert only(pool).attention == pytest.approx(0.5 * 0.9 + 0.2)
    assert only(pool).rounds == (1, 2)


def test_being_found_twice_in_one_round_earns_nothing() -> None:
    twice = findings(found(hit("a", 0.3)), found(hit("a", 0.5), text="other"), found(hit("a", 0.4), source="two"))
    assert only(observed(twice)) == Observation(hit("a", 0.5), 0.5, (1,), True)
    again = observed(round_of(1, hit("a", 0.5)), findings(found(hit("a")), found(hit("a")), round=2))
    assert only(again).attention == pytest.approx(0.5 * 0.9 + 0.2)


def test_attention_never_exceeds_one() -> None:
    assert only(observed(*(round_of(number, hit("a", 0.95)) for number in range(1, 9)))).attention == 1.0


def test_the_best_hit_of_all_rounds_is_kept_and_the_first_of_equals() -> None:
    first, equal = hit("a", 0.6, source="one"), hit("a", 0.6, source="two")
    assert only(observed(round_of(1, hit("a", 0.3)), round_of(2, first), round_of(3, equal))).hit is first


def test_a_belief_is_what_passes_the_gate() -> None:
    pool = observed(round_of(1, hit("a", 0.2), hit("b", 0.1999)))
    assert [each.is_belief for each in pool.observations] == [True, False]


def test_a_belief_stays_one_however_its_attention_fades() -> None:
    pool = observed(round_of(1, hit("a", 0.21)), *(round_of(number) for number in range(2, 9)))
    assert only(pool).attention < GATE
    assert only(pool).is_belief


def test_most_attention_first_ties_by_id() -> None:
    pool = observed(round_of(1, hit("c", 0.5), hit("b", 0.7), hit("a", 0.5)))
    assert [each.hit.memory.id for each in pool.observations] == ["b", "a", "c"]


def test_lookups_that_did_not_come_back_are_no_observations() -> None:
    lost = findings(Failed(lookup(), "boom", 0.0), TimedOut(lookup(), 1.0), Skipped(lookup(), "deadline"))
    assert observed(lost) == Pool()


def test_the_window_holds_so_many_of_a_source_and_so_many_in_all() -> None:
    hits = [hit(f"{source}{n}", 0.9 - n / 100, source=source) for source in ("x", "y") for n in range(5)]
    pool = observed(round_of(1, *hits), max_observations_per_source=3, max_total_observations=5)
    assert [each.hit.memory.id for each in pool.window] == ["x0", "y0", "x1", "y1", "x2"]
    assert len(pool.observations) == 10, "what leaves the window stays in the pool"


def test_a_source_with_much_attention_leaves_room_for_another() -> None:
    hits = [*(hit(f"x{n}", 0.9, source="x") for n in range(30)), hit("y", 0.3, source="y")]
    assert "y" in [each.hit.memory.id for each in observed(round_of(1, *hits)).window]


rounds_of_hits = st.lists(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(0, 1), st.sampled_from(["x", "y"])), max_size=8),
    max_size=6,
)


@given(rounds_of_hits)
def test_laws_of_the_pool(rounds: list[list[tuple[str, float, str]]]) -> None:
    seen = [
        round_of(number, *(hit(id, relevance, source=source) for id, relevance, source in each))
        for number, each in enumerate(rounds, start=1)
    ]
    pool = observed(*seen, max_observations_per_source=2, max_total_observations=3)
    ids = [each.hit.memory.id for each in pool.observations]
    assert sorted(ids) == sorted({id for each in rounds for id, _, _ in each})
    assert [(-each.attention, each.hit.memory.id) for each in pool.observations] == sorted(
        (-each.attention, each.hit.memory.id) for each in pool.observations
    )
    for each in pool.observations:
        found_with = [relevance for one in rounds for id, relevance, _ in one if id == each.hit.memory.id]
        assert 0 <= each.attention <= 1
        assert each.hit.relevance == max(found_with)
        assert each.is_belief == (max(found_with) >= GATE)
    assert len(pool.window) <= 3
    assert [each for each in pool.observations if each in pool.window] == list(pool.window)
    assert all(sum(each.hit.source == source for each in pool.window) <= 2 for source in "xy")
