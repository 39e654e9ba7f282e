"""An engine whose calls are told to spans, metrics and logs, and what these have then."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recollect import Recollect
from recollect.errors import RecollectError
from recollect.telemetry.logs import Logs, written_to
from recollect.telemetry.metrics import Metrics
from recollect.telemetry.spans import Spans
from recollect.values import Operation


class Told:
    """The engine, and all that was told of it."""

    def __init__(self, engine: Recollect, spans: Spans, metrics: Metrics, exporter: InMemorySpanExporter) -> None:
        self.metrics = metrics
        self.operations: list[Operation] = []
        self.engine = engine.observed_by(spans, metrics, Logs(engine.settings.telemetry), self)
        self._exporter = exporter
        self._lines = io.StringIO()

    def observed(self, operation: Operation) -> None:
        self.operations.append(operation)

    def run(self, *calls: Callable[[Recollect], Awaitable[Any]]) -> list[Any]:
        """What each call gave, or the error it raised, once everything about them is told."""

        async def all_of_them() -> list[Any]:
            found = await _in_turn(self.engine, calls)
            await self.engine.settle()
            return found

        with written_to(self._lines):
            return asyncio.run(all_of_them())

    @property
    def spans(self) -> list[ReadableSpan]:
        """The spans, in the order they began and the outer ones first."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: (span.start_time, -(span.end_time or 0)))

    @property
    def text(self) -> str:
        """The metrics as Prometheus reads them."""
        return self.metrics.render()[0].decode()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The log lines."""
        return [json.loads(line) for line in self._lines.getvalue().splitlines()]

    def roots(self) -> list[ReadableSpan]:
        return [span for span in self.spans if span.parent is None]

    def below(self, above: ReadableSpan) -> list[ReadableSpan]:
        """The spans right below this one, in the order they were ended, which is the order they were told in."""
        context = above.get_span_context()
        assert context is not None
        return [
            span
            for span in self._exporter.get_finished_spans()
            if span.parent is not None and span.parent.span_id == context.span_id
        ]


async def _in_turn(engine: Recollect, calls: tuple[Callable[[Recollect], Awaitable[Any]], ...]) -> list[Any]:
    found: list[Any] = []
    for call in calls:
        try:
            found.append(await call(engine))
        except RecollectError as error:
            found.append(error)
    return found
