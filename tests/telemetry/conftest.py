from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recollect import Recollect
from recollect.graph.inmemory import InMemoryKnowledge
from recollect.models.hashing import HashingEmbedder
from recollect.ports import Source
from recollect.settings import Settings, TelemetrySettings
from recollect.store.sqlite import SqliteStore
from recollect.telemetry.metrics import Metrics
from recollect.telemetry.spans import Spans
from recollect.testing.clock import FakeClock
from recollect.wiring import make_sources

from .telling import Told

PATIENCE = 120.0  # seconds that no test waits: what it waits for happens long before


class TickingClock(FakeClock):
    """A clock that moves by a millisecond whenever somebody looks at it, so that everything takes some time."""

    def monotonic(self) -> float:
        self.jump(0.001)
        return super().monotonic()


@pytest.fixture(autouse=True)
def settling_takes_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.verbs.wired.SETTLING_SECONDS", PATIENCE)


@pytest.fixture
def clock() -> FakeClock:
    return TickingClock()


@pytest.fixture
def provider() -> Iterator[tuple[TracerProvider, InMemorySpanExporter]]:
    exporter, made = InMemorySpanExporter(), TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(exporter))
    yield made, exporter
    made.shutdown()


@pytest.fixture
def told(
    store: SqliteStore, provider: tuple[TracerProvider, InMemorySpanExporter], clock: FakeClock
) -> Callable[..., Told]:
    """An engine on real parts, with spans, metrics and logs; sources may be added, and what the embedder has to say."""

    def make(*sources: Source, note: str | None = None, **changes: Any) -> Told:
        settings = TelemetrySettings(**changes)
        whole = Settings(telemetry=settings)
        embedder, knowledge = HashingEmbedder(), InMemoryKnowledge()
        embedder.note = note
        own = make_sources(whole, store, clock, embedder=embedder, knowledge=knowledge)
        engine = Recollect(
            whole,
            store=store,
            embedder=embedder,
            sources=[*own, *sources],
            knowledge=knowledge,
            clock=clock,
            entropy=Random(7).randbytes,
        )
        metrics = Metrics(settings, monotonic=clock.monotonic)
        return Told(engine, Spans(settings, provider=provider[0]), metrics, provider[1])

    return make
