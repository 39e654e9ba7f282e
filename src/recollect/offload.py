"""Work that may block, kept off the caller's loop, awaited without ever being waited for at exit.

`run_in_thread` is for our own blocking calls, `Apart` for a source nobody knows. The loop's own executor joins its
threads when the loop closes, so one hanging source would hold the whole program. These threads are daemons in a small
pool of our own: an abandoned call keeps its thread until it returns. The pool grows past `IDLE_THREADS` only while
threads are stuck or busy.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future as ThreadFuture
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, TypeVar
from weakref import finalize

from recollect.errors import Unavailable
from recollect.ports import Source
from recollect.values import Abilities, Hit, Later, Lookup, Reply

T = TypeVar("T")
IDLE_THREADS = 8
# Loops one source may hold up. Each keeps a thread, and one that computes without end also takes its turns at the
# interpreter: six of those made calls end 140 ms past their deadline, two 36 to 62 (benchmarks/deadline.py).
MOST_STUCK = 2
TURNING_SECONDS = 0.05  # a loop that has not turned for so long is held up
CLOSING_SECONDS = 1.0

_Job = Callable[[], None]
_waiting: dict[tuple[int, int], list[_Job]] = {}  # calls of one loop and group until the loop turns
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
    future, job = _prepared(fn, args)
    _start(job)
    return await future


async def run_together(group: object, fn: Callable[..., T], *args: Any) -> T:
    """The same, but calls made for one group before the loop turns share a thread, one after the other.

    They would only take turns at the interpreter, and each turn costs more than it gains: two lookups at once take
    half as long again as one behind the other. One that was abandoned before its turn is left out.
    """
    future, job = _prepared(fn, args)
    key = (id(asyncio.get_running_loop()), id(group))
    waiting = _waiting.setdefault(key, [])
    waiting.append(lambda: None if future.done() else job())
    if len(waiting) == 1:
        asyncio.get_running_loop().call_soon(_start_together, key)
    return await future


def _start_together(key: tuple[int, int]) -> None:
    jobs = _waiting.pop(key)

    def all_of_them() -> None:
        for job in jobs:
            job()

    _start(all_of_them)


def _prepared(fn: Callable[..., T], args: tuple[Any, ...]) -> tuple[asyncio.Future[T], _Job]:
    """What will hold the result, and what a thread has to do for it."""
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

    return future, job


class _DaemonExecutor(ThreadPoolExecutor):
    """What a stranger's `asyncio.to_thread` runs in: the same worker threads, which nobody joins at exit."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> ThreadFuture[T]:
        future: ThreadFuture[T] = ThreadFuture()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            error: BaseException | None = None
            try:
                result = fn(*args, **kwargs)
            except BaseException as raised:  # noqa: BLE001 - carried to the awaiting task, not swallowed
                error = raised
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)

        _start(job)
        return future


class _Call:
    """One piece of work sent to another loop, and whether somebody still waits for it."""

    def __init__(self, work: Callable[[], Awaitable[Any]], home: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.home = home
        self.answer: asyncio.Future[Any] = home.create_future()
        self.task: asyncio.Task[None] | None = None
        self.is_abandoned = False

    async def run(self) -> None:
        """Do the work where this runs, and carry what came of it home."""
        result: Any = None
        error: BaseException | None = None
        try:
            result = await self.work()
        except BaseException as raised:  # noqa: BLE001 - carried to the awaiting task, not swallowed
            error = raised
        with suppress(RuntimeError):  # the loop at home closed while we worked: whoever asked is gone
            self.home.call_soon_threadsafe(self._deliver, result, error)

    def _deliver(self, result: Any, error: BaseException | None) -> None:
        if self.answer.done():  # abandoned meanwhile
            return
        if error is not None:
            self.answer.set_exception(error)
        else:
            self.answer.set_result(result)


class _LoopThread:
    """An event loop in a daemon thread of its own. It ends once it was told to leave and its calls are over."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(_DaemonExecutor())
        self._lock = threading.Lock()
        self._calls: set[_Call] = set()
        self._is_leaving = False
        self._told_at: float | None = None
        self._thread = threading.Thread(target=self._run, name=f"recollect-apart-{name}", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether its thread is there: not after it has left, nor in a forked child."""
        return self._thread.is_alive()

    async def is_held_up(self) -> bool:
        """Whether it was told that a call is abandoned and has not turned since, for `TURNING_SECONDS`."""
        while (told := self._told_at) is not None and time.monotonic() < told + TURNING_SECONDS:
            await asyncio.sleep(TURNING_SECONDS / 25)
        return self._told_at is not None

    async def call(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """What the work gives, done in the other thread. Cancelling the await abandons it, without waiting."""
        call = _Call(work, asyncio.get_running_loop())
        with self._lock:
            self._calls.add(call)
        self._loop.call_soon_threadsafe(self._begin, call)
        try:
            return await call.answer
        finally:
            if call.answer.cancelled():
                call.is_abandoned = True
                self._told_at = self._told_at or time.monotonic()
                self._tell(self._cancel, call)

    def leave(self) -> None:
        """End as soon as no call is under way; nobody waits for that."""
        self._tell(self._leave)

    def _tell(self, do: Callable[..., Any], *args: Any) -> None:
        with suppress(RuntimeError):  # closed: there is nobody left to tell
            self._loop.call_soon_threadsafe(do, *args)

    # --- in the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            rest = asyncio.all_tasks(self._loop)
            for task in rest:  # what the source started by itself
                task.cancel()
            if rest:
                self._loop.run_until_complete(asyncio.wait(rest))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        finally:
            self._loop.close()

    def _begin(self, call: _Call) -> None:
        if call.is_abandoned:
            self._end(call)
            return
        call.task = self._loop.create_task(call.run())
        call.task.add_done_callback(lambda _: self._end(call))

    def _cancel(self, call: _Call) -> None:
        self._told_at = None
        if call.task is not None:
            call.task.cancel()

    def _end(self, call: _Call) -> None:
        with self._lock:
            self._calls.discard(call)
            is_over = self._is_leaving and not self._calls
        if is_over:
            self._loop.stop()

    def _leave(self) -> None:
        self._is_leaving = True
        if not self._calls:
            self._loop.stop()


class Apart:
    """Any source, run on an event loop of its own, so that it cannot hold up the caller's.

    Implements `ports.Source`. The loop's thread starts with the first search. Where a search that was abandoned holds
    the loop up, the next one gets a new loop; a source that has held up `MOST_STUCK` of them is not asked until one
    comes back. What the source returns is read there too, for its hits may be made while they are read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._name = source.name
        self._abilities = replace(source.abilities, cooperative=True)
        self._lock = threading.Lock()
        self._current: _LoopThread | None = None
        self._threads: list[_LoopThread] = []  # the current one and those held up
        finalize(self, _leave_all, self._threads).atexit = False  # forgotten unclosed, it leaves no thread behind

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return self._abilities

    async def search(self, lookup: Lookup) -> Reply:
        """As the source does it; raises Unavailable where it is stuck."""
        thread = await self._free_thread()
        reply: Reply = await thread.call(partial(_searched, self._source, lookup))
        return reply

    async def close(self) -> None:
        """Ask the source to close, where it was searched, and wait for that a moment, but not longer."""
        with self._lock:
            thread, self._current = self._current, None
        thread = thread if thread is not None and thread.is_alive else self._new_thread()
        closing = asyncio.ensure_future(thread.call(self._source.close))
        try:
            await asyncio.wait([closing], timeout=CLOSING_SECONDS)
            if closing.done():
                closing.result()
        finally:
            closing.cancel()
            thread.leave()

    async def _free_thread(self) -> _LoopThread:
        """The thread to use: the one there is, unless it is held up by a call that was abandoned."""
        thread = self._current
        is_held_up = thread is not None and thread.is_alive and await thread.is_held_up()
        with self._lock:
            self._threads[:] = [each for each in self._threads if each.is_alive]
            current = self._current if self._current in self._threads else None
            if current is not None and not (is_held_up and current is thread):
                return current
            if len(self._threads) >= MOST_STUCK:
                raise Unavailable(
                    f"source {self._name!r} is stuck: {MOST_STUCK} searches never came back, and it is not asked until"
                    " one does; let its search await whatever takes long"
                )
            if current is not None:
                current.leave()
            self._current = self._new_thread()
            return self._current

    def _new_thread(self) -> _LoopThread:
        thread = _LoopThread(self._name)
        self._threads.append(thread)
        return thread


def _leave_all(threads: list[_LoopThread]) -> None:
    for thread in threads:
        thread.leave()


async def _searched(source: Source, lookup: Lookup) -> Any:
    reply: Any = await source.search(lookup)
    if isinstance(reply, Reply) and isinstance(reply.hits, Iterable):
        return replace(reply, hits=tuple(_told(hit) for hit in islice(reply.hits, lookup.limit + 1)))
    return reply


def _told(hit: Any) -> Any:
    """A hit with its reasons worked out now: whatever its source promised to say later may never be said."""
    return replace(hit, reasons=hit.shown) if isinstance(hit, Hit) and isinstance(hit.reasons, Later) else hit
