"""What answering gives, as plain dictionaries for JSON; re-exported by `wire.py`."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from recollect.doors.wire_stored import Json, found, moment, number
from recollect.doors.wire_trace import counters, timings
from recollect.values import (
    Answer,
    Around,
    Confidence,
    Conflict,
    Context,
    Evidence,
    Explanation,
    Gap,
    PartState,
    RoundGain,
    Signal,
)


def answer(value: Answer, *, weak_below: float) -> Json:
    """The whole answer; evidence less relevant than `weak_below` (the answerable threshold) is marked weak."""
    return {
        "question": value.question.text,
        "rewritten": value.question.rewritten,
        "traits": sorted(trait.value for trait in value.question.traits),
        "type": value.question.type.value,
        "verdict": value.verdict.value,
        "confidence": confidence(value.confidence),
        "answer": value.text,
        "parts": [part(each, answer=value) for each in value.parts],
        "evidence": [evidence(each, weak_below=weak_below) for each in value.evidence],
        "conflicts": [conflict(each) for each in value.conflicts],
        "gaps": [gap(each) for each in value.gaps],
        "degraded": list(value.degraded),
        "stop_reason": value.stop.value,
        "rounds": [gain(each) for each in value.gains],
        "timings": timings(value.trace),
        "counters": counters(value.trace),
        "trace_id": value.trace.id,
        "context": value.context,
        "started_at": moment(value.trace.started_at),
    }


def confidence(value: Confidence) -> Json:
    """The score, its word, and what it is made of."""
    components = {name: number(share) for name, share in value.components.items()}
    return {"score": number(value.score), "label": value.label.value, "components": components}


def part(state: PartState, *, answer: Answer) -> Json:
    """How one part of the question fared: covered where no gap names it."""
    value = state.part
    reason = next((gap.reason for gap in answer.gaps if gap.part == value.number), None)
    return {
        "number": value.number,
        "text": value.text,
        "type": value.type.value,
        "entities": list(value.entities),
        "covered": reason is None,
        "passed": state.passed,
        "best": number(state.best),
        "coverage": number(state.coverage),
        "served": state.served,
        "evidence": [piece.memory.id for piece in answer.evidence if value.number in piece.parts],
        "gap": reason,
        "strong": state.strong,
    }


def evidence(value: Evidence, *, weak_below: float) -> Json:
    """One piece of evidence with everything said about it; superseded by a newer memory, or by a later piece."""
    return {
        **found(value.memory),
        "superseded": value.superseded or value.memory.valid_to is not None,
        "source": value.sources[0] if value.sources else None,
        "score": number(value.score),
        "relevance": number(value.relevance),
        "weak": value.relevance < weak_below,
        "parts": list(value.parts),
        "sources": list(value.sources),
        "rounds": list(value.rounds),
        "lookups": list(value.lookups),
        "snippet": value.snippet,
        "snippets": list(value.snippets),
        "fact_key": value.fact_key,
        "evidence_key": value.evidence_key,
        "absorbed": list(value.absorbed),
        "corroborated_by": list(value.corroborated_by),
        "novelty_added": value.novelty_added,
        "supporting_evidence_count": value.supporting_evidence_count,
        "query_coverage_count": value.query_coverage_count,
        "signals": signals(value.signals),
        "reached_by": list(value.reached_by),
        "contradicted_by": list(value.contradicted_by),
        "flags": list(value.flags),
        "around": around(value.around),
        "explanation": explanation(value.explanation),
    }


def around(value: Around) -> Json | None:
    """What stands beside a piece of a file, and which lines of the file the piece is; null where nothing does."""
    return dict(value._asdict()) if value else None


def signals(values: Iterable[Signal]) -> Json:
    """What speaks for something, each 0..1 and the raw number it was made from."""
    return {each.name: {"value": number(each.value), "raw": number(each.raw)} for each in values}


def explanation(value: Explanation) -> Json:
    """The tree behind a number; where `sums`, the details add up to the value. What is no number is null."""
    return {
        "value": number(value.value) if isfinite(value.value) else None,
        "what": value.what,
        "sums": value.sums,
        "details": [explanation(detail) for detail in value.details],
    }


def conflict(value: Conflict) -> Json:
    """Two memories that cannot both hold; where it is not settled, `preferred` only stands first."""
    return {
        "preferred": value.preferred,
        "other": value.other,
        "reason": value.reason,
        "kind": value.kind.value,
        "strategy": value.strategy.value,
        "settled": value.settled,
    }


def gap(value: Gap) -> Json:
    """What is missing."""
    return {"part": value.part, "text": value.text, "reason": value.reason}


def gain(value: RoundGain) -> Json:
    """What one round brought."""
    return {
        "round": value.round,
        "new_facts": value.new_facts,
        "new_evidence": value.new_evidence,
        "coverage_score": number(value.coverage_score),
        "no_gain_streak": value.no_gain_streak,
    }


def context(value: Context) -> Json:
    """The block for a prompt, or why there is none."""
    return {
        "context": value.text,
        "memories": list(value.memories),
        "already_shown": list(value.already_shown),
        "reason": value.reason,
        "verdict": value.verdict.value,
        "trace_id": value.trace_id,
    }
