"""`recollect ingest` and `recollect projects`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from recollect.doors.cli_progress import Bars, rate_line

from .conftest import Run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "guide.md").write_text("# Guide\n\nThe harbour plan needs a budget.\n")
    (root / ".env").write_text("TOKEN=abc\n")
    (root / "logo.png").write_bytes(b"\x89PNG")
    return root


def test_ingest_reports_what_it_did_and_the_text_is_found(run: Run, notes: Path) -> None:
    done = run("ingest", str(notes), "--project", "harbour", "--json")
    assert done.code == 0, done.err
    assert {name: done.json[name] for name in ("project", "read", "unchanged", "removed", "chunks")} == {
        "project": "harbour",
        "read": 1,
        "unchanged": 0,
        "removed": 0,
        "chunks": 1,
    }
    assert done.json["skipped"] == [
        {"path": ".env", "reason": "secret: by its name"},
        {"path": "logo.png", "reason": "binary"},
    ]
    found = run("browse", "--kind", "chunk", "--json").json
    assert "budget" in str(found) and "docs/guide.md" in str(found)


def test_people_are_told_of_secrets_by_name_and_of_binaries_by_number(run: Run, notes: Path) -> None:
    out = run("ingest", str(notes), "--project", "harbour", "--no-embed").out
    assert "harbour: 1 file read, 0 unchanged, 2 skipped" in out
    assert "skipped .env (secret: by its name)" in out
    assert "skipped 1 binary" in out and "logo.png" not in out


def test_every_folder_below_becomes_a_project(run: Run, tmp_path: Path) -> None:
    for name in ("quay", "pier"):
        (tmp_path / "work" / name).mkdir(parents=True)
        (tmp_path / "work" / name / "plan.md").write_text(f"# Plan\n\nThe {name} comes first.\n")
    work = str(tmp_path / "work")
    done = run("ingest", work, "--each", "--no-embed", "--json").json
    assert [(each["project"], each["read"]) for each in done] == [("pier", 1), ("quay", 1)]
    assert [each["project"] for each in run("projects", "--json").json] == ["pier", "quay"]
    out = run("ingest", work, "--each", "--no-embed").out
    assert "pier: 0 files read, 1 unchanged" in out and "2 projects: 0 files read" in out


def test_projects_are_listed_and_forgotten(run: Run, notes: Path) -> None:
    assert "No project" in run("projects").out
    run("ingest", str(notes), "--project", "harbour", "--no-embed")
    (listed,) = run("projects", "--json").json
    assert (listed["project"], listed["files"], listed["chunks"]) == ("harbour", 1, 1)
    assert "harbour" in run("projects").out
    assert run("projects", "--forget", "harbour", "--yes").code == 0
    assert run("projects", "--json").json == []
    assert run("browse", "--json").json["memories"] == []


@pytest.mark.parametrize(
    "args",
    [
        ["ingest", "nowhere", "--project", "x"],
        ["ingest", "."],
        ["ingest", ".", "--each", "--project", "x"],
        ["ingest", ".", "--each", "--watch"],
        ["ingest", "nowhere", "--each"],
        ["projects", "--forget", "nothing", "--yes"],
        ["projects", "--yes"],
    ],
)
def test_mistakes_exit_with_two(run: Run, args: list[str]) -> None:
    assert run(*args).code == 2


def test_the_bar_shows_rate_and_remaining_time() -> None:
    assert rate_line(50, 200, 25.0) == "50/200 files, 25/s, 0:06 left"
    screen = io.StringIO()
    with Bars(Console(file=screen, force_terminal=True, width=100)) as bars:
        bars.files("reading", 10, 100, 5.0)
    assert "10/100 files, 5/s" in screen.getvalue()


def test_what_memories_state_is_read_into_the_graph(run: Run) -> None:
    run("add", "The Blue Boat was built by Ana Ortiz.", "--title", "The Blue Boat")
    done = run("connect", "--json")
    assert done.json["statements"] >= 1
    assert "read out of the memories" in run("connect").out
