"""Which lookups wait for a scope, what it narrows, and what lies outside it."""

from __future__ import annotations

import pytest

from recollect.rank.scopes import NO_SCOPE, cut_to_scope, narrowed, scoped
from recollect.records import Filters
from recollect.settings import Settings
from recollect.values import Found, Lookup, Narrowing, Skipped, TimedOut

from ..steps.build import hit, lookup

GRAPH, VECTOR = lookup(source="graph"), lookup(source="vector")
BILLING = Narrowing(frozenset({"billing"}), entities=("billing::sql:customers",))


def waiting(lookups: list[Lookup]) -> list[tuple[str, str, bool]]:
    return [(each.source, each.scoped_by, each.repeats) for each in lookups]


def test_in_parallel_pieces_are_asked_at_once_and_again_within_the_scope() -> None:
    assert waiting(scoped([GRAPH, VECTOR], Settings())) == [
        ("graph", "", False),
        ("vector", "", False),
        ("vector", "graph", True),
    ]


def test_in_sequence_pieces_are_asked_only_when_the_scope_is_known() -> None:
    made = scoped([VECTOR, GRAPH], Settings(scope_mode="sequential"))
    assert waiting(made) == [("vector", "graph", False), ("graph", "", False)]


@pytest.mark.parametrize("changes", [{"scope_mode": "independent"}, {"graph_scopes_vector": False}])
def test_scoping_can_be_left_out(changes: dict[str, object]) -> None:
    assert scoped([GRAPH, VECTOR], Settings(**changes)) == [GRAPH, VECTOR]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "lookups",
    [
        [VECTOR],
        [GRAPH, lookup(source="memory")],
        [GRAPH, lookup(source="vector", part=1)],
        [GRAPH, lookup("other words", source="vector")],
        [GRAPH, lookup(source="vector", filters=Filters(projects=frozenset({"crm"})))],
        [GRAPH, lookup(source="vector", filters=Filters(paths=frozenset({"docs/*"})))],
    ],
    ids=["no graph", "no pieces", "another part", "other words", "the caller's projects", "the caller's files"],
)
def test_without_a_graph_for_the_same_words_or_with_a_scope_of_the_callers_nothing_waits(lookups: list[Lookup]) -> None:
    assert scoped(lookups, Settings()) == lookups


def test_the_two_that_ask_the_same_words_are_two_lookups() -> None:
    _, plain, again = scoped([GRAPH, VECTOR], Settings())
    assert plain.key != again.key


def test_a_scope_narrows_but_never_replaces_what_the_caller_gave() -> None:
    own = Filters(kinds=frozenset({"chunk"}), projects=frozenset({"crm"}))
    assert narrowed(own, BILLING).projects == {"crm"}
    assert narrowed(Filters(kinds=frozenset({"chunk"})), BILLING) == Filters(
        kinds=frozenset({"chunk"}), projects=frozenset({"billing"})
    )


def outcomes(inner: float) -> list[Found]:
    _, plain, again = scoped([GRAPH, VECTOR], Settings())
    outside, within = hit("a", 0.9, project="crm"), hit("b", inner, project="billing")
    return [Found(plain, (outside, within), 0.0), Found(again, (within,), 0.0, within=BILLING)]


def test_what_lies_outside_a_scope_that_brought_something_good_is_dropped() -> None:
    cut, decisions = cut_to_scope(outcomes(0.5), gate=0.2)
    assert [[each.memory.id for each in outcome.hits] for outcome in cut if isinstance(outcome, Found)] == [
        ["b"],
        ["b"],
    ]
    assert [(each.what, each.because) for each in decisions] == [
        ("look within scope", "graph_scope"),
        ("drop outside scope", "rescoped"),
    ]
    assert decisions[0].numbers["projects"] == "billing"
    assert dict(decisions[1].numbers) == {"part": 0, "before": 2, "after": 1}


def test_a_scope_that_brought_nothing_good_takes_nothing_away() -> None:
    given = outcomes(0.1)
    cut, decisions = cut_to_scope(given, gate=0.2)
    assert cut == given
    assert [each.what for each in decisions] == ["look within scope"]


def test_an_empty_scope_is_said() -> None:
    _, plain, again = scoped([GRAPH, VECTOR], Settings())
    given = [Found(plain, (hit("a"),), 0.0), Skipped(again, NO_SCOPE)]
    cut, decisions = cut_to_scope(given, gate=0.2)
    assert cut == given
    assert [(each.what, each.because) for each in decisions] == [("look unscoped", "empty_scope")]


def test_a_lookup_that_timed_out_says_nothing_about_scopes() -> None:
    _, _, again = scoped([GRAPH, VECTOR], Settings())
    assert cut_to_scope([TimedOut(again, 1.0)], gate=0.2) == ([TimedOut(again, 1.0)], [])
