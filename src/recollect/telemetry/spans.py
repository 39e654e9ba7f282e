"""A finished operation becomes OpenTelemetry spans: one for the call, below it one for each step, below that lookups.

They are made after the call from its trace, with the times things had, and hang on whatever span the caller was in.
Decisions are events at the end of their step: a trace knows their order, not their moment. Spans go to the tracer
provider of the process; setting one up is the application's business. Needs the extra `telemetry`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from typing import TypeAlias

from opentelemetry import trace as otel
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode, TracerProvider

from recollect.settings import TelemetrySettings
from recollect.telemetry import facts, names
from recollect.values import Answer, Decision, Operation, Span, Trace

Value: TypeAlias = str | bool | int | float | Sequence[str]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NANOSECONDS = 1_000_000_000
NAME = "recollect"


class Spans:
    """An observer that makes spans; see `TelemetrySettings` for what stands in them."""

    def __init__(self, settings: TelemetrySettings, *, provider: TracerProvider | None = None) -> None:
        self._settings = settings
        self._tracer = otel.get_tracer(NAME, version(NAME), provider)

    def observed(self, operation: Operation) -> None:
        """Make the spans of one call."""
        start, end = _moments(operation)
        root = self._tracer.start_span(
            f"{NAME}.{operation.name}",
            kind=SpanKind.INTERNAL,
            attributes=self._call(operation),
            start_time=start,
        )
        if root.is_recording() and operation.trace is not None:
            below = otel.set_span_in_context(root)
            for span in operation.trace.spans:
                self._step(span, below, _nanoseconds(operation.trace.started_at))
        if facts.outcome_of(operation) == facts.ERROR:
            root.set_status(Status(StatusCode.ERROR, operation.error))
        root.end(end)

    def _step(self, step: Span, above: Context, zero: int) -> None:
        start, end = _within(step, zero)
        looked = facts.looked(step)
        attributes = self._lookup(step, looked) if looked else {}
        span = self._tracer.start_span(step.name, above, SpanKind.INTERNAL, attributes, start_time=start)
        for decision in () if looked else step.decisions:
            span.add_event(decision.what, self._decision(decision), end)
        for inside in step.inside:
            self._step(inside, otel.set_span_in_context(span), zero)
        if looked and looked.outcome in {"failed", "timed_out"}:
            span.set_status(Status(StatusCode.ERROR, looked.outcome))
        span.end(end)

    # --- what stands in them ---------------------------------------------------------------------

    def _call(self, operation: Operation) -> dict[str, Value]:
        given: dict[str, Value] = {_own("operation"): operation.name, _own("outcome"): facts.outcome_of(operation)}
        kind = names.OPERATIONS.get(operation.name)
        if kind:
            given[names.OPERATION_NAME] = kind
        if operation.error:
            given[names.ERROR_TYPE] = operation.error
        if operation.reason:
            given[_own("refused")] = operation.reason
        if self._settings.spaces and operation.space:
            given[names.DATA_SOURCE if kind == names.RETRIEVAL else names.MEMORY_STORE] = operation.space
        if facts.is_word(session := operation.given.get("session")):
            given[names.CONVERSATION] = str(session)
        given |= _counts(operation)
        if operation.trace is not None:
            given |= _counters(operation.trace)
        if operation.answer is not None:
            given |= _verdict(operation.answer)
        if codes := facts.degraded(operation):
            given[_own("degraded")] = codes
        return given | (_texts(operation, kind) if self._settings.content else {})

    def _decision(self, decision: Decision) -> dict[str, Value]:
        numbers: Mapping[str, Value] = (
            decision.numbers if self._settings.content else facts.without_content(decision.numbers)
        )
        return {_own("reason"): decision.because} | {_own(name): value for name, value in numbers.items()}

    def _lookup(self, span: Span, looked: facts.Looked) -> dict[str, Value]:
        given: dict[str, Value] = {
            names.OPERATION_NAME: names.RETRIEVAL,
            names.DATA_SOURCE: looked.source,
            _own("outcome"): looked.outcome,
            _own("origin"): looked.origin,
            _own("part"): looked.part,
            _own("hits"): looked.hits,
        }
        if looked.error or looked.outcome == "timed_out":
            given[names.ERROR_TYPE] = looked.error or "timeout"
        if looked.reason:
            given[_own("reason")] = looked.reason
        said = span.decisions[0].numbers
        if facts.is_id(via := said.get("via")):
            given[_own("via")] = str(via)
        if self._settings.content:
            given[names.RETRIEVAL_QUERY] = str(said.get("text", ""))
            if "error" in said:
                given[_own("error")] = str(said["error"])
        return given


def _own(name: str) -> str:
    return names.OWN + name


def _counts(operation: Operation) -> dict[str, Value]:
    """How many memories, of which fate, and how many files."""
    count, id = facts.records(operation)
    given: dict[str, Value] = {_own(f"writes.{fate}"): many for fate, many in facts.fates(operation).items()}
    given |= {_own(f"files.{fate}"): many for fate, many in facts.files(operation).items()}
    if count is not None:
        given[names.MEMORY_COUNT] = count
    if facts.is_id(id):
        given[names.MEMORY_RECORD] = id
    return given


def _counters(trace: Trace) -> dict[str, Value]:
    given: dict[str, Value] = {_own(name): value for name, value in facts.without_content(trace.counters).items()}
    return given | ({_own("trace.id"): trace.id} if trace.id else {})


def _verdict(answer: Answer) -> dict[str, Value]:
    return {
        _own("verdict"): answer.verdict.value,
        _own("confidence"): answer.confidence.score,
        _own("confidence.label"): answer.confidence.label.value,
        _own("stop"): answer.stop.value,
        _own("evidence"): len(answer.evidence),
        _own("conflicts"): len(answer.conflicts),
        _own("gaps"): len(answer.gaps),
    }


def _texts(operation: Operation, kind: str | None) -> dict[str, Value]:
    """What was asked and what was found or stored; only where content is switched on."""
    found: dict[str, Value] = {}
    is_retrieval = kind == names.RETRIEVAL
    if asked := facts.question(operation):
        found[names.RETRIEVAL_QUERY if is_retrieval else names.MEMORY_QUERY] = asked
    if told := [_record(each) for each in facts.contents(operation)]:
        found[names.RETRIEVAL_DOCUMENTS if is_retrieval else names.MEMORY_RECORDS] = json.dumps(told)
    return found


def _record(content: facts.Content) -> dict[str, str | float]:
    told: dict[str, str | float] = {"content": content.text}
    if content.id:
        told["id"] = content.id
    if content.score is not None:
        told["score"] = content.score
    return told


# --- time ----------------------------------------------------------------------------------------


def _moments(operation: Operation) -> tuple[int, int]:
    """When the call began and ended; never inside one of its steps, whatever was done to the clock meanwhile."""
    start = _nanoseconds(operation.started_at)
    end = start + round(operation.seconds * NANOSECONDS)
    if operation.trace is None:
        return start, end
    zero = _nanoseconds(operation.trace.started_at)
    ends = [_within(span, zero)[1] for span in operation.trace.spans]
    return min(start, zero), max(end, zero, *ends)


def _within(span: Span, zero: int) -> tuple[int, int]:
    start = zero + round(span.began * NANOSECONDS)
    return start, max(start, zero + round((span.began + span.seconds) * NANOSECONDS))


def _nanoseconds(moment: datetime) -> int:
    """
    >>> _nanoseconds(datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC))
    1000005000
    """
    return (moment - EPOCH) // timedelta(microseconds=1) * 1_000
