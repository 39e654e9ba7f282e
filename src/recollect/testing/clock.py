"""A clock that stands still until a test moves it, so that deadlines are tested without waiting for them."""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime, timedelta

START = datetime(2030, 1, 1, 12, tzinfo=UTC)
TURNS = 50  # of the loop after each wake-up: enough for what was woken to run to its next wait


class FakeClock:
    """Implements `ports.Clock`. `advance` wakes sleepers in order, each at its own moment."""

    def __init__(self, now: datetime = START) -> None:
        self._now = now
        self._monotonic = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._slept = 0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._slept += 1
        heapq.heappush(self._sleepers, (self._monotonic + seconds, self._slept, woken))
        await woken

    def set_now(self, now: datetime) -> None:
        """Set the wall clock alone, as an administrator would; the monotonic clock does not notice."""
        self._now = now

    def jump(self, seconds: float) -> None:
        """Let time pass between two calls, outside any loop; whoever sleeps is woken by the next `advance`."""
        self._move_to(self._monotonic + seconds)

    async def advance(self, seconds: float) -> None:
        """Let time pass: everyone whose moment comes is woken, in order, and runs before the next one."""
        await _settle()
        target = self._monotonic + seconds
        while self._sleepers and self._sleepers[0][0] <= target:
            moment, _, woken = heapq.heappop(self._sleepers)
            if woken.done():  # cancelled meanwhile
                continue
            self._move_to(max(moment, self._monotonic))
            woken.set_result(None)
            await _settle()
        self._move_to(target)
        await _settle()

    def _move_to(self, monotonic: float) -> None:
        self._now += timedelta(seconds=monotonic - self._monotonic)
        self._monotonic = monotonic


async def _settle() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)
