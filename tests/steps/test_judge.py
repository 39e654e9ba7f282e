from __future__ import annotations

import pytest

from recollect.recipes import BALANCED, DEEP, FAST
from recollect.settings import Settings
from recollect.steps.judge import Limits, judge
from recollect.trace import Recorder
from recollect.values import Enough, Failed, Findings, Judgement, Skipped, Stop, TimedOut, Weak

from .build import findings, found, hit, lookup, question

GO_ON = Limits(DEEP, deadline_passed=False)


def judged(*rounds: Findings, limits: Limits = GO_ON, texts: tuple[str, ...] = ("one",), **changes: int) -> Judgement:
    return judge(question(*texts), rounds, limits=limits, settings=Settings(**changes), trace=_trace())


def _trace() -> Recorder:
    from .build import recorder

    return recorder()


NOTHING = findings(found())
GOOD = findings(found(hit("a", 0.9)))
WEAK = findings(found(hit("a", 0.1)))

STOPS = {
    "enough: a good hit": ((GOOD,), GO_ON, Stop.ENOUGH),
    "enough: good even though the deadline passed": ((GOOD,), Limits(DEEP, deadline_passed=True), Stop.ENOUGH),
    "enough: good in the last round": ((GOOD,), Limits(FAST, deadline_passed=False), Stop.ENOUGH),
    "enough: exactly at the gate": ((findings(found(hit("a", 0.2))),), GO_ON, Stop.ENOUGH),
    "deadline": ((WEAK,), Limits(DEEP, deadline_passed=True), Stop.DEADLINE),
    "deadline before the number of rounds": ((WEAK,), Limits(FAST, deadline_passed=True), Stop.DEADLINE),
    "max_rounds": ((WEAK,), Limits(FAST, deadline_passed=False), Stop.MAX_ROUNDS),
    "max_rounds of balanced": (
        (WEAK, findings(found(hit("b", 0.1))), findings(found(hit("c", 0.1)))),
        Limits(BALANCED, deadline_passed=False),
        Stop.MAX_ROUNDS,
    ),
    "no_novelty: twice nothing": ((NOTHING, NOTHING), GO_ON, Stop.NO_NOVELTY),
    "no_novelty: the same thing again and again": ((WEAK, WEAK, WEAK), GO_ON, Stop.NO_NOVELTY),
}


@pytest.mark.parametrize(("rounds", "limits", "stop"), STOPS.values(), ids=STOPS)
def test_stops_for_the_reason(rounds: tuple[Findings, ...], limits: Limits, stop: Stop) -> None:
    judgement = judged(*rounds, limits=limits)
    assert isinstance(judgement, Enough)
    assert judgement.stop is stop


GOES_ON = {
    "weak": (WEAK,),
    "empty": (NOTHING,),
    "news after a round without": (NOTHING, WEAK),
    "news each round": (WEAK, findings(found(hit("b", 0.1)))),
    "failed": (findings(Failed(lookup(), "boom", 0.0)),),
    "timed out": (findings(TimedOut(lookup(), 1.0)),),
    "skipped": (findings(Skipped(lookup(), "because")),),
    "just under the gate": (findings(found(hit("a", 0.1999))),),
}


@pytest.mark.parametrize("rounds", GOES_ON.values(), ids=GOES_ON)
def test_goes_on_while_weak(rounds: tuple[Findings, ...]) -> None:
    assert isinstance(judged(*rounds), Weak)


def test_one_weak_part_is_enough_to_go_on() -> None:
    judgement = judged(findings(found(hit("a", 0.9)), found(hit("b", 0.1), part=1)), texts=("one", "two"))
    assert isinstance(judgement, Weak)
    assert [part.text for part in judgement.weak_parts] == ["two"]


def test_a_hit_counts_for_its_own_part_only() -> None:
    judgement = judged(findings(found(hit("a", 0.9), part=1)), texts=("one", "two"))
    assert [state.best for state in judgement.states] == [0.0, 0.9]


def test_the_best_of_all_rounds_counts() -> None:
    judgement = judged(findings(found(hit("a", 0.3))), findings(found(hit("b", 0.7)), round=2), GOOD)
    assert judgement.states[0].best == 0.9


def test_progress_says_what_was_seen_and_tried() -> None:
    progress = judged(WEAK, findings(found(hit("b", 0.1), text="reworded"), round=2)).progress
    assert (progress.rounds, progress.seen, progress.tried) == (2, {"a", "b"}, {"question", "reworded"})


def test_lookups_that_failed_count_as_tried() -> None:
    assert judged(findings(Failed(lookup("lost"), "boom", 0.0))).progress.tried == {"lost"}


def test_patience_is_a_setting() -> None:
    assert isinstance(judged(NOTHING, NOTHING, novelty_patience=3), Weak)
    assert isinstance(judged(NOTHING, novelty_patience=1), Enough)


def test_the_reason_is_in_the_trace(trace: Recorder) -> None:
    with trace.step("judge"):
        judge(question("one"), [WEAK], limits=GO_ON, settings=Settings(), trace=trace)
        judge(question("one"), [GOOD], limits=GO_ON, settings=Settings(), trace=trace)
    decisions = trace.finish().spans[0].decisions
    assert [(each.what, each.because) for each in decisions] == [("go on", "weak_parts"), ("stop", "enough")]
