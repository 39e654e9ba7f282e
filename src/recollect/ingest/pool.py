"""Reading many files: batches of jobs in, prepared readings out, in the order of the jobs.

Worker processes are started as programs of their own (`worker.py`), not forked and not through `multiprocessing`: this
runs inside other people's programs, beside their threads, and must not run their main module again. Each holds at most
`AHEAD` batches that nobody has taken yet, so that memory stays bounded however many files there are. They go on from
project to project: each hears of a project before the first batch of it.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple, Protocol

from recollect.errors import StoreError
from recollect.ingest.jobs import Job, Order, Result, batches, read_job, receive, result_of, send

FEW_FILES = 64  # so many are read sooner than a process is started
AHEAD = 4  # with two, readers waited now and then for what they had read to be stored
# Batches stored in one transaction: with four there is a seventh less work than one by one, with eight a little less.
TOGETHER = 8
# What a process gets by way of environment: glibc keeps what was freed, and does not give it back after each tree.
KEEPING = {"MALLOC_TRIM_THRESHOLD_": str(64 * 2**20)}
# What a process runs: without all that the package brings, of which reading needs little and which is slow to load.
PROGRAM = """
import sys, types
package = types.ModuleType("recollect")
package.__path__ = [sys.argv[1]]
sys.modules["recollect"] = package
from recollect.ingest.worker import main
main()
"""
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Batch(NamedTuple):
    """Some of a project's jobs."""

    order: Order
    jobs: list[Job]


class Pool:
    """The jobs of some projects, read by processes of their own, or here where there are few. Close it at the end."""

    def __init__(self, projects: Sequence[tuple[Order, Sequence[Job]]]) -> None:
        self._batches = _all_batches(projects)
        total = sum(len(jobs) for _, jobs in projects)
        wanted = max((order.settings.workers or cores() for order, _ in projects), default=0)
        count = min(wanted, total // FEW_FILES) if sys.executable else 0
        self._workers: list[_Reader] = [_Worker() for _ in range(count)] or [_Here()]
        self._waiting: deque[tuple[Order, _Reader]] = deque()
        for place in range(len(self._workers) * AHEAD):
            self._give(self._workers[place % len(self._workers)])

    def take(self, order: Order) -> list[Result] | None:
        """The results of the next batches of this project, as many as are stored at once; None at its end.

        Projects come in the order they were given.
        """
        results: list[Result] = []
        for _ in range(TOGETHER):
            if not self._waiting or self._waiting[0][0] is not order:
                break
            _, worker = self._waiting.popleft()
            results += worker.take()
            self._give(worker)
        return results or None

    def close(self) -> None:
        """End the processes, also while another thread still waits for one."""
        for worker in self._workers:
            worker.end()

    def _give(self, worker: _Reader) -> None:
        batch = next(self._batches, None)
        if batch is not None:
            worker.give(batch)
            self._waiting.append((batch.order, worker))


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _all_batches(projects: Sequence[tuple[Order, Sequence[Job]]]) -> Iterator[Batch]:
    for order, jobs in projects:
        for batch in batches(jobs):
            yield Batch(order, batch)


class _Reader(Protocol):
    """Somebody who reads batches, in the order they were given."""

    def give(self, batch: Batch) -> None: ...

    def take(self) -> list[Result]: ...

    def end(self) -> None: ...


class _Here:
    """Reads in the thread that takes."""

    def __init__(self) -> None:
        self._given: deque[Batch] = deque()

    def give(self, batch: Batch) -> None:
        self._given.append(batch)

    def take(self) -> list[Result]:
        order, jobs = self._given.popleft()
        return [read_job(job, order) for job in jobs]

    def end(self) -> None:
        self._given.clear()


class _Worker:
    """One process, with a thread that gives it work and one that takes what comes back.

    Two, because a pipe holds little: while one waits for room to write, the process may wait for its own to be read.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, PACKAGE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=KEEPING | os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._given: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[list[Result] | None] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=work, name="recollect-reader", daemon=True) for work in (self._tell, self._hear)
        ]
        for thread in self._threads:
            thread.start()

    def give(self, batch: Batch) -> None:
        self._given.put(batch)

    def take(self) -> list[Result]:
        results = self._done.get()
        if results is None:
            raise StoreError(f"a process that reads files ended ({self._process.poll()}); run ingest again, it goes on")
        return results

    def end(self) -> None:
        """Let the process go, whatever it is doing."""
        self._given.put(None)
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                _close(pipe)

    def _tell(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        told: Order | None = None
        while (batch := self._given.get()) is not None:
            try:
                send(pipe, (None if batch.order is told else batch.order, batch.jobs))
            except OSError:  # it ended: whoever hears it says so
                return
            told = batch.order

    def _hear(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        try:
            while (results := receive(pipe)) is not None:
                self._done.put([result_of(each) for each in results])
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            pass
        self._done.put(None)


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # the process was gone before it had read everything
        return
