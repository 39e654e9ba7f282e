"""Evidence -> verdict, confidence and gaps: is this answerable, how sure, and what is missing?"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import (
    Confidence,
    Evidence,
    Findings,
    Found,
    Gap,
    Judgement,
    Label,
    PartState,
    VerdictKind,
    Weighed,
)

PIECES_FOR_FULL_STRENGTH = 3


def weigh(
    evidence: Sequence[Evidence],
    *,
    judgement: Judgement,
    findings: Sequence[Findings],
    settings: Settings,
    trace: Recorder,
) -> Weighed:
    """The verdict over all parts, and the confidence with its components."""
    missing = [state for state in judgement.states if state.best < settings.answerable_threshold]
    verdict = _verdict(len(missing), len(judgement.states))
    components = {
        "relevance": _mean([state.best for state in judgement.states]),
        "evidence": min(1.0, _good(evidence, settings) / PIECES_FOR_FULL_STRENGTH),
        "coverage": 1 - len(missing) / len(judgement.states),
        "reliability": _reliability(findings),
    }
    weights = {name: getattr(settings, f"weight_{name}") for name in components}
    total = sum(weights.values())
    score = round(sum(weights[name] * value for name, value in components.items()) / total, 6) if total else 0.0
    confidence = Confidence(score, _label(score, settings), MappingProxyType(components))
    trace.decide(verdict.value, "parts_covered", missing=len(missing), parts=len(judgement.states), confidence=score)
    return Weighed(verdict, confidence, tuple(_gap(state, settings) for state in missing))


def _verdict(missing: int, parts: int) -> VerdictKind:
    if missing == 0:
        return VerdictKind.ANSWERABLE
    return VerdictKind.NONE if missing == parts else VerdictKind.PARTIAL


def _good(evidence: Sequence[Evidence], settings: Settings) -> int:
    return sum(piece.relevance >= settings.answerable_threshold for piece in evidence)


def _reliability(findings: Sequence[Findings]) -> float:
    """The share of lookups that came back. An honest empty result came back."""
    outcomes = [outcome for finding in findings for outcome in finding.outcomes]
    return _mean([float(isinstance(outcome, Found)) for outcome in outcomes])


def _label(score: float, settings: Settings) -> Label:
    if score >= settings.high_confidence:
        return Label.HIGH
    return Label.MEDIUM if score >= settings.medium_confidence else Label.LOW


def _gap(state: PartState, settings: Settings) -> Gap:
    reason = "only weak evidence" if state.best >= settings.quality_threshold else "nothing relevant is stored"
    return Gap(state.part.number, state.part.text, reason)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
