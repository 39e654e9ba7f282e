"""`recollect demo`: a small invented corpus in a temporary store, and four questions that show the four outcomes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from recollect.doors import cli_pictures, cli_render, wire
from recollect.doors.cli_call import Call, locate
from recollect.doors.cli_options import Common, parse_time
from recollect.engine import Recollect
from recollect.records import Draft
from recollect.values import Answer

BATCH = 8
SHOWN = 4
QUESTIONS = (
    ("a simple question", "Where is the spare key?"),
    ("two questions in one", "What's my BTC thesis and how did my last SOL trade go?"),
    ("facts that contradict each other", "When is the team standup?"),
    ("something nobody ever stored", "Which dentist do we go to?"),
)
PATH_OF = 1  # the question whose path is drawn: the one with two parts
NEXT = (
    "Your own: recollect init, then recollect add TEXT, then recollect ask QUESTION. "
    "Then see how it was answered: recollect trace last."
)


async def demo(common: Common) -> None:
    """Show it at work on a small invented corpus, in a temporary store."""
    call = Call(common)
    place = locate(common)
    config = place.config if common.config else None  # the demo is the same whatever your own store's settings are
    drafts = read_corpus()
    with TemporaryDirectory(prefix="recollect-demo-") as folder:
        async with call.open(replace(place, store=Path(folder), config=config)) as engine:
            await engine.warm()
            await _load(drafts, engine=engine, call=call)
            answers = [await engine.retrieve(question) for _, question in QUESTIONS]
            weak_below = engine.settings.answerable_threshold
    payload: dict[str, Any] = {
        "memories": len(drafts),
        "answers": [wire.answer(each, weak_below=weak_below) for each in answers],
    }
    path = {**payload["answers"][PATH_OF], **wire.trace(answers[PATH_OF].trace)}
    picture = cli_pictures.path(path, width=call.out.width)
    call.emit(payload, lambda: _shown(answers, picture, memories=len(drafts), weak_below=weak_below))


def read_corpus() -> list[Draft]:
    """The bundled memories."""
    text = (files("recollect") / "data" / "demo.jsonl").read_text(encoding="utf-8")
    return [_draft(json.loads(line)) for line in text.splitlines() if line.strip()]


def _draft(fields: dict[str, Any]) -> Draft:
    tags = tuple(fields.pop("tags", ()))
    return Draft(**fields | {"tags": tags, "event_time": parse_time(fields.get("event_time"), field="event_time")})


async def _load(drafts: list[Draft], *, engine: Recollect, call: Call) -> None:
    for start in range(0, len(drafts), BATCH):
        await engine.remember_many(drafts[start : start + BATCH])
        call.bars.count("remembering", min(start + BATCH, len(drafts)), len(drafts))


def _shown(
    answers: list[Answer], path: RenderableType, *, memories: int, weak_below: float
) -> Iterator[RenderableType]:
    yield Text(f"{memories} invented memories in a temporary store, {len(answers)} questions.", style="dim")
    for number, ((what, question), answer) in enumerate(zip(QUESTIONS, answers, strict=True)):
        yield Text()
        yield Rule(Text(what, style="dim"), align="left", style="dim")
        yield Text(question, style="bold")
        yield from cli_render.answer(_cut(answer), weak_below=weak_below)
        if number == PATH_OF:
            yield cli_render.heading("The path it took")
            yield path
    yield Rule(style="dim")
    yield Text(NEXT)


def _cut(answer: Answer) -> Answer:
    """The answer with the best evidence only, and the conflicts within it."""
    evidence = answer.evidence[:SHOWN]
    shown = {piece.memory.id for piece in evidence}
    conflicts = tuple(each for each in answer.conflicts if {each.preferred, each.other} <= shown)
    return replace(answer, evidence=evidence, conflicts=conflicts)
