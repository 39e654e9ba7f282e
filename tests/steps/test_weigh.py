from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.confidence import confidence as calibrated
from recollect.settings import ConfidenceSettings, Settings
from recollect.steps.weigh import weigh
from recollect.trace import Recorder
from recollect.values import (
    Conflict,
    ConflictKind,
    Evidence,
    Failed,
    Findings,
    Found,
    Label,
    Outcome,
    Progress,
    RoundGain,
    Skipped,
    TimedOut,
    VerdictKind,
    Weighed,
)

from .build import evidence, findings, found, hit, judged, lookup, recorder

DEFAULTS = Settings()
CAME_BACK = findings(found())


def weighed(*bests: float, pieces: int = 1, given: Findings = CAME_BACK, using: Settings = DEFAULTS) -> Weighed:
    held: list[Evidence] = [evidence(f"m{number}", 0.9) for number in range(pieces)]
    return weigh(held, judgement=judged(*bests), findings=[given], conflicts=(), settings=using, trace=recorder())


def component(name: str, held: Sequence[Evidence], conflicts: Sequence[Conflict] = ()) -> float:
    result = weigh(
        held, judgement=judged(0.9), findings=[CAME_BACK], conflicts=conflicts, settings=DEFAULTS, trace=recorder()
    )
    return result.confidence.components[name]


NOTHING, WEAK = "nothing relevant is stored", "only weak evidence"
COVERED = DEFAULTS.answerable_threshold

VERDICTS = {
    "one part, sure": ((0.9,), VerdictKind.ANSWERABLE, ()),
    "one part, just so": ((COVERED,), VerdictKind.ANSWERABLE, ()),
    "one part, not quite": ((COVERED - 0.01,), VerdictKind.NONE, (WEAK,)),
    "one part, nothing": ((0.0,), VerdictKind.NONE, (NOTHING,)),
    "one part, just under the gate": ((0.19,), VerdictKind.NONE, (NOTHING,)),
    "both parts": ((0.9, 0.6), VerdictKind.ANSWERABLE, ()),
    "one of two": ((0.9, 0.0), VerdictKind.PARTIAL, (NOTHING,)),
    "the other of two": ((0.22, 0.9), VerdictKind.PARTIAL, (WEAK,)),
    "one of four": ((0.0, 0.9, 0.0, 0.22), VerdictKind.PARTIAL, (NOTHING, NOTHING, WEAK)),
    "neither": ((0.1, 0.2), VerdictKind.NONE, (NOTHING, WEAK)),
}


@pytest.mark.parametrize(("bests", "verdict", "reasons"), VERDICTS.values(), ids=VERDICTS)
def test_verdict_and_gaps(bests: tuple[float, ...], verdict: VerdictKind, reasons: tuple[str, ...]) -> None:
    result = weighed(*bests)
    assert result.verdict is verdict
    assert tuple(gap.reason for gap in result.gaps) == reasons


def test_gaps_name_the_part() -> None:
    (gap,) = weighed(0.9, 0.0).gaps
    assert (gap.part, gap.text) == (1, "part 1")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=4), st.integers(0, 5), st.lists(st.booleans(), max_size=5))
def test_the_score_is_the_curve_over_its_components(bests: list[float], pieces: int, came_back: list[bool]) -> None:
    outcomes = [Found(lookup(), (), 0.0) if fine else TimedOut(lookup(), 1.0) for fine in came_back]
    confidence = weighed(*bests, pieces=pieces, given=findings(*outcomes)).confidence
    assert confidence.score == calibrated(confidence.components, DEFAULTS.confidence)
    assert all(0 <= value <= 1 for value in confidence.components.values())
    assert 0 <= confidence.score <= 1


def test_an_empty_result_that_came_back_is_not_a_failure() -> None:
    assert weighed(0.0, pieces=0).confidence.components["reliability"] == 1.0


@pytest.mark.parametrize("lost", [Failed(lookup(), "boom", 0.0), TimedOut(lookup(), 1.0)], ids=["failed", "timed out"])
def test_a_lookup_that_did_not_come_back_lowers_reliability(lost: Failed | TimedOut) -> None:
    assert weighed(0.9, given=findings(found(), lost)).confidence.components["reliability"] == 0.5


def test_a_lookup_that_was_never_sent_says_nothing_about_reliability() -> None:
    assert weighed(0.9, given=findings(found(), Skipped(lookup(), "why"))).confidence.components["reliability"] == 1.0


def test_no_lookup_at_all_is_no_reliability() -> None:
    assert weighed(0.0, pieces=0, given=findings()).confidence.components["reliability"] == 0.0


@pytest.mark.parametrize(("pieces", "strength"), [(0, 0.0), (1, 1 / 3), (3, 1.0), (9, 1.0)])
def test_three_good_pieces_are_full_strength(pieces: int, strength: float) -> None:
    assert weighed(0.9, pieces=pieces).confidence.components["evidence"] == pytest.approx(strength)


def test_weak_pieces_are_no_strength() -> None:
    assert component("evidence", [evidence("a", COVERED - 0.1), evidence("b", COVERED - 0.01)]) == 0.0


def test_another_who_says_the_same_counts_half_as_much_as_another_fact() -> None:
    alone, agreed = evidence("a"), replace(evidence("a"), corroborated_by=("x", "y"))
    assert component("evidence", [alone]) == pytest.approx(1 / 3)
    assert component("evidence", [agreed]) == pytest.approx(2 / 3)
    assert component("evidence", [replace(agreed, corroborated_by=tuple("uvwxyz"))]) == 1.0


def test_one_fact_in_two_pieces_is_one_fact() -> None:
    twice = [replace(evidence(id), fact_key="same") for id in "ab"]
    assert component("evidence", twice) == pytest.approx(1 / 3)


def test_what_no_longer_holds_is_no_strength() -> None:
    assert component("evidence", [replace(evidence("a"), superseded=True)]) == 0.0


def conflict(*, settled: bool, kind: ConflictKind = ConflictKind.FACTUAL) -> Conflict:
    return Conflict("a", "b", "numbers_differ", kind, settled=settled)


def test_open_conflicts_lower_the_strength_a_little_and_never_below_half() -> None:
    held = [evidence(id) for id in "abc"]
    strengths = [component("evidence", held, [conflict(settled=False)] * count) for count in (0, 1, 2, 50)]
    assert strengths == pytest.approx([1.0, 0.9, 0.8, 0.5])


@pytest.mark.parametrize("harmless", [conflict(settled=True), conflict(settled=False, kind=ConflictKind.SCOPE)])
def test_settled_conflicts_and_those_of_scope_take_nothing_off(harmless: Conflict) -> None:
    assert component("evidence", [evidence(id) for id in "abc"], [harmless]) == 1.0


def coverage(*bests: float, score: float = 1.0, news: Sequence[int] = (1,)) -> float:
    gains = tuple(RoundGain(n, facts, 0, score, 0) for n, facts in enumerate(news, start=1))
    judgement = replace(judged(*bests), progress=Progress(gains))
    result = weigh([], judgement=judgement, findings=[], conflicts=(), settings=DEFAULTS, trace=recorder())
    return result.confidence.components["coverage"]


def test_coverage_is_of_parts_of_names_and_of_rounds_that_brought_something() -> None:
    assert coverage(0.9, 0.9) == pytest.approx(1.0)
    assert coverage(0.9, 0.0) == pytest.approx((0.5 + 1 + 1) / 3)
    assert coverage(0.9, score=0.4) == pytest.approx((1 + 0.4 + 1) / 3)
    assert coverage(0.9, news=(2, 0)) == pytest.approx((1 + 1 + 0.5) / 3)


def test_new_evidence_of_a_known_fact_is_news_too() -> None:
    judgement = replace(judged(0.9), progress=Progress((RoundGain(1, 0, 3, 1.0, 0),)))
    result = weigh([], judgement=judgement, findings=[], conflicts=(), settings=DEFAULTS, trace=recorder())
    assert result.confidence.components["coverage"] == pytest.approx(1.0)


def test_what_was_found_while_looking_for_better_counts() -> None:
    since = findings(found(hit("b", 0.8), part=1), round=2)
    result = weigh(
        [], judgement=judged(0.9, 0.25), findings=[CAME_BACK, since], conflicts=(), settings=DEFAULTS, trace=recorder()
    )
    assert result.verdict is VerdictKind.ANSWERABLE
    assert result.confidence.components["relevance"] == pytest.approx(0.85)


# --- why a part is missing -----------------------------------------------------------------------

FAILED, LATE = Failed(lookup(), "boom", 0.0), TimedOut(lookup(), 1.0)
UNSERVED: dict[str, tuple[tuple[Outcome, ...], str]] = {
    "failed": ((FAILED,), "the sources failed"),
    "timed out": ((LATE,), "ran out of time"),
    "one failed, one timed out": ((LATE, FAILED), "the sources failed"),
    "never sent, for it was too late": ((Skipped(lookup(), "deadline"),), "ran out of time"),
    "never sent, for there is no such source": ((Skipped(lookup(), "no_such_source"),), "the sources failed"),
    "another part's failure": ((LATE, Failed(lookup(part=1), "boom", 0.0)), "ran out of time"),
}


@pytest.mark.parametrize(("outcomes", "reason"), UNSERVED.values(), ids=UNSERVED)
def test_a_part_no_source_answered_for_says_why(outcomes: tuple[Outcome, ...], reason: str) -> None:
    given = judged(0.0)
    judgement = replace(given, states=(replace(given.states[0], served=False),))
    result = weigh(
        [], judgement=judgement, findings=[findings(*outcomes)], conflicts=(), settings=DEFAULTS, trace=recorder()
    )
    assert [gap.reason for gap in result.gaps] == [reason]


def test_a_failure_beside_an_answer_is_not_the_reason() -> None:
    assert [gap.reason for gap in weighed(0.0, given=findings(found(), FAILED)).gaps] == [NOTHING]


def test_verdict_and_open_conflicts_are_in_the_trace(trace: Recorder) -> None:
    with trace.step("weigh"):
        weigh(
            [evidence("a")],
            judgement=judged(0.9, 0.0),
            findings=[CAME_BACK],
            conflicts=[conflict(settled=False)],
            settings=DEFAULTS,
            trace=trace,
        )
    verdict, doubt = trace.finish().spans[0].decisions
    assert (verdict.what, verdict.because, verdict.numbers["missing"]) == ("partial", "parts_covered", 1)
    assert (doubt.because, dict(doubt.numbers)) == ("open_conflicts", {"conflicts": 1})


LABELS = {"high": (1.0, 3, Label.HIGH), "medium": (0.5, 1, Label.MEDIUM), "low": (0.0, 0, Label.LOW)}


@pytest.mark.parametrize(("best", "pieces", "label"), LABELS.values(), ids=LABELS)
def test_label_follows_the_score(best: float, pieces: int, label: Label) -> None:
    assert weighed(best, pieces=pieces).confidence.label is label


def test_better_evidence_never_lowers_confidence() -> None:
    scores = [weighed(best / 20).confidence.score for best in range(21)]
    assert scores == sorted(scores)


def test_whatever_the_weights_confidence_stays_a_chance() -> None:
    for weight in (-50.0, 50.0):
        odd = Settings(confidence=ConfidenceSettings(relevance=weight, evidence=weight, coverage=weight, bias=weight))
        assert 0 <= weighed(1.0, pieces=3, using=odd).confidence.score <= 1


def test_with_relevance_alone_confidence_is_the_relevance() -> None:
    plain = ConfidenceSettings(bias=0, relevance=1, evidence=0, coverage=0, reliability=0)
    assert weighed(0.7, using=Settings(confidence=plain)).confidence.score == pytest.approx(0.7)
