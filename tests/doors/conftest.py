from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect.doors.cli import app

EMBEDDER = "hashing"


@dataclass(frozen=True)
class Done:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture(autouse=True)
def plain_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, and no settings from whoever runs the tests."""
    for name in [each for each in os.environ if each.startswith("RECOLLECT_")]:
        monkeypatch.delenv(name)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def run(folder: Path) -> Run:
    """Run the command line in this process, on a store of its own and with an embedder that needs no weights."""

    def run(*args: str, stdin: str | bytes | None = None, embedder: str = EMBEDDER) -> Done:
        given = [*args, "--store", str(folder), "--set", f"embedder={embedder}"]
        result = CliRunner().invoke(app, given, input=stdin)
        return Done(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def add(run: Run) -> Callable[..., str]:
    """Store a text, give its id."""

    def add(text: str, *args: str) -> str:
        done = run("add", text, *args, "--json")
        assert done.code == 0, done.err
        return str(done.json["id"])

    return add
