"""Reading many files: batches of jobs in, prepared readings out, in the order of the jobs.

Worker processes are started as programs of their own (`worker.py`), not forked and not through `multiprocessing`: this
runs inside other people's programs, beside their threads, and must not run their main module again. Each holds at most
two batches that nobody has taken yet, so that memory stays bounded however many files there are.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from recollect.errors import StoreError
from recollect.ingest.chunks import Prepared, prepared
from recollect.knowledge import Alias, Chunk, FileMark, Named, Reading, Said
from recollect.reading.outline import Layout
from recollect.reading.read import decoded, digest_of, read_file
from recollect.reading.secrets import secret_in
from recollect.reading.triples import are_triples, parse_triples
from recollect.settings import ReadSettings

BATCH_FILES = 48
BATCH_BYTES = 400_000
FEW_FILES = 64  # so many are read sooner than a process is started
AHEAD = 2
LENGTH = struct.Struct(">Q")
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


class Job(NamedTuple):
    """A file to read: where it is, its path in the project, how it looks now, and the digest it was last read with."""

    file: str
    path: str
    size: int
    mtime_ns: int
    digest: str = ""


class Order(NamedTuple):
    """What all jobs of a run have in common."""

    project: str
    layout: Layout
    settings: ReadSettings


class Same(NamedTuple):
    """A file that was touched and is as it was."""

    path: str


Result = Prepared | Same


def batches(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """The jobs in runs that take about equally long."""
    batch: list[Job] = []
    size = 0
    for job in jobs:
        if batch and (len(batch) == BATCH_FILES or size + job.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += job.size
    if batch:
        yield batch


class Pool:
    """The jobs of one run, read by processes of their own, or here where there are few. Close it at the end."""

    def __init__(self, jobs: Sequence[Job], order: Order) -> None:
        self._order = order
        self._batches = batches(jobs)
        count = min(order.settings.workers or cores(), len(jobs) // FEW_FILES) if sys.executable else 0
        self._workers = [_Worker(order) for _ in range(count)]
        self._waiting: deque[_Worker] = deque()
        for place in range(count * AHEAD):
            self._give(self._workers[place % count])

    def take(self) -> list[Result] | None:
        """The results of the next batch, None at the end."""
        if not self._workers:
            batch = next(self._batches, None)
            return None if batch is None else [read_job(job, self._order) for job in batch]
        if not self._waiting:
            return None
        worker = self._waiting.popleft()
        results = worker.take()
        self._give(worker)
        return results

    def close(self) -> None:
        """End the processes, also while another thread still waits for one."""
        for worker in self._workers:
            worker.end()

    def _give(self, worker: _Worker) -> None:
        batch = next(self._batches, None)
        if batch is not None:
            worker.give(batch)
            self._waiting.append(worker)


def read_job(job: Job, order: Order) -> Result:
    """One file, as it is on disk now."""
    mark = FileMark("", job.size, job.mtime_ns)
    try:
        with open(job.file, "rb") as file:
            data = file.read()
    except OSError as error:
        return Prepared(Reading(order.project, job.path, mark, skipped=f"cannot be read: {error.strerror}"))
    digest = digest_of(data)
    if digest == job.digest:
        return Same(job.path)
    mark = FileMark(digest, job.size, job.mtime_ns)
    if are_triples(job.path, decoded(data[:4096])):
        return _triples(job, data, mark, order)
    return prepared(read_file(order.project, job.path, data, mark, order.layout, order.settings))


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def plain(result: Result) -> tuple[Any, ...]:
    """A result as nothing but tuples and texts, which go through a pipe in half the time."""
    if isinstance(result, Same):
        return tuple(result)
    reading, *stored = result
    parts = (reading.chunks, reading.entities, reading.statements, reading.aliases)
    chunks, entities, statements, aliases = ([tuple(each) for each in part] for part in parts)
    said = [(subject, str.__str__(relation), *rest) for subject, relation, *rest in statements]
    head = (reading.project, reading.path, tuple(reading.mark), reading.language)
    return (*head, chunks, entities, said, aliases, reading.skipped, reading.notes), *stored


def result_of(sent: tuple[Any, ...]) -> Result:
    """The result that was made plain."""
    if len(sent) == 1:
        return Same(*sent)
    (project, path, mark, language, chunks, entities, statements, aliases, *rest), *stored = sent
    reading = Reading(
        project,
        path,
        FileMark(*mark),
        language,
        tuple(map(Chunk._make, chunks)),
        tuple(map(Named._make, entities)),
        tuple(map(Said._make, statements)),
        tuple(map(Alias._make, aliases)),
        *rest,
    )
    return Prepared(reading, *stored)


def send(pipe: IO[bytes], value: Any) -> None:
    """One value down a pipe."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """The next value out of a pipe, None at its end."""
    head = pipe.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return pickle.loads(pipe.read(LENGTH.unpack(head)[0]))


def _triples(job: Job, data: bytes, mark: FileMark, order: Order) -> Prepared:
    if what := secret_in(data):
        return Prepared(Reading(order.project, job.path, mark, skipped=f"secret: {what}"))
    triples, strange = parse_triples(decoded(data))
    notes = (f"{job.path}: {strange} lines are no triples",) if strange else ()
    return Prepared(Reading(order.project, job.path, mark, "triples", notes=notes), triples=tuple(triples))


class _Worker:
    """One process, with a thread that gives it work and takes what comes back."""

    def __init__(self, order: Order) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, PACKAGE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._given: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[list[Result] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._talk, args=(order,), name="recollect-reader", daemon=True)
        self._thread.start()

    def give(self, batch: list[Job]) -> None:
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
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                _close(pipe)

    def _talk(self, order: Order) -> None:
        there, back = self._process.stdin, self._process.stdout
        assert there is not None and back is not None
        try:
            send(there, order)
            sent = 0
            while True:  # the next batch is there before the last one is back, so that the process never waits for us
                while sent < AHEAD and (not sent or not self._given.empty()):
                    batch = self._given.get()
                    if batch is None:
                        return None
                    send(there, batch)
                    sent += 1
                results = receive(back)
                if results is None:
                    return self._done.put(None)
                sent -= 1
                self._done.put([result_of(each) for each in results])
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            self._done.put(None)


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:  # the process was gone before it had read everything
        return
