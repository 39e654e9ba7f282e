"""What was measured, as files: one JSON value, a TREC run, verdict lines and the picture that `diagram.py` draws.

Takes outcomes and scores; gives text and plain data. Where it goes, and what people see, is the door's business.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recollect.evals.diagram import reliability_svg
from recollect.evals.metrics import Estimate
from recollect.evals.run import Outcome
from recollect.evals.scores import Baseline, Calibrated, Cost, Ranked, Scores

DIGITS = 4
STEP = 1e-6  # between two places of a run: whoever reads it sorts by score, and must find our order
TAG = "recollect"


def as_json(scores: Sequence[Scores], *, made: Mapping[str, Any]) -> dict[str, Any]:
    """The whole report; `made` says by what: version, recipe, embedder, settings."""
    return {**made, "sets": [_set(each) for each in scores]}


def run_lines(outcomes: Sequence[Outcome], *, tag: str = TAG) -> Iterator[str]:
    """A TREC run: query, Q0, document, rank, score, tag; scores fall strictly from one rank to the next."""
    for outcome in outcomes:
        last = float("inf")
        for rank, found in enumerate(outcome.ranking, start=1):
            last = min(round(found.score, 6), last - STEP)
            yield f"{outcome.query} Q0 {found.id} {rank} {last:.6f} {tag}"


def verdict_lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """One JSON object for each question."""
    for outcome in outcomes:
        value = {
            "query_id": outcome.query,
            "verdict": outcome.verdict,
            "confidence": round(outcome.confidence, 6),
            "parts": [
                {"text": state.part.text, "best": round(state.best, 6), "passed": state.passed}
                for state in outcome.parts
            ],
            "stop_reason": outcome.stop,
        }
        yield json.dumps(value, ensure_ascii=False)


def confidence_svg(scores: Scores) -> str | None:
    """The reliability diagram with its figures; None where no question is labelled answerable or not."""
    found = scores.calibrated
    if found is None:
        return None
    said = [f"{found.questions} questions", f"ECE {found.ece:.3f}", f"Brier {found.brier:.3f}"]
    said += [f"AUROC {found.auroc.value:.3f}"] if found.auroc else []
    return reliability_svg(found.bins, title=f"Confidence on {scores.name}", subtitle=", ".join(said))


def _set(scores: Scores) -> dict[str, Any]:
    return {
        "set": scores.name,
        "documents": scores.documents,
        "queries": scores.queries,
        "ranking": _ranked(scores.ranked),
        "categories": {name: _ranked(each) for name, each in scores.categories.items()},
        "cut_off": {name: _estimate(each) for name, each in scores.cut_off.items()},
        "updates": {name: _estimate(each) for name, each in scores.updates.items()},
        "confidence": _calibrated(scores.calibrated) if scores.calibrated else None,
        "cost": _cost(scores.cost),
        "stop_reasons": dict(scores.stops),
        "baselines": {name: _baseline(each) for name, each in scores.baselines.items()},
        "notes": list(scores.notes),
    }


def _ranked(ranked: Ranked) -> dict[str, Any]:
    return {"questions": ranked.questions, **{name: _estimate(each) for name, each in ranked.measures.items()}}


def _baseline(baseline: Baseline) -> dict[str, Any]:
    return {**_ranked(baseline.ranked), "AUROC": _estimate(baseline.auroc)}


def _calibrated(value: Calibrated) -> dict[str, Any]:
    return {
        "questions": value.questions,
        "answerable": value.answerable,
        "AUROC": _estimate(value.auroc),
        "ECE": round(value.ece, DIGITS),
        "Brier": round(value.brier, DIGITS),
        "reliability": [{name: round(part, DIGITS) for name, part in each._asdict().items()} for each in value.bins],
        "verdicts": {name: dict(counts) for name, counts in value.verdicts.items()},
    }


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "p50_ms": round(cost.p50_seconds * 1_000, 2),
        "p95_ms": round(cost.p95_seconds * 1_000, 2),
        "tokens": round(cost.tokens, 1),
        "p95_tokens": cost.p95_tokens,
        "pieces": round(cost.pieces, 2),
        "rounds": round(cost.rounds, 2),
        "load_seconds": round(cost.load_seconds, 2),
    }


def _estimate(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {name: None if part is None else round(part, DIGITS) for name, part in estimate._asdict().items()}
