"""Files of one project: walk, compare, store what was read, and take out what is gone.

Order, so that it can be cut off at any point and goes on when run again: chunks are stored, then what is known of the
file together with its mark; a file without its mark is read again, and its chunks have the same ids. Files that are
gone go last. Who reads, and what follows for all projects, is in `run.py`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from recollect.ingest.chunks import CHUNK_KINDS, Prepared, memories_of, writes_of
from recollect.ingest.jobs import Job, Result, Same
from recollect.ingest.roots import (
    belongs,
    is_unfinished,
    place,
    project_id,
    project_memory,
    roots_in,
)
from recollect.ports import Embedder, Knowledge, Store
from recollect.reading.manifests import declared_names, is_manifest
from recollect.reading.outline import Layout
from recollect.reading.triples import SUFFIX as TRIPLES
from recollect.reading.walk import Seen, walk
from recollect.records import EraseMemory, Filters, Lifecycle, Memory, PutMemory, Write
from recollect.settings import ReadSettings

Paths = Sequence[str | os.PathLike[str]]

PAGE = 500
ERASE = 200
MAY_BE_TRIPLES = (TRIPLES, ".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading a project in works with."""

    store: Store
    knowledge: Knowledge
    embedder: Embedder
    settings: ReadSettings
    now: Callable[[], datetime]
    monotonic: Callable[[], float]


class Plan(NamedTuple):
    """What there is to do for a project."""

    project: str
    jobs: list[Job]
    layout: Layout
    known: frozenset[str]
    gone: list[str]
    unchanged: int
    skipped: list[tuple[str, str]]
    roots: dict[str, str]
    memory: Memory | None
    is_astray: bool  # chunks may be there that no file of the graph owns

    @property
    def has_work(self) -> bool:
        """Whether anything is to be changed."""
        return bool(self.jobs or self.gone or self.is_astray)


@dataclass(slots=True)
class Counts:
    """What was done so far."""

    read: int = 0
    unchanged: int = 0
    chunks: int = 0
    entities: int = 0
    statements: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def add(self, batch: Sequence[Result]) -> None:
        """Count what a batch gave."""
        for each in batch:
            if isinstance(each, Same):
                self.unchanged += 1
                continue
            self.notes.update(each.notes)
            if each.kept.skipped:
                self.skipped.append((each.kept.path, each.kept.skipped))
                continue
            self.read += 1
            self.chunks += len(each.chunks)
            self.entities += len(each.kept.entities)
            self.statements += len(each.triples or each.kept.facts)


def make_plan(paths: Paths, *, project: str, space: str, reader: Reader) -> Plan:
    """Which files to read and which are gone, by comparing what is there with what was read."""
    found = reader.store.read(space, [project_id(project)])
    memory = found[0] if found else None
    roots, starts = place(paths, roots_in(memory))
    marks = reader.knowledge.files(space, project)
    seen: dict[str, tuple[str, Seen]] = {}
    skipped: dict[str, str] = {}
    closed: list[str] = []
    for start in starts:
        walked = walk(start.root, start.below, most_bytes=reader.settings.max_file_bytes)
        seen |= {f"{start.prefix}{file.path}": (os.path.join(start.root, file.path), file) for file in walked.files}
        skipped |= {f"{start.prefix}{path}": reason for path, reason in walked.skipped}
        closed += [f"{start.prefix}{path}/" if path else start.prefix for path in walked.closed]
    jobs = []
    for path, (file, looks) in seen.items():
        mark = marks.get(path)
        if mark is None or (mark.size, mark.mtime_ns) != (looks.size, looks.mtime_ns):
            jobs.append(Job(file, path, looks.size, looks.mtime_ns, mark.digest if mark else ""))
    gone = [
        path
        for path in marks
        if path not in seen
        and any(belongs(path, start, roots) for start in starts)
        and not any(path.startswith(each) for each in closed)
    ]
    return Plan(
        project=project,
        jobs=jobs,
        layout=Layout(
            project,
            frozenset(seen) | frozenset(marks.keys() - set(gone)),
            reader.settings.chunk_characters,
            declared_names(_manifests(seen)) if jobs else (),
        ),
        known=frozenset(marks),
        gone=sorted(gone),
        unchanged=len(seen) - len(jobs),
        skipped=sorted(skipped.items()),
        roots=roots,
        memory=memory,
        is_astray=is_unfinished(memory) or (not marks and _has_chunks(space, project, reader)),
    )


def _manifests(seen: Mapping[str, tuple[str, Seen]]) -> Iterator[tuple[str, bytes]]:
    """The files that say what a project calls itself, as far as they can still be read."""
    for path, (file, _) in sorted(seen.items()):
        if is_manifest(path):
            with suppress(OSError):
                yield path, Path(file).read_bytes()


def forget_project(space: str, project: str, *, reader: Reader) -> int:
    """Erase all that was read from the files of a project: chunks first, so that it can be cut off and run again."""
    files = set(reader.knowledge.files(space, project))
    ids = []
    for memory in _chunks_of(space, project, reader):
        ids.append(memory.id)
        files.add(str(memory.source_uri))
    _erase(space, [*ids, project_id(project)], reader)
    _unstate(space, project, sorted(files), reader)
    reader.knowledge.forget(space, project)
    return len(files)


def store_batch(batch: Sequence[Result], plan: Plan, space: str, reader: Reader, counts: Counts) -> list[Memory]:
    """Store what a batch of files gave: chunks first, what is known of the files last. Gives the new memories."""
    project = plan.project
    files = [each for each in batch if isinstance(each, Prepared)]
    left_out = [each.kept for each in files if each.kept.skipped]
    taken = [each for each in files if not each.kept.skipped]
    known = [each.kept.path for each in files if each.kept.path in plan.known]
    chunks = reader.knowledge.chunks_of(space, project, known) if known else {}
    former = [id for ids in chunks.values() for id in ids]
    now = reader.now()
    wanted = [memory for each in taken for memory in memories_of(each, space=space, now=now)]
    ids = [*(each.id for each in wanted), *former] if plan.known or plan.is_astray else []  # else nothing is there yet
    stored = {memory.id: memory for memory in reader.store.read(space, ids)}
    if writes := writes_of(wanted, stored, former):
        reader.store.apply(space, writes)
    for each in taken:
        if each.triples is not None:
            reader.knowledge.state(space, collection_of(project, each.kept.path), each.triples)
    no_triples = [each.kept.path for each in taken if each.triples is None and each.kept.path in plan.known]
    _unstate(space, project, no_triples, reader)
    if gone := [kept.path for kept in left_out if kept.path in plan.known]:
        _unstate(space, project, gone, reader)
        reader.knowledge.remove(space, project, gone)
    reader.knowledge.put(space, [each.kept for each in taken])
    counts.add(batch)
    return [memory for memory in wanted if memory.id not in stored]


def take_out(plan: Plan, space: str, reader: Reader) -> None:
    """Take out the files that are gone, and chunks that no file owns."""
    project = plan.project
    if plan.gone:
        chunks = reader.knowledge.chunks_of(space, project, plan.gone)
        _erase(space, [id for ids in chunks.values() for id in ids], reader)
        _unstate(space, project, plan.gone, reader)
        reader.knowledge.remove(space, project, plan.gone)
    if plan.is_astray:
        _sweep(space, project, reader)


def _sweep(space: str, project: str, reader: Reader) -> None:
    """Erase chunks that no file owns: an ingest was cut off and the file changed again, or the graph was lost."""
    paths = list(reader.knowledge.files(space, project))
    owned = {id for ids in reader.knowledge.chunks_of(space, project, paths).values() for id in ids}
    _erase(space, [memory.id for memory in _chunks_of(space, project, reader) if memory.id not in owned], reader)


def _erase(space: str, ids: Sequence[str], reader: Reader) -> None:
    for start in range(0, len(ids), ERASE):
        there = reader.store.read(space, ids[start : start + ERASE])
        writes: list[Write] = [EraseMemory(memory.id) for memory in there]
        if writes:
            reader.store.apply(space, writes)


def _unstate(space: str, project: str, paths: Sequence[str], reader: Reader) -> None:
    """Take back the triples of files that are gone."""
    for path in paths:
        if path.lower().endswith(MAY_BE_TRIPLES):
            reader.knowledge.state(space, collection_of(project, path), [])


def collection_of(project: str, path: str) -> str:
    """What the triples of a file are kept under."""
    return f"{project}/{path}"


def _chunks_of(space: str, project: str, reader: Reader) -> Iterator[Memory]:
    filters = Filters(
        kinds=CHUNK_KINDS,
        projects=frozenset({project}),
        trusts=frozenset({"file"}),
        lifecycles=frozenset(Lifecycle),
        superseded=True,
    )
    after: str | None = None
    while page := reader.store.browse(space, filters, limit=PAGE, after=after):
        after = page[-1].id
        yield from page


def _has_chunks(space: str, project: str, reader: Reader) -> bool:
    return next(_chunks_of(space, project, reader), None) is not None


def note_run(plan: Plan, space: str, reader: Reader, *, unfinished: bool) -> None:
    """Keep where the project lies, and whether this run has still to be finished."""
    found = reader.store.read(space, [project_id(plan.project)])
    memory = project_memory(
        found[0] if found else None,
        space=space,
        project=plan.project,
        roots=plan.roots,
        unfinished=unfinished,
        now=reader.now(),
    )
    reader.store.apply(space, [PutMemory(memory)])
