"""Values to plain dictionaries for JSON: what the doors show of a value is decided here and nowhere else.

One explicit function per value, keys in a fixed order, moments as ISO-8601, numbers rounded to six digits,
durations in seconds. Inner values are not the API; these shapes are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.errors import RecollectError
from recollect.questions import Part, Question, classic_view
from recollect.records import Link, Memory, SpaceStats, TimeRange
from recollect.values import (
    Answer,
    Confidence,
    Conflict,
    Decision,
    Evidence,
    Explanation,
    Gap,
    Health,
    Hit,
    PartState,
    Recalled,
    Remembered,
    SearchResult,
    Trace,
)

Json = dict[str, Any]

DIGITS = 6


def moment(value: datetime | None) -> str | None:
    """A moment as ISO-8601, or nothing."""
    return value.isoformat() if value else None


def number(value: float) -> float:
    """A number short enough to read.

    >>> number(0.1234567)
    0.123457
    """
    return round(float(value), DIGITS)


# --- what is stored ------------------------------------------------------------------------------


def memory(value: Memory) -> Json:
    """Everything about one stored memory but its vector."""
    return {
        "id": value.id,
        "space": value.space,
        "title": value.title,
        "text": value.body,
        "kind": value.kind,
        "summary": value.summary,
        "created_at": moment(value.created_at),
        "updated_at": moment(value.updated_at),
        "event_time": moment(value.event_time),
        "valid_from": moment(value.valid_from),
        "valid_to": moment(value.valid_to),
        "lifecycle": value.lifecycle.value,
        "project": value.project,
        "author": value.author,
        "trust": value.trust,
        "tags": list(value.tags),
        "clusters": list(value.clusters),
        "source_uri": value.source_uri,
        "source_position": value.source_position,
        "metadata": dict(value.metadata),
        "access_count": value.access_count,
        "last_access": moment(value.last_access),
        "stability_days": None if value.stability_days is None else number(value.stability_days),
        "embedded_by": value.embedded_by,
        "content_hash": value.content_hash,
    }


def link(value: Link) -> Json:
    """One edge."""
    return {
        "from_id": value.from_id,
        "to_id": value.to_id,
        "relation": value.relation,
        "weight": number(value.weight),
        "learned": number(value.learned),
        "evidence": value.evidence,
        "created_at": moment(value.created_at),
        "valid_from": moment(value.valid_from),
        "valid_to": moment(value.valid_to),
    }


def stats(value: SpaceStats, *, space: str) -> Json:
    """Counts for one space."""
    return {
        "space": space,
        "memories": value.memories,
        "by_lifecycle": dict(sorted(value.by_lifecycle.items())),
        "links": value.links,
        "entities": value.entities,
        "vectors": value.vectors,
        "embedder": value.embedder,
        "bytes_on_disk": value.bytes_on_disk,
    }


# --- what searching gives ------------------------------------------------------------------------


def explanation(value: Explanation) -> Json:
    """The tree behind a number; where `sums`, the details add up to the value."""
    return {
        "value": number(value.value),
        "what": value.what,
        "sums": value.sums,
        "details": [explanation(detail) for detail in value.details],
    }


def hit(value: Hit) -> Json:
    """One thing a plain search found."""
    return {
        **_found(value.memory),
        "source": value.source,
        "source_score": number(value.source_score),
        "relevance": number(value.relevance),
        "explanation": explanation(value.explanation),
    }


def search_result(value: SearchResult) -> Json:
    """A plain search."""
    return {"hits": [hit(each) for each in value.hits], "degraded": list(value.degraded)}


def recalled(value: Recalled) -> Json:
    """Memories with the relevance they had, where something was asked."""
    return {
        "memories": [{**memory(each), "relevance": _optional(value.relevance.get(each.id))} for each in value.memories],
        "verdict": value.verdict.value if value.verdict else None,
        "degraded": list(value.degraded),
    }


def remembered(value: Remembered) -> Json:
    """What became of a text."""
    return {
        "id": value.id,
        "fate": value.fate.value,
        "similar": [{"id": id, "cosine": number(cosine)} for id, cosine in value.similar],
        "notes": list(value.notes),
    }


# --- the question ---------------------------------------------------------------------------------


def question(value: Question) -> Json:
    """What the words of a question show, and the classic one-category view of it."""
    classic = classic_view(value)
    return {
        "question": value.text,
        "rewritten": value.rewritten,
        "traits": sorted(trait.value for trait in value.traits),
        "type": value.type.value,
        "entities": list(value.entities),
        "parts": [part.text for part in value.parts],
        "parts_in_detail": [asked_part(each) for each in value.parts],
        "time": time_range(value.time),
        "disqualified": classic.disqualified,
        "category": classic.category,
        "reason": classic.reason,
        "query_type": classic.query_type,
        "confidence": number(classic.confidence),
        "entity": classic.entity,
        "attribute": classic.attribute,
    }


def asked_part(value: Part) -> Json:
    """One part as asked."""
    return {
        "number": value.number,
        "text": value.text,
        "type": value.type.value,
        "entities": list(value.entities),
        "time": time_range(value.time),
    }


def time_range(value: TimeRange | None) -> Json | None:
    """From `start` (included) to `end` (left out); an open side is null."""
    return None if value is None else {"start": moment(value.start), "end": moment(value.end)}


# --- the answer ----------------------------------------------------------------------------------


def answer(value: Answer, *, weak_below: float) -> Json:
    """The whole answer; evidence less relevant than `weak_below` (the answerable threshold) is marked weak."""
    return {
        "question": value.question.text,
        "traits": sorted(trait.value for trait in value.question.traits),
        "verdict": value.verdict.value,
        "confidence": confidence(value.confidence),
        "parts": [part(each, answer=value) for each in value.parts],
        "evidence": [evidence(each, weak_below=weak_below) for each in value.evidence],
        "conflicts": [conflict(each) for each in value.conflicts],
        "gaps": [gap(each) for each in value.gaps],
        "degraded": list(value.degraded),
        "stop_reason": value.stop.value,
        "timings": timings(value.trace),
        "trace_id": value.trace.id,
        "context": value.context,
    }


def confidence(value: Confidence) -> Json:
    """The score, its word, and what it is made of."""
    components = {name: number(share) for name, share in value.components.items()}
    return {"score": number(value.score), "label": value.label.value, "components": components}


def part(state: PartState, *, answer: Answer) -> Json:
    """How one part of the question fared: covered where no gap names it."""
    value = state.part
    reason = next((gap.reason for gap in answer.gaps if gap.part == value.number), None)
    serving = [piece for piece in answer.evidence if value.number in piece.parts]
    return {
        "number": value.number,
        "text": value.text,
        "entities": list(value.entities),
        "covered": reason is None,
        "best": number(state.best),
        "evidence": [piece.memory.id for piece in serving],
        "gap": reason,
    }


def evidence(value: Evidence, *, weak_below: float) -> Json:
    """One piece of evidence with everything said about it."""
    return {
        **_found(value.memory),
        "score": number(value.score),
        "relevance": number(value.relevance),
        "weak": value.relevance < weak_below,
        "parts": list(value.parts),
        "sources": list(value.sources),
        "rounds": list(value.rounds),
        "snippet": value.snippet,
        "absorbed": list(value.absorbed),
        "contradicted_by": list(value.contradicted_by),
        "explanation": explanation(value.explanation),
    }


def conflict(value: Conflict) -> Json:
    """Two memories that cannot both hold."""
    return {"preferred": value.preferred, "other": value.other, "reason": value.reason}


def gap(value: Gap) -> Json:
    """What is missing."""
    return {"part": value.part, "text": value.text, "reason": value.reason}


def timings(value: Trace) -> Json:
    """Seconds in all and of each step, in order; a step of a later round stands there again."""
    steps = [{"name": span.name, "seconds": number(span.seconds)} for span in value.spans]
    return {"total": number(value.seconds), "steps": steps}


def trace(value: Trace) -> Json:
    """The path one question took."""
    steps = [
        {
            "name": span.name,
            "seconds": number(span.seconds),
            "decisions": [_decision(each) for each in span.decisions],
        }
        for span in value.spans
    ]
    return {"id": value.id, "started_at": moment(value.started_at), "seconds": number(value.seconds), "steps": steps}


# --- upkeep and errors ---------------------------------------------------------------------------


def health(value: Health) -> Json:
    """One line of a check-up."""
    return {"what": value.what, "ok": value.ok, "seen": value.seen, "remedy": value.remedy}


def healths(values: Sequence[Health]) -> list[Json]:
    """A whole check-up."""
    return [health(each) for each in values]


def error(value: Exception) -> Json:
    """An error as a caller can act on it; `field` and `reason` where the class has them."""
    expected = isinstance(value, RecollectError)
    return {
        "error": {
            "type": type(value).__name__ if expected else "InternalError",
            "message": str(value) if expected else f"{type(value).__name__}: {value}",
            "field": getattr(value, "field", None) if expected else None,
            "reason": getattr(value, "reason", None) if expected else None,
        }
    }


def _found(value: Memory) -> Json:
    """The fields of a memory that hits and evidence share."""
    return {
        "id": value.id,
        "title": value.title,
        "text": value.body,
        "kind": value.kind,
        "created_at": moment(value.created_at),
        "event_time": moment(value.event_time),
        "lifecycle": value.lifecycle.value,
        "project": value.project,
        "author": value.author,
        "trust": value.trust,
        "tags": list(value.tags),
        "source_uri": value.source_uri,
        "superseded": value.valid_to is not None,
    }


def _decision(value: Decision) -> Json:
    return {"what": value.what, "because": value.because, "numbers": _numbers(value.numbers)}


def _numbers(values: Mapping[str, float | int | str]) -> Json:
    return {name: number(value) if isinstance(value, float) else value for name, value in values.items()}


def _optional(value: float | None) -> float | None:
    return None if value is None else number(value)
