"""The page docs/cli.md, made from the command line itself: every command, argument and option with its help."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from recollect.doors import cli
from recollect.doors.cli_options import ABOUT, COMMON, NARROW

PAGE = Path(__file__).with_name("cli.md")
HEAD = """\
# Command line

Generated from the program by `make docs`.

Results go to stdout, notes and progress to stderr. `--json` prints exactly one JSON value on stdout; an error is then
`{"error": {"type", "message", "field", "reason"}}`. Times are ISO 8601; one without a zone is UTC. Colour follows
`NO_COLOR` and whether a terminal is watching; so does progress, which `--quiet` turns off.

## Exit codes

| code | meaning |
|---|---|
| 0 | fine, whatever the verdict |
| 1 | `doctor` found something wrong, a bound given to `replay` is broken, or you declined |
| 2 | a mistake you can mend: bad options or input, an unknown name, a refused text, nothing of that id |
| 3 | `ask --fail-on-none`, and the verdict is none |
| 4 | the store, the embedder or something outside cannot serve |
| 70 | a bug in recollect; `RECOLLECT_DEBUG=1` shows the traceback |
| 130 | interrupted |
| 141 | whoever read the output has closed it |
"""


def cli_page() -> str:
    """The whole page."""
    group: Any = get_command(cli.app)
    commands = group.commands
    sections = [HEAD, "## Commands\n", *_overview(commands)]
    for name, command in commands.items():
        sections.append("\n".join(_section(name, command)))
    shared = commands["search"].params
    sections += [
        "## Options of every command\n\n" + "\n".join(_table(shared, COMMON)) + "\n",
        "## Filters\n\nOf `ask`, `search`, `recall`, `context` and `browse`.\n\n"
        + "\n".join(_table(shared, NARROW))
        + "\n",
        "## About the memory\n\nOf `add`, `update` and `supersede`.\n\n"
        + "\n".join(_table(commands["add"].params, ABOUT))
        + "\n",
    ]
    return "\n".join(sections)


def _overview(commands: dict[str, Any]) -> Iterator[str]:
    rows = [f"| [`{name}`](#{name}) | {command.help} |" for name, command in commands.items()]
    yield "\n".join(["| command | what it does |", "|---|---|", *rows]) + "\n"


def _section(name: str, command: Any) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    usage = " ".join(_placeholder(each) for each in arguments)
    yield from (f"### {name}", "", command.help, "", "```sh", f"recollect {name} [OPTIONS] {usage}".rstrip(), "```", "")
    rows = [f"| `{each.metavar}` | {each.help} |" for each in arguments]
    rows += _rows(command.params, panel=None)
    if rows:
        yield from ("| argument or option | |", "|---|---|", *rows, "")
    panels = {each.rich_help_panel for each in command.params if each.param_type_name == "option"}
    also = [link for panel, link in PANEL_LINKS.items() if panel in panels]
    yield f"Also: {', '.join(also)}.\n"


PANEL_LINKS = {
    COMMON: "[options of every command](#options-of-every-command)",
    NARROW: "[filters](#filters)",
    ABOUT: "[about the memory](#about-the-memory)",
}


def _placeholder(argument: Any) -> str:
    shown = argument.metavar if argument.required else f"[{argument.metavar}]"
    return f"{shown}..." if argument.nargs == -1 else str(shown)


def _table(parameters: list[Any], panel: str) -> list[str]:
    return ["| option | |", "|---|---|", *_rows(parameters, panel=panel)]


def _rows(parameters: list[Any], *, panel: str | None) -> list[str]:
    return [
        f"| `{', '.join(each.opts)}{_value(each)}` | {each.help}{_default(each)} |"
        for each in parameters
        if each.param_type_name == "option" and each.rich_help_panel == panel
    ]


def _value(option: Any) -> str:
    return "" if option.is_flag else f" {option.metavar}"


def _default(option: Any) -> str:
    shown = option.default is not None and not option.is_flag and option.show_default
    return f" Default: {option.default}." if shown else ""


if __name__ == "__main__":
    PAGE.write_text(cli_page(), encoding="utf-8")
