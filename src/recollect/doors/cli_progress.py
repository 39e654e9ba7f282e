"""Progress on stderr: a bar where someone watches, one line where nobody does, nothing when nothing happens."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
)
from rich.text import Text


class RateColumn(ProgressColumn):
    """How far, how fast, and how long the rest will take."""

    def render(self, task: Task) -> Text:
        return Text(rate_line(int(task.completed), int(task.total or 0), float(task.fields.get("rate", 0.0))))


def rate_line(done: int, total: int, rate: float) -> str:
    """The same in words.

    >>> rate_line(1_200, 3_000, 300.0)
    '1,200/3,000 files, 300/s, 0:06 left'
    """
    said = f"{done:,}/{total:,} files, {rate:,.0f}/s"
    if rate <= 0:
        return said
    minutes, seconds = divmod(round((total - done) / rate), 60)
    return f"{said}, {minutes}:{seconds:02} left"


class Bars:
    """The bars of one command; they are off the screen after `stop`, and after a `with` block."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()  # downloads report from a worker thread
        self._shown: Progress | None = None
        self._sort: type[ProgressColumn] | None = None
        self._tasks: dict[str, TaskID] = {}
        self._announced: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def download(self, what: str, done: int, total: int | None) -> None:
        """One report of a download, in bytes."""
        if what not in self._announced and not self._console.is_terminal:
            size = f" ({total / 1e6:,.0f} MB)" if total else ""
            self._console.print(f"fetching {what}{size}", markup=False)
        self._announced.add(what)
        self._show(f"fetching {what}", done, total, sort=DownloadColumn)

    def count(self, what: str, done: int, total: int | None) -> None:
        """One report of things counted."""
        self._show(what, done, total, sort=MofNCompleteColumn)

    def files(self, what: str, done: int, total: int, rate: float) -> None:
        """One report of files read, with how many a second and how long the rest will take."""
        self._show(what, done, total, sort=RateColumn, rate=rate)

    def watched(self, lines: Sequence[str], *, what: str) -> Iterator[str]:
        """The same lines, counted as they are taken."""
        for number, line in enumerate(lines, start=1):
            yield line
            if number % 100 == 0 or number == len(lines):
                self.count(what, number, len(lines))

    def stop(self) -> None:
        """Take the bars off the screen; the next report brings one back."""
        with self._lock:
            shown, self._shown = self._shown, None
        if shown is not None:
            shown.stop()

    def _show(self, what: str, done: int, total: int | None, *, sort: type[ProgressColumn], rate: float = 0.0) -> None:
        if not self._console.is_terminal:
            return
        if sort is not self._sort:
            self.stop()
        with self._lock:
            if self._shown is None:
                self._shown, self._sort, self._tasks = self._start(sort), sort, {}
            if what not in self._tasks:
                self._tasks[what] = self._shown.add_task(what, total=total)
            self._shown.update(self._tasks[what], completed=done, total=total, rate=rate)
            finished = self._shown.finished
        if finished:
            self.stop()

    def _start(self, sort: type[ProgressColumn]) -> Progress:
        named = TextColumn("{task.description}", style="dim")
        shown = Progress(named, BarColumn(), sort(), console=self._console, transient=True)
        shown.start()
        return shown
