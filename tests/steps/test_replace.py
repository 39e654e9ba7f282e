from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.recipes import BALANCED, FAST
from recollect.records import Filters
from recollect.settings import Settings
from recollect.steps.replace import WORDS_OF_A_BODY, better_plan, drop_weak
from recollect.testing.clock import START
from recollect.trace import Recorder
from recollect.values import Evidence, Judgement, Origin, Part, PartState, Plan, Progress, RoundGain, Scope, Tried

from .build import evidence, judged, recorder

FLOOR = Settings().replacement_floor
WEAK = FLOOR - 0.01
SCOPE = Scope("default", Filters(), 10, ("memory", "local"))


def planned(*pieces: Evidence, judgement: Judgement | None = None, scope: Scope = SCOPE, **fields: Any) -> Plan | None:
    recipe, trace = fields.pop("recipe", BALANCED), fields.pop("trace", None) or recorder()
    return better_plan(
        pieces,
        judgement=judgement or judged(0.9, 0.9),
        scope=scope,
        recipe=recipe,
        settings=Settings(**fields),
        trace=trace,
    )


def texts(plan: Plan | None) -> list[str]:
    return [each.text for each in plan.lookups if each.source == "memory"] if plan else []


def test_a_weak_piece_s_title_goes_to_every_source() -> None:
    plan = planned(evidence("a", 0.9), evidence("b", WEAK, title="Office rent", parts=(1,)))
    assert plan is not None
    assert plan.round == 2
    assert [(each.source, each.text, each.about, each.part) for each in plan.lookups] == [
        ("memory", "Office rent", "part 1", 1),
        ("local", "Office rent", "part 1", 1),
    ]
    assert {(each.origin, each.via) for each in plan.lookups} == {(Origin.REPLACEMENT, "b")}


def test_without_a_title_its_first_words_are_searched_for() -> None:
    body = " ".join(f"word{n}" for n in range(40))
    (text,) = texts(planned(evidence("a", WEAK, body=body)))
    assert text.split() == body.split()[:WORDS_OF_A_BODY]


NOTHING_TO_DO: dict[str, tuple[list[Evidence], dict[str, Any]]] = {
    "no evidence": ([], {}),
    "nothing weak": ([evidence("a", FLOOR), evidence("b", 0.9)], {}),
    "one round only": ([evidence("a", WEAK)], {"recipe": FAST}),
    "no searches allowed": ([evidence("a", WEAK)], {"max_replacements": 0}),
    "no source": ([evidence("a", WEAK)], {"scope": Scope("default", Filters(), 10)}),
    "no words": ([evidence("a", WEAK, body=" ")], {}),
}


@pytest.mark.parametrize(("pieces", "fields"), NOTHING_TO_DO.values(), ids=NOTHING_TO_DO)
def test_nothing_to_do(pieces: list[Evidence], fields: dict[str, Any]) -> None:
    assert planned(*pieces, **fields) is None


def test_the_only_piece_is_tried_too() -> None:
    assert texts(planned(evidence("a", WEAK, title="Rent"))) == ["Rent"]


def test_so_many_searches_and_no_more_the_better_pieces_first() -> None:
    weak = [evidence(f"m{n}", WEAK, title=f"Title {n}") for n in range(5)]
    assert texts(planned(*weak)) == ["Title 0", "Title 1"]
    assert texts(planned(*weak, max_replacements=4)) == [f"Title {n}" for n in range(4)]


def tried(*keys: tuple[str, str]) -> Judgement:
    progress = Progress((RoundGain(1, 1, 0, 1.0, 0),), tried=frozenset(Tried(*key, Filters()) for key in keys))
    return replace(judged(0.9), progress=progress)


def test_what_was_tried_is_not_tried_again() -> None:
    pieces = [evidence("a", WEAK, title="RENT"), evidence("b", WEAK, title="Deposit")]
    plan = planned(*pieces, judgement=tried(("memory", "rent")))
    assert plan is not None
    assert [(each.source, each.text) for each in plan.lookups] == [
        ("local", "RENT"),
        ("memory", "Deposit"),
        ("local", "Deposit"),
    ]
    assert texts(planned(*pieces, judgement=tried(("memory", "rent"), ("local", "rent")), max_replacements=1)) == [
        "Deposit"
    ]


def test_two_pieces_of_one_title_are_one_search() -> None:
    pieces = [evidence(id, WEAK, title="Rent") for id in "ab"]
    plan = planned(*pieces)
    assert plan is not None
    assert len(plan.lookups) == len(SCOPE.sources)


def test_what_a_part_asks_of_one_moment_is_looked_for_at_that_moment() -> None:
    asked = replace(judged(0.9), states=(PartState(Part(0, "Who was it?", as_of=START), 0.9, True),))
    plan = planned(evidence("a", WEAK, title="Who"), judgement=asked)
    assert plan is not None
    assert {each.filters.as_of for each in plan.lookups} == {START}


def test_the_trace_says_what_is_looked_for_and_counts_it(trace: Recorder) -> None:
    with trace.step("replace"):
        planned(evidence("a", WEAK, title="Rent"), evidence("b", WEAK, title="Deposit"), trace=trace)
    span, counters = trace.finish().spans[0], trace.finish().counters
    assert [(each.what, each.because, each.numbers["id"]) for each in span.decisions] == [
        ("look for better", "replacement_floor", "a"),
        ("look for better", "replacement_floor", "b"),
    ]
    assert counters["replacements"] == 2


def test_leaving_weak_pieces_is_never_silent(trace: Recorder) -> None:
    with trace.step("replace"):
        planned(evidence("a", WEAK), recipe=FAST, trace=trace)
        planned(evidence("a", WEAK, title="Rent"), judgement=tried(("memory", "rent"), ("local", "rent")), trace=trace)
    reasons = [(each.what, each.because) for each in trace.finish().spans[0].decisions]
    assert reasons == [("keep weak", "recipe"), ("keep weak", "already_tried")]


# --- afterwards ----------------------------------------------------------------------------------


def test_what_is_still_weak_is_dropped_and_the_trace_names_it(trace: Recorder) -> None:
    pieces = [evidence("a", 0.9), evidence("b", WEAK), evidence("c", FLOOR)]
    with trace.step("replace"):
        kept = drop_weak(pieces, recipe=BALANCED, settings=Settings(), trace=trace)
    assert [piece.memory.id for piece in kept] == ["a", "c"]
    (dropped,) = trace.finish().spans[0].decisions
    assert (dropped.what, dropped.because, dropped.numbers["id"]) == ("drop", "replacement_floor", "b")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=8))
def test_the_best_always_stays_and_so_does_all_that_is_not_weak(relevances: list[float]) -> None:
    pieces = [evidence(f"m{n}", each) for n, each in enumerate(relevances)]
    kept = drop_weak(pieces, recipe=BALANCED, settings=Settings(), trace=recorder())
    assert list(kept) == [each for n, each in enumerate(pieces) if n == 0 or each.relevance >= FLOOR]
