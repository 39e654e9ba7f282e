"""Commands for projects: ingest files and folders, follow their changes, list what was read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from rich.console import RenderableType
from rich.table import Table

from recollect.doors import cli_render, wire_projects
from recollect.doors.cli_call import Call, confirm
from recollect.doors.cli_options import Common, argument, option
from recollect.doors.cli_text import clean
from recollect.errors import InvalidInput
from recollect.knowledge import Ingested, ProjectRead

COUNTED = ("files", "chunks", "entities", "statements")
SHOWN = 10  # skipped files named; --json names all
WORTH_NAMING = ("secret", "too large", "damaged", "cannot", "reading")  # reasons that a person should see


async def ingest(
    paths: Annotated[list[Path], argument("Files and folders to read.", "PATH")],
    common: Common,
    project: Annotated[str | None, option("Name of the project they belong to.", metavar="NAME")] = None,
    each: Annotated[bool, option("Every folder right below PATH is a project, named after it.", "--each")] = False,
    no_embed: Annotated[bool, option("Make no vectors: faster, found by words and names only.", "--no-embed")] = False,
    watch: Annotated[bool, option("Go on following changes until interrupted.", "--watch")] = False,
) -> None:
    """Read files into a project, or bring it up to date: only what changed is read, what is gone goes."""
    if (project is None) != each:
        raise InvalidInput("name the project with --project, or take every folder below with --each", field="project")
    call = Call(common)
    given: dict[str, Any] = {
        "space": call.space,
        "embed": not no_embed,
        "on_progress": lambda done, total, rate: call.bars.files("reading", done, total, rate),
    }
    async with call.open() as engine:
        if project is None:
            if watch:
                raise InvalidInput("--watch follows one project; name it with --project", field="watch")
            _tell_all(call, await engine.ingest_each(*paths, **given))
        elif watch:
            call.note(f"following {', '.join(map(str, paths))}; Ctrl-C ends it")
            await engine.follow(*paths, project=project, on_ingested=lambda done: _tell(call, done), **given)
        else:
            _tell(call, await engine.ingest(*paths, project=project, **given))


async def connect(common: Common) -> None:
    """Read what memories state of named things into the graph, so that they are found through each other."""
    call = Call(common)
    async with call.open() as engine:
        count = await engine.connect(space=call.space)
        said = cli_render.plural(count, "statement", "statements")
        call.emit(
            {"space": call.space, "statements": count},
            lambda: [cli_render.done(f"{said} read out of the memories of {call.space!r}")],
        )


async def projects(
    common: Common,
    forget: Annotated[str | None, option("Erase all that was read of this project.", metavar="NAME")] = None,
    yes: Annotated[bool, option("Do not ask.", "--yes", "-y")] = False,
) -> None:
    """List the projects that were read in, or forget one."""
    call = Call(common)
    if forget is not None:
        await _forget(call, forget, yes=yes)
        return
    if yes:
        raise InvalidInput("--yes goes with --forget", field="yes")
    async with call.open() as engine:
        found = await engine.projects(space=call.space)
        call.emit([wire_projects.project(each) for each in found], lambda: [_table(found)])


async def _forget(call: Call, project: str, *, yes: bool) -> None:
    if not yes:
        confirm(f"Erase all that was read of project {project!r}?")
    async with call.open() as engine:
        files = await engine.forget_project(project, space=call.space)
        call.emit(
            {"space": call.space, "project": project, "files": files},
            lambda: [cli_render.done(f"Erased project {project!r}: {cli_render.plural(files, 'file', 'files')}")],
        )


def _tell(call: Call, done: Ingested) -> None:
    call.emit(wire_projects.ingested(done), lambda: _told(done))


def _tell_all(call: Call, done: Sequence[Ingested]) -> None:
    def shown() -> Iterator[RenderableType]:
        for each in done:
            yield from _told(each)
        read, seconds = sum(each.read for each in done), sum(each.seconds for each in done)
        files = cli_render.plural(read, "file read", "files read")
        yield cli_render.done(f"{cli_render.plural(len(done), 'project', 'projects')}: {files} in {seconds:.1f} s")

    call.emit([wire_projects.ingested(each) for each in done], shown)


def _told(done: Ingested) -> Iterator[RenderableType]:
    said = [cli_render.plural(done.read, "file read", "files read"), f"{done.unchanged:,} unchanged"]
    said += [f"{done.removed:,} removed"] if done.removed else []
    said += [f"{len(done.skipped):,} skipped"] if done.skipped else []
    yield cli_render.done(f"{done.project}: {', '.join(said)} in {done.seconds:.1f} s")
    if done.read:
        yield cli_render.facts(
            {
                "  pieces": f"{done.chunks:,}" + (f", {done.embedded:,} embedded" if done.embedded else ""),
                "  entities": f"{done.entities:,}",
                "  statements": f"{done.statements:,}",
            }
        )
    named = [(path, reason) for path, reason in done.skipped if reason.startswith(WORTH_NAMING)]
    for path, reason in named[:SHOWN]:
        yield f"  skipped {clean(path)} ({clean(reason)})"
    others = Counter(reason.partition(":")[0] for path, reason in [*named[SHOWN:], *_plain(done)])
    if others:
        yield "  skipped " + ", ".join(f"{count:,} {reason}" for reason, count in sorted(others.items()))
    for note in done.notes:
        yield f"  {clean(note)}"


def _table(found: Sequence[ProjectRead]) -> RenderableType:
    if not found:
        return "No project was read in yet. Read one with: recollect ingest PATH --project NAME"
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("project")
    for name in COUNTED:
        table.add_column(name, justify="right")
    for each in found:
        table.add_row(clean(each.project), *(f"{getattr(each, name):,}" for name in COUNTED))
    return table


def _plain(done: Ingested) -> list[tuple[str, str]]:
    return [(path, reason) for path, reason in done.skipped if not reason.startswith(WORTH_NAMING)]
