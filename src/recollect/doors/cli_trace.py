"""Commands that look back at answers given: trace, feedback, unlearn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.doors import cli_pictures, cli_render, wire
from recollect.doors.cli_call import Call, confirm
from recollect.doors.cli_options import Common, argument, option
from recollect.doors.cli_text import one_line
from recollect.errors import InvalidInput
from recollect.records import TraceRecord
from recollect.values import VerdictKind

SHOWN = 200  # characters of a question

TraceId = Annotated[str, argument("Id of a trace; last is the newest.", "TRACE")]
MemoryId = Annotated[str, argument("Id of a memory it rests on.", "MEMORY")]


async def trace(
    common: Common,
    id: Annotated[str | None, argument("Id of a trace; last is the newest. Without it, a list.", "TRACE")] = None,
    limit: Annotated[int, typer.Option(help="Length of the list, at most.", metavar="COUNT")] = 20,
    before: Annotated[str | None, option("List those older than this one.", metavar="TRACE")] = None,
    explain: Annotated[str | None, option("Say why this memory is in the answer, or not.", metavar="MEMORY")] = None,
) -> None:
    """Show how a question was answered: parts, rounds, lookups, decisions and times; without an id, list them."""
    call = Call(common)
    if id is None and explain is not None:
        raise InvalidInput("name the trace too: recollect trace last --explain MEMORY", field="id")
    async with call.open() as engine:
        if id is None:
            found = await engine.traces(space=call.space, limit=limit, before=before)
            more = found[-1].id if found and len(found) == limit else None
            payload = {"traces": [wire.trace_line(each) for each in found], "next_before": more}
            call.emit(payload, lambda: [_list(found) if found else "No trace yet."])
            if more:
                call.note(f"More with: recollect trace --before {more}")
        elif explain is not None:
            said = await engine.explain(id, explain, space=call.space)
            call.emit(wire.explained(said), lambda: [cli_pictures.explained(said)])
        else:
            told = wire.trace_record(await engine.trace(id, space=call.space))
            call.emit(told, lambda: _pictured(told, width=call.out.width))


async def feedback(
    trace_id: TraceId,
    memory_id: MemoryId,
    use: Annotated[str, argument("What became of it: used, not-used or wrong.", "USE")],
    common: Common,
) -> None:
    """Say whether a memory of an answer was of use; it will weigh a little more or less from then on."""
    call = Call(common)
    word = use.replace("-", "_")
    async with call.open() as engine:
        record = await engine.trace(trace_id, space=call.space)
        await engine.feedback(record.id, memory_id, word, space=call.space)
        payload = {"trace_id": record.id, "id": memory_id, "use": word}
        call.emit(payload, lambda: [cli_render.done(f"Noted: {memory_id} was {word.replace('_', ' ')}")])


async def unlearn(
    common: Common,
    trace_id: Annotated[
        str | None, option("Only what was learned from this answer.", "--trace", metavar="TRACE")
    ] = None,
    yes: Annotated[bool, option("Do not ask.", "--yes", "-y")] = False,
) -> None:
    """Undo what use has taught: learned links and feedback; what you stored stays."""
    call = Call(common)
    what = f"learned in space {call.space!r}" if trace_id is None else f"learned from trace {trace_id}"
    if not yes:
        confirm(f"Undo everything {what}?")
    async with call.open() as engine:
        await engine.unlearn(space=call.space, trace_id=trace_id)
        payload = {"space": call.space, "trace_id": trace_id, "unlearned": True}
        call.emit(payload, lambda: [cli_render.done(f"Undid everything {what}")])


def _list(found: Sequence[TraceRecord]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for each in found:
        words, style = cli_render.VERDICTS[VerdictKind(each.verdict)]
        when = each.started_at.isoformat(sep=" ", timespec="seconds")
        about = [when, each.stop.replace("_", " "), cli_render.milliseconds(each.seconds)]
        asked = Text(one_line(each.question, limit=SHOWN), style="bold")
        table.add_row(
            Text.assemble((words, style), f"\n  {each.confidence:.2f}"),
            Group(asked, Text(" · ".join(about), style="dim"), Text(each.id, style="dim")),
        )
    return table


def _pictured(told: wire.Json, *, width: int) -> Iterator[RenderableType]:
    about = f"{told['started_at']} · {cli_render.milliseconds(told['seconds'])}"
    yield Text(f"trace {told['id']} · {about}", style="dim")
    yield cli_pictures.path(told, width=width)
    if told["evidence"]:
        yield cli_render.heading("Evidence")
        yield cli_pictures.kept_evidence(told)
    yield from cli_render.notes(told["degraded"])
    counted = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told["counters"].items())
    if counted:
        yield cli_render.heading("Counted")
        yield Text(f"  {counted}", style="dim")
