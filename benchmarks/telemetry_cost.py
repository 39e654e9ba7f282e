"""What telemetry costs a question: the same questions to engines with and without observers, in turn, in one run.

Each question is asked of every engine right after the other, over one store; the order turns with each question. A
call's time is what its caller waits; `whole` also waits until observers are told, which is what a busy process pays.

    python benchmarks/telemetry_cost.py [--memories 5000] [--questions 150]
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recollect import Draft, Recollect
from recollect.ports import Observer
from recollect.settings import TelemetrySettings
from recollect.telemetry.logs import Logs, written_to
from recollect.telemetry.metrics import Metrics
from recollect.telemetry.spans import Spans
from recollect.values import Operation

PLACES = "harbour station library market bridge tower garden museum theatre school".split()
THINGS = "rent contract key plan budget lamp door clock painting invoice".split()
NOBODY = "nobody"


class Nothing:
    """An observer that does nothing: what the seam itself costs."""

    def observed(self, operation: Operation) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--memories", type=int, default=5_000)
    parser.add_argument("--questions", type=int, default=150)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open("/dev/null", "w") as nowhere, written_to(nowhere):
        logging.getLogger("recollect").setLevel(logging.INFO)
        asyncio.run(_measure(Path(folder), options.memories, options.questions))


def _observers() -> dict[str, Callable[[], list[Observer]]]:
    settings, provider = TelemetrySettings(), TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(InMemorySpanExporter()))
    return {
        NOBODY: list,
        "nobody again": list,  # how far two measurements of the same thing lie apart
        "the seam": lambda: [Nothing()],
        "spans": lambda: [Spans(settings, provider=provider)],
        "metrics": lambda: [Metrics(settings)],
        "logs": lambda: [Logs(settings)],
        "all three": lambda: [Spans(settings, provider=provider), Metrics(settings), Logs(settings)],
    }


async def _measure(folder: Path, memories: int, questions: int) -> None:
    async with Recollect.open(folder, embedder="static", keep_traces=0) as writer:
        drafts = [Draft(body=_text(number)) for number in range(memories)]
        for start in range(0, memories, 500):
            await writer.remember_many(drafts[start : start + 500])
    engines = {
        name: Recollect.open(folder, embedder="static", keep_traces=0, observers=make())
        for name, make in _observers().items()
    }
    calls: dict[str, list[float]] = defaultdict(list)
    whole: dict[str, list[float]] = defaultdict(list)
    for engine in engines.values():
        await engine.warm()
        await engine.retrieve(_question(0))
    for number in range(questions):
        turn = number % len(engines)
        for name in [*engines][turn:] + [*engines][:turn]:
            await engines[name].settle()
            began = time.perf_counter()
            await engines[name].retrieve(_question(number))
            calls[name].append(time.perf_counter() - began)
            await engines[name].settle()
            whole[name].append(time.perf_counter() - began)
    for engine in engines.values():
        await engine.close()
    _show(calls, whole)


def _text(number: int) -> str:
    place, thing = PLACES[number % 10], THINGS[number // 10 % 10]
    return (
        f"The {thing} number {number} of the {place} was seen on day {number % 365} and cost {number * 7 % 900} euros."
    )


def _question(number: int) -> str:
    return f"What did the {THINGS[number % 10]} number {number * 31 % 4000} of the {PLACES[number // 10 % 10]} cost?"


def _show(calls: dict[str, list[float]], whole: dict[str, list[float]]) -> None:
    print(f"{'told':14} {'call p50 ms':>12} {'ratio':>7} {'whole p50 ms':>13} {'ratio':>7}")
    for name in calls:
        call, all_of_it = statistics.median(calls[name]), statistics.median(whole[name])
        ratios = (_ratio(each, name) for each in (calls, whole))
        print(f"{name:14} {call * 1e3:12.3f} {next(ratios):7.3f} {all_of_it * 1e3:13.3f} {next(ratios):7.3f}")


def _ratio(times: dict[str, list[float]], name: str) -> float:
    """The middle of the ratios, question by question."""
    return statistics.median(one / other for one, other in zip(times[name], times[NOBODY], strict=True))


if __name__ == "__main__":
    main()
