"""An operation becomes one line of JSON on the logger `recollect`: codes and numbers, content only where switched on.

The line is the message, and the same as a mapping is the record's attribute `recollect`. Nothing is configured here:
where lines go is the application's business; a door without one of its own uses `written_to`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from recollect.settings import TelemetrySettings
from recollect.telemetry import facts
from recollect.values import Answer, Operation, Trace

NAME = "recollect"
DIGITS = 6
# Errors a caller can mend; the others are ours, or of something outside.
MISTAKES = frozenset({"InvalidInput", "UnknownName", "Refused", "NotFound", "WriteConflict"})


class Logs:
    """An observer that writes lines; see `TelemetrySettings` for what stands in them."""

    def __init__(self, settings: TelemetrySettings, *, logger: logging.Logger | None = None) -> None:
        self._settings = settings
        self._logger = logger or logging.getLogger(NAME)

    def observed(self, operation: Operation) -> None:
        """Write the line of one call."""
        level = _level(operation)
        if not self._logger.isEnabledFor(level):
            return
        line = self._line(operation, level)
        self._logger.log(level, "%s", json.dumps(line), extra={NAME: line})

    def _line(self, operation: Operation, level: int) -> dict[str, Any]:
        count, id = facts.records(operation)
        line: dict[str, Any] = {
            "time": operation.started_at.isoformat(),
            "level": logging.getLevelName(level).lower(),
            "operation": operation.name,
            "outcome": facts.outcome_of(operation),
            "seconds": round(operation.seconds, DIGITS),
            "error": operation.error,
            "reason": operation.reason,
            "space": operation.space if self._settings.spaces else "",
            "memories": count,
            "memory": id if facts.is_id(id) else "",
            "writes": facts.fates(operation),
            "files": facts.files(operation),
            "degraded": facts.degraded(operation),
        }
        if operation.answer is not None:
            line |= _answer(operation.answer)
        if operation.trace is not None:
            line |= self._trace(operation.trace, operation)
        if self._settings.content:
            line["question"] = facts.question(operation)
            line["contents"] = [each._asdict() for each in facts.contents(operation)]
        return {name: value for name, value in line.items() if value not in ("", (), [], {}, None)}

    def _trace(self, trace: Trace, operation: Operation) -> dict[str, Any]:
        decisions = [
            {
                "step": span.name,
                "what": each.what,
                "because": each.because,
                **({"numbers": dict(each.numbers)} if self._settings.content else {}),
            }
            for span in trace.spans
            for each in span.decisions
        ]
        lookups = [
            {name: value for name, value in each._asdict().items() if value != ""}
            for each in (looked._replace(seconds=round(looked.seconds, DIGITS)) for looked in facts.lookups(operation))
        ]
        return {
            "trace": trace.id,
            "counters": facts.without_content(trace.counters),
            "steps": [[span.name, round(span.seconds, DIGITS)] for span in trace.spans],
            "lookups": lookups,
            "decisions": decisions,
        }


@contextmanager
def written_to(stream: TextIO) -> Iterator[None]:
    """Inside this block the lines go to this stream, and nowhere else."""
    logger, handler = logging.getLogger(NAME), logging.StreamHandler(stream)
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before[0])
        logger.propagate = before[1]


def _level(operation: Operation) -> int:
    if facts.outcome_of(operation) == facts.ERROR:
        return logging.WARNING if operation.error in MISTAKES else logging.ERROR
    return logging.WARNING if facts.degraded(operation) else logging.INFO


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "verdict": answer.verdict.value,
        "confidence": round(answer.confidence.score, DIGITS),
        "label": answer.confidence.label.value,
        "stop": answer.stop.value,
        "rounds": len(answer.gains),
        "evidence": len(answer.evidence),
        "conflicts": len(answer.conflicts),
        "gaps": len(answer.gaps),
    }
