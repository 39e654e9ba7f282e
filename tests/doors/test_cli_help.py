"""Help and docs/cli.md: every command and option says what it does, and the page is current."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from recollect.doors.cli import COMMANDS, app

PROMISED = {
    "init", "add", "get", "browse", "search", "recall", "ask", "classify", "forget", "link", "unlink", "update",
    "supersede", "context", "trace", "feedback", "unlearn", "eval", "replay", "tune",
    "archive", "restore", "reindex", "doctor", "export", "import", "spaces", "demo", "version", "ingest", "projects",
    "connect", "serve", "keys", "mcp",
}  # fmt: skip
COMMON = {"--store", "--space", "--config", "--json", "--quiet", "--set"}
GENERATOR = Path(__file__).parents[2] / "docs" / "generate_cli.py"
GROUP: Any = get_command(app)


def test_every_promised_command_is_there() -> None:
    assert set(COMMANDS) == set(GROUP.commands) == PROMISED


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert f"recollect {name}" in result.stdout or f"{name} [OPTIONS]" in result.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_common_options_and_explains_each(name: str) -> None:
    command = GROUP.commands[name]
    assert {option for each in command.params for option in each.opts} >= COMMON
    assert command.help
    assert all(each.help for each in command.params)


def test_the_page_is_current() -> None:
    page = runpy.run_path(str(GENERATOR))["cli_page"]()
    assert GENERATOR.with_name("cli.md").read_text(encoding="utf-8") == page, "run `make docs`"


def test_the_page_names_every_command_and_option() -> None:
    page = GENERATOR.with_name("cli.md").read_text(encoding="utf-8")
    for name, command in GROUP.commands.items():
        assert f"### {name}\n" in page
        names = [name for each in command.params for name in each.opts if each.param_type_name == "option"]
        assert all(name in page for name in names)
