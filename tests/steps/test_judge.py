from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recipes import BALANCED, DEEP, FAST, Recipe
from recollect.settings import Settings
from recollect.steps.judge import Limits, judge
from recollect.trace import Recorder
from recollect.values import Enough, Failed, Findings, Judgement, Part, Question, Skipped, Stop, TimedOut, Weak

from .build import findings, found, hit, lookup, question, recorder

GO_ON = Limits(DEEP, deadline_passed=False)
TOO_LATE = Limits(DEEP, deadline_passed=True)
AT_ONCE = Limits(FAST, deadline_passed=False)
NORMAL = Limits(BALANCED, deadline_passed=False)


def judged(*rounds: Findings, limits: Limits = GO_ON, texts: tuple[str, ...] = ("one",), **changes: Any) -> Judgement:
    return judge(question(*texts), rounds, limits=limits, settings=Settings(**changes), trace=recorder())


def news(number: int, relevance: float) -> Findings:
    """A round that finds one memory no other round finds."""
    return findings(found(hit(f"m{number}", relevance)), round=number)


NOTHING = findings(found())
STRONG = findings(found(hit("a", 0.9)))
FAIR = findings(found(hit("a", 0.3)))
WEAK = findings(found(hit("a", 0.1)))
FAILED = findings(Failed(lookup(), "boom", 0.0))

STOPS = {
    "enough: strong at once": ((STRONG,), GO_ON, Stop.ENOUGH),
    "enough: strong although the deadline passed": ((STRONG,), TOO_LATE, Stop.ENOUGH),
    "enough: strong in the only round": ((STRONG,), AT_ONCE, Stop.ENOUGH),
    "enough: exactly strong": ((findings(found(hit("a", 0.5))),), GO_ON, Stop.ENOUGH),
    "enough: passed in the only round": ((FAIR,), AT_ONCE, Stop.ENOUGH),
    "enough: exactly at the gate": ((findings(found(hit("a", 0.2))),), AT_ONCE, Stop.ENOUGH),
    "enough: passed, at the floor": ((FAIR, NOTHING), NORMAL, Stop.ENOUGH),
    "enough: passed in the second round": ((NOTHING, FAIR), NORMAL, Stop.ENOUGH),
    "deadline": ((WEAK,), TOO_LATE, Stop.DEADLINE),
    "deadline: passed but not strong": ((FAIR,), TOO_LATE, Stop.DEADLINE),
    "deadline before the number of rounds": ((WEAK,), Limits(FAST, deadline_passed=True), Stop.DEADLINE),
    "max_rounds": ((WEAK,), AT_ONCE, Stop.MAX_ROUNDS),
    "max_rounds: failed, and nobody else is there": ((FAILED,), AT_ONCE, Stop.MAX_ROUNDS),
    "max_rounds of deep, news to the end": (tuple(news(n, 0.3) for n in range(1, 7)), GO_ON, Stop.MAX_ROUNDS),
    "no_novelty: twice nothing after the first": ((NOTHING, NOTHING, NOTHING), GO_ON, Stop.NO_NOVELTY),
    "no_novelty: the same thing again and again": ((FAIR, FAIR, FAIR), GO_ON, Stop.NO_NOVELTY),
    "no_novelty: below the gate is no news": (tuple(news(n, 0.1) for n in (1, 2, 3)), GO_ON, Stop.NO_NOVELTY),
}


@pytest.mark.parametrize(("rounds", "limits", "stop"), STOPS.values(), ids=STOPS)
def test_stops_for_the_reason(rounds: tuple[Findings, ...], limits: Limits, stop: Stop) -> None:
    judgement = judged(*rounds, limits=limits)
    assert isinstance(judgement, Enough)
    assert judgement.stop is stop


GOES_ON = {
    "weak": ((WEAK,), GO_ON),
    "empty": ((NOTHING,), GO_ON),
    "passed, not strong, before the floor": ((FAIR,), NORMAL),
    "passed, not strong, where the recipe widens": ((FAIR, news(2, 0.3)), GO_ON),
    "news after a round without": ((NOTHING, FAIR), GO_ON),
    "news each round": ((news(1, 0.3), news(2, 0.3), news(3, 0.3)), GO_ON),
    "failed": ((FAILED,), GO_ON),
    "timed out": ((findings(TimedOut(lookup(), 1.0)),), GO_ON),
    "skipped": ((findings(Skipped(lookup(), "because")),), GO_ON),
    "just under the gate": ((findings(found(hit("a", 0.1999))),), NORMAL),
    "just not strong": ((findings(found(hit("a", 0.4999))),), NORMAL),
}


@pytest.mark.parametrize(("rounds", "limits"), GOES_ON.values(), ids=GOES_ON)
def test_goes_on_while_weak(rounds: tuple[Findings, ...], limits: Limits) -> None:
    assert isinstance(judged(*rounds, limits=limits), Weak)


def stop_of(judgement: Judgement) -> Stop | None:
    return judgement.stop if isinstance(judgement, Enough) else None


# --- how parts stand -----------------------------------------------------------------------------


def test_one_weak_part_is_enough_to_go_on() -> None:
    judgement = judged(findings(found(hit("a", 0.9)), found(hit("b", 0.1), part=1)), texts=("one", "two"))
    assert isinstance(judgement, Weak)
    assert [part.text for part in judgement.weak_parts] == ["two"]


def test_a_hit_counts_for_its_own_part_only() -> None:
    judgement = judged(findings(found(hit("a", 0.9), part=1)), texts=("one", "two"))
    assert [state.best for state in judgement.states] == [0.0, 0.9]


def test_the_best_of_all_rounds_counts() -> None:
    judgement = judged(findings(found(hit("a", 0.3))), findings(found(hit("b", 0.7)), round=2), STRONG)
    assert judgement.states[0].best == 0.9


STANDINGS = {
    "nothing": (0.0, (False, False)),
    "under the gate": (0.19, (False, False)),
    "at the gate": (0.2, (True, False)),
    "strong": (0.6, (True, True)),
}


@pytest.mark.parametrize(("best", "expected"), STANDINGS.values(), ids=STANDINGS)
def test_a_part_passes_and_is_strong_by_its_best_hit(best: float, expected: tuple[bool, bool]) -> None:
    (state,) = judged(findings(found(hit("a", best)))).states
    assert (state.passed, state.strong) == expected


def covered(*rounds: Findings, names: tuple[str, ...]) -> float:
    asked = Question("q", frozenset(), (Part(0, "q", names),))
    return judge(asked, rounds, limits=GO_ON, settings=Settings(), trace=recorder()).states[0].coverage


COVERAGE = {
    "names none": ((), {"body": "anything"}, 1.0),
    "all of them, in any case": (("Ana", "SOL"), {"body": "ANA sold some sol"}, 1.0),
    "half of them": (("Ana", "SOL"), {"body": "Ana moved"}, 0.5),
    "none of them": (("Ana", "SOL"), {"body": "nothing of the kind"}, 0.0),
    "in the title": (("Ana",), {"title": "On Ana"}, 1.0),
    "as its author": (("Ana",), {"author": "Ana Souza"}, 1.0),
}


@pytest.mark.parametrize(("names", "fields", "expected"), COVERAGE.values(), ids=COVERAGE)
def test_coverage_is_the_share_of_names_that_good_hits_mention(
    names: tuple[str, ...], fields: dict[str, str], expected: float
) -> None:
    assert covered(findings(found(hit("a", 0.5, **fields))), names=names) == expected


def test_hits_below_the_gate_cover_nothing() -> None:
    assert covered(findings(found(hit("a", 0.1, body="Ana"))), names=("Ana",)) == 0.0
    both = findings(found(hit("a", 0.5, body="Ana"), hit("b", 0.1, body="SOL")))
    assert covered(both, names=("Ana", "SOL")) == 0.5
    assert covered(findings(found(hit("a", 0.1))), names=()) == 0.0


def test_several_hits_of_several_rounds_cover_together() -> None:
    rounds = (findings(found(hit("a", 0.5, body="Ana"))), findings(found(hit("b", 0.5, body="SOL")), round=2))
    assert covered(*rounds, names=("Ana", "SOL")) == 1.0


LOST = {
    "failed": Failed(lookup(), "boom", 0.0),
    "timed out": TimedOut(lookup(), 1.0),
    "skipped": Skipped(lookup(), "deadline"),
}


@pytest.mark.parametrize("outcome", LOST.values(), ids=LOST)
def test_a_part_is_served_once_a_source_has_answered_if_only_with_nothing(outcome: Any) -> None:
    assert not judged(findings(outcome)).states[0].served
    assert judged(findings(outcome, found())).states[0].served
    assert judged(findings(outcome), findings(found(), round=2)).states[0].served


# --- what the rounds brought -----------------------------------------------------------------------


def test_each_round_says_what_it_brought() -> None:
    first = findings(found(hit("a", 0.5, body="Ana moved to Porto in May", author="Ana")))
    again = findings(
        found(
            hit("b", 0.5, body="ana moved to Porto in May.", author="Rui", content_hash="other"),
            hit("c", 0.5, body="The boat was sold to a friend"),
        ),
        round=2,
    )
    progress = judged(first, again, findings(found(hit("c", 0.5)), round=3)).progress
    assert [(each.round, each.new_facts, each.new_evidence, each.no_gain_streak) for each in progress.gains] == [
        (1, 1, 0, 0),
        (2, 1, 1, 0),
        (3, 0, 0, 1),
    ]
    assert len(progress.facts) == 2


def test_who_says_it_again_is_no_new_evidence() -> None:
    one = {"body": "Ana moved to Porto in May", "source_uri": "notes.md"}
    judgement = judged(findings(found(hit("a", 0.5, **one), hit("b", 0.5, **one))))
    assert [(gain.new_facts, gain.new_evidence) for gain in judgement.progress.gains] == [(1, 0)]


def test_what_is_below_the_gate_is_no_fact_until_it_passes() -> None:
    rounds = (findings(found(hit("a", 0.1))), findings(found(hit("a", 0.5)), round=2))
    assert [gain.new_facts for gain in judged(*rounds).progress.gains] == [0, 1]


def test_coverage_is_the_mean_over_the_parts_as_they_stood_then() -> None:
    rounds = (findings(found(hit("a", 0.5)), found(part=1)), findings(found(hit("b", 0.5), part=1), round=2))
    judgement = judged(*rounds, texts=("one", "two"))
    assert [gain.coverage_score for gain in judgement.progress.gains] == [0.5, 1.0]
    assert judgement.progress.coverage_score == 1.0


def test_a_part_that_comes_to_pass_is_a_gain_even_without_a_new_fact() -> None:
    rounds = (
        findings(found(hit("a", 0.5)), found(hit("a", 0.1), part=1)),
        findings(found(hit("a", 0.5), part=1), round=2),
    )
    gain = judged(*rounds, texts=("one", "two")).progress.gains[1]
    assert (gain.new_facts, gain.no_gain_streak) == (0, 0)


def test_every_lookup_counts_as_tried_whatever_came_of_it() -> None:
    sent = [lookup("one"), lookup("two"), lookup("three"), lookup("four", source="other")]
    rounds = (
        findings(Failed(sent[0], "boom", 0.0), TimedOut(sent[1], 1.0)),
        findings(Skipped(sent[2], "deadline"), found(text="four", source="other"), round=2),
    )
    assert judged(*rounds).progress.tried == {each.key for each in sent}


def test_what_was_seen_is_in_the_pool() -> None:
    pool = judged(findings(found(hit("a", 0.5), hit("b", 0.1)))).progress.pool
    assert [(each.hit.memory.id, each.is_belief) for each in pool.window] == [("a", True), ("b", False)]


# --- limits ------------------------------------------------------------------------------------------


def test_patience_is_a_setting() -> None:
    assert isinstance(judged(NOTHING, NOTHING, NOTHING, novelty_patience=3), Weak)
    assert isinstance(judged(NOTHING, novelty_patience=1), Weak), "the first round has nothing to be new against"
    assert stop_of(judged(NOTHING, NOTHING, novelty_patience=1)) is Stop.NO_NOVELTY


def test_how_many_new_facts_make_a_round_worth_it_is_a_setting() -> None:
    rounds = (news(1, 0.3), news(2, 0.3))
    assert stop_of(judged(*rounds, novelty_min_new_facts=2, novelty_patience=1)) is Stop.NO_NOVELTY
    assert isinstance(judged(NOTHING, NOTHING, NOTHING, novelty_min_new_facts=0), Weak)


def test_the_floor_is_a_setting() -> None:
    assert stop_of(judged(FAIR, limits=NORMAL, early_stop_min_rounds=1)) is Stop.ENOUGH
    assert isinstance(judged(FAIR, news(2, 0.3), limits=NORMAL, early_stop_min_rounds=3), Weak)


def test_a_floor_above_the_recipes_rounds_is_reached_with_the_last() -> None:
    rounds = (FAIR, news(2, 0.3), news(3, 0.3))
    assert stop_of(judged(*rounds, limits=NORMAL, early_stop_min_rounds=9)) is Stop.ENOUGH


def test_enough_facts_end_the_search_past_the_floor() -> None:
    first = findings(found(*(hit(f"m{n}", 0.5) for n in range(4))), found(part=1))
    assert isinstance(judged(first, texts=("one", "two"), max_facts=4), Weak)
    two = judged(first, findings(found(part=1), round=2), texts=("one", "two"), max_facts=4)
    assert stop_of(two) is Stop.MAX_FACTS


UNSERVED = findings(Failed(lookup("one", source="graph"), "boom", 0.0))


def test_past_the_rounds_an_unserved_part_may_still_be_asked_of_another_source() -> None:
    elsewhere = Limits(FAST, deadline_passed=False, sources=("graph", "vector"))
    assert isinstance(judged(UNSERVED, limits=elsewhere), Weak)
    assert stop_of(judged(UNSERVED, limits=elsewhere, fallback_on_timeout=False)) is Stop.MAX_ROUNDS
    nowhere = Limits(FAST, deadline_passed=False, sources=("graph",))
    assert stop_of(judged(UNSERVED, limits=nowhere)) is Stop.MAX_ROUNDS


def test_each_source_stands_in_once() -> None:
    second = findings(TimedOut(lookup("one", source="vector"), 1.0), round=2)
    limits = Limits(FAST, deadline_passed=False, sources=("graph", "vector"))
    assert stop_of(judged(UNSERVED, second, limits=limits)) is Stop.MAX_ROUNDS


def test_rounds_in_which_nobody_answered_are_not_held_against_a_part() -> None:
    second = findings(TimedOut(lookup("one", source="vector"), 1.0), round=2)
    limits = Limits(DEEP, deadline_passed=False, sources=("graph", "vector", "local"))
    assert isinstance(judged(UNSERVED, second, limits=limits), Weak)


def test_no_stand_in_past_the_deadline() -> None:
    late = Limits(FAST, deadline_passed=True, sources=("graph", "vector"))
    assert stop_of(judged(UNSERVED, limits=late)) is Stop.DEADLINE


# --- laws and the trace ------------------------------------------------------------------------------

relevances = st.lists(st.lists(st.floats(0, 1), max_size=4), min_size=1, max_size=6)


@given(relevances, st.sampled_from([FAST, BALANCED, DEEP]), st.booleans())
def test_laws_of_judging(rounds: list[list[float]], recipe: Recipe, late: bool) -> None:
    seen = [
        findings(found(*(hit(f"m{n}", relevance) for n, relevance in enumerate(each))), round=number)
        for number, each in enumerate(rounds, start=1)
    ]
    judgement = judged(*seen, limits=Limits(recipe, late))
    best = max((relevance for each in rounds for relevance in each), default=0.0)
    (state,) = judgement.states
    assert (state.best, state.passed, state.strong) == (best, best >= 0.2, best >= 0.5)
    assert sum(gain.new_facts for gain in judgement.progress.gains) == len(judgement.progress.facts)
    assert judgement.progress.rounds == len(rounds)
    if late or len(rounds) >= recipe.max_rounds:
        assert isinstance(judgement, Enough), "no round past the deadline or the recipe"
    if isinstance(judgement, Enough) and judgement.stop is Stop.ENOUGH:
        assert state.passed


def test_the_reason_is_in_the_trace(trace: Recorder) -> None:
    with trace.step("judge"):
        for rounds in ([WEAK], [FAIR], [FAILED], [STRONG]):
            judge(question("one"), rounds, limits=GO_ON, settings=Settings(), trace=trace)
    decisions = trace.finish().spans[0].decisions
    assert [(each.what, each.because) for each in decisions] == [
        ("judge part", "weak"),
        ("go on", "weak_parts"),
        ("observe", "attention"),
        ("judge part", "passed"),
        ("go on", "not_strong_yet"),
        ("observe", "attention"),
        ("judge part", "unserved"),
        ("go on", "unserved_parts"),
        ("observe", "attention"),
        ("judge part", "strong"),
        ("stop", "enough"),
        ("observe", "attention"),
    ]


def test_what_the_rounds_brought_is_counted(trace: Recorder) -> None:
    rounds = [FAIR, news(2, 0.3)]
    for so_far in (rounds[:1], rounds):
        judge(question("one"), so_far, limits=GO_ON, settings=Settings(), trace=trace)
    assert trace.finish().counters == {"new_facts": 2, "new_evidence": 0, "rounds": 2, "coverage": 1.0}


def test_what_has_most_attention_is_in_the_trace(trace: Recorder) -> None:
    with trace.step("judge"):
        judge(
            question("one"),
            [findings(found(hit("a", 0.6), hit("b", 0.1)))],
            limits=GO_ON,
            settings=Settings(),
            trace=trace,
        )
    (told,) = [each for each in trace.finish().spans[0].decisions if each.what == "observe"]
    assert dict(told.numbers) == {"seen": 2, "window": 2, "beliefs": 1, "ids": "a, b", "attention": "0.60, 0.10"}
