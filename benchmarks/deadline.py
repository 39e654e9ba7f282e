"""How far a call overshoots its deadline when a source misbehaves in every way it can.

Beside a good source stands one that sleeps, blocks its thread, hangs for ever, computes without end, raises or returns
garbage. Reported is the time of each call less its deadline, and what came back.

    python benchmarks/deadline.py [--deadline 0.5] [--calls 20]
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from recollect.engine import Recollect
from recollect.models.hashing import HashingEmbedder
from recollect.records import Memory
from recollect.settings import Settings
from recollect.sources.inmemory import InMemorySource
from recollect.store.inmemory import InMemoryStore
from recollect.values import Abilities, Lookup, Reply

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


class Stranger:
    """A source that does what it is told."""

    def __init__(self, name: str, act: Callable[[], Awaitable[Any]]) -> None:
        self._name = name
        self._act = act

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities()

    async def search(self, lookup: Lookup) -> Reply:
        reply: Reply = await self._act()
        return reply

    async def close(self) -> None:
        """Nothing to let go of."""


async def _sleeps() -> Reply:
    await asyncio.sleep(30)
    return Reply(())


async def _blocks() -> Reply:
    time.sleep(3)
    return Reply(())


async def _hangs() -> Reply:
    await asyncio.Event().wait()
    return Reply(())


async def _computes() -> Reply:
    until = time.monotonic() + 3
    while time.monotonic() < until:
        pass
    return Reply(())


async def _raises() -> Reply:
    raise OSError("the other end is gone")


async def _garbage() -> Any:
    return {"hits": None}


STRANGERS = {
    "sleeps": _sleeps,
    "blocks": _blocks,
    "hangs": _hangs,
    "computes": _computes,
    "raises": _raises,
    "garbage": _garbage,
}


async def _measure(deadline: float, calls: int) -> None:
    memory = Memory("1", "default", "fact", "", "The harbour opens at six in summer.", MOMENT, MOMENT, "h")
    print(f"{'beside it, a source that':26} {'calls':>5} {'answered':>8} {'most over, ms':>14}   said")
    for name, act in STRANGERS.items():
        engine = Recollect(
            Settings(),
            store=InMemoryStore(lambda: datetime.now(UTC)),
            embedder=HashingEmbedder(),
            sources=[InMemorySource([memory], name="good"), Stranger("stranger", act)],
        )
        await engine.warm()
        over, answered, said = [], 0, ""
        for _ in range(calls):
            began = time.perf_counter()
            answer = await engine.retrieve("When does the harbour open?", deadline=deadline)
            over.append(time.perf_counter() - began - deadline)
            answered += bool(answer.evidence)
            said = "; ".join(answer.degraded)
        print(f"{name:26} {calls:5} {answered:8} {max(over) * 1e3:14.1f}   {said[:70]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--deadline", type=float, default=0.5)
    parser.add_argument("--calls", type=int, default=20)
    options = parser.parse_args()
    asyncio.run(_measure(options.deadline, options.calls))


if __name__ == "__main__":
    main()
