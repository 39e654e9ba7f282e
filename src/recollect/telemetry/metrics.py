"""Operations counted for Prometheus, in a registry of their own: `render` gives what GET /metrics answers.

Labels are verbs, sources, error types and codes, never ids or texts, and spaces only where they are switched on; so the
number of series does not grow with what is asked or stored. Units are in the names: seconds, bytes, a ratio 0..1.
Each process counts for itself. Needs the extra `telemetry`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import Protocol

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, Metric
from prometheus_client.exposition import choose_encoder

from recollect.errors import NotFound
from recollect.observing import unobserved
from recollect.records import SpaceStats
from recollect.settings import TelemetrySettings
from recollect.telemetry import facts
from recollect.values import Operation, Stop, VerdictKind

CALL_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
STEP_SECONDS = (0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
RATIOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
ROUNDS = (0, 1, 2, 3, 4, 5, 6, 8, 10)
ALL = "all"  # stands for the space where spaces are not named
MOST_SOURCES = 32  # names of sources told apart; a stranger may make up a new one for every lookup


class Sized(Protocol):
    """What knows its spaces and their sizes; an engine does."""

    async def spaces(self) -> list[str]: ...

    async def stats(self, *, space: str) -> SpaceStats: ...


class _Timeless:
    """A registry without the moments its series began: nobody asks for them, and they are a third of all series."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric


class Metrics:
    """An observer that counts; see `TelemetrySettings` for what stands in the labels."""

    def __init__(self, settings: TelemetrySettings, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.registry = CollectorRegistry()
        self._settings = settings
        self._monotonic = monotonic
        self._sized_at: float | None = None
        self._sources: set[str] = set()
        self._make_calls()
        self._make_answers()
        self._make_writes()
        self._make_sizes()
        Info("recollect", "Which version counts here.", registry=self.registry).info({"version": version("recollect")})

    def observed(self, operation: Operation) -> None:
        """Count one call."""
        space = self._space(operation.space)
        for outcome in facts.OUTCOMES:  # all of them, so that rates see the first of each
            self.operations.labels(operation.name, outcome, *space).inc(outcome == facts.outcome_of(operation))
        self.seconds.labels(operation.name, *space).observe(operation.seconds)
        if facts.outcome_of(operation) == facts.ERROR:
            self.errors.labels(operation.name, operation.error).inc()
        if operation.reason:
            self.refusals.labels(operation.reason).inc()
        for fate, count in facts.fates(operation).items():
            self.writes.labels(fate).inc(count)
        for fate, count in facts.files(operation).items():
            self.files.labels(fate).inc(count)
        for code in facts.degraded(operation):
            self.degraded.labels(code).inc()
        self._count_answer(operation)
        self._count_trace(operation)

    def render(self, accept: str = "") -> tuple[bytes, str]:
        """All that was counted, and its content type; `accept` is what the asker can read."""
        encode, content_type = choose_encoder(accept)
        return encode(_Timeless(self.registry)), content_type

    async def look_at(self, engine: Sized) -> None:
        """Take the sizes of the store anew, unless they are young enough; nobody observes that."""
        now = self._monotonic()
        if self._sized_at is not None and now - self._sized_at < self._settings.sizes_seconds:
            return
        self._sized_at = now
        stats: dict[str, SpaceStats] = {}
        with unobserved():
            for space in await engine.spaces():
                with suppress(NotFound):  # erased meanwhile
                    stats[space] = await engine.stats(space=space)
        self.keep_sizes(stats)

    def keep_sizes(self, stats: Mapping[str, SpaceStats]) -> None:
        """Show these sizes from now on: of each space, or of all together where spaces are not named."""
        self.spaces.set(len(stats))
        by_space: dict[str, list[SpaceStats]] = {} if self._settings.spaces else {ALL: []}
        for space, each in stats.items():
            by_space.setdefault(space if self._settings.spaces else ALL, []).append(each)
        for gauge in self.sizes.values():
            gauge.clear()
        for space, group in by_space.items():
            for name, gauge in self.sizes.items():
                gauge.labels(space).set(sum(getattr(each, name) for each in group))

    # --- counting ----------------------------------------------------------------------------------

    def _count_answer(self, operation: Operation) -> None:
        answer = operation.answer
        if answer is None:
            return
        self.verdicts.labels(answer.verdict.value).inc()
        self.stops.labels(answer.stop.value).inc()
        if answer.parts:  # a trivial question was never searched for
            self.confidence.observe(answer.confidence.score)
            self.rounds.observe(len(answer.gains))

    def _count_trace(self, operation: Operation) -> None:
        for span in operation.trace.spans if operation.trace else ():
            self.steps.labels(span.name).observe(span.seconds)
        for each in facts.lookups(operation):
            source = self._source(each.source)
            for outcome in facts.LOOKUP_OUTCOMES:
                self.lookups.labels(source, outcome).inc(outcome == each.outcome)
            if each.outcome != "skipped":
                self.lookup_seconds.labels(source).observe(each.seconds)

    def _space(self, space: str) -> tuple[str, ...]:
        return (space,) if self._settings.spaces else ()

    def _source(self, name: str) -> str:
        if name not in self._sources and len(self._sources) >= MOST_SOURCES:
            return facts.OTHER
        self._sources.add(name)
        return name

    # --- what there is -----------------------------------------------------------------------------

    def _make_calls(self) -> None:
        space = ("space",) if self._settings.spaces else ()
        self.operations = self._counter(
            "recollect_operations", "Calls of verbs, by how they ended.", ("operation", "outcome", *space)
        )
        self.errors = self._counter("recollect_errors", "Calls that raised, by type.", ("operation", "error"))
        self.seconds = self._histogram(
            "recollect_operation_duration_seconds", "How long calls took.", ("operation", *space), CALL_SECONDS
        )
        self.steps = self._histogram(
            "recollect_step_duration_seconds", "How long the steps of a question took.", ("step",), STEP_SECONDS
        )
        self.lookups = self._counter("recollect_lookups", "Lookups, by how they fared.", ("source", "outcome"))
        self.lookup_seconds = self._histogram(
            "recollect_lookup_duration_seconds", "How long sources took.", ("source",), STEP_SECONDS
        )

    def _make_answers(self) -> None:
        self.verdicts = self._counter("recollect_verdicts", "Answers, by verdict.", ("verdict",), tuple(VerdictKind))
        self.stops = self._counter("recollect_stops", "Answers, by why the search ended.", ("reason",), tuple(Stop))
        self.degraded = self._counter(
            "recollect_degraded", "What answers had to do without.", ("reason",), facts.DEGRADED_CODES
        )
        self.confidence = self._histogram("recollect_confidence_ratio", "How sure answers were.", (), RATIOS)
        self.rounds = self._histogram("recollect_search_rounds", "Rounds of searching.", (), ROUNDS)

    def _make_writes(self) -> None:
        self.writes = self._counter(
            "recollect_writes", "Memories and links written, by fate.", ("fate",), facts.EVERY_FATE
        )
        self.refusals = self._counter("recollect_refusals", "Texts refused, by reason.", ("reason",))
        self.files = self._counter(
            "recollect_ingest_files", "Files met while ingesting, by fate.", ("fate",), facts.INGEST_FATES
        )

    def _make_sizes(self) -> None:
        self.spaces = Gauge("recollect_store_spaces", "Spaces there are.", registry=self.registry)
        self.sizes = {
            field: Gauge(f"recollect_store_{name}", what, ("space",), registry=self.registry)
            for field, name, what in (
                ("memories", "memories", "Memories stored."),
                ("links", "links", "Links stored."),
                ("entities", "entities", "Entities stored."),
                ("vectors", "vectors", "Vectors stored."),
                ("bytes_on_disk", "size_bytes", "Bytes on disk."),
            )
        }

    def _counter(self, name: str, what: str, labels: Sequence[str], known: Sequence[str] = ()) -> Counter:
        """A counter; the values its one label can have stand there from the start, so that rates see the first."""
        counter = Counter(name, what, labels, registry=self.registry)
        for value in known:
            counter.labels(str(value))
        return counter

    def _histogram(self, name: str, what: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        return Histogram(name, what, labels, buckets=buckets, registry=self.registry)
