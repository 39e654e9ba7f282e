"""The command line: which commands there are, and what an error becomes. Each command is in its `cli_…` file.

Exit codes: 0 fine; 1 `doctor` found something, a bound of `replay` is broken, or you declined; 2 a caller's mistake; 3
`ask --fail-on-none` found none; 4 the store, the embedder or something outside cannot serve; 70 a bug; 130 interrupted;
141 nobody reads on.
"""

from __future__ import annotations

import asyncio
import difflib
import io
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from enum import Enum
from functools import wraps
from importlib.metadata import version
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from recollect.doors import (
    cli_classify,
    cli_demo,
    cli_eval,
    cli_ingest,
    cli_mcp,
    cli_read,
    cli_replay,
    cli_serve,
    cli_trace,
    cli_tune,
    cli_upkeep,
    cli_write,
    wire,
)
from recollect.doors.cli_call import DEBUG_VARIABLE, print_json
from recollect.doors.cli_options import expand
from recollect.doors.cli_text import clean
from recollect.errors import EmbedderMismatch, InvalidInput, MissingExtra, RecollectError, StoreError, Unavailable

MISTAKE, CANNOT_SERVE, BUG, INTERRUPTED, PIPE_CLOSED = 2, 4, 70, 130, 141

# The first class that fits decides. Whatever is not listed (InvalidInput, NotFound, …) the caller can mend.
EXIT_CODES: dict[type[Exception], int] = {
    StoreError: CANNOT_SERVE,
    EmbedderMismatch: CANNOT_SERVE,
    Unavailable: CANNOT_SERVE,
    MissingExtra: CANNOT_SERVE,
    RecollectError: MISTAKE,
}
# Typer carries its own copy of click since 0.16 or so; this is its UsageError in every version.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]

# What a command goes by elsewhere: in the library, over MCP, in other programs.
OTHER_NAMES = {
    "remember": "add", "store": "add", "save": "add", "put": "add", "write": "add", "note": "add",
    "retrieve": "ask", "query": "ask", "answer": "ask", "find": "search", "grep": "search",
    "list": "browse", "ls": "browse", "show": "get", "read": "get", "fetch": "get",
    "delete": "forget", "remove": "forget", "rm": "forget", "erase": "forget", "edit": "update", "replace": "supersede",
    "index": "ingest", "load": "ingest", "watch": "ingest", "start": "serve", "server": "serve", "http": "serve",
    "check": "doctor", "status": "doctor", "stats": "spaces", "backup": "export", "dump": "export",
    "evaluate": "eval", "benchmark": "eval", "setup": "init",
}  # fmt: skip
NO_SUCH_COMMAND = re.compile(r"No such command ['\"](.+?)['\"]")

ASK, CHANGE, KEEP, MEASURE = "Find", "Store and change", "Look after the store", "Measure"
SERVE = "Serve"


class Reply(Enum):
    """How an error is told."""

    TEXT = "text"
    JSON = "json"


class Door(TyperGroup):
    """The group of commands, with every error turned into a line and an exit code."""

    def main(self, args: Sequence[str] | None = None, *positional: Any, **named: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        named["standalone_mode"] = False
        sys.exit(_guarded(lambda: super(Door, self).main(given, *positional, **named), given))


def _command(function: Callable[..., Any]) -> Callable[..., Any]:
    """An async command with option groups as the plain function typer wants."""
    spread = expand(function)

    @wraps(spread)
    def run(**given: Any) -> None:
        before = signal.signal(signal.SIGINT, _interrupt)
        try:
            asyncio.run(spread(**given))
            sys.stdout.flush()
        except BrokenPipeError:  # caught here because typer would make it exit code 1
            _discard_output()
            raise typer.Exit(PIPE_CLOSED) from None
        finally:
            signal.signal(signal.SIGINT, before)

    return run


def _interrupt(*_: object) -> NoReturn:
    """Ctrl-C at once. Asyncio's own answer waits for the next await, and a read of stdin comes to none."""
    raise KeyboardInterrupt


COMMANDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "ask": (ASK, cli_read.ask),
    "search": (ASK, cli_read.search),
    "recall": (ASK, cli_read.recall),
    "context": (ASK, cli_read.context),
    "classify": (ASK, cli_classify.classify),
    "browse": (ASK, cli_read.browse),
    "get": (ASK, cli_read.get),
    "trace": (ASK, cli_trace.trace),
    "add": (CHANGE, cli_write.add),
    "ingest": (CHANGE, cli_ingest.ingest),
    "connect": (CHANGE, cli_ingest.connect),
    "update": (CHANGE, cli_write.update),
    "supersede": (CHANGE, cli_write.supersede),
    "archive": (CHANGE, cli_write.archive),
    "restore": (CHANGE, cli_write.restore),
    "forget": (CHANGE, cli_write.forget),
    "link": (CHANGE, cli_write.link),
    "unlink": (CHANGE, cli_write.unlink),
    "feedback": (CHANGE, cli_trace.feedback),
    "unlearn": (CHANGE, cli_trace.unlearn),
    "serve": (SERVE, cli_serve.serve),
    "keys": (SERVE, cli_serve.keys),
    "mcp": (SERVE, cli_mcp.mcp),
    "init": (KEEP, cli_upkeep.init),
    "doctor": (KEEP, cli_upkeep.doctor),
    "spaces": (KEEP, cli_read.spaces),
    "projects": (KEEP, cli_ingest.projects),
    "reindex": (KEEP, cli_upkeep.reindex),
    "export": (KEEP, cli_upkeep.export_space),
    "import": (KEEP, cli_upkeep.import_space),
    "demo": (KEEP, cli_demo.demo),
    "eval": (MEASURE, cli_eval.evaluate),
    "replay": (MEASURE, cli_replay.replay_requests),
    "tune": (MEASURE, cli_tune.tune_settings),
    "version": (KEEP, cli_upkeep.show_version),
}

app = typer.Typer(
    name="recollect",
    cls=Door,
    help="Memory that answers with a verdict: what is stored, whether it answers the question, and what is missing.",
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, (_panel, _function) in COMMANDS.items():
    app.command(_name, rich_help_panel=_panel)(_command(_function))


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    if show_version:
        typer.echo(f"recollect {version('recollect')}")
    elif context.invoked_subcommand is None:
        context.get_help()  # with rich it prints the help itself


def main() -> None:
    """The `recollect` script."""
    app(prog_name="recollect")


def _guarded(run: Callable[[], Any], given: Sequence[str]) -> int:
    """The exit code of a run, with its error told where and how the caller wants it."""
    try:
        _write_what_can_be_written()
        _check_encoding(given)
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - a door: whatever is raised becomes one line and an exit code
        return _tell(error, Reply.JSON if "--json" in given else Reply.TEXT)


def _tell(error: Exception, reply: Reply) -> int:
    """Say what went wrong, in one line; the exit code."""
    expected = _as_ours(error)
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exc()
    if reply is Reply.JSON:
        print_json(wire.error(expected))
    elif isinstance(expected, RecollectError):
        typer.echo(f"error: {clean(str(expected))}", err=True)
    else:
        said = f"{type(error).__name__}: {error}"
        typer.echo(f"error: a bug in recollect: {clean(said)} ({DEBUG_VARIABLE}=1 shows the traceback)", err=True)
    return exit_code(expected)


def exit_code(error: Exception) -> int:
    """What the program exits with after this error."""
    return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), BUG)


def _as_ours(error: Exception) -> Exception:
    """A mistake in the options is a mistake like any other."""
    if not isinstance(error, UsageError):
        return error
    context = getattr(error, "ctx", None)
    parameter = getattr(error, "param", None)
    where = context.command_path if context else "recollect"
    said = error.format_message().rstrip(".")  # type: ignore[attr-defined]
    hint = " Options stand after the command." if where == "recollect" and "option" in said.lower() else ""
    if (unknown := NO_SUCH_COMMAND.match(said)) and context:
        said, hint = unknown[0], _meant(unknown[1], context.command.list_commands(context), where)
    message = f"{said}.{hint} See '{where} --help'."
    return InvalidInput(message, field=parameter.name if parameter else None)


def _meant(name: str, commands: Sequence[str], where: str) -> str:
    """The command that may have been meant, as a question; empty where none comes near."""
    known = OTHER_NAMES.get(name.lower())
    found = [known] if known in commands else difflib.get_close_matches(name.lower(), commands, n=1)
    return f" Did you mean '{where} {found[0]}'?" if found else ""


def _check_encoding(given: Sequence[str]) -> None:
    for text in given:
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InvalidInput(f"the argument {clean(text)!r} is not valid UTF-8", field=None)


def _write_what_can_be_written() -> None:
    """A terminal that does not know a sign shows a question mark; that is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _discard_output() -> None:
    """Nobody reads stdout any more: let what is still buffered go nowhere instead of failing at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
