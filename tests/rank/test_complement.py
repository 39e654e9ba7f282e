from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.rank.complement import LOOKED_AT, PLACES, complemented
from recollect.records import Term

WORDS = ("boat", "crane", "quay", "tide")
TERMS = [Term("boat", 1.0), Term("crane", 2.0), Term("quay", 3.0), Term("tide", 0.5)]
A_LITTLE = 1e-2  # keeping two choices apart may cost that much

scores = st.one_of(st.integers(-3, 3).map(float), st.floats(-20, 20))
texts = st.frozensets(st.sampled_from(WORDS)).map(lambda words: " ".join(sorted(words)))
lists = st.lists(st.tuples(scores, texts), min_size=1, max_size=24).map(
    lambda rows: (
        {f"{place:02}": score for place, (score, _) in enumerate(rows)},
        {f"{place:02}": text for place, (_, text) in enumerate(rows)},
    )
)
gains = st.floats(0, 5)
TIED = ({"2": 3.0, "1": 2.9, "0": 2.8}, {"2": "boat", "1": "crane", "0": "quay"})


def in_order(found: dict[str, float]) -> list[str]:
    return sorted(found, key=lambda id: (-found[id], id))


@given(lists, gains)
@example(TIED, 2.0)
def test_the_first_stays_the_first_with_its_score(given: tuple[dict[str, float], dict[str, str]], gain: float) -> None:
    before, read = given
    after = complemented(before, read, TERMS, gain=gain)
    first = in_order(before)[0]
    assert in_order(after)[0] == first
    assert after[first] == before[first]


@given(lists, gains)
def test_all_are_there_and_none_falls(given: tuple[dict[str, float], dict[str, str]], gain: float) -> None:
    before, read = given
    after = complemented(before, read, TERMS, gain=gain)
    assert after.keys() == before.keys()
    assert all(after[id] >= before[id] - A_LITTLE for id in before)
    assert all(after[id] <= before[id] + gain for id in before)


@given(lists, gains, st.integers(0, 9))
def test_it_does_not_matter_in_which_order_they_come(
    given: tuple[dict[str, float], dict[str, str]], gain: float, seed: int
) -> None:
    before, read = given
    mixed = list(before)
    Random(seed).shuffle(mixed)
    terms = TERMS[:]
    assert complemented({id: before[id] for id in mixed}, read, terms, gain=gain) == complemented(
        before, read, terms, gain=gain
    )


@given(lists)
def test_without_a_gain_or_anything_asked_nothing_changes(given: tuple[dict[str, float], dict[str, str]]) -> None:
    before, read = given
    assert complemented(before, read, TERMS, gain=0.0) == before
    assert complemented(before, read, [], gain=2.0) == before
    assert complemented(before, read, [Term("boat", 0.0)], gain=2.0) == before


@given(lists, gains)
def test_what_brings_all_that_is_lacking_comes_second_or_nothing_better_does(
    given: tuple[dict[str, float], dict[str, str]], gain: float
) -> None:
    before, read = given
    after = in_order(complemented(before, read, TERMS, gain=gain))
    if len(after) < 3 or len(after) > LOOKED_AT:
        return
    lacking = {term.text: term.idf for term in TERMS if term.text not in read[after[0]]}

    def worth(id: str) -> float:
        brought = sum(idf for word, idf in lacking.items() if word in read[id])
        return before[id] + gain * brought / sum(term.idf for term in TERMS)

    assert worth(after[1]) == pytest.approx(max(worth(id) for id in after[1:]), abs=A_LITTLE)


def test_several_that_would_pass_the_first_stand_as_they_were_chosen() -> None:
    """Capped at the same score, ties would go by id."""
    found = complemented(*TIED, TERMS, gain=3.0)
    assert in_order(found) == ["2", "0", "1"], "by what each brings: the quay weighs more than the crane"


def test_what_another_brought_already_is_brought_no_more() -> None:
    before = {"1": 9.0, "2": 5.0, "3": 4.9, "4": 4.0}
    read = {"1": "boat", "2": "quay", "3": "quay", "4": "crane"}
    assert in_order(complemented(before, read, TERMS, gain=4.0)) == ["1", "2", "4", "3"]


def test_where_the_first_has_everything_nothing_changes() -> None:
    before = {"1": 3.0, "2": 3.0, "3": 1.0}
    assert complemented(before, {"1": " ".join(WORDS), "2": "quay", "3": "tide"}, TERMS, gain=3.0) == before


def test_two_have_nothing_to_change_places_with() -> None:
    assert complemented({"1": 2.0, "2": 1.0}, {"1": "boat", "2": "quay"}, TERMS, gain=3.0) == {"1": 2.0, "2": 1.0}


def test_far_behind_nothing_is_looked_at_and_all_stays_behind() -> None:
    before = {f"{place:02}": 30.0 - place for place in range(LOOKED_AT + 5)}
    read = dict.fromkeys(before, "boat") | {f"{LOOKED_AT + 2:02}": "quay"}
    assert in_order(complemented(before, read, TERMS, gain=50.0)) == sorted(before)
    tied = dict.fromkeys(before, 1.0)
    last = f"{LOOKED_AT - 1:02}"
    order = in_order(complemented(tied, dict.fromkeys(before, "boat") | {last: "quay"}, TERMS, gain=50.0))
    assert order[:2] == ["00", last]
    assert order[PLACES + 1 :] == sorted(order[PLACES + 1 :])
