from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.settings import Settings
from recollect.steps.weigh import weigh
from recollect.values import Evidence, Failed, Findings, Found, Label, Skipped, TimedOut, VerdictKind, Weighed

from .build import evidence, findings, found, judged, lookup, recorder

DEFAULTS = Settings()
CAME_BACK = findings(found())


def weighed(*bests: float, pieces: int = 1, given: Findings = CAME_BACK, using: Settings = DEFAULTS) -> Weighed:
    held: list[Evidence] = [evidence(f"m{number}", 0.9) for number in range(pieces)]
    return weigh(held, judgement=judged(*bests), findings=[given], settings=using, trace=recorder())


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
    "the other of two": ((0.3, 0.9), VerdictKind.PARTIAL, (WEAK,)),
    "one of four": ((0.0, 0.9, 0.0, 0.3), VerdictKind.PARTIAL, (NOTHING, NOTHING, WEAK)),
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
def test_weighted_components_sum_to_the_score(bests: list[float], pieces: int, came_back: list[bool]) -> None:
    outcomes = [Found(lookup(), (), 0.0) if fine else TimedOut(lookup(), 1.0) for fine in came_back]
    confidence = weighed(*bests, pieces=pieces, given=findings(*outcomes)).confidence
    total = sum(getattr(DEFAULTS, f"weight_{name}") * value for name, value in confidence.components.items())
    assert confidence.score == pytest.approx(total, abs=1e-6)
    assert all(0 <= value <= 1 for value in confidence.components.values())
    assert 0 <= confidence.score <= 1


def test_an_empty_result_that_came_back_is_not_a_failure() -> None:
    assert weighed(0.0, pieces=0).confidence.components["reliability"] == 1.0


@pytest.mark.parametrize(
    "lost",
    [Failed(lookup(), "boom", 0.0), TimedOut(lookup(), 1.0), Skipped(lookup(), "why")],
    ids=["failed", "timed out", "skipped"],
)
def test_a_lookup_that_did_not_come_back_lowers_reliability(lost: Failed | TimedOut | Skipped) -> None:
    assert weighed(0.9, given=findings(found(), lost)).confidence.components["reliability"] == 0.5


def test_no_lookup_at_all_is_no_reliability() -> None:
    assert weighed(0.0, pieces=0, given=findings()).confidence.components["reliability"] == 0.0


@pytest.mark.parametrize(("pieces", "strength"), [(0, 0.0), (1, 1 / 3), (3, 1.0), (9, 1.0)])
def test_three_good_pieces_are_full_strength(pieces: int, strength: float) -> None:
    assert weighed(0.9, pieces=pieces).confidence.components["evidence"] == pytest.approx(strength)


def test_weak_pieces_are_no_strength() -> None:
    weak = [evidence("a", COVERED - 0.1), evidence("b", COVERED - 0.01)]
    result = weigh(weak, judgement=judged(COVERED - 0.01), findings=[CAME_BACK], settings=DEFAULTS, trace=recorder())
    assert result.confidence.components["evidence"] == 0.0


LABELS = {"high": (1.0, 3, Label.HIGH), "medium": (0.5, 1, Label.MEDIUM), "low": (0.0, 0, Label.LOW)}


@pytest.mark.parametrize(("best", "pieces", "label"), LABELS.values(), ids=LABELS)
def test_label_follows_the_score(best: float, pieces: int, label: Label) -> None:
    assert weighed(best, pieces=pieces).confidence.label is label


def test_better_evidence_never_lowers_confidence() -> None:
    scores = [weighed(best / 20).confidence.score for best in range(21)]
    assert scores == sorted(scores)


def test_weights_above_one_in_all_do_not_lift_confidence_above_one() -> None:
    generous = Settings(weight_relevance=1, weight_evidence=1, weight_coverage=1, weight_reliability=1)
    assert weighed(1.0, pieces=3, using=generous).confidence.score == 1.0
