"""A question while it is being answered: parts, lookups and rewordings as they happen, on stderr.

Shown only where someone watches, and taken off the screen when the answer is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from recollect.doors.cli_render import lookup_outcome, milliseconds, plural
from recollect.doors.cli_text import one_line
from recollect.trace import watching
from recollect.values import Happening

SHOWN_LINES = 8  # the newest ones; what is older has scrolled away
FRAMES_PER_SECOND = 12
SEARCH = "search"


@contextmanager
def watched(console: Console, *, question: str) -> Iterator[None]:
    """Inside this block what happens to a question is shown, if the console is a terminal."""
    if not console.is_terminal or console.quiet:
        yield
        return
    progress = Progress(question)
    shown = Live(
        console=console,
        transient=True,
        refresh_per_second=FRAMES_PER_SECOND,  # drawn by a thread of its own: the question does not wait for the screen
        get_renderable=lambda: progress.shown(console.width),
    )
    with shown, watching(progress.tell):
        yield


class Progress:
    """What has happened to one question so far, a line each."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._lines: list[str] = []
        self._step = ""
        self._round = 0

    def tell(self, happening: Happening) -> None:
        """Take note of one thing."""
        match happening.what:
            case "begins":
                self._step = happening.name
                self._round += happening.name == SEARCH
            case "ran":
                self._lines.append(self._looked_up(happening))
            case "decides":
                self._lines += self._decided(happening)

    def shown(self, width: int) -> Text:
        """The question, the newest lines, and the step that runs."""
        said = [self._question, *(f"  {line}" for line in self._lines[-SHOWN_LINES:])]
        said += [f"  {self._step} …"] if self._step else []
        return Text("\n".join(indented(each, limit=width - 1) for each in said), style="dim")

    def _looked_up(self, happening: Happening) -> str:
        numbers = happening.numbers
        outcome = lookup_outcome(str(numbers.get("because", "")), int(numbers.get("hits", 0)))
        took = milliseconds(float(numbers.get("seconds", 0.0)))
        where = f"round {self._round}" if self._step == SEARCH else self._step
        said = f"{where}: {numbers.get('source', happening.name)} {outcome} {took}"
        return f"{said} “{numbers['text']}”" if numbers.get("text") else said

    def _decided(self, happening: Happening) -> list[str]:
        """The decisions a person waits for: how many parts, what is reworded, and whether it goes on."""
        numbers = happening.numbers
        part = numbers.get("part")
        match self._step:
            case "understand" if "parts" in numbers:
                return [plural(int(numbers["parts"]), "part", "parts")]
            case "rewrite" if part is not None:
                text = f": “{numbers['text']}”" if numbers.get("text") else ""
                because = str(numbers.get("because", "")).replace("_", " ")
                return [f"{happening.name}, part {int(part) + 1} ({because}){text}"]
            case "judge":
                return [f"{happening.name}: {str(numbers.get('because', '')).replace('_', ' ')}"]
        return []


def indented(text: str, *, limit: int) -> str:
    """One line, with the spaces it begins with.

    >>> indented("  round 1: memory", limit=12)
    '  round 1:…'
    """
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + one_line(text, limit=max(2, limit - indent))
