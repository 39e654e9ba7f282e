"""Blocking work in daemon threads, awaited without ever being waited for at exit.

The loop's own executor joins its threads when the loop closes, so one hanging source would hold the whole
program. These threads are daemons in a small pool of our own: an abandoned call keeps its thread until it
returns, and nobody waits for it. The pool grows past `IDLE_THREADS` only while threads are stuck or busy.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")
IDLE_THREADS = 8

_Job = Callable[[], None]
_idle: queue.SimpleQueue[queue.SimpleQueue[_Job | None]] = queue.SimpleQueue()


def _forget_threads() -> None:
    global _idle  # a forked child has none of its parent's threads
    _idle = queue.SimpleQueue()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)


def _work(inbox: queue.SimpleQueue[_Job | None]) -> None:
    while True:
        job = inbox.get()
        if job is None:
            return
        job()
        del job  # or the last result would live until the next one
        if _idle.qsize() >= IDLE_THREADS:
            return
        _idle.put(inbox)


def _start(job: _Job) -> None:
    try:
        inbox = _idle.get_nowait()
    except queue.Empty:
        inbox = queue.SimpleQueue()
        threading.Thread(target=_work, args=(inbox,), name="recollect-worker", daemon=True).start()
    inbox.put(job)


async def run_in_thread(fn: Callable[..., T], *args: Any) -> T:
    """Run `fn(*args)` in a worker thread. Cancelling the await abandons the call; it is not waited for."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(result: T | None, error: BaseException | None) -> None:
        if future.done():  # abandoned meanwhile
            return
        if isinstance(error, StopIteration):  # no future may carry one: it would never be done
            future.set_exception(RuntimeError("the call raised StopIteration"))
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def job() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = fn(*args)
        except BaseException as raised:  # noqa: BLE001 - carried to the awaiting task, not swallowed
            error = raised
        with suppress(RuntimeError):  # the loop closed while we worked: whoever asked is gone
            loop.call_soon_threadsafe(deliver, result, error)

    _start(job)
    return await future
