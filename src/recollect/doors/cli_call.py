"""One run of a command: which store and settings it means, how it opens the engine, and how it prints.

Results go to stdout, as one JSON value or for people; everything else (progress, notes) goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from rich.console import Console, RenderableType

from recollect.configure import FILE_VARIABLE, configure
from recollect.doors.cli_options import Common, parse_overrides
from recollect.doors.cli_progress import Bars
from recollect.doors.cli_text import clean
from recollect.doors.cli_watch import watched
from recollect.engine import Recollect
from recollect.errors import InvalidInput
from recollect.telemetry.logs import written_to

CONFIG_NAME = "recollect.toml"
DECLINED_EXIT = 1
DEBUG_VARIABLE = "RECOLLECT_DEBUG"  # asks for tracebacks; not a setting, so the engine must not see it


class Screen(Console):
    """A console that leaves a closed pipe to `main`, which knows the exit code."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


@dataclass(frozen=True, slots=True)
class Place:
    """Which store a call means and what its settings are made of."""

    store: Path
    config: Path | None
    arguments: Mapping[str, Any]


class Call:
    """What a command works with."""

    def __init__(self, common: Common) -> None:
        self.common = common
        self.space = common.space
        self.out = Screen(highlight=False, soft_wrap=False)
        self.err = Screen(stderr=True, highlight=False, quiet=common.quiet)
        self.bars = Bars(self.err)

    @asynccontextmanager
    async def open(self, place: Place | None = None) -> AsyncIterator[Recollect]:
        """The engine, closed afterwards; fetching weights shows a bar."""
        place = place or locate(self.common)
        with self.bars:
            engine = Recollect.open(
                place.store,
                config=place.config,
                environment=environment(),
                progress=self.bars.download,
                **place.arguments,
            )
            with written_to(sys.stderr) if engine.settings.telemetry.logs else nullcontext():
                async with engine:
                    yield engine

    @contextmanager
    def watched(self, question: str) -> Iterator[None]:
        """Inside this block what happens to a question is shown as it happens, to whoever watches."""
        self.bars.stop()
        if self.common.as_json:
            yield
            return
        with watched(self.err, question=question):
            yield

    def emit(self, payload: Any, picture: Callable[[], Iterable[RenderableType]]) -> None:
        """Print the result: the payload as JSON, or the picture for people."""
        self.bars.stop()
        if self.common.as_json:
            print_json(payload)
            return
        for each in picture():
            self.out.print(each)

    def note(self, text: str) -> None:
        """Say something that is not the result, to people only."""
        self.bars.stop()
        if not self.common.as_json:
            self.err.print(clean(text), style="dim", markup=False)


def confirm(question: str) -> None:
    """Ask a person, who may decline; without one, only --yes will do."""
    if not sys.stdin.isatty():
        message = "this cannot be undone; without a terminal to ask on, give --yes"
        raise InvalidInput(message, field="yes")
    if not typer.confirm(f"{question} This cannot be undone.", err=True):
        raise typer.Exit(DECLINED_EXIT)


async def note_if_empty(call: Call, engine: Recollect) -> None:
    """Say so when the space asked has never held anything: a typing error, or a newcomer."""
    known = await engine.spaces()
    if call.space not in known:
        others = f"; there is: {', '.join(known)}" if known else ""
        call.note(f"Nothing is stored in space {call.space!r} yet{others}. Store something with: recollect add TEXT")


def locate(common: Common, *, local: Path | None = None) -> Place:
    """The store and the settings file, the store's own when none is named; `local` is the folder of a project."""
    arguments: dict[str, Any] = parse_overrides(common.overrides)
    if local is not None:
        if not local.expanduser().is_dir():
            raise InvalidInput(f"--local {str(local)!r} is no folder; name the folder of a project", field="local")
        arguments["local.root"] = local
    if common.store is not None:
        arguments["store.path"] = common.store
    config = common.config or _config_from_environment()
    store = configure(arguments, file=config, environment=environment()).store.path.expanduser()
    own = store / CONFIG_NAME
    if config is None and own.is_file():
        config = own
    arguments.pop("store.path", None)
    return Place(store, config, arguments)


def environment() -> dict[str, str]:
    """The environment as far as it holds settings."""
    return {name: value for name, value in os.environ.items() if name != DEBUG_VARIABLE}


def print_json(payload: Any) -> None:
    """One JSON value on stdout; what the terminal cannot write is escaped, never lost."""
    speaks_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(payload, ensure_ascii=not speaks_unicode, indent=2) + "\n")


def _config_from_environment() -> Path | None:
    named = os.environ.get(FILE_VARIABLE)
    return Path(named) if named else None
