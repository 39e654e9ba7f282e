"""Answer -> TraceRecord: a line about it, and as JSON everything that explains it but no text of any memory.

Keys stand in a fixed order, numbers have six digits. What records are kept, and for how long, is decided elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from recollect.journal.reasons import named_ids
from recollect.records import TraceRecord
from recollect.values import Answer, Decision, Evidence, Explanation, PartState, RoundGain, Span

Told: TypeAlias = dict[str, Any]

SCHEMA = 1  # of the payload; a higher one was written by a newer program
DIGITS = 6
LARGEST = 1e300  # beyond it, and for what is no number, JSON has no word
ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)


def trace_record(answer: Answer, *, space: str) -> TraceRecord:
    """The answer as it is kept: keys in a fixed order, numbers of six digits, and no text of any memory."""
    question, trace, sure = answer.question, answer.trace, answer.confidence
    confidence = {"score": _number(sure.score), "label": sure.label.value, "components": _numbers(sure.components)}
    told = {
        "version": SCHEMA,
        "space": space,
        "question": question.text,
        "rewritten": question.rewritten,
        "traits": sorted(trait.value for trait in question.traits),
        "type": question.type.value,
        "parts": [_part(state) for state in answer.parts],
        "verdict": answer.verdict.value,
        "confidence": confidence,
        "stop": answer.stop.value,
        "gaps": [{"part": gap.part, "text": gap.text, "reason": gap.reason} for gap in answer.gaps],
        "degraded": list(answer.degraded),
        "gains": [_gain(gain) for gain in answer.gains],
        "spans": [_span(span) for span in trace.spans],
        "counters": _numbers(trace.counters),
        "conflicts": [
            {
                "preferred": each.preferred,
                "other": each.other,
                "reason": each.reason,
                "kind": each.kind.value,
                "strategy": each.strategy.value,
                "settled": each.settled,
            }
            for each in answer.conflicts
        ],
        "evidence": [_piece(piece) for piece in answer.evidence],
    }
    return TraceRecord(
        id=trace.id,
        started_at=trace.started_at,
        question=question.text,
        verdict=answer.verdict.value,
        confidence=round(sure.score, DIGITS),
        stop=answer.stop.value,
        seconds=round(trace.seconds, DIGITS),
        payload=ENCODER.encode(told),
        touched=frozenset(_touched(answer)),
    )


def _part(state: PartState) -> Told:
    part = state.part
    return {
        "number": part.number,
        "text": part.text,
        "type": part.type.value,
        "entities": part.entities,
        "best": _number(state.best),
        "passed": state.passed,
        "coverage": _number(state.coverage),
        "served": state.served,
    }


def _gain(gain: RoundGain) -> Told:
    return {
        "round": gain.round,
        "new_facts": gain.new_facts,
        "new_evidence": gain.new_evidence,
        "coverage_score": _number(gain.coverage_score),
        "no_gain_streak": gain.no_gain_streak,
    }


def _span(span: Span) -> Told:
    return {
        "name": span.name,
        "began": _number(span.began),
        "seconds": _number(span.seconds),
        "decisions": [_decision(each) for each in span.decisions],
        "inside": [_span(each) for each in span.inside],
    }


def _decision(decision: Decision) -> Told:
    return {"what": decision.what, "because": decision.because, "numbers": _numbers(decision.numbers)}


def _piece(piece: Evidence) -> Told:
    return {
        "id": piece.memory.id,
        "score": _number(piece.score),
        "relevance": _number(piece.relevance),
        "parts": piece.parts,
        "sources": piece.sources,
        "rounds": piece.rounds,
        "lookups": piece.lookups,
        "fact_key": piece.fact_key,
        "evidence_key": piece.evidence_key,
        "absorbed": piece.absorbed,
        "corroborated_by": piece.corroborated_by,
        "novelty_added": piece.novelty_added,
        "supporting_evidence_count": piece.supporting_evidence_count,
        "query_coverage_count": piece.query_coverage_count,
        "signals": {name: [_number(value), _number(raw)] for name, value, raw in piece.signals},
        "reached_by": piece.reached_by,
        "contradicted_by": piece.contradicted_by,
        "superseded": piece.superseded,
        "flags": piece.flags,
        "explanation": _tree(piece.explanation),
    }


def _tree(node: Explanation) -> list[Any]:
    """A node as a list: value and what, and unless it is a leaf, whether it is a sum, and of what.

    A search explains itself in hundreds of nodes; as lists they take half the room and time of objects.
    """
    value, what, details, sums = node
    told: list[Any] = [_number(value), what]
    if details or sums:
        told += [sums, [_tree(detail) for detail in details]]
    return told


def _number(value: float) -> float | None:
    return round(value, DIGITS) if -LARGEST < value < LARGEST else None


def _numbers(values: Mapping[str, float | int | str]) -> Told:
    return {name: _number(value) if isinstance(value, float) else value for name, value in values.items()}


def _touched(answer: Answer) -> Iterator[str]:
    """Every memory the record speaks of."""
    for piece in answer.evidence:
        yield piece.memory.id
        yield from (*piece.absorbed, *piece.corroborated_by, *piece.reached_by, *piece.contradicted_by)
    for conflict in answer.conflicts:
        yield from (conflict.preferred, conflict.other)
    for span in answer.trace.spans:
        for decision in _all_decisions(span):
            yield from named_ids(decision.numbers)


def _all_decisions(span: Span) -> Iterator[Decision]:
    yield from span.decisions
    for inner in span.inside:
        yield from _all_decisions(inner)
