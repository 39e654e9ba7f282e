from __future__ import annotations

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.steps.reconcile import reconcile
from recollect.testing.clock import START
from recollect.trace import Recorder
from recollect.values import Conflict, Evidence

from .build import evidence, recorder


def said(id: str, body: str, *, day: int = 0, title: str = "Rent", **fields: Any) -> Evidence:
    return evidence(id, title=title, body=body, created_at=START + timedelta(days=day), event_time=None, **fields)


CONTRADICT = {
    "numbers": ("The rent is 4,200 euros", "The rent is 4,500 euros"),
    "names": ("The landlord is Ana Weber", "The landlord is Ben Weber"),
    "negation": ("The rent was paid", "The rent was not paid"),
}


@pytest.mark.parametrize(("one", "other"), CONTRADICT.values(), ids=CONTRADICT)
def test_both_sides_of_a_contradiction_are_marked(one: str, other: str, trace: Recorder) -> None:
    pieces, conflicts = reconcile([said("a", one, day=1), said("b", other)], trace=trace)
    assert conflicts == (Conflict(preferred="a", other="b", reason="latest_wins"),)
    assert [(piece.memory.id, piece.contradicted_by) for piece in pieces] == [("a", ("b",)), ("b", ("a",))]


NO_CONFLICT = {
    "other words": (said("a", "The rent is 4,200 euros"), said("b", "4,200 euros is the rent")),
    "another title": (said("a", "It is 4,200"), said("b", "It is 1,900", title="Deposit")),
    "no title": (said("a", "It is 4,200", title=""), said("b", "It is 1,900", title="")),
    "another kind": (said("a", "It is 4,200", kind="fact"), said("b", "It is 1,900", kind="lesson")),
}


@pytest.mark.parametrize("pair", NO_CONFLICT.values(), ids=NO_CONFLICT)
def test_what_does_not_contradict_is_left_alone(pair: tuple[Evidence, Evidence], trace: Recorder) -> None:
    assert reconcile(pair, trace=trace) == (pair, ())


def test_titles_are_compared_without_regard_to_case(trace: Recorder) -> None:
    _, conflicts = reconcile([said("a", "It is 1"), said("b", "It is 2", title="RENT", day=1)], trace=trace)
    assert len(conflicts) == 1


def test_the_later_one_moves_before_the_earlier_one(trace: Recorder) -> None:
    old, new, between = said("a", "It is 1"), said("b", "It is 2", day=1), said("c", "Something", title="")
    pieces, _ = reconcile([old, between, new], trace=trace)
    assert [piece.memory.id for piece in pieces] == ["b", "c", "a"]


def test_when_it_happened_counts_more_than_when_it_was_stored(trace: Recorder) -> None:
    told_late = evidence("a", title="Rent", body="It is 1", created_at=START, event_time=START - timedelta(days=9))
    told_early = said("b", "It is 2", day=-5)
    _, conflicts = reconcile([told_late, told_early], trace=trace)
    assert conflicts[0].preferred == "b"


def test_of_two_at_the_same_moment_the_choice_does_not_depend_on_the_order(trace: Recorder) -> None:
    pair = [said("a", "It is 1"), said("b", "It is 2")]
    assert reconcile(pair, trace=trace)[1] == reconcile(pair[::-1], trace=trace)[1]


@pytest.mark.parametrize("days", list(permutations(range(4))), ids=lambda days: "".join(map(str, days)))
def test_the_preferred_side_stands_first_whatever_the_order(days: tuple[int, ...], trace: Recorder) -> None:
    pieces, conflicts = reconcile([said(f"m{day}", f"It is {day}", day=day) for day in days], trace=trace)
    order = [piece.memory.id for piece in pieces]
    assert all(order.index(each.preferred) < order.index(each.other) for each in conflicts)
    assert len(conflicts) == 6


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["Rent", "Deposit", ""]), st.integers(0, 3), st.integers(0, 9)), max_size=7))
def test_nothing_is_lost_and_every_mark_has_its_counterpart(rows: list[tuple[str, int, int]]) -> None:
    given = [said(f"m{n}", f"It is {value}", title=title, day=day) for n, (title, value, day) in enumerate(rows)]
    pieces, conflicts = reconcile(given, trace=recorder())
    assert sorted(piece.memory.id for piece in pieces) == sorted(piece.memory.id for piece in given)
    marks = {(piece.memory.id, other) for piece in pieces for other in piece.contradicted_by}
    stated = {(each.preferred, each.other) for each in conflicts}
    assert marks == stated | {(other, preferred) for preferred, other in stated}
    order = [piece.memory.id for piece in pieces]
    assert all(order.index(each.preferred) < order.index(each.other) for each in conflicts)


def test_no_evidence_has_no_conflicts(trace: Recorder) -> None:
    assert reconcile([], trace=trace) == ((), ())
