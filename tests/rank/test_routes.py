from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.routes import ROUTES, lookups_for, roles_of, scope_of, untried_sources
from recollect.records import Filters
from recollect.values import Lookup, Origin, Part, QuestionType, Role, Scope

# What each type asks of local, graph and vector: P primary, S secondary, - skipped.
CASES = {
    "entity_lookup": "S P -",
    "relationship": "- P -",
    "similarity": "- - P",
    "pattern": "S P P",
    "cross_project": "- P P",
    "local_only": "P - -",
    "multi_hop": "- P S",
    "general": "P P P",
}
LETTERS = {"P": Role.PRIMARY, "S": Role.SECONDARY, "-": Role.SKIPPED}
SOURCES = ("local", "graph", "vector")


@pytest.mark.parametrize(("type", "expected"), CASES.items(), ids=CASES)
def test_the_routing_table(type: str, expected: str) -> None:
    wanted = dict(zip(SOURCES, (LETTERS[each] for each in expected.split()), strict=True))
    assert roles_of(QuestionType(type), SOURCES) == wanted


def test_every_type_has_its_row() -> None:
    assert set(ROUTES) == set(QuestionType) == {QuestionType(name) for name in CASES}


@pytest.mark.parametrize("type", QuestionType)
@pytest.mark.parametrize("source", ["memory", "messages", "somebodys_own"])
def test_memory_messages_and_strangers_are_primary_to_every_type(source: str, type: QuestionType) -> None:
    assert roles_of(type, (*SOURCES, source))[source] is Role.PRIMARY


@given(st.sampled_from(QuestionType), st.lists(st.sampled_from([*SOURCES, "memory", "own"]), unique=True))
def test_no_part_is_left_without_a_source_and_the_order_stays(type: QuestionType, sources: list[str]) -> None:
    roles = roles_of(type, sources)
    assert list(roles) == sources
    assert not sources or any(role is not Role.SKIPPED for role in roles.values())


def test_where_routing_leaves_none_all_are_asked() -> None:
    assert roles_of(QuestionType.SIMILARITY, ["local", "graph"]) == {"local": Role.PRIMARY, "graph": Role.PRIMARY}


# --- the lookups that follow -------------------------------------------------------------------------

THEN = datetime(2025, 3, 1, tzinfo=UTC)
EARLIER = datetime(2020, 1, 1, tzinfo=UTC)
PART = Part(1, "Where did Ana live?", ("Ana",))


def made(limit: int, *, secondary_limit: int = 3) -> list[Lookup]:
    roles = {"one": Role.PRIMARY, "two": Role.SECONDARY, "three": Role.SKIPPED}
    scope = Scope("mine", Filters(), limit, tuple(roles))
    return lookups_for(PART, "Ana", origin=Origin.ENTITY, scope=scope, roles=roles, secondary_limit=secondary_limit)


def test_a_secondary_source_is_asked_for_less() -> None:
    assert [(each.source, each.role, each.limit) for each in made(10)] == [
        ("one", Role.PRIMARY, 10),
        ("two", Role.SECONDARY, 3),
        ("three", Role.SKIPPED, 10),
    ]


def test_nobody_is_asked_for_more_than_the_caller_wants() -> None:
    assert [each.limit for each in made(2)] == [2, 2, 2]
    assert [each.limit for each in made(0)] == [0, 0, 0]
    assert [each.limit for each in made(10, secondary_limit=0)] == [10, 0, 10]


def test_a_lookup_in_other_words_is_judged_by_the_parts_own() -> None:
    assert {(each.about, each.names, each.part, each.space) for each in made(1)} == {(PART.text, ("Ana",), 1, "mine")}


def test_a_part_that_names_a_moment_is_asked_as_of_then() -> None:
    scope = Scope("mine", Filters(kinds=frozenset({"fact"})), 5, ("one",))
    own = scope_of(Part(0, "as of March", as_of=THEN), scope)
    assert own.filters == Filters(kinds=frozenset({"fact"}), as_of=THEN)
    assert (own.space, own.limit, own.sources) == ("mine", 5, ("one",))
    assert scope_of(PART, scope) is scope


def test_the_moment_the_caller_gave_stays() -> None:
    scope = Scope("mine", Filters(as_of=EARLIER), 5)
    assert scope_of(Part(0, "as of March", as_of=THEN), scope) is scope


def test_a_source_counts_as_tried_once_it_was_asked_the_parts_own_words() -> None:
    tried = [
        Lookup(PART.text.upper(), "mine", "one", 5).key,
        Lookup("Ana", "mine", "two", 5).key,
        Lookup(PART.text, "mine", "three", 5, filters=Filters(as_of=THEN)).key,
    ]
    assert untried_sources(PART, sources=["three", "two", "one", "four"], tried=tried) == ["two", "four"]
