"""Commands that read: ask, search, recall, browse, get, spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table

from recollect.doors import cli_pictures, cli_render, wire
from recollect.doors.cli_call import Call, note_if_empty
from recollect.doors.cli_options import Common, Narrowing, argument, option
from recollect.records import SpaceStats
from recollect.values import Answer, Evidence, Hit, Recalled, SearchResult, VerdictKind

NOTHING_FOUND_EXIT = 3

Limit = Annotated[int, typer.Option(help="At most this many; 0 is allowed.", metavar="COUNT")]
Explain = Annotated[bool, option("Show how it came about.", "--explain")]


async def ask(
    question: Annotated[str, argument("What you want to know; several questions in one are fine.", "QUESTION")],
    common: Common,
    narrowing: Narrowing,
    recipe: Annotated[str | None, option("How hard to search: fast, balanced or deep.", metavar="RECIPE")] = None,
    deadline: Annotated[float | None, option("Seconds until it must answer.", metavar="SECONDS")] = None,
    explain: Explain = False,
    fail_on_none: Annotated[bool, option("Exit with 3 when the verdict is none.", "--fail-on-none")] = False,
) -> None:
    """Answer a question: a verdict, and the evidence behind it."""
    call = Call(common)
    async with call.open() as engine:
        await engine.warm()
        filters = narrowing.filters()
        answer = await engine.retrieve(question, space=call.space, filters=filters, recipe=recipe, deadline=deadline)
        weak_below = engine.settings.answerable_threshold
        payload = wire.answer(answer, weak_below=weak_below)
        if explain:
            payload["trace"] = wire.trace(answer.trace)
        call.emit(payload, lambda: _answered(answer, weak_below=weak_below) + (_path(answer) if explain else []))
        if not answer.evidence:
            await note_if_empty(call, engine)
    if fail_on_none and answer.verdict is VerdictKind.NONE:
        raise typer.Exit(NOTHING_FOUND_EXIT)


async def search(
    text: Annotated[str, argument("Words to look for.", "TEXT")],
    common: Common,
    narrowing: Narrowing,
    limit: Limit = 10,
    explain: Explain = False,
) -> None:
    """Search plainly: the nearest memories with explained scores, and no verdict."""
    call = Call(common)
    async with call.open() as engine:
        await engine.warm()
        result = await engine.search(text, space=call.space, filters=narrowing.filters(), limit=limit)
        call.emit(wire.search_result(result), lambda: _searched(result) + (_why(result.hits) if explain else []))
        if not result.hits:
            await note_if_empty(call, engine)


async def recall(
    common: Common,
    narrowing: Narrowing,
    text: Annotated[str | None, argument("What about; without it, the newest.", "TEXT")] = None,
    limit: Limit = 10,
) -> None:
    """Bring back the memories that bear on a text, only those good enough; without a text, the newest."""
    call = Call(common)
    async with call.open() as engine:
        if text is not None:
            await engine.warm()
        recalled = await engine.recall(text, space=call.space, filters=narrowing.filters(), limit=limit)
        call.emit(wire.recalled(recalled), lambda: _recalled(recalled))
        if not recalled.memories:
            await note_if_empty(call, engine)


async def browse(
    common: Common,
    narrowing: Narrowing,
    limit: Limit = 20,
    after: Annotated[str | None, option("Go on after this id.", metavar="ID")] = None,
) -> None:
    """List memories, newest first."""
    call = Call(common)
    async with call.open() as engine:
        found = await engine.browse(space=call.space, filters=narrowing.filters(), limit=limit, after=after)
        next_after = found[-1].id if found and len(found) == limit else None
        payload = {"memories": [wire.memory(each) for each in found], "next_after": next_after}
        call.emit(payload, lambda: _recalled(Recalled(tuple(found))))
        if next_after and not call.common.as_json:
            call.note(f"More with: recollect browse --after {next_after}")
        if not found and limit:
            await note_if_empty(call, engine)


async def get(id: Annotated[str, argument("Id of a memory.", "ID")], common: Common) -> None:
    """Show one memory with its links. Counts as a use of it."""
    call = Call(common)
    async with call.open() as engine:
        memory = await engine.get(id, space=call.space)
        links = await engine.links(id, space=call.space)
        payload = {**wire.memory(memory), "links": [wire.link(each) for each in links]}
        call.emit(payload, lambda: cli_render.memory(memory, links))


async def spaces(common: Common) -> None:
    """List the spaces of the store and what they hold."""
    call = Call(common)
    async with call.open() as engine:
        found = {name: await engine.stats(space=name) for name in await engine.spaces()}
        payload = {"spaces": [wire.stats(stats, space=name) for name, stats in found.items()]}
        call.emit(payload, lambda: [_space_table(found) if found else "No space yet."])


def _answered(answer: Answer, *, weak_below: float) -> list[RenderableType]:
    return list(cli_render.answer(answer, weak_below=weak_below))


def _searched(result: SearchResult) -> list[RenderableType]:
    found: RenderableType = cli_render.hits(result.hits) if result.hits else "Nothing found."
    return [found, *cli_render.notes(result.degraded)]


def _why(found: Sequence[Hit | Evidence]) -> list[RenderableType]:
    return [cli_render.heading("Why these scores"), *cli_pictures.explanations(found)] if found else []


def _path(answer: Answer) -> list[RenderableType]:
    return [*_why(answer.evidence), cli_render.heading("The path"), cli_pictures.path(answer.trace)]


def _recalled(recalled: Recalled) -> Iterator[RenderableType]:
    if not recalled.memories:
        yield "Nothing found."
    else:
        yield cli_render.memories(recalled.memories, relevance=dict(recalled.relevance))
    yield from cli_render.notes(recalled.degraded)


def _space_table(found: dict[str, SpaceStats]) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("space", overflow="fold")
    for name in ("memories", "links", "MB"):
        table.add_column(name, justify="right")
    table.add_column("embedder")
    for space, stats in found.items():
        size = f"{stats.bytes_on_disk / 1e6:,.1f}"
        table.add_row(cli_render.plain(space), f"{stats.memories:,}", f"{stats.links:,}", size, stats.embedder or "")
    return table
