"""A comparison as plain data, for a file. Numbers are rounded; times are under `figures` and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.evals.metrics import Estimate
from recollect.evals.replay import Replayed
from recollect.evals.replay_compare import Comparison, Difference, Figure
from recollect.evals.replay_requests import Reply

DIGITS = 4


def as_json(replayed: Replayed, found: Comparison, *, made: Mapping[str, Any], broken: Sequence[str]) -> dict[str, Any]:
    """Everything; `made` says by what."""
    return {
        **made,
        "sides": [{"name": side.name, "embedder": side.embedder} for side in replayed.sides],
        "questions": found.questions,
        "over": found.over,
        "figures": {name: _figure(each) for name, each in found.figures.items()},
        "verdicts": [dict(each) for each in found.verdicts],
        "alike": {name: _estimate(each) for name, each in found.alike.items()},
        "label_confusion": {row: dict(each) for row, each in found.label_confusion.items()},
        "verdict_confusion": {row: dict(each) for row, each in found.verdict_confusion.items()},
        "changed": round(found.changed, DIGITS),
        "differences": [_difference(each) for each in found.differences],
        "replies": [
            {"id": request.id, "text": request.text, "sides": [_reply(side.replies[place]) for side in replayed.sides]}
            for place, request in enumerate(replayed.requests)
        ],
        "broken": list(broken),
        "notes": list(found.notes),
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "questions": figure.questions,
        "sides": [_estimate(each) for each in figure.sides],
        "change": _estimate(figure.change),
    }


def _difference(each: Difference) -> dict[str, Any]:
    return {
        "id": each.request.id,
        "text": each.request.text,
        "entered": list(each.entered),
        "left": list(each.left),
        "moved": [moved._asdict() for moved in each.moved],
        "verdicts": list(each.verdicts),
        "labels": list(each.labels),
        "confidences": [round(value, DIGITS) for value in each.confidences],
        "agreement": round(each.agreement, DIGITS),
    }


def _reply(reply: Reply) -> dict[str, Any]:
    return {
        "verdict": reply.verdict,
        "label": reply.label,
        "confidence": round(reply.confidence, DIGITS),
        "rounds": reply.rounds,
        "tokens": reply.tokens,
        "evidence": list(reply.evidence),
        "degraded": list(reply.degraded),
    }


def _estimate(estimate: Estimate | None) -> dict[str, float | None] | None:
    if estimate is None:
        return None
    return {name: None if part is None else round(part, DIGITS) for name, part in estimate._asdict().items()}
