from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from recollect.offload import IDLE_THREADS, run_in_thread

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
