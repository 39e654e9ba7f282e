from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.fuse import fuse_ranks

ids = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
lists = st.dictionaries(st.sampled_from(["keyword", "semantic", "graph", "local"]), ids, max_size=4)


@settings(max_examples=150, deadline=None)
@given(lists)
def test_the_explanation_sums_to_the_value(given: dict[str, list[str]]) -> None:
    for _, why in fuse_ranks(given):
        assert why.sums
        assert why.total() == pytest.approx(why.value)


@settings(max_examples=150, deadline=None)
@given(lists, st.integers())
def test_the_order_of_lists_does_not_matter(given: dict[str, list[str]], seed: int) -> None:
    names = list(given)
    Random(seed).shuffle(names)
    assert fuse_ranks({name: given[name] for name in names}) == fuse_ranks(given)


@settings(max_examples=150, deadline=None)
@given(lists)
def test_everything_given_comes_back_once_and_nothing_else(given: dict[str, list[str]]) -> None:
    fused = [id for id, _ in fuse_ranks(given)]
    assert sorted(fused) == sorted({id for each in given.values() for id in each})


@settings(max_examples=150, deadline=None)
@given(lists)
def test_best_first_and_ties_by_id(given: dict[str, list[str]]) -> None:
    order = [(-why.value, id) for id, why in fuse_ranks(given)]
    assert order == sorted(order)


@settings(max_examples=100, deadline=None)
@given(ids)
def test_one_list_keeps_its_order(given: list[str]) -> None:
    assert [id for id, _ in fuse_ranks({"keyword": given})] == given


@settings(max_examples=100, deadline=None)
@given(ids.filter(bool))
def test_a_place_further_up_is_worth_more(given: list[str]) -> None:
    values = [why.value for _, why in fuse_ranks({"keyword": given})]
    assert len(set(values)) == len(values)


def test_agreement_beats_one_first_place() -> None:
    fused = fuse_ranks({"keyword": ["a", "b", "c"], "semantic": ["d", "b", "e"]})
    assert fused[0][0] == "b"


@pytest.mark.parametrize("given", [{}, {"keyword": []}, {"keyword": [], "semantic": []}], ids=["none", "one", "two"])
def test_nothing_gives_nothing(given: dict[str, list[str]]) -> None:
    assert fuse_ranks(given) == []


def test_the_explanation_names_each_list_and_rank() -> None:
    ((_, why),) = fuse_ranks({"semantic": ["a"], "keyword": ["a"]})
    assert [detail.what for detail in why.details] == ["keyword rank 1", "semantic rank 1"]
