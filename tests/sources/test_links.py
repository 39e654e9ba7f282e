"""What the memory source finds over links: through both stores, so that neither is taken at its word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from recollect.ports import Store
from recollect.records import (
    Entity,
    Filters,
    Lifecycle,
    Link,
    PutEntity,
    PutLink,
    PutMemory,
    Strengthen,
    Unlearn,
)
from recollect.settings import LearningSettings, Settings, SpreadSettings
from recollect.sources.memory import MemorySource
from recollect.store.inmemory import InMemoryStore
from recollect.testing.clock import FakeClock
from recollect.testing.corpus import make_memory
from recollect.values import Hit, Lookup

from .test_contract import embedded, fill

QUESTION = "why did the harbour crane stop"
CRANE = make_memory(1, id="crane", title="", body="The harbour crane did stop on Monday", kind="fact")
FUSE = make_memory(2, id="fuse", title="", body="Somebody took a bit of copper wire out of its cabinet", kind="fact")
NOISE = [make_memory(n, id=f"noise{n}", title="", body=f"Unrelated text {n}", kind="fact") for n in range(10, 14)]


@pytest.fixture(params=["sqlite", "in memory"])
def linked(request: pytest.FixtureRequest, make_store: Callable[[], Store], clock: FakeClock) -> Store:
    """A match, something linked that shares no word with the question, and others."""
    store = make_store() if request.param == "sqlite" else InMemoryStore(clock.now)
    fill(store, [CRANE, FUSE, *NOISE])
    link(store, "fuse", "crane", "causes")
    return store


def link(store: Store, one: str, other: str, relation: str, *, weight: float = 0.9, space: str = "default") -> None:
    store.apply(space, [PutLink(Link(one, other, relation, CRANE.created_at, weight=weight))])


def ask(store: Store, clock: FakeClock, settings: Settings | None = None, **fields: Any) -> dict[str, Hit]:
    """The hits by id, found by words alone unless told otherwise: a small store's nearest are all it holds."""
    lookup = Lookup(QUESTION, **{"space": "default", "source": "memory", "limit": 10, **fields})
    hits = asyncio.run(MemorySource(store, settings=settings, now=clock.now).search(lookup)).hits
    return {hit.memory.id: hit for hit in hits}


def test_an_unmatched_neighbour_appears_and_says_how_it_was_reached(linked: Store, clock: FakeClock) -> None:
    hits = ask(linked, clock)
    assert list(hits) == ["crane", "fuse"]
    assert (hits["crane"].reached_by, hits["fuse"].reached_by) == ((), ("crane",))
    odds = next(each for each in hits["fuse"].explanation.details if "log-odds" in each.what)
    assert odds.details[-1].what == "through links" and odds.details[-1].value > 0
    assert hits["fuse"].vector is not None


def test_without_hops_or_without_room_it_does_not(linked: Store, clock: FakeClock) -> None:
    for spread in (SpreadSettings(max_hops=0), SpreadSettings(unmatched=0), SpreadSettings(budget=0)):
        assert list(ask(linked, clock, Settings(spread=spread))) == ["crane"]


def test_it_is_judged_by_the_question_too(linked: Store, clock: FakeClock) -> None:
    near, far = embedded(f"{FUSE.title}\n{FUSE.body}"), embedded("entirely different words here")
    by_vector = [ask(linked, clock, vector=each, limit=3)["fuse"] for each in (near, far)]
    assert by_vector[0].relevance > by_vector[1].relevance


@pytest.mark.parametrize(
    "change",
    [{"lifecycle": Lifecycle.ARCHIVED}, {"valid_to": CRANE.created_at}, {"kind": "message"}],
    ids=["archived", "superseded", "a message"],
)
def test_a_neighbour_that_may_not_be_seen_does_not_appear(
    linked: Store, clock: FakeClock, change: dict[str, Any]
) -> None:
    linked.apply("default", [PutMemory(replace(FUSE, **change), embedded(FUSE.body))])
    assert list(ask(linked, clock)) == ["crane"]


@pytest.mark.parametrize(
    "filters",
    [
        Filters(ids=frozenset({"crane"})),
        Filters(projects=frozenset({str(CRANE.project)})),
        Filters(trusts=frozenset({CRANE.trust})),
        Filters(as_of=CRANE.created_at),
    ],
    ids=["ids", "project", "trust", "not known then"],
)
def test_a_neighbour_that_the_filters_exclude_does_not_appear(
    linked: Store, clock: FakeClock, filters: Filters
) -> None:
    assert filters.passes(CRANE, now=clock.now()) and not filters.passes(FUSE, now=clock.now())
    assert list(ask(linked, clock, filters=filters)) == ["crane"]
    assert list(ask(linked, clock, filters=filters, about=QUESTION)) == ["crane"]


def test_filters_apply_to_neighbours_where_the_question_is_asked_in_other_words(
    linked: Store, clock: FakeClock
) -> None:
    assert list(ask(linked, clock, about="the crane did stop")) == ["crane", "fuse"]


def test_activation_passes_through_what_may_not_be_seen_and_through_entities(linked: Store, clock: FakeClock) -> None:
    linked.apply("default", [PutEntity(Entity("entity:crane", "Crane", "thing", CRANE.created_at))])
    link(linked, "crane", "entity:crane", "mentions", weight=1.0)
    link(linked, "noise10", "entity:crane", "mentions", weight=1.0)
    hits = ask(linked, clock)
    assert set(hits) == {"crane", "fuse", "noise10"}, "the entity itself is no hit"
    assert hits["noise10"].reached_by == ("entity:crane",)


def test_no_more_neighbours_than_allowed_and_the_best_of_them(linked: Store, clock: FakeClock) -> None:
    for each in NOISE:
        link(linked, "crane", each.id, "relates_to", weight=0.3)
    hits = ask(linked, clock, Settings(spread=SpreadSettings(unmatched=1)))
    assert list(hits) == ["crane", "fuse"]


def test_a_neighbour_that_is_hidden_leaves_its_place_to_the_next(linked: Store, clock: FakeClock) -> None:
    link(linked, "crane", "noise10", "relates_to", weight=0.6)
    linked.apply("default", [PutMemory(replace(FUSE, lifecycle=Lifecycle.ARCHIVED))])
    assert list(ask(linked, clock, Settings(spread=SpreadSettings(unmatched=1)))) == ["crane", "noise10"]


def test_many_entities_leave_their_places_to_memories(linked: Store, clock: FakeClock) -> None:
    names = [f"entity:{n}" for n in range(30)]
    linked.apply("default", [PutEntity(Entity(name, name, "thing", CRANE.created_at)) for name in names])
    for name in names:
        link(linked, "crane", name, "same_as", weight=1.0)
    link(linked, "noise10", names[0], "same_as", weight=1.0)
    assert "noise10" in ask(linked, clock)


def test_the_limit_holds_with_neighbours_and_keeps_the_most_relevant(linked: Store, clock: FakeClock) -> None:
    for each in NOISE:
        link(linked, "crane", each.id, "relates_to", weight=0.5)
    assert [len(ask(linked, clock, limit=limit)) for limit in (0, 1, 2, 3)] == [0, 1, 2, 3]
    assert list(ask(linked, clock, limit=2)) == ["crane", "fuse"]


def test_a_match_below_the_gate_brings_nobody_in(linked: Store, clock: FakeClock) -> None:
    relevance = ask(linked, clock)["crane"].relevance
    strict = Settings(quality_threshold=relevance + 0.01, strong_threshold=0.99)
    assert list(ask(linked, clock, strict)) == ["crane"]


def test_links_between_matches_raise_their_relevance_and_graph_signal(linked: Store, clock: FakeClock) -> None:
    fill(linked, [make_memory(3, id="also", title="", body="A crane did stop near the harbour", kind="fact")])
    before = ask(linked, clock)["also"]
    link(linked, "also", "crane", "part_of")
    after = ask(linked, clock)["also"]
    assert after.relevance > before.relevance
    assert (before.signals[2].value, before.reached_by, after.reached_by) == (0.0, (), ())
    assert after.signals[2].value > 0


def test_authority_counts_links_to_a_memory_even_where_the_last_hop_reached_it(linked: Store, clock: FakeClock) -> None:
    for each in NOISE[:3]:
        link(linked, each.id, "fuse", "supports")
    for hops in (1, 3):
        hits = ask(linked, clock, Settings(spread=SpreadSettings(max_hops=hops)))
        assert (hits["crane"].signals[4].raw, hits["fuse"].signals[4].raw) == (1, 3)


def test_stated_contradictions_and_successions_are_passed_along(linked: Store, clock: FakeClock) -> None:
    link(linked, "crane", "fuse", "contradicts")
    link(linked, "crane", "noise10", "supersedes")
    hits = ask(linked, clock)
    assert (hits["crane"].contradicts, hits["fuse"].contradicts) == (("fuse",), ("crane",))
    assert (hits["crane"].supersedes, hits["fuse"].supersedes) == (("noise10",), ())


# --- learning ------------------------------------------------------------------------------------


def taught(store: Store, clock: FakeClock, one: str, other: str) -> None:
    store.apply("default", [Strengthen(one, other, 0.3, clock.now(), most=0.3, half_life_days=30)])


def test_what_was_recalled_together_is_found_together(linked: Store, clock: FakeClock) -> None:
    taught(linked, clock, "crane", "noise11")
    assert set(ask(linked, clock)) == {"crane", "fuse", "noise11"}


def test_a_learned_link_reaches_further_than_the_same_one_untaught(linked: Store, clock: FakeClock) -> None:
    link(linked, "fuse", "crane", "causes", weight=0.3)
    before = ask(linked, clock)["fuse"].relevance
    taught(linked, clock, "fuse", "crane")
    assert ask(linked, clock)["fuse"].relevance > before


def test_switching_learning_off_or_unlearning_gives_what_was_before(linked: Store, clock: FakeClock) -> None:
    before = ask(linked, clock)
    taught(linked, clock, "crane", "noise11")
    taught(linked, clock, "fuse", "crane")
    assert ask(linked, clock) != before
    unused = ask(linked, clock, Settings(learning=LearningSettings(enabled=False)))
    assert {id: hit.relevance for id, hit in unused.items()} == {id: hit.relevance for id, hit in before.items()}
    linked.apply("default", [Unlearn()])
    assert ask(linked, clock) == before


def test_what_was_learned_wears_off(linked: Store, clock: FakeClock) -> None:
    taught(linked, clock, "crane", "noise11")
    fresh = ask(linked, clock)["noise11"].relevance
    clock.jump(timedelta(days=30).total_seconds())
    assert ask(linked, clock)["noise11"].relevance < fresh
    clock.jump(timedelta(days=300).total_seconds())
    assert "noise11" not in ask(linked, clock)


# --- isolation and steadiness --------------------------------------------------------------------


def test_links_of_another_space_never_matter(linked: Store, clock: FakeClock) -> None:
    before = ask(linked, clock)
    fill(linked, [replace(each, space="other") for each in (CRANE, FUSE, *NOISE)])
    for each in NOISE:
        link(linked, "crane", each.id, "same_as", weight=1.0, space="other")
    assert ask(linked, clock) == before
    assert {hit.memory.space for hit in ask(linked, clock, space="other").values()} == {"other"}


def test_links_given_in_another_order_give_the_same_reply(make_store: Callable[..., Store], clock: FakeClock) -> None:
    links = [("crane", each.id, relation) for each in (FUSE, *NOISE) for relation in ("causes", "relates_to")]
    replies = []
    for name, order in (("one", links), ("two", links[::-1])):
        store = make_store(name)
        fill(store, [CRANE, FUSE, *NOISE])
        for each in order:
            link(store, *each, weight=0.6)
        replies.append(ask(store, clock))
    assert replies[0] == replies[1]
    assert list(replies[0]) == list(replies[1])


# --- names that are titles -----------------------------------------------------------------------


def named_store(store: Store, *others: Any) -> None:
    fill(store, [replace(CRANE, body="The harbour crane did stop, says Marguerite Oduya."), *others, *NOISE])


def test_a_memory_whose_title_a_match_names_comes_along(make_store: Callable[[], Store], clock: FakeClock) -> None:
    store = make_store()
    named_store(store, replace(FUSE, title="Marguerite Oduya"))
    hits = ask(store, clock)
    assert hits["fuse"].reached_by == ("crane",)
    assert hits["fuse"].relevance < hits["crane"].relevance


def test_a_title_that_many_have_names_none_of_them(make_store: Callable[[], Store], clock: FakeClock) -> None:
    store = make_store()
    named_store(store, *(replace(FUSE, id=f"fuse{n}", title="Marguerite Oduya", body=f"Copper {n}") for n in range(40)))
    assert set(ask(store, clock)) == {"crane"}


def test_reading_for_names_can_be_switched_off(make_store: Callable[[], Store], clock: FakeClock) -> None:
    store = make_store()
    named_store(store, replace(FUSE, title="Marguerite Oduya"))
    assert set(ask(store, clock, Settings(spread=SpreadSettings(read_for_names=0)))) == {"crane"}
