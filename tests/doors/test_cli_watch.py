"""What is shown of a question while it is being answered."""

from __future__ import annotations

import asyncio
import io

import pytest
from rich.console import Console

from recollect import Recollect
from recollect.doors.cli_watch import Progress, indented, watched
from recollect.trace import watcher
from recollect.values import Happening

QUESTION = "What is the gate code?"


def happened(what: str, name: str, **numbers: float | int | str) -> Happening:
    return Happening(what, name, 0.0, numbers)


def shown(*happenings: Happening, width: int = 100) -> list[str]:
    progress = Progress(QUESTION)
    for each in happenings:
        progress.tell(each)
    return progress.shown(width).plain.splitlines()


def test_parts_rounds_and_rewordings_are_told_as_they_happen() -> None:
    lines = shown(
        happened("begins", "understand"),
        happened("decides", "split", because="structure", parts=2),
        happened("begins", "search"),
        happened("ran", "lookup memory", because="found", seconds=0.004, source="memory", hits=25, text="gate code"),
        happened(
            "ran", "lookup messages", because="timed_out", seconds=2.0, source="messages", hits=0, text="gate code"
        ),
        happened("begins", "judge"),
        happened("decides", "go on", because="weak_parts", round=1),
        happened("begins", "rewrite"),
        happened("decides", "reword", because="entity", part=1, text="gate"),
        happened("begins", "search"),
        happened("ran", "lookup memory", because="found", seconds=0.004, source="memory", hits=1),
    )
    assert lines == [
        QUESTION,
        "  2 parts",
        "  round 1: memory 25 hits 4.0 ms “gate code”",
        "  round 1: messages timed out 2.00 s “gate code”",
        "  go on: weak parts",
        "  reword, part 2 (entity): “gate”",
        "  round 2: memory 1 hit 4.0 ms",
        "  search …",
    ]


def test_a_lookup_outside_a_round_names_its_step() -> None:
    lines = shown(
        happened("begins", "replace"),
        happened("ran", "lookup memory", because="found", seconds=0.001, source="memory", hits=2, text="Gate"),
    )
    assert lines[1] == "  replace: memory 2 hits 1.0 ms “Gate”"


def test_only_the_newest_lines_stay_and_none_is_too_wide() -> None:
    ran = [
        happened("ran", "lookup memory", because="found", seconds=0.0, source="memory", hits=number, text="word " * 40)
        for number in range(30)
    ]
    lines = shown(happened("begins", "search"), *ran, width=40)
    assert len(lines) == 10
    assert "29 hits" in lines[-2]
    assert max(map(len, lines)) < 40


def test_what_it_does_not_know_is_no_reason_to_fail() -> None:
    lines = shown(happened("begins", "weigh"), happened("decides", "odd", because="so"), happened("ran", "thing"))
    assert lines == [QUESTION, "  weigh: thing 0.0 ms", "  weigh …"]


def test_hostile_words_stay_words() -> None:
    ran = happened("ran", "lookup memory", seconds=0.0, source="memory", hits=1, text="\x1b[31m red\x07")
    assert not {"\x1b", "\x07"} & set("".join(shown(happened("begins", "search"), ran)))


@pytest.mark.parametrize(("terminal", "quiet"), [(False, False), (True, True)], ids=["no terminal", "quiet"])
def test_nothing_is_shown_where_nobody_watches(terminal: bool, quiet: bool) -> None:
    file = io.StringIO()
    with watched(Console(file=file, force_terminal=terminal, quiet=quiet), question=QUESTION):
        assert watcher() is None
    assert file.getvalue() == ""


def test_a_terminal_sees_a_real_question_and_then_nothing_of_it(recollect: Recollect) -> None:
    file = io.StringIO()

    async def ask() -> None:
        await recollect.remember("The gate code is 4471", title="Gate code")
        with watched(Console(file=file, force_terminal=True, width=80), question=QUESTION):
            await recollect.retrieve(QUESTION)

    asyncio.run(ask())
    assert QUESTION in file.getvalue()
    assert "round 1: memory" in file.getvalue()
    assert file.getvalue().endswith("\x1b[2K")  # the last thing is to wipe the line
    assert watcher() is None


def test_indents_are_kept() -> None:
    assert indented("   three", limit=20) == "   three"
    assert indented("  " + "word " * 10, limit=10) == "  word wo…"
