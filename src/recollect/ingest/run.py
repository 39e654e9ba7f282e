"""Reading projects in: planned first, read one after the other by the same processes, then settled together.

Workers go on reading while a batch is stored, and with the next project while the last is being finished. What the keys
of projects mean is settled for many at once: each project settled alone would look at all the others.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.ingest.embedding import Embedding
from recollect.ingest.jobs import Order
from recollect.ingest.pool import Pool
from recollect.ingest.project import Counts, Paths, Plan, Reader, make_plan, note_run, store_batch, take_out
from recollect.ingest.roots import check_project
from recollect.knowledge import Ingested
from recollect.offload import run_in_thread
from recollect.records import check_space

FileProgress = Callable[[int, int, float], None]  # files done, files to do, files a second
NOTES = 20
SETTLE_FILES = 10_000  # of so many files the names are settled at once: more takes more memory and hardly less time


class Wanted(NamedTuple):
    """A project, and what to read into it."""

    project: str
    paths: Paths


@dataclass(slots=True)
class _Run:
    """One project on its way in."""

    plan: Plan
    order: Order
    counts: Counts = field(init=False)
    ended: float = 0.0

    def __post_init__(self) -> None:
        self.counts = Counts(unchanged=self.plan.unchanged, skipped=list(self.plan.skipped))


class _Progress:
    """How far all of it is."""

    def __init__(self, total: int, reader: Reader, tell: FileProgress | None) -> None:
        self._total, self._monotonic, self._tell = total, reader.monotonic, tell
        self._began, self._done = reader.monotonic(), 0

    def add(self, files: int) -> None:
        self._done += files
        if self._tell:
            self._tell(self._done, self._total, self._done / max(self._monotonic() - self._began, 1e-9))


async def ingest_projects(
    wanted: Sequence[Wanted], *, space: str, reader: Reader, embed: bool, on_progress: FileProgress | None = None
) -> list[Ingested]:
    """Bring projects in a space to what their paths hold now."""
    began = reader.monotonic()
    check_space(space)
    _check(wanted)
    runs = [await run_in_thread(_planned, each, space, reader) for each in wanted]
    progress = _Progress(sum(len(run.plan.jobs) for run in runs), reader, on_progress)
    embedding = Embedding(reader.store, reader.embedder, space) if embed else None
    pool = Pool([(run.order, run.plan.jobs) for run in runs])
    note = ""
    try:
        for group in _groups(runs):
            for run in group:
                await _read(run, pool, space, reader, embedding, progress)
                run.ended = reader.monotonic()
            await _finish(group, space, reader)
        if embedding:
            note = await embedding.finish()
    finally:
        pool.close()
        if embedding:
            await embedding.stop()
    runs[-1].ended = reader.monotonic()
    starts = [began, *(run.ended for run in runs)]
    embedded = embedding.done if embedding else {}
    return [
        _ingested(run, run.ended - start, embedded.get(run.plan.project, 0), note)
        for run, start in zip(runs, starts, strict=False)
    ]


def projects_below(folders: Sequence[str | os.PathLike[str]]) -> list[Wanted]:
    """Every folder right below these as a project of its own, called what the folder is called.

    Hidden folders are none, nor are links to folders: they may lead anywhere.
    """
    found: dict[str, Wanted] = {}
    for folder in map(os.path.expanduser, folders):
        if not os.path.isdir(folder):
            raise InvalidInput(f"{os.fspath(folder)!r} is no folder; name one that holds projects", field="paths")
        below = [name for name in sorted(os.listdir(folder)) if not name.startswith(".")]
        for name in below:
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isdir(path):
                continue
            if name in found:
                raise InvalidInput(f"two folders would be project {name!r}: {found[name].paths[0]!r} and {path!r}")
            found[name] = Wanted(name, [path])
    if not found:
        raise InvalidInput("there is no folder in there; name a folder that holds projects", field="paths")
    return list(found.values())


def _check(wanted: Sequence[Wanted]) -> None:
    names = [check_project(each.project) for each in wanted]
    if not names or len(set(names)) < len(names):
        raise InvalidInput("name at least one project, and each once", field="project")


def _planned(wanted: Wanted, space: str, reader: Reader) -> _Run:
    plan = make_plan(wanted.paths, project=wanted.project, space=space, reader=reader)
    return _Run(plan, Order(wanted.project, plan.layout, reader.settings))


def _groups(runs: Sequence[_Run]) -> Iterator[list[_Run]]:
    """Projects that are settled together."""
    group: list[_Run] = []
    files = 0
    for run in runs:
        if group and files + len(run.plan.jobs) > SETTLE_FILES:
            yield group
            group, files = [], 0
        group.append(run)
        files += len(run.plan.jobs)
    yield group


async def _read(
    run: _Run, pool: Pool, space: str, reader: Reader, embedding: Embedding | None, progress: _Progress
) -> None:
    """Read and store a project, batch by batch, and take out what is gone."""
    plan, counts = run.plan, run.counts
    if not plan.has_work:
        return
    await run_in_thread(lambda: note_run(plan, space, reader, unfinished=True))
    while (batch := await run_in_thread(pool.take, run.order)) is not None:
        new = await run_in_thread(store_batch, batch, plan, space, reader, counts)
        if embedding:
            await embedding.add(new)
        progress.add(len(batch))
        await asyncio.sleep(0)
    await run_in_thread(take_out, plan, space, reader)


async def _finish(group: Sequence[_Run], space: str, reader: Reader) -> None:
    """What follows once projects are stored: the index of words and the meaning of names, side by side."""
    changed = [run.plan for run in group if run.plan.has_work]
    if not changed:
        return
    await asyncio.gather(run_in_thread(reader.store.catch_up, space), run_in_thread(reader.knowledge.settle, space))

    def note() -> None:
        for plan in changed:
            note_run(plan, space, reader, unfinished=False)

    await run_in_thread(note)


def _ingested(run: _Run, seconds: float, embedded: int, note: str) -> Ingested:
    counts = run.counts
    notes = [f"{text} ({count} files)" if count > 1 else text for text, count in counts.notes.items()]
    return Ingested(
        project=run.plan.project,
        read=counts.read,
        unchanged=counts.unchanged,
        removed=len(run.plan.gone),
        skipped=tuple(sorted(counts.skipped)),
        chunks=counts.chunks,
        entities=counts.entities,
        statements=counts.statements,
        embedded=embedded,
        notes=tuple(notes[:NOTES] + ([note] if note else [])),
        seconds=seconds,
    )
