from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.spread import RELATION_WEIGHTS, Activation, relation_weight, spread
from recollect.records import LEARNED_RELATION, Link, Ties
from recollect.settings import LearningSettings, SpreadSettings

NOW = datetime(2030, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
PLAIN = {"hop_decay": 1.0, "least": 0.001}


def link(one: str, other: str, relation: str = "same", weight: float = 1.0, **more: Any) -> Link:
    """A link whose relation passes on a half, unless another is given."""
    return Link(one, other, relation, NOW, weight=weight, **more)


class Web:
    """Links as a store would give them, and what was asked for."""

    def __init__(self, *links: Link, counted: Mapping[str, int] | None = None) -> None:
        self._links = links
        self._counted = counted or {}
        self.asked: list[list[str]] = []

    def ties(self, ids: Sequence[str]) -> dict[str, Ties]:
        self.asked.append(list(ids))
        found = {}
        for id in ids:
            here = tuple(each for each in self._links if id in (each.from_id, each.to_id))
            inbound = sum(each.to_id == id for each in here)
            if here:
                found[id] = Ties(here, inbound, self._counted.get(id, len(here)) - inbound)
        return found


def run(
    seeds: Mapping[str, float], *links: Link, learning: LearningSettings | None = None, **changes: Any
) -> dict[str, Activation]:
    return spread_over(Web(*links), seeds, learning=learning, **changes)


def spread_over(
    web: Web, seeds: Mapping[str, float], *, learning: LearningSettings | None = None, **changes: Any
) -> dict[str, Activation]:
    chosen = SpreadSettings(**{**PLAIN, **changes})
    return spread(seeds, web.ties, settings=chosen, learning=learning or LearningSettings(), now=NOW)


def received(found: Mapping[str, Activation]) -> dict[str, float]:
    return {id: pytest.approx(each.received) for id, each in found.items() if each.received}


# --- what a link passes on -----------------------------------------------------------------------


def test_a_link_passes_on_relevance_times_relation_times_weight_times_decay() -> None:
    found = run({"a": 0.5}, link("a", "b", "part_of", 0.4), hop_decay=0.8)
    assert found["b"].received == found["b"].best == pytest.approx(0.5 * 0.85 * 0.4 * 0.8)


def test_links_pass_on_in_both_directions() -> None:
    assert received(run({"a": 1.0}, link("a", "b"), link("c", "a"))) == {"b": 0.5, "c": 0.5}


@pytest.mark.parametrize(
    ("relation", "weight"),
    [("same_as", 0.95), ("part_of", 0.85), ("Part Of", 0.85), ("caused-by", 0.8), ("relates_to", 0.5), ("of old", 0.5)],
)
def test_a_relation_is_known_however_it_is_spelled(relation: str, weight: float) -> None:
    assert relation_weight(relation) == weight
    assert run({"a": 1.0}, link("a", "b", relation))["b"].received == pytest.approx(weight)


def test_every_relation_passes_on_something_and_none_more_than_it_got() -> None:
    assert all(0 < weight <= 1 for weight in RELATION_WEIGHTS.values())
    assert all(name == name.lower() and " " not in name for name in RELATION_WEIGHTS)


def test_a_stronger_link_passes_on_more() -> None:
    found = run({"a": 1.0}, link("a", "weak", weight=0.2), link("a", "strong", weight=0.9))
    assert found["weak"].received < found["strong"].received


def test_each_hop_passes_on_less() -> None:
    found = run({"a": 1.0}, link("a", "b"), link("b", "c"), link("c", "d"), hop_decay=0.5)
    assert received(found) == {"b": 0.25, "c": 0.25**2, "d": 0.25**3}


def test_no_more_hops_than_allowed() -> None:
    row = [link(one, other) for one, other in ("ab", "bc", "cd")]
    assert [sorted(received(run({"a": 1.0}, *row, max_hops=hops))) for hops in range(4)] == [
        [],
        ["b"],
        ["b", "c"],
        ["b", "c", "d"],
    ]


def test_what_is_too_little_is_not_passed_on() -> None:
    found = run({"a": 1.0}, link("a", "b"), link("b", "c"), least=0.3)
    assert received(found) == {"b": 0.5}


def test_links_are_asked_for_once_before_each_hop_and_never_twice() -> None:
    web = Web(link("a", "b"), link("b", "c"), link("c", "a"), link("c", "d"))
    spread_over(web, {"a": 1.0})
    assert web.asked == [["a"], ["b", "c"], ["d"]]


def test_what_cannot_pass_anything_on_is_not_asked_for() -> None:
    web = Web(link("a", "b"), link("b", "c"))
    spread_over(web, {"a": 1.0}, least=0.45, hop_decay=0.9)
    assert web.asked == [["a"]]


# --- what was learned ----------------------------------------------------------------------------


def test_what_was_learned_adds_to_a_link() -> None:
    plain, taught = link("a", "b", weight=0.4), link("a", "b", weight=0.4, learned=0.2, learned_at=NOW)
    assert run({"a": 1.0}, plain)["b"].received == pytest.approx(0.2)
    assert run({"a": 1.0}, taught)["b"].received == pytest.approx(0.3)


def test_switching_learning_off_undoes_it() -> None:
    plain, taught = link("a", "b", weight=0.4), link("a", "b", weight=0.4, learned=0.2, learned_at=NOW)
    off = LearningSettings(enabled=False)
    assert run({"a": 1.0}, taught, learning=off) == run({"a": 1.0}, plain)


def test_a_link_that_was_only_learned_counts_only_while_learning_is_on() -> None:
    taught = link("a", "b", LEARNED_RELATION, 0.0, learned=0.3, learned_at=NOW)
    assert run({"a": 1.0}, taught)["b"].received == pytest.approx(0.3)
    assert received(run({"a": 1.0}, taught, learning=LearningSettings(enabled=False))) == {}


def test_what_was_learned_wears_off() -> None:
    learning = LearningSettings(half_life_days=10)
    old = link("a", "b", LEARNED_RELATION, 0.0, learned=0.2, learned_at=NOW - 20 * DAY)
    assert run({"a": 1.0}, old, learning=learning)["b"].received == pytest.approx(0.05)


def test_a_link_never_weighs_more_than_one() -> None:
    assert run({"a": 1.0}, link("a", "b", weight=0.9, learned=0.3, learned_at=NOW))["b"].received == pytest.approx(0.5)


# --- no echo, no circles -------------------------------------------------------------------------


def test_nothing_comes_back_along_the_link_it_came_by() -> None:
    assert received(run({"a": 1.0}, link("a", "b"))) == {"b": 0.5}


def test_nothing_comes_back_along_a_second_link_either() -> None:
    found = run({"a": 1.0}, link("a", "b"), link("b", "a", "causes"), link("a", "b", "supports"))
    assert "a" not in received(found)


def test_nothing_comes_back_in_a_circle() -> None:
    circle = [link("a", "b"), link("b", "c"), link("c", "a")]
    assert "a" not in received(run({"a": 1.0}, *circle))


def test_a_link_to_itself_passes_nothing_on() -> None:
    assert received(run({"a": 1.0}, link("a", "a"), link("a", "b"))) == {"b": 0.5}


def test_seeds_that_are_linked_speak_for_each_other_once() -> None:
    assert received(run({"a": 0.8, "b": 0.4}, link("a", "b"))) == {"a": 0.2, "b": 0.4}


def test_a_strong_seed_reaches_through_a_weak_one() -> None:
    found = run({"strong": 1.0, "weak": 0.1}, link("strong", "weak"), link("weak", "far"))
    assert found["far"].best == pytest.approx(0.25)


# --- hubs ----------------------------------------------------------------------------------------


def test_a_hub_passes_less_on_to_each() -> None:
    web = Web(link("a", "hub"), link("hub", "b"), counted={"hub": 600})
    found = spread_over(web, {"a": 1.0}, hub_links=6)
    assert found["hub"].received == pytest.approx(0.5), "a hub may be reached as anything else"
    assert found["b"].received == pytest.approx(0.25 * sqrt(6 / 600))


def test_up_to_some_links_nothing_is_taken_off() -> None:
    for degree in (1, 6):
        web = Web(link("a", "b"), counted={"a": degree})
        assert spread_over(web, {"a": 1.0}, hub_links=6)["b"].received == pytest.approx(0.5)


# --- budget --------------------------------------------------------------------------------------


def test_the_budget_goes_to_the_strongest() -> None:
    star = [link("a", f"leaf{n}", weight=n / 10) for n in range(1, 10)]
    assert sorted(received(run({"a": 1.0}, *star, budget=2, hub_links=100))) == ["leaf8", "leaf9"]


def test_among_equals_the_budget_goes_by_id() -> None:
    star = [link("a", id) for id in "zyxwb"]
    assert sorted(received(run({"a": 1.0}, *star, budget=3))) == ["b", "w", "x"]


def test_once_the_budget_is_used_up_no_more_links_are_asked_for() -> None:
    web = Web(link("a", "b"), link("a", "c"), link("b", "d"))
    assert sorted(received(spread_over(web, {"a": 1.0}, budget=2))) == ["b", "c"]
    assert web.asked == [["a"]]


def test_near_its_end_the_budget_is_spent_on_what_the_strongest_lead_to() -> None:
    star = [link("a", f"leaf{n}", weight=1 - n / 10) for n in range(6)]
    web = Web(*star, *(link(f"leaf{n}", f"far{n}") for n in range(6)))
    found = spread_over(web, {"a": 1.0}, budget=10, max_hops=2)
    assert web.asked == [["a"], ["leaf0", "leaf1"]]
    assert {"far0", "far1"} == {id for id in found if id.startswith("far")}


def test_seeds_take_nothing_of_the_budget() -> None:
    assert received(run({"a": 1.0, "b": 0.2}, link("a", "b"), link("a", "c"), budget=0)) == {"a": 0.1, "b": 0.5}


# --- several ways --------------------------------------------------------------------------------


def test_several_ways_combine_as_chances_do() -> None:
    found = run({"a": 1.0, "b": 0.6}, link("a", "c"), link("b", "c"))
    assert found["c"].received == pytest.approx(1 - 0.5 * 0.7)
    assert found["c"].best == pytest.approx(0.5)


def test_where_many_waves_meet_the_strongest_go_on() -> None:
    seeds = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.5}
    found = run(seeds, *(link(id, "middle") for id in seeds), link("middle", "far"))
    assert found["middle"].received == pytest.approx(1 - 0.55 * 0.6 * 0.65 * 0.7 * 0.75)
    assert found["far"].received == pytest.approx(1 - (1 - 0.225) * (1 - 0.2) * (1 - 0.175))
    assert found["far"].best == pytest.approx(0.225)


def test_the_best_is_one_path_even_where_several_meet_before_it() -> None:
    diamond = [link("a", "b"), link("a", "c"), link("b", "d"), link("c", "d"), link("d", "e")]
    found = run({"a": 1.0}, *diamond)
    assert found["d"].best == pytest.approx(0.25) and found["d"].received == pytest.approx(1 - 0.75**2)
    assert found["e"].best == pytest.approx(0.125)


def test_the_strongest_neighbours_are_named_as_the_way() -> None:
    seeds = {"a": 0.5, "b": 0.9, "c": 0.7, "d": 0.6}
    assert run(seeds, *(link(id, "x") for id in seeds))["x"].reached_by == ("b", "c", "d")


def test_activation_passes_through_entities() -> None:
    found = run({"note": 1.0}, link("note", "entity:ana", "mentions"), link("letter", "entity:ana", "mentions"))
    assert found["letter"].received == pytest.approx(0.36)
    assert found["letter"].reached_by == ("entity:ana",)


# --- what links state ----------------------------------------------------------------------------


def test_contradictions_are_known_at_both_ends() -> None:
    found = run({"a": 0.5, "b": 0.0}, link("a", "b", "contradicts"))
    assert (found["a"].contradicts, found["b"].contradicts) == (("b",), ("a",))
    both = run({"a": 0.5, "b": 0.0}, link("a", "b", "coexists_with"))
    assert (both["a"].coexists, both["b"].coexists, both["a"].contradicts) == (("b",), ("a",), ())


@pytest.mark.parametrize("stated", [link("new", "old", "supersedes"), link("old", "new", "superseded_by")])
def test_what_supersedes_what_is_known_by_direction(stated: Link) -> None:
    found = run({"new": 0.5, "old": 0.5}, stated)
    assert (found["new"].supersedes, found["old"].supersedes) == (("old",), ())


def test_a_seed_of_zero_sends_nothing_but_its_links_are_read() -> None:
    found = run({"a": 0.0}, link("a", "b", "contradicts"), link("a", "c"))
    assert received(found) == {}
    assert found["a"].contradicts == ("b",)


def test_links_are_read_for_what_they_state_even_without_hops() -> None:
    found = run({"a": 1.0}, link("a", "b", "contradicts"), max_hops=0)
    assert found["a"] == Activation(contradicts=("b",))


# --- laws ----------------------------------------------------------------------------------------

ids = st.sampled_from("abcdefgh")
relations = st.sampled_from(["same_as", "part_of", "contradicts", "supersedes", "whatever"])
links = st.lists(st.builds(link, ids, ids, relations, st.floats(0, 1)), max_size=25)
seeds = st.dictionaries(ids, st.floats(0, 1), max_size=5)


@settings(max_examples=150)
@given(seeds, links)
def test_activation_stays_within_bounds_whatever_the_links(seeds: dict[str, float], links: list[Link]) -> None:
    for each in run(seeds, *links, least=0.0, hop_decay=1.0, hub_links=100).values():
        assert 0 <= each.best <= each.received + 1e-12 <= 1 + 2e-12


@settings(max_examples=100)
@given(seeds, links, st.randoms(use_true_random=False))
def test_the_order_of_seeds_does_not_matter(seeds: dict[str, float], links: list[Link], random: Random) -> None:
    shuffled = list(seeds)
    random.shuffle(shuffled)
    assert run({id: seeds[id] for id in shuffled}, *links) == run(seeds, *links)


@settings(max_examples=100)
@given(ids, links)
def test_one_seed_alone_never_receives(seed: str, links: list[Link]) -> None:
    assert seed not in received(run({seed: 1.0}, *links, least=0.0))


@settings(max_examples=100)
@given(seeds, links, st.integers(0, 5))
def test_no_more_than_the_budget_is_reached(seeds: dict[str, float], links: list[Link], budget: int) -> None:
    assert len(received(run(seeds, *links, budget=budget)).keys() - seeds.keys()) <= budget


@settings(max_examples=100)
@given(seeds, links)
def test_without_links_nothing_is_reached_and_with_more_no_less(seeds: dict[str, float], links: list[Link]) -> None:
    assert run(seeds) == {}
    unlimited = {"hub_links": 1000, "budget": 1000, "least": 0.0, "max_hops": 1}
    some, all_of_them = run(seeds, *links[: len(links) // 2], **unlimited), run(seeds, *links, **unlimited)
    for id, each in some.items():
        assert all_of_them[id].received >= each.received - 1e-12
