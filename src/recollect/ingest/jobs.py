"""One file to read, and what comes of it: as values, and as nothing but tuples and texts for a pipe."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from recollect.ingest.chunks import Prepared, prepared
from recollect.knowledge import Alias, Chunk, FileMark, Kept, Named
from recollect.reading.outline import Layout
from recollect.reading.read import decoded, digest_of, read_file
from recollect.reading.secrets import secret_in
from recollect.reading.triples import are_triples, parse_triples
from recollect.settings import ReadSettings

BATCH_FILES = 48
BATCH_BYTES = 400_000
LENGTH = struct.Struct(">Q")


class Job(NamedTuple):
    """A file to read: where it is, its path in the project, how it looks now, and the digest it was last read with."""

    file: str
    path: str
    size: int
    mtime_ns: int
    digest: str = ""


class Order(NamedTuple):
    """What all jobs of a project have in common."""

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


def read_job(job: Job, order: Order) -> Result:
    """One file, as it is on disk now."""
    mark = FileMark("", job.size, job.mtime_ns)
    try:
        with open(job.file, "rb") as file:
            data = file.read()
    except OSError as error:
        return Prepared(Kept(order.project, job.path, mark, skipped=f"cannot be read: {error.strerror}"))
    digest = digest_of(data)
    if digest == job.digest:
        return Same(job.path)
    mark = FileMark(digest, job.size, job.mtime_ns)
    if are_triples(job.path, decoded(data[:4096])):
        return _triples(job, data, mark, order)
    return prepared(read_file(order.project, job.path, data, mark, order.layout, order.settings))


def plain(result: Result) -> tuple[Any, ...]:
    """A result as nothing but tuples and texts, which go through a pipe in half the time."""
    if isinstance(result, Same):
        return tuple(result)
    kept, chunks, *rest = result
    entities, aliases = ([tuple(each) for each in part] for part in (kept.entities, kept.aliases))
    *head, _, facts, _ = kept
    return (*head, entities, facts, aliases), [tuple(chunk) for chunk in chunks], *rest


def result_of(sent: tuple[Any, ...]) -> Result:
    """The result that was made plain."""
    if len(sent) == 1:
        return Same(*sent)
    (project, path, mark, language, skipped, ids, entities, facts, aliases), chunks, *rest = sent
    kept = Kept(
        project,
        path,
        FileMark(*mark),
        language,
        skipped,
        ids,
        tuple(map(Named._make, entities)),
        facts,
        tuple(map(Alias._make, aliases)),
    )
    return Prepared(kept, tuple(map(Chunk._make, chunks)), *rest)


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
        return Prepared(Kept(order.project, job.path, mark, skipped=f"secret: {what}"))
    triples, strange = parse_triples(decoded(data))
    notes = (f"{job.path}: {strange} lines are no triples",) if strange else ()
    return Prepared(Kept(order.project, job.path, mark, "triples"), triples=tuple(triples), notes=notes)
