from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from recollect.clock import SystemClock
from recollect.errors import Unavailable
from recollect.offload import IDLE_THREADS, MOST_STUCK, Apart, run_in_thread, run_together
from recollect.steps.search import search
from recollect.values import Abilities, Failed, Findings, Found, Hit, Later, Lookup, Plan, Reply, TimedOut

from .steps.build import hit, lookup, recorder
from .steps.scripted import ScriptedSource, giving, hanging, means, raising, returning

PROMPTLY = 10.0


def workers() -> int:
    return sum(thread.name == "recollect-worker" for thread in threading.enumerate())


def test_the_result_comes_back() -> None:
    assert asyncio.run(run_in_thread(lambda one, two: one + two, 1, 2)) == 3


@pytest.mark.parametrize("error", [ValueError("no"), KeyError("k"), SystemExit(2)], ids=lambda e: type(e).__name__)
def test_what_is_raised_comes_back(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def main() -> None:
        with pytest.raises(type(error)):
            await run_in_thread(fail)

    asyncio.run(main())


def test_stop_iteration_does_not_hang_the_call() -> None:
    async def main() -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(run_in_thread(next, iter(())), PROMPTLY)

    asyncio.run(main())


def test_it_runs_in_another_thread() -> None:
    assert asyncio.run(run_in_thread(threading.get_ident)) != threading.get_ident()


def test_calls_run_side_by_side() -> None:
    together = threading.Barrier(6)

    async def main() -> None:
        await asyncio.gather(*(run_in_thread(together.wait, PROMPTLY) for _ in range(6)))

    asyncio.run(main())


def test_a_cancelled_call_is_not_waited_for() -> None:
    released = threading.Event()

    async def main() -> None:
        task = asyncio.ensure_future(run_in_thread(released.wait, 60))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    try:
        asyncio.run(main())
        assert time.monotonic() - began < PROMPTLY
    finally:
        released.set()


def test_a_result_nobody_waits_for_any_more_is_dropped() -> None:
    released = threading.Event()

    async def main() -> str:
        task = asyncio.ensure_future(run_in_thread(released.wait, 60))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        released.set()
        return await run_in_thread(lambda: "still working")

    assert asyncio.run(main()) == "still working"


def test_threads_are_used_again_and_few_stay() -> None:
    async def main() -> None:
        await asyncio.gather(*(run_in_thread(time.sleep, 0.01) for _ in range(IDLE_THREADS * 4)))
        for _ in range(50):
            await run_in_thread(int)

    asyncio.run(main())
    waited = time.monotonic() + PROMPTLY
    while workers() > IDLE_THREADS + 1 and time.monotonic() < waited:
        time.sleep(0.01)
    assert workers() <= IDLE_THREADS + 1


def test_a_program_ends_although_a_thread_hangs() -> None:
    program = """
import asyncio, time
from recollect.offload import run_in_thread
async def main():
    asyncio.ensure_future(run_in_thread(time.sleep, 600))
    await asyncio.sleep(0.01)
asyncio.run(main())
print("ended")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("ended\n", "", 0)


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="needs fork")
def test_a_forked_child_starts_its_own_threads() -> None:
    program = """
import asyncio, os, warnings
warnings.simplefilter("ignore")
from recollect.offload import run_in_thread
print(asyncio.run(run_in_thread(lambda: "parent")), flush=True)
child = os.fork()
if child == 0:
    print(asyncio.run(run_in_thread(lambda: "child")), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "parent\nchild\n", done.stderr


# --- a source apart ----------------------------------------------------------------------------------

SOON = 0.5  # seconds past a deadline: generous, for a busy machine; benchmarks/deadline.py has the figures


def apart_threads() -> int:
    return sum(thread.name == "recollect-apart-strange" for thread in threading.enumerate())


def until(holds: Callable[[], bool]) -> bool:
    """Whether it comes to hold before long."""
    waited = time.monotonic() + PROMPTLY
    while not holds() and time.monotonic() < waited:
        time.sleep(0.005)
    return holds()


@pytest.fixture(autouse=True)
def no_threads_left_over() -> Iterator[None]:
    yield
    gc.collect()  # sources that are forgotten let their threads go
    assert until(lambda: apart_threads() == 0)


@pytest.fixture
def released(no_threads_left_over: None) -> Iterator[threading.Event]:
    """What blocks a stranger's loop until the test is over."""
    event = threading.Event()
    yield event
    event.set()


def strange(behave: Callable[[Lookup], Awaitable[Any]], **fields: Any) -> ScriptedSource:
    return ScriptedSource("strange", behave, **fields)


def blocking(released: threading.Event) -> Callable[[Lookup], Awaitable[Any]]:
    async def behave(lookup: Lookup) -> Reply:
        released.wait(60)
        return Reply(())

    return behave


def spinning(released: threading.Event) -> Callable[[Lookup], Awaitable[Any]]:
    async def behave(lookup: Lookup) -> Reply:
        while not released.is_set():
            pass
        return Reply(())

    return behave


async def searched(*sources: Any, seconds: float = 0.2) -> tuple[Findings, float]:
    """The findings of one lookup per source, and how long past the deadline they came."""
    clock = SystemClock()
    deadline = clock.monotonic() + seconds
    plan = Plan(1, tuple(lookup(source=source.name) for source in sources))
    found = await search(plan, means=means(*sources, clock=clock), deadline=deadline, trace=recorder())
    return found, clock.monotonic() - deadline


async def soon(work: Awaitable[Any]) -> Any:
    """What it gives, before long."""
    async with asyncio.timeout(PROMPTLY):
        return await work


async def abandoned(apart: Apart, source: ScriptedSource) -> None:
    """One search that is given up once the source is at it."""
    before = len(source.asked)
    task = asyncio.ensure_future(apart.search(lookup(source="strange")))
    waited = time.monotonic() + PROMPTLY
    while len(source.asked) == before and time.monotonic() < waited:
        await asyncio.sleep(0.002)
    assert len(source.asked) > before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_source_apart_answers_as_it_would_by_itself() -> None:
    source = strange(giving(hit("a"), notes=("half the shelf",)), semantic=True)
    apart = Apart(source)
    asked = lookup("rent", source="strange")
    assert asyncio.run(apart.search(asked)) == Reply((hit("a"),), ("half the shelf",))
    assert source.asked == [asked]
    assert apart.name == "strange"
    assert apart.abilities == Abilities(semantic=True, cooperative=True), "it holds up nobody now"
    asyncio.run(apart.close())


def test_it_runs_on_a_loop_and_a_thread_of_its_own_always_the_same() -> None:
    where: list[tuple[int, int]] = []

    async def behave(lookup: Lookup) -> Reply:
        where.append((threading.get_ident(), id(asyncio.get_running_loop())))
        await asyncio.sleep(0)
        return Reply(())

    async def main() -> None:
        apart = Apart(strange(behave))
        await asyncio.gather(*(apart.search(lookup()) for _ in range(3)))
        await soon(apart.search(lookup()))
        assert (threading.get_ident(), id(asyncio.get_running_loop())) not in where
        await apart.close()

    asyncio.run(main())
    assert len(where) == 4
    assert len(set(where)) == 1


def test_no_thread_before_the_first_search_and_none_after_closing() -> None:
    async def main() -> None:
        apart = Apart(strange(giving()))
        assert apart_threads() == 0
        await soon(apart.search(lookup()))
        assert apart_threads() == 1
        await apart.close()

    asyncio.run(main())
    assert until(lambda: apart_threads() == 0)


def test_searches_wait_side_by_side() -> None:
    waiting = 0

    async def behave(lookup: Lookup) -> Reply:
        nonlocal waiting
        waiting += 1
        while waiting < 3:
            await asyncio.sleep(0.001)
        return Reply(())

    async def main() -> None:
        apart = Apart(strange(behave))
        await asyncio.wait_for(asyncio.gather(*(apart.search(lookup()) for _ in range(3))), PROMPTLY)
        await apart.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "error", [ValueError("no"), asyncio.CancelledError("own"), SystemExit(3)], ids=lambda each: type(each).__name__
)
def test_what_a_source_raises_comes_back_and_its_loop_lives_on(error: BaseException) -> None:
    answers = iter([raising(error), giving(hit("a"))])

    async def behave(lookup: Lookup) -> Any:
        return await next(answers)(lookup)

    async def main() -> None:
        apart = Apart(strange(behave))
        with pytest.raises(type(error)):
            await soon(apart.search(lookup()))
        assert await soon(apart.search(lookup())) == Reply((hit("a"),))
        assert apart_threads() == 1
        await apart.close()

    asyncio.run(main())


STRANGERS = {
    "raises": (raising(OSError("gone")), "OSError: gone"),
    "is cancelled from inside": (raising(asyncio.CancelledError("own work")), "CancelledError: own work"),
    "returns garbage": (returning([7]), "TypeError: expected a Reply, got list"),
    "returns no hits": (returning(Reply(None)), "TypeError: expected hits, got NoneType"),
}


@pytest.mark.parametrize(("behave", "error"), STRANGERS.values(), ids=STRANGERS)
def test_a_strangers_failure_is_a_failed_lookup(behave: Any, error: str) -> None:
    async def main() -> Findings:
        apart = Apart(strange(behave))
        found, _ = await searched(apart, seconds=PROMPTLY)
        await apart.close()
        return found

    (outcome,) = asyncio.run(main()).outcomes
    assert isinstance(outcome, Failed)
    assert outcome.error == error


# --- the deadline holds whatever it does -----------------------------------------------------------


@pytest.mark.parametrize("block", [blocking, spinning])
def test_a_source_that_blocks_its_loop_does_not_block_the_caller(block: Any, released: threading.Event) -> None:
    async def main() -> None:
        apart, quick = Apart(strange(block(released))), ScriptedSource("quick", giving(hit("a")))
        found, late = await searched(apart, quick)
        assert [type(each) for each in found.outcomes] == [TimedOut, Found]
        assert late < SOON

    asyncio.run(main())


def test_a_source_that_sleeps_for_seconds_does_not_hold_up_the_deadline() -> None:
    async def behave(lookup: Lookup) -> Reply:
        time.sleep(5)  # just what must not be done
        return Reply(())

    async def main() -> None:
        found, late = await searched(Apart(ScriptedSource("sleeper", behave)))
        assert isinstance(found.outcomes[0], TimedOut)
        assert late < SOON

    began = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - began < 4, "closing the loop waited for it"


def test_hits_that_take_their_time_to_be_made_are_made_apart(released: threading.Event) -> None:
    def slowly() -> Iterator[Hit]:
        yield hit("a")
        released.wait(60)
        yield hit("b")

    async def main() -> None:
        found, late = await searched(Apart(strange(returning(Reply(slowly())))))
        assert isinstance(found.outcomes[0], TimedOut)
        assert late < SOON

    asyncio.run(main())


def test_hits_without_end_are_read_to_the_limit_only() -> None:
    def endless() -> Iterator[Hit]:
        number = 0
        while True:
            number += 1
            yield hit(f"{number:03}")

    async def main() -> Findings:
        apart = Apart(strange(returning(Reply(endless()))))
        found, _ = await searched(apart, seconds=PROMPTLY)
        await apart.close()
        return found

    (outcome,) = asyncio.run(main()).outcomes
    assert isinstance(outcome, Found)
    assert len(outcome.hits) == outcome.lookup.limit


def test_an_abandoned_search_is_cancelled_where_it_runs() -> None:
    cancelled = threading.Event()

    async def behave(lookup: Lookup) -> Reply:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        raise AssertionError("never")

    async def main() -> None:
        source = strange(behave)
        apart = Apart(source)
        await abandoned(apart, source)
        assert until(cancelled.is_set)
        await apart.close()

    asyncio.run(main())


# --- sources that are stuck --------------------------------------------------------------------------


def test_after_a_search_that_blocks_the_next_gets_a_new_loop(released: threading.Event) -> None:
    answers = iter([blocking(released), giving(hit("a"))])

    async def behave(lookup: Lookup) -> Any:
        return await next(answers)(lookup)

    async def main() -> None:
        source = strange(behave)
        apart = Apart(source)
        await abandoned(apart, source)
        assert await soon(apart.search(lookup())) == Reply((hit("a"),))
        assert apart_threads() == 2
        released.set()
        assert until(lambda: apart_threads() == 1), "the loop that came back is not needed any more"
        await apart.close()

    asyncio.run(main())


def test_a_search_that_waits_as_it_should_keeps_its_loop_when_abandoned() -> None:
    answers = iter([hanging(), hanging(), giving(hit("a"))])

    async def behave(lookup: Lookup) -> Any:
        return await next(answers)(lookup)

    async def main() -> None:
        source = strange(behave)
        apart = Apart(source)
        await abandoned(apart, source)
        await abandoned(apart, source)
        assert await soon(apart.search(lookup())) == Reply((hit("a"),))
        assert apart_threads() == 1
        await apart.close()

    asyncio.run(main())


def test_a_search_that_will_not_be_cancelled_does_not_cost_a_thread() -> None:
    released = threading.Event()

    async def behave(lookup: Lookup) -> Reply:
        while not released.is_set():
            try:
                await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                continue
        return Reply(())

    async def main() -> None:
        source = strange(behave)
        apart = Apart(source)
        for _ in range(3):
            await abandoned(apart, source)
        assert apart_threads() == 1
        released.set()
        await apart.close()

    asyncio.run(main())


def test_a_source_that_is_stuck_too_often_is_not_asked_until_it_comes_back(released: threading.Event) -> None:
    async def main() -> None:
        source = strange(blocking(released))
        apart = Apart(source)
        for _ in range(MOST_STUCK):
            await abandoned(apart, source)
        assert apart_threads() == MOST_STUCK
        with pytest.raises(Unavailable, match="'strange' is stuck"):
            await soon(apart.search(lookup()))
        assert apart_threads() == MOST_STUCK
        found, _ = await searched(apart, seconds=PROMPTLY)
        (outcome,) = found.outcomes
        assert isinstance(outcome, Failed)
        assert "is stuck" in outcome.error
        released.set()
        assert until(lambda: apart_threads() <= 1), "all but the last came back and have left"
        assert await soon(apart.search(lookup())) == Reply(())
        await apart.close()

    asyncio.run(main())


# --- closing and leaving -----------------------------------------------------------------------------


class Closing(ScriptedSource):
    """A source that does something when it is closed."""

    def __init__(self, close: Callable[[], Awaitable[None]]) -> None:
        super().__init__("strange", giving())
        self._close = close

    async def close(self) -> None:
        await self._close()


def test_a_source_is_closed_where_it_was_searched() -> None:
    where: list[int] = []

    class Noting(ScriptedSource):
        async def search(self, lookup: Lookup) -> Reply:
            where.append(id(asyncio.get_running_loop()))
            return Reply(())

        async def close(self) -> None:
            where.append(id(asyncio.get_running_loop()))

    async def main() -> None:
        apart = Apart(Noting("strange", giving()))
        await soon(apart.search(lookup()))
        await apart.close()

    asyncio.run(main())
    assert len(where) == 2
    assert len(set(where)) == 1


def test_a_source_that_was_never_searched_is_closed_too() -> None:
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    asyncio.run(Apart(Closing(close)).close())
    assert closed == [True]


def test_what_closing_raises_comes_back() -> None:
    async def close() -> None:
        raise OSError("will not shut")

    with pytest.raises(OSError, match="will not shut"):
        asyncio.run(Apart(Closing(close)).close())


def test_closing_waits_a_moment_and_not_longer(released: threading.Event) -> None:
    async def close() -> None:
        released.wait(60)

    began = time.monotonic()
    asyncio.run(Apart(Closing(close)).close())
    assert time.monotonic() - began < PROMPTLY


def test_a_source_that_is_forgotten_leaves_no_thread() -> None:
    apart = Apart(strange(giving()))
    asyncio.run(apart.search(lookup()))
    assert apart_threads() == 1
    del apart
    gc.collect()
    assert until(lambda: apart_threads() == 0)


def test_what_a_source_left_running_is_ended_with_its_loop() -> None:
    ended = threading.Event()

    async def numbers() -> AsyncIterator[int]:
        try:
            while True:
                yield 1
                await asyncio.sleep(60)
        finally:
            ended.set()

    async def count() -> None:
        async for _ in numbers():
            pass

    running: list[asyncio.Task[None]] = []

    async def behave(lookup: Lookup) -> Reply:
        running.append(asyncio.ensure_future(count()))
        await asyncio.sleep(0)
        return Reply(())

    async def main() -> None:
        apart = Apart(strange(behave))
        await soon(apart.search(lookup()))
        await apart.close()

    asyncio.run(main())
    assert until(ended.is_set)
    assert until(lambda: apart_threads() == 0)


APART_PROGRAM = """
import asyncio, os, time, warnings
from recollect.offload import Apart
from recollect.values import Abilities, Lookup, Reply
class Source:
    name = "strange"
    abilities = Abilities()
    async def search(self, lookup):
        {search}
        return Reply(())
    async def close(self): pass
async def ask():
    try:
        await asyncio.wait_for(apart.search(Lookup("q", "default", "strange", 1)), {seconds})
        return "answered"
    except TimeoutError:
        return "abandoned"
apart = Apart(Source())
"""


@pytest.mark.parametrize("search", ["time.sleep(600)", "await asyncio.to_thread(time.sleep, 600)", "pass"])
def test_a_program_ends_whatever_a_source_apart_is_doing(search: str) -> None:
    program = APART_PROGRAM.format(search=search, seconds=0.2) + "asyncio.run(ask()); print('ended')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("ended\n", "", 0)


def test_a_source_may_use_threads_of_its_own() -> None:
    async def behave(lookup: Lookup) -> Reply:
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)
        return await asyncio.to_thread(Reply, (hit("a"),))

    async def main() -> Reply:
        apart = Apart(strange(behave))
        reply = await soon(apart.search(lookup()))
        await apart.close()
        return reply

    assert asyncio.run(main()) == Reply((hit("a"),))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_source_apart_works_in_a_forked_child() -> None:
    program = (
        APART_PROGRAM.format(search="pass", seconds=5)
        + """
warnings.simplefilter("ignore")
print("parent", asyncio.run(ask()), flush=True)
child = os.fork()
if child == 0:
    print("child", asyncio.run(ask()), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "parent answered\nchild answered\n", done.stderr


def test_calls_made_together_share_a_thread_and_each_has_its_own_end() -> None:
    seen: list[tuple[str, int]] = []

    def work(name: str) -> str:
        seen.append((name, threading.get_ident()))
        if name == "bad":
            raise OSError(name)
        return name

    async def main() -> list[object]:
        group = object()
        return await asyncio.gather(
            *(run_together(group, work, name) for name in ("a", "bad", "c")), return_exceptions=True
        )

    first, failed, last = asyncio.run(main())
    assert (first, last, type(failed)) == ("a", "c", OSError)
    assert [name for name, _ in seen] == ["a", "bad", "c"]
    assert len({thread for _, thread in seen}) == 1


def test_calls_of_other_groups_and_later_calls_do_not_wait_for_each_other() -> None:
    gate = threading.Event()

    async def main() -> str:
        group = object()
        stuck = asyncio.ensure_future(run_together(group, gate.wait, 30))
        await asyncio.sleep(0.01)
        other = await run_together(object(), lambda: "other")
        later = await run_together(group, lambda: "later")
        gate.set()
        await stuck
        return f"{other} {later}"

    assert asyncio.run(main()) == "other later"


def test_what_was_abandoned_before_its_turn_is_left_out() -> None:
    done: list[str] = []
    gate = threading.Event()

    async def main() -> None:
        group = object()
        first = asyncio.ensure_future(run_together(group, gate.wait, 30))
        second = asyncio.ensure_future(run_together(group, done.append, "second"))
        await asyncio.sleep(0.05)
        second.cancel()
        await asyncio.sleep(0)
        gate.set()
        await first
        await run_in_thread(lambda: None)

    asyncio.run(main())
    assert done == []


def test_reasons_promised_for_later_are_asked_for_where_their_source_runs() -> None:
    def breaks() -> Any:
        raise OSError("no reasons after all")

    source = Apart(ScriptedSource("s", giving(replace(hit("a"), reasons=Later(breaks, ())))))
    with pytest.raises(OSError, match="no reasons"):
        asyncio.run(source.search(lookup()))
