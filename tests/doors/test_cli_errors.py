"""Every mistake is one line and an exit code; with --json, one object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from recollect import errors
from recollect.doors.cli import OTHER_NAMES, Door, app, exit_code

from .conftest import Run

CANNOT_SERVE = {"StoreError", "EmbedderMismatch", "Unavailable", "MissingExtra"}

MISTAKES: dict[str, tuple[str, ...]] = {
    "no such command": ("frobnicate",),
    "no such option": ("ask", "What?", "--frobnicate"),
    "argument missing": ("ask",),
    "option of a wrong type": ("browse", "--limit", "many"),
    "option outside its choices": ("browse", "--lifecycle", "wild"),
    "empty question": ("ask", " "),
    "limit below zero": ("browse", "--limit", "-1"),
    "deadline of zero": ("ask", "What is the gate code?", "--deadline", "0"),
    "deadline of zero in recall": ("recall", "What is the gate code?", "--deadline", "0"),
    "tokens below zero": ("ask", "What is the gate code?", "--max-tokens", "-1"),
    "empty message": ("context", " "),
    "session without a name": ("context", "What is the gate code?", "--session", ""),
    "no trace yet": ("trace", "last"),
    "no such trace": ("trace", "nothing"),
    "explained without a trace": ("trace", "--explain", "nothing"),
    "feedback on no trace": ("feedback", "last", "nothing", "used"),
    "feedback of another word": ("feedback", "last", "nothing", "splendid"),
    "nobody to ask": ("unlearn",),
    "nothing to unlearn": ("unlearn", "--trace", "nothing", "--yes"),
    "unknown recipe": ("ask", "What is the gate code?", "--recipe", "wild"),
    "unknown setting": ("browse", "--set", "wild=1"),
    "a parameter of open is no setting": ("browse", "--set", "path=1"),
    "setting without a value": ("browse", "--set", "recipe"),
    "setting outside its bounds": ("browse", "--set", "quality_threshold=2"),
    "no settings file": ("browse", "--config", "/nowhere/recollect.toml"),
    "not a time": ("browse", "--since", "yesterday"),
    "not a time far out": ("browse", "--since", "0001-01-01T00:00:00+05:00"),
    "range turned around": ("browse", "--since", "2026-02-01", "--until", "2026-01-01"),
    "refused text": ("add", "hi"),
    "metadata not JSON": ("add", "The gate code is 4471", "--metadata", "{"),
    "metadata not an object": ("add", "The gate code is 4471", "--metadata", "[1]"),
    "no such memory": ("get", "nothing"),
    "nothing to change": ("update", "nothing"),
    "text and append": ("update", "nothing", "--text", "one text", "--append", "another"),
    "nothing to archive": ("archive", "nothing"),
    "nothing to restore": ("restore", "nothing"),
    "nothing to supersede": ("supersede", "nothing", "The gate code is 4471"),
    "nothing to forget": ("forget", "nothing", "--yes"),
    "nothing to link": ("link", "one", "other"),
    "nothing to unlink": ("unlink", "one", "other"),
    "no such space to export": ("export", "-", "--space", "nowhere"),
    "no such space to reindex": ("reindex", "--space", "nowhere"),
    "no file to import": ("import", "/nowhere/export.jsonl"),
    "space without a name": ("browse", "--space", ""),
    "not UTF-8": ("add", "The gate \udcff code"),
}


@pytest.mark.parametrize("args", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_exits_with_2_and_one_line(run: Run, args: tuple[str, ...]) -> None:
    done = run(*args)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("args", [each for name, each in MISTAKES.items() if "to export" not in name])
def test_a_mistake_is_one_object_with_json(run: Run, args: tuple[str, ...]) -> None:
    done = run(*args, "--json")
    assert done.code == 2
    assert list(done.json["error"]) == ["type", "message", "field", "reason"]
    assert done.err == ""


def test_field_and_reason_are_told(run: Run) -> None:
    assert run("add", "hello", "--json").json["error"]["reason"] == "pleasantry"
    assert run("browse", "--limit", "-1", "--json").json["error"]["field"] == "limit"
    assert run("browse", "--limit", "x", "--json").json["error"]["field"] == "limit"
    assert run("browse", "--set", "wild=1", "--json").json["error"]["type"] == "UnknownName"


def test_a_store_that_cannot_be_made_exits_with_4(run: Run, folder: Path) -> None:
    folder.write_text("a file", encoding="utf-8")
    done = run("browse", "--json")
    assert (done.code, done.json["error"]["type"]) == (4, "StoreError")


def test_weights_that_cannot_be_had_exit_with_4(run: Run, tmp_path: Path) -> None:
    alone = ("embedder.offline=true", "embedder.fallback=false", f"embedder.cache={tmp_path}")
    flags = [text for setting in alone for text in ("--set", setting)]
    done = run("add", "The gate code is 4471", "--json", *flags, embedder="minilm")
    assert (done.code, done.json["error"]["type"]) == (4, "Unavailable")


def _classes(base: type[errors.RecollectError] = errors.RecollectError) -> Iterator[type[errors.RecollectError]]:
    for each in base.__subclasses__():
        if each.__module__ == errors.__name__:
            yield from (each, *_classes(each))


@pytest.mark.parametrize("kind", list(_classes()), ids=lambda kind: kind.__name__)
def test_every_error_class_has_its_exit_code(kind: type[errors.RecollectError]) -> None:
    named = {"Refused": {"reason": "empty"}, "MissingExtra": {"extra": "yaml"}}
    error = kind("what happened", **named.get(kind.__name__, {}))
    assert exit_code(error) == (4 if kind.__name__ in CANNOT_SERVE else 2)


@pytest.fixture
def buggy() -> typer.Typer:
    """A command line with our group and a command that has a bug."""
    app = typer.Typer(cls=Door)

    @app.command()
    def divide(json: bool = False) -> None:
        raise ZeroDivisionError("by none")

    @app.callback()
    def start() -> None:
        """Nothing."""

    return app


def test_a_bug_exits_with_70_and_hints_at_the_traceback(buggy: typer.Typer) -> None:
    result = CliRunner().invoke(buggy, ["divide"])
    assert result.exit_code == 70
    assert result.stderr.startswith("error: a bug in recollect: ZeroDivisionError: by none")
    assert "RECOLLECT_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bug_shows_its_traceback_when_asked(buggy: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DEBUG", "1")
    result = CliRunner().invoke(buggy, ["divide", "--json"])
    assert result.exit_code == 70
    assert "Traceback" in result.stderr
    assert '"InternalError"' in result.stdout


def test_the_debug_switch_is_not_taken_for_a_setting(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_DEBUG", "1")
    assert run("browse").code == 0


@pytest.mark.parametrize(
    ("given", "meant"),
    [("remember", "add"), ("Retrieve", "ask"), ("ls", "browse"), ("serach", "search"), ("forgett", "forget")],
)
def test_a_command_of_another_name_is_told(run: Run, given: str, meant: str) -> None:
    assert (
        run(given).err
        == f"error: No such command '{given}'. Did you mean 'recollect {meant}'? See 'recollect --help'.\n"
    )


def test_other_names_are_of_commands_and_are_none_themselves() -> None:
    commands = {each.name or str(getattr(each.callback, "__name__", "")) for each in app.registered_commands}
    assert set(OTHER_NAMES.values()) <= commands
    assert not commands & set(OTHER_NAMES)
