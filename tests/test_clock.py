from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from recollect.clock import SystemClock
from recollect.testing.clock import START, FakeClock


def test_it_stands_still(clock: FakeClock) -> None:
    assert (clock.now(), clock.monotonic()) == (START, 0.0)
    assert (clock.now(), clock.monotonic()) == (START, 0.0)


def test_advancing_moves_both_clocks(clock: FakeClock) -> None:
    asyncio.run(clock.advance(1.5))
    assert (clock.now(), clock.monotonic()) == (START + timedelta(seconds=1.5), 1.5)


def test_the_wall_clock_can_be_set_alone(clock: FakeClock) -> None:
    clock.set_now(datetime(2031, 1, 1, tzinfo=UTC))
    assert (clock.now().year, clock.monotonic()) == (2031, 0.0)


def test_sleepers_are_woken_in_order_at_their_own_moments(clock: FakeClock) -> None:
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    async def main() -> None:
        tasks = [asyncio.ensure_future(sleeper(name, at)) for name, at in (("c", 3), ("a", 1), ("b", 2), ("d", 9))]
        await clock.advance(5)
        assert woken == [("a", 1), ("b", 2), ("c", 3)]
        await clock.advance(5)
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert woken[-1] == ("d", 9)


def test_who_sleeps_again_is_woken_again_within_one_advance(clock: FakeClock) -> None:
    woken: list[float] = []

    async def ticker() -> None:
        for _ in range(3):
            await clock.sleep(1)
            woken.append(clock.monotonic())

    async def main() -> None:
        task = asyncio.ensure_future(ticker())
        await clock.advance(10)
        await task

    asyncio.run(main())
    assert woken == [1, 2, 3]


def test_a_cancelled_sleeper_is_forgotten(clock: FakeClock) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(clock.sleep(1))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await clock.advance(2)

    asyncio.run(main())


@pytest.mark.parametrize("seconds", [0, -1])
def test_no_time_to_sleep_returns_at_once(seconds: float, clock: FakeClock) -> None:
    asyncio.run(clock.sleep(seconds))
    assert clock.monotonic() == 0


def test_the_real_clock_keeps_the_same_promises() -> None:
    real = SystemClock()
    before = real.monotonic()
    asyncio.run(real.sleep(0))
    assert real.now().tzinfo is UTC
    assert real.monotonic() >= before
