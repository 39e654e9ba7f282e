"""What the path costs beside one plain search, and a compound question beside a simple one, at 100,000 memories.

Questions are about passages that are stored, in words from their middle, so that most end in one round; those are
compared. Each is asked in all ways in turn: a plain search, the path, and the path with a question of two parts.
Vectors are made in a first pass and kept, so that embedding is left out; `--with-embedding` puts it back in. What the
path adds is the time of its call less the time of its searching, and less the same around a plain search.

    python benchmarks/path_cost.py [--memories 100000] [--corpus FOLDER] [--questions 200] [--with-embedding]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import numpy as np

import corpus as texts
from recollect.engine import Recollect
from recollect.models.minilm import MiniLM
from recollect.ports import TextKind
from recollect.rank.identity import content_hash
from recollect.records import Memory, PutMemory, Vector
from recollect.settings import Settings, StoreSettings
from recollect.sources.catalog import load_source
from recollect.store.sqlite import SqliteStore
from recollect.values import Answer

IDENTITY = "all-MiniLM-L6-v2/int8"
BATCH = 1_000
SKIPPED_WORDS, ASKED_WORDS = 12, 9
KEPT_QUESTIONS = 1_000  # as in store_scale.py, so that its kept vectors serve


class Remembering:
    """An embedder that keeps what it made."""

    note = None

    def __init__(self, *, keep: bool) -> None:
        self._model = MiniLM()
        self._keep = keep
        self._made: dict[str, Vector] = {}

    @property
    def identity(self) -> str:
        return self._model.identity

    async def embed(self, given: Sequence[str], *, kind: TextKind) -> list[Vector]:
        if not self._keep:
            return await self._model.embed(given, kind=kind)
        missing = [text for text in given if text not in self._made]
        if missing:
            self._made |= dict(zip(missing, await self._model.embed(missing, kind=kind), strict=True))
        return [self._made[text] for text in given]

    async def close(self) -> None:
        await self._model.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--with-embedding", action="store_true")
    options = parser.parse_args()
    given = texts.load(options.memories, queries=KEPT_QUESTIONS, corpus=options.corpus)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_measure(Path(folder), given, options.questions, keep=not options.with_embedding))


async def _measure(folder: Path, given: texts.Corpus, questions: int, *, keep: bool) -> None:
    settings = Settings(store=StoreSettings(path=folder))
    store = SqliteStore(folder, now=lambda: datetime.now(UTC), settings=settings.store)
    _load(store, given)
    sources = [
        load_source(name, store, settings=settings, now=lambda: datetime.now(UTC)) for name in ("memory", "messages")
    ]
    async with Recollect(settings, store=store, embedder=Remembering(keep=keep), sources=sources) as engine:
        await engine.warm()
        times: dict[str, list[float]] = defaultdict(list)
        shares: dict[str, list[float]] = defaultdict(list)
        for measured in (False, True):
            for question, other in pairwise(_asked(given.texts, questions + 1)):
                await _ask(engine, question, other, times if measured else defaultdict(list), shares)
        _show(times, shares)


async def _ask(
    engine: Recollect, question: str, other: str, times: dict[str, list[float]], shares: dict[str, list[float]]
) -> None:
    simple, compound = f"What about {question}?", f"What about {question}? And what about {other}?"
    await engine.settle()  # the trace of the call before
    began = time.perf_counter()
    await engine.search(simple, limit=engine.settings.search_limit_per_query)
    times["plain search"].append(time.perf_counter() - began)
    for name, text in (("simple", simple), ("compound", compound)):
        await engine.settle()  # the trace of the call before
        began = time.perf_counter()
        answer = await engine.retrieve(text)
        took = time.perf_counter() - began
        times[name].append(took)
        times[f"{name}, outside search"].append(took - _searching(answer))

        if len(answer.gains) == 1 and len(answer.parts) == (1 if name == "simple" else 2):
            times[f"{name} in one round"].append(took)
            times[f"{name} in one round, less a plain search"].append(took - times["plain search"][-1])
        if name == "simple" and len(answer.gains) == 1:
            for span in answer.trace.spans:
                shares[span.name].append(span.seconds)


def _asked(stored: list[str], count: int) -> list[str]:
    step = len(stored) // count
    return [" ".join(stored[number * step].split()[SKIPPED_WORDS:][:ASKED_WORDS]) for number in range(count)]


def _searching(answer: Answer) -> float:
    return sum(span.seconds for span in answer.trace.spans if span.name == "search")


def _load(store: SqliteStore, given: texts.Corpus) -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    for start in range(0, len(given.texts), BATCH):
        writes = [
            PutMemory(
                Memory(f"{number:08d}", "default", "fact", "", text, moment, moment, content_hash("", text)),
                Vector(IDENTITY, vector.tobytes()),
            )
            for number, (text, vector) in enumerate(
                zip(given.texts[start : start + BATCH], given.vectors[start : start + BATCH], strict=True), start
            )
        ]
        store.apply("default", writes)
    store.catch_up("default")


def _show(times: dict[str, list[float]], shares: dict[str, list[float]]) -> None:
    print(f"{'':44} {'calls':>6} {'p50 ms':>8} {'p95 ms':>8}")
    for name, found in times.items():
        print(f"{name:44} {len(found):6} {_middle(found):8.2f} {float(np.percentile(found, 95)) * 1e3:8.2f}")
    print("steps of a simple question in one round, p50 ms: ", end="")
    print(", ".join(f"{name} {_middle(found):.2f}" for name, found in shares.items()))
    for which in ("", " in one round"):
        ratio = statistics.median(times["compound" + which]) / statistics.median(times["simple" + which])
        print(f"compound / simple{which} {ratio:.2f}")


def _middle(found: list[float]) -> float:
    return statistics.median(found) * 1e3


if __name__ == "__main__":
    main()
