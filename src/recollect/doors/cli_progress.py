"""Progress on stderr: a bar where someone watches, one line where nobody does, nothing when nothing happens."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TaskID, TextColumn


class Bars:
    """The bars of one command; used in a `with` block that takes them off the screen."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()  # downloads report from a worker thread
        self._shown: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._announced: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def download(self, what: str, done: int, total: int | None) -> None:
        """One report of a download, in bytes."""
        if what not in self._announced and not self._console.is_terminal:
            size = f" ({total / 1e6:,.0f} MB)" if total else ""
            self._console.print(f"fetching {what}{size}", markup=False)
        self._announced.add(what)
        self._show(f"fetching {what}", done, total, columns=lambda: [DownloadColumn()])

    def count(self, what: str, done: int, total: int | None) -> None:
        """One report of things counted."""
        self._show(what, done, total, columns=lambda: [MofNCompleteColumn()])

    def watched(self, lines: Iterable[str], *, what: str, total: int | None) -> Iterator[str]:
        """The same lines, counted as they are taken."""
        for number, line in enumerate(lines, start=1):
            yield line
            if number % 100 == 0 or number == total:
                self.count(what, number, total)

    def _show(
        self,
        what: str,
        done: int,
        total: int | None,
        *,
        columns: Callable[[], list[DownloadColumn] | list[MofNCompleteColumn]],
    ) -> None:
        if not self._console.is_terminal:
            return
        with self._lock:
            if self._shown is None:
                named = TextColumn("{task.description}", style="dim")
                self._shown = Progress(named, BarColumn(), *columns(), console=self._console, transient=True)
                self._tasks = {}
                self._shown.start()
            if what not in self._tasks:
                self._tasks[what] = self._shown.add_task(what, total=total)
            self._shown.update(self._tasks[what], completed=done, total=total)
            finished = self._shown.finished
        if finished:
            self._stop()

    def _stop(self) -> None:
        with self._lock:
            shown, self._shown = self._shown, None
        if shown is not None:
            shown.stop()
