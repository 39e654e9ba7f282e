from __future__ import annotations

from dataclasses import replace

from recollect.records import Filters
from recollect.steps.plan import first_plan
from recollect.trace import Recorder
from recollect.values import Origin, Scope

from .build import SCOPE, question


def test_every_part_goes_to_every_source(trace: Recorder) -> None:
    plan = first_plan(question("one", "two"), scope=SCOPE, sources=["memory", "list"], trace=trace)
    assert [(each.text, each.part, each.source) for each in plan.lookups] == [
        ("one", 0, "memory"),
        ("one", 0, "list"),
        ("two", 1, "memory"),
        ("two", 1, "list"),
    ]


def test_the_first_plan_is_round_one(trace: Recorder) -> None:
    assert first_plan(question("one"), scope=SCOPE, sources=["memory"], trace=trace).round == 1


def test_a_whole_question_and_a_part_are_told_apart(trace: Recorder) -> None:
    whole = first_plan(question("one"), scope=SCOPE, sources=["memory"], trace=trace)
    parts = first_plan(question("one", "two"), scope=SCOPE, sources=["memory"], trace=trace)
    assert {each.origin for each in whole.lookups} == {Origin.QUESTION}
    assert {each.origin for each in parts.lookups} == {Origin.PART}


def test_scope_goes_to_every_lookup(trace: Recorder) -> None:
    scope = Scope("mine", Filters(kinds=frozenset({"fact"})), 3)
    plan = first_plan(question("one", "two"), scope=scope, sources=["memory", "list"], trace=trace)
    assert {(each.space, each.filters, each.limit) for each in plan.lookups} == {("mine", scope.filters, 3)}


def test_without_sources_there_is_nothing_to_look_up(trace: Recorder) -> None:
    assert first_plan(question("one"), scope=SCOPE, sources=[], trace=trace).lookups == ()


def test_sources_may_be_read_once_only(trace: Recorder) -> None:
    plan = first_plan(question("one", "two"), scope=SCOPE, sources=iter(["memory"]), trace=trace)
    assert len(plan.lookups) == 2


def test_a_question_with_filled_references_is_also_searched_as_asked(trace: Recorder) -> None:
    filled = replace(question("Where does Ana live?"), text="Where does she live?", rewritten="Where does Ana live?")
    plan = first_plan(filled, scope=SCOPE, sources=["memory"], trace=trace)
    assert [(each.text, each.about) for each in plan.lookups] == [
        ("Where does Ana live?", ""),
        ("Where does she live?", "Where does Ana live?"),
    ]
