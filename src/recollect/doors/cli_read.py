"""Commands that read: ask, search, recall, context, browse, get, spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.table import Table

from recollect.doors import cli_pictures, cli_render, wire
from recollect.doors.cli_call import Call, locate, note_if_empty
from recollect.doors.cli_files import write_stdout
from recollect.doors.cli_options import Common, Effort, Narrowing, argument, option
from recollect.doors.cli_text import clean
from recollect.engine import Recollect
from recollect.records import SpaceStats
from recollect.values import Answer, Evidence, Explained, Hit, Recalled, SearchResult, VerdictKind

NOTHING_FOUND_EXIT = 3
NO_CONTEXT = {
    "trivial": "there is nothing to look up in this",
    "nothing_relevant": "nothing that is stored bears on it",
    "only_weak_evidence": "only weak evidence was found; 'recollect ask' shows it",
    "already_shown": "this session was shown all of it before; leave out --session to see it again",
}

Limit = Annotated[int, typer.Option(help="At most this many; 0 is allowed.", metavar="COUNT")]
Tokens = Annotated[
    int | None, option("Size of the context block. Default: max_context_tokens.", "--max-tokens", metavar="COUNT")
]
Local = Annotated[
    Path | None,
    option("Also look into the instruction files and docs of the project in this folder.", "--local", metavar="FOLDER"),
]
Explain = Annotated[bool, option("Show how it came about.", "--explain")]


async def ask(
    question: Annotated[str, argument("What you want to know; several questions in one are fine.", "QUESTION")],
    common: Common,
    narrowing: Narrowing,
    effort: Effort,
    max_tokens: Tokens = None,
    local: Local = None,
    explain: Explain = False,
    fail_on_none: Annotated[bool, option("Exit with 3 when the verdict is none.", "--fail-on-none")] = False,
) -> None:
    """Answer a question: a verdict, the answer in quoted sentences, and the evidence behind it."""
    call = Call(common)
    async with call.open(locate(common, local=local)) as engine:
        await engine.warm()
        filters = narrowing.filters()
        with call.watched(question):
            answer = await engine.retrieve(
                question, space=call.space, filters=filters, max_tokens=max_tokens, **effort.given()
            )
        weak_below = engine.settings.answerable_threshold
        payload = wire.answer(answer, weak_below=weak_below)
        trace = wire.trace(answer.trace) if explain else None
        behind = _behind(answer, {**payload, **trace}, width=call.out.width) if trace else []
        call.emit(
            payload if trace is None else {**payload, "trace": trace},
            lambda: [*cli_render.answer(answer, weak_below=weak_below), *behind],
        )
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
    effort: Effort,
    text: Annotated[str | None, argument("What about; without it, the newest.", "TEXT")] = None,
    limit: Limit = 10,
    explain: Annotated[bool, option("Say of each memory why it is there.", "--explain")] = False,
) -> None:
    """Bring back the memories that bear on a text, only those good enough; without a text, the newest."""
    call = Call(common)
    async with call.open() as engine:
        if text is not None:
            await engine.warm()
        with call.watched(text or ""):
            recalled = await engine.recall(
                text, space=call.space, filters=narrowing.filters(), limit=limit, **effort.given()
            )
        payload = wire.recalled(recalled)
        why = await _explained(recalled, engine, call) if explain else []
        if explain:
            payload["explained"] = [wire.explained(each) for each in why]
        call.emit(payload, lambda: [*_recalled(recalled), *_why_each(why, recalled)])
        if not recalled.memories:
            await note_if_empty(call, engine)


async def context(
    message: Annotated[str, argument("What was just said to the agent.", "MESSAGE")],
    common: Common,
    narrowing: Narrowing,
    session: Annotated[str | None, option("Leave out what this session was shown already.", metavar="NAME")] = None,
    max_tokens: Tokens = None,
    local: Local = None,
    deadline: Annotated[float | None, option("Seconds until it must answer.", metavar="SECONDS")] = None,
) -> None:
    """Print the block to put before an agent's next reply, or say why there is none."""
    call = Call(common)
    async with call.open(locate(common, local=local)) as engine:
        await engine.warm()
        with call.watched(message):
            block = await engine.retrieve_context(
                message,
                space=call.space,
                session=session,
                filters=narrowing.filters(),
                max_tokens=max_tokens,
                deadline=deadline,
            )
        if block and not common.as_json:
            write_stdout(f"{clean(block.text)}\n")  # as it is: a block for a prompt has no width to keep to
            return
        call.emit(wire.context(block), lambda: [])
        if not block:
            call.note(f"No context: {NO_CONTEXT.get(block.reason, block.reason.replace('_', ' '))}.")


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
        if next_after:
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


async def _explained(recalled: Recalled, engine: Recollect, call: Call) -> list[Explained]:
    """Why each memory was recalled; nothing to say where nothing was asked or no trace is kept."""
    if recalled.trace_id is None or not engine.settings.keep_traces:
        call.note("Nothing to explain: nothing was asked, or keep_traces is 0.")
        return []
    return [await engine.explain(recalled.trace_id, each.id, space=call.space) for each in recalled.memories]


def _searched(result: SearchResult) -> list[RenderableType]:
    found: RenderableType = cli_render.hits(result.hits) if result.hits else "Nothing found."
    return [found, *cli_render.notes(result.degraded)]


def _why(found: Sequence[Hit | Evidence]) -> list[RenderableType]:
    return [cli_render.heading("Why these scores"), *cli_pictures.explanations(found)] if found else []


def _behind(answer: Answer, told: wire.Json, *, width: int) -> list[RenderableType]:
    return [*_why(answer.evidence), cli_render.heading("The path"), cli_pictures.path(told, width=width)]


def _why_each(why: Sequence[Explained], recalled: Recalled) -> Iterator[RenderableType]:
    if why:
        yield cli_render.heading("Why these")
    for explained, memory in zip(why, recalled.memories, strict=False):
        yield cli_pictures.sentences(explained, name=memory.title or memory.body)


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
