"""The command that reads a question without answering it: classify."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from rich.table import Table
from rich.text import Text

from recollect.doors import wire
from recollect.doors.cli_call import Call
from recollect.doors.cli_options import Common, Texts, argument, option, parse_time
from recollect.doors.cli_text import one_line
from recollect.questions import Message, Question, classic_view
from recollect.records import TimeRange

SHOWN = 500  # characters of a line


async def classify(
    text: Annotated[str, argument("The question to look at; nothing is searched.", "TEXT")],
    common: Common,
    now: Annotated[str | None, option("The moment it is asked, ISO 8601; now by default.", metavar="TIME")] = None,
    message: Annotated[Texts, option("What was said before, oldest first; repeatable.", metavar="TEXT")] = None,
) -> None:
    """Show how a question is understood: traits, type, names, times, parts and the classic category."""
    call = Call(common)
    async with call.open() as engine:
        messages = [Message("user", each) for each in message or ()]
        question = await engine.classify(text, now=parse_time(now, field="now"), messages=messages)
        call.emit(wire.question(question), lambda: [_table(question)])


def _table(question: Question) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in _rows(question):
        table.add_row(Text(name, style="dim"), Text(one_line(value, limit=SHOWN)))
    return table


def _rows(question: Question) -> Iterator[tuple[str, str]]:
    """What there is to say, a line each."""
    classic = classic_view(question)
    if question.rewritten:
        yield "read as", question.rewritten
    yield "traits", ", ".join(sorted(question.traits)) or "none"
    yield "type", question.type
    yield "entities", ", ".join(question.entities) or "none"
    yield "time", _period(question.time)
    for part in question.parts:
        yield f"part {part.number + 1}", part.text
    yield "category", f"{classic.category} {classic.reason}" if classic.category else "none"
    yield "query type", f"{classic.query_type} {classic.confidence:.2f}"
    if classic.entity or classic.attribute:
        yield "looks up", " of ".join(each for each in (classic.attribute, classic.entity) if each)


def _period(time: TimeRange | None) -> str:
    if time is None:
        return "none"
    start, end = (moment.isoformat() if moment else "open" for moment in (time.start, time.end))
    return f"{start} to {end}"
