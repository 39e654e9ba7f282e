"""Traces, as plain dictionaries for JSON; re-exported by `wire.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.doors.wire_stored import Json, moment, number, numbers
from recollect.journal import opened
from recollect.records import TraceRecord
from recollect.values import Decision, Span, Trace


def timings(value: Trace) -> Json:
    """Seconds in all, of each step in order, and of the lookups in each source, which overlap one another."""
    steps = [{"name": span.name, "seconds": number(span.seconds)} for span in value.spans]
    sources: dict[str, float] = {}
    for source, seconds in _lookups(value.spans):
        sources[source] = sources.get(source, 0.0) + seconds
    return {"total": number(value.seconds), "steps": steps, "sources": numbers(dict(sorted(sources.items())))}


def counters(value: Trace) -> Json:
    """What was counted during the call."""
    return numbers(value.counters)


def trace(value: Trace) -> Json:
    """The path one question took."""
    return {
        "id": value.id,
        "started_at": moment(value.started_at),
        "seconds": number(value.seconds),
        "counters": counters(value),
        "steps": [span(each) for each in value.spans],
    }


def span(value: Span) -> Json:
    """One step, or something that ran inside one; `began` is in seconds from the start of the call."""
    return {
        "name": value.name,
        "began": number(value.began),
        "seconds": number(value.seconds),
        "decisions": [_decision(each) for each in value.decisions],
        "inside": [span(each) for each in value.inside],
    }


def trace_line(value: TraceRecord) -> Json:
    """A kept trace in a list."""
    return {
        "id": value.id,
        "started_at": moment(value.started_at),
        "seconds": number(value.seconds),
        "question": value.question,
        "verdict": value.verdict,
        "confidence": {"score": number(value.confidence)},
        "stop_reason": value.stop,
    }


def trace_record(value: TraceRecord) -> Json:
    """A kept trace whole, under the names an answer has."""
    told = opened(value)
    renamed = {"stop": "stop_reason", "gains": "rounds", "spans": "steps"}
    whole = {renamed.get(name, name): said for name, said in told.items() if name != "version"}
    return {**trace_line(value), **whole, "touched": sorted(value.touched)}


def _decision(value: Decision) -> Json:
    return {"what": value.what, "because": value.because, "numbers": numbers(value.numbers)}


def _lookups(spans: Sequence[Span]) -> Iterator[tuple[str, float]]:
    """Each lookup's source and seconds."""
    for step in spans:
        for inner in step.inside:
            source = inner.decisions[0].numbers.get("source") if inner.decisions else None
            if source:
                yield str(source), inner.seconds
