from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import Filters, TimeRange
from recollect.settings import Settings
from recollect.steps.plan import first_plan
from recollect.trace import Recorder
from recollect.values import Lookup, Origin, Part, Plan, Question, QuestionType, Role, Scope

from .build import question, recorder, scope

ALL = ("memory", "local", "graph", "vector")
MARCH = TimeRange(datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC))
MAY = TimeRange(datetime(2025, 5, 1, tzinfo=UTC), None)
THEN = datetime(2025, 4, 1, tzinfo=UTC)


def planned(asked: Question, within: Scope, trace: Recorder | None = None, **changes: Any) -> Plan:
    return first_plan(asked, scope=within, settings=Settings(**changes), trace=trace or recorder())


def asking(*parts: Part) -> Question:
    return Question(" ".join(part.text for part in parts), frozenset(), parts)


def part(number: int = 0, type: QuestionType = QuestionType.GENERAL, **fields: Any) -> Part:
    return Part(number, f"part {number}", type=type, **fields)


def summary(lookups: Iterable[Lookup]) -> list[tuple[str, int, str]]:
    return [(each.text, each.part, each.source) for each in lookups]


def reasons(trace: Recorder) -> list[tuple[str, str]]:
    return [(each.what, each.because) for each in trace.finish().spans[0].decisions]


def test_a_general_part_goes_to_every_source() -> None:
    plan = planned(question("one", "two"), scope("memory", "list"))
    assert summary(plan.lookups) == [
        ("one", 0, "memory"),
        ("one", 0, "list"),
        ("two", 1, "memory"),
        ("two", 1, "list"),
    ]


def test_the_first_plan_is_round_one() -> None:
    assert planned(question("one"), scope("memory")).round == 1


def test_a_whole_question_and_a_part_are_told_apart() -> None:
    whole = planned(question("one"), scope("memory"))
    parts = planned(question("one", "two"), scope("memory"))
    assert {each.origin for each in whole.lookups} == {Origin.QUESTION}
    assert {each.origin for each in parts.lookups} == {Origin.PART}


def test_scope_goes_to_every_lookup() -> None:
    within = Scope("mine", Filters(kinds=frozenset({"fact"})), 3, ("memory", "list"))
    plan = planned(question("one", "two"), within)
    assert {(each.space, each.filters, each.limit) for each in plan.lookups} == {("mine", within.filters, 3)}


def test_without_sources_there_is_nothing_to_look_up() -> None:
    assert planned(question("one"), scope()).lookups == ()


# --- routing ---------------------------------------------------------------------------------------


def test_each_part_is_routed_by_its_own_type() -> None:
    asked = asking(part(0, QuestionType.RELATIONSHIP), part(1, QuestionType.SIMILARITY))
    assert [(each.part, each.source) for each in planned(asked, scope(*ALL)).lookups] == [
        (0, "memory"),
        (0, "graph"),
        (1, "memory"),
        (1, "vector"),
    ]


def test_a_secondary_source_is_asked_for_less() -> None:
    asked = asking(part(type=QuestionType.ENTITY_LOOKUP))
    lookups = planned(asked, scope(*ALL, limit=25), secondary_limit=7).lookups
    assert [(each.source, each.role, each.limit) for each in lookups] == [
        ("memory", Role.PRIMARY, 25),
        ("local", Role.SECONDARY, 7),
        ("graph", Role.PRIMARY, 25),
    ]


def test_zero_is_a_legal_limit_and_stays_zero() -> None:
    asked = asking(part(type=QuestionType.ENTITY_LOOKUP))
    assert {each.limit for each in planned(asked, scope(*ALL, limit=0)).lookups} == {0}


def test_where_routing_leaves_no_source_all_are_asked(trace: Recorder) -> None:
    with trace.step("plan"):
        plan = planned(asking(part(type=QuestionType.SIMILARITY)), scope("local", "graph"), trace)
    assert [each.source for each in plan.lookups] == ["local", "graph"]
    assert reasons(trace).count(("ask source", "nothing_else_to_ask")) == 2


def test_what_is_skipped_is_named_in_the_trace(trace: Recorder) -> None:
    with trace.step("plan"):
        planned(asking(part(type=QuestionType.SIMILARITY)), scope(*ALL), trace)
    skipped = [each for each in trace.finish().spans[0].decisions if each.what == "skip source"]
    assert [(each.because, each.numbers["source"]) for each in skipped] == [("routing", "local"), ("routing", "graph")]


@given(
    st.lists(st.sampled_from(QuestionType), min_size=1, max_size=4),
    st.lists(st.sampled_from([*ALL, "own"]), unique=True),
    st.integers(0, 40),
)
def test_laws_of_the_first_plan(types: list[QuestionType], sources: list[str], limit: int) -> None:
    parts = [part(number, type, time=MARCH) for number, type in enumerate(types)]
    lookups = planned(asking(*parts), scope(*sources, limit=limit)).lookups
    assert len({each.key for each in lookups}) == len(lookups), "no lookup twice"
    assert all(0 <= each.limit <= limit and each.source in sources for each in lookups)
    if sources:
        assert {each.part for each in lookups} == set(range(len(types))), "every part is looked up"


# --- time --------------------------------------------------------------------------------------------


def test_a_time_in_the_question_is_also_looked_up_within_that_time(trace: Recorder) -> None:
    asked = asking(part(type=QuestionType.ENTITY_LOOKUP, time=MARCH))
    with trace.step("plan"):
        lookups = planned(asked, scope(*ALL), trace).lookups
    assert [(each.source, each.origin, each.filters.time) for each in lookups] == [
        ("memory", Origin.QUESTION, None),
        ("local", Origin.QUESTION, None),
        ("graph", Origin.QUESTION, None),
        ("memory", Origin.TIME, MARCH),
        ("graph", Origin.TIME, MARCH),
    ]
    assert ("look up within time", "time_in_question") in reasons(trace)


def test_the_callers_own_time_filter_is_left_alone() -> None:
    lookups = planned(asking(part(time=MARCH)), scope("memory", time=MAY)).lookups
    assert [(each.origin, each.filters.time) for each in lookups] == [(Origin.QUESTION, MAY)]


def test_the_other_filters_stay_within_the_time() -> None:
    lookups = planned(asking(part(time=MARCH)), scope("memory", kinds=frozenset({"fact"}))).lookups
    assert [each.filters.kinds for each in lookups] == [{"fact"}, {"fact"}]


def test_a_moment_in_one_part_holds_for_all_its_lookups_and_no_others(trace: Recorder) -> None:
    with trace.step("plan"):
        lookups = planned(asking(part(0, as_of=THEN, time=MARCH), part(1)), scope("memory"), trace).lookups
    assert [(each.part, each.filters.as_of) for each in lookups] == [(0, THEN), (1, None)]
    assert ("look up as of", "moment_in_question") in reasons(trace)


def test_the_callers_own_moment_is_left_alone() -> None:
    earlier = datetime(2020, 1, 1, tzinfo=UTC)
    lookups = planned(asking(part(as_of=THEN)), scope("memory", as_of=earlier)).lookups
    assert {each.filters.as_of for each in lookups} == {earlier}


# --- references that were filled ---------------------------------------------------------------------


def test_a_question_with_filled_references_is_also_searched_as_asked(trace: Recorder) -> None:
    filled = replace(question("Where does Ana live?"), text="Where does she live?", rewritten="Where does Ana live?")
    with trace.step("plan"):
        plan = planned(filled, scope("memory"), trace)
    assert [(each.text, each.about) for each in plan.lookups] == [
        ("Where does Ana live?", ""),
        ("Where does she live?", "Where does Ana live?"),
    ]
    assert ("look up as asked", "references_filled") in reasons(trace)


@pytest.mark.parametrize("text", ["Where does Ana live?", "where does ana live?"])
def test_as_asked_is_not_searched_when_it_says_the_same(text: str) -> None:
    filled = replace(question("Where does Ana live?"), text=text, rewritten="Where does Ana live?")
    assert len(planned(filled, scope("memory")).lookups) == 1


def test_as_asked_goes_where_its_part_goes() -> None:
    filled = replace(asking(part(type=QuestionType.SIMILARITY)), text="more like it", rewritten="part 0")
    assert [(each.text, each.source) for each in planned(filled, scope(*ALL)).lookups] == [
        ("part 0", "memory"),
        ("part 0", "vector"),
        ("more like it", "memory"),
        ("more like it", "vector"),
    ]


def test_texts_are_counted(trace: Recorder) -> None:
    planned(asking(part(0, time=MARCH), part(1)), scope("memory", "own"), trace)
    assert trace.finish().counters["queries_generated"] == 3


@pytest.mark.parametrize("sources", [("memory",), ("own", "memory")])
def test_a_plain_question_is_one_plain_lookup_per_source(sources: tuple[str, ...]) -> None:
    plan = planned(question("rent"), scope(*sources))
    assert summary(plan.lookups) == [("rent", 0, source) for source in sources]
