"""Which files of the project at hand count, and that each is read again when it changed and only then."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from recollect.reading.local import Folder, LocalFiles, counts
from recollect.settings import LocalSettings, ReadSettings

LONG_AGO = 1_700_000_000

COUNTING = """
CLAUDE.md|claude.md|AGENTS.md|services/auth/AGENTS.md|README|README.md|README.rst|lib/readme.txt|CONTRIBUTING.md|CONTRIBUTING
|ARCHITECTURE.md|docs/guide.md|docs/a/b/c.md|docs/notes.rst|packages/x/docs/intro.md|adr/0001-keys.md|doc/adr/0002.md
|docs/decisions/003-names.md|.cursorrules|.cursor/rules/style.mdc|.github/copilot-instructions.md|CLAUDE.local.md
|.github/instructions/tests.instructions.md
""".replace("\n", "").split("|")
NOT_COUNTING = """
src/app.py|docs/picture.png|docs/conf.py|docs/data.json|readme.py|README.png|notes.md|src/notes.md|adr/tool.py|CHANGELOG.md
|LICENSE|docs/Makefile|docs/requirements.txt|docs/.gitignore|notes.txt|.github/workflows/ci.yml|mydocs/guide.md|documents.md|claude.py
""".replace("\n", "").split("|")


@pytest.mark.parametrize("path", COUNTING)
def test_instructions_and_documents_count(path: str) -> None:
    assert counts(path)


@pytest.mark.parametrize("path", NOT_COUNTING)
def test_nothing_else_counts(path: str) -> None:
    assert not counts(path)


def write(root: Path, path: str, text: str = "# Title\n\nSome text.\n", *, at: int | None = LONG_AGO) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    if at is not None:
        os.utime(file, (at, at))
    return file


def files_of(root: Path, *, max_file_bytes: int = 1_000, **local: Any) -> LocalFiles:
    return LocalFiles(root, local=LocalSettings(root=root, **local), read=ReadSettings(max_file_bytes=max_file_bytes))


def paths(folder: Folder) -> list[str]:
    return [path for path, file in folder.files.items() if not file.problem]


def test_what_git_leaves_out_is_left_out_but_for_instructions(tmp_path: Path) -> None:
    write(tmp_path, ".gitignore", "/out/\n*.tmp.md\nCLAUDE.local.md\n")
    write(tmp_path, "docs/.gitignore", "drafts/\n!kept.tmp.md\n")
    for path in (
        "out/README.md",
        "docs/a.tmp.md",
        "docs/kept.tmp.md",
        "docs/drafts/b.md",
        "docs/c.md",
        "CLAUDE.local.md",
    ):
        write(tmp_path, path)
    files = files_of(tmp_path)
    expected = ["CLAUDE.local.md", "docs/c.md", "docs/kept.tmp.md"]
    assert [paths(files.refresh()) for _ in range(2)] == [expected, expected]
    write(tmp_path, "docs/.gitignore", "c.md\n", at=None)
    assert paths(files.refresh()) == ["CLAUDE.local.md", "docs/drafts/b.md"]
    (tmp_path / "docs/.gitignore").unlink()
    assert paths(files.refresh()) == ["CLAUDE.local.md", "docs/c.md", "docs/drafts/b.md"]


def test_folders_of_others_are_not_looked_into(tmp_path: Path) -> None:
    for folder in ("node_modules/x", ".venv/lib", "vendor", "build", ".git", "lib"):
        write(tmp_path, f"{folder}/README.md")
    assert paths(files_of(tmp_path).refresh()) == ["lib/README.md"]


def test_the_bounds_are_kept_and_said(tmp_path: Path) -> None:
    for path in ("README.md", "a/README.md", "a/b/README.md", "c/README.md"):
        write(tmp_path, path)
    assert paths(files_of(tmp_path, max_depth=1).refresh()) == ["README.md", "a/README.md", "c/README.md"]
    few = files_of(tmp_path, max_files=2).refresh()
    assert paths(few) == ["README.md", "a/README.md"] and "more than 2 files" in few.notes[0]
    narrow = files_of(tmp_path, max_folders=1).refresh()
    assert paths(narrow) == ["README.md"] and "more than 1 folders" in narrow.notes[0]
    write(tmp_path, "c/README.md", "x" * 1_001)
    assert files_of(tmp_path).refresh().notes == ("local: c/README.md is left out: larger than 1,000 bytes",)


def test_a_link_is_followed_within_the_folder_and_not_out_of_it(tmp_path: Path) -> None:
    secret = write(tmp_path, "elsewhere/secret.md", "# Secret\n\nThe key is marmalade.\n")
    root = tmp_path / "project"
    write(root, "AGENTS.md")
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    (root / "README.md").symlink_to(secret)
    (root / "docs").symlink_to(tmp_path / "elsewhere")
    folder = files_of(root).refresh()
    assert paths(folder) == ["AGENTS.md", "CLAUDE.md"]
    assert folder.notes == ("local: README.md is left out: a link that leads out of the folder",)


def test_a_folder_that_stays_as_it_is_stays_the_same_value(tmp_path: Path) -> None:
    write(tmp_path, "README.md")
    write(tmp_path, "docs/a.md")
    files = files_of(tmp_path)
    first = files.refresh()
    kept = dict(first.files)
    assert files.refresh() is first
    write(tmp_path, "docs/a.md", "# Title\n\nOther text.\n", at=LONG_AGO + 1)
    second = files.refresh()
    assert second.files["README.md"] is kept["README.md"]
    assert second.files["docs/a.md"].sections[0].text.endswith("Other text.")


def test_a_file_that_was_only_touched_is_no_news(tmp_path: Path) -> None:
    file = write(tmp_path, "README.md")
    files = files_of(tmp_path)
    first = files.refresh()
    os.utime(file, (LONG_AGO + 5, LONG_AGO + 5))
    assert files.refresh() is first


def test_sections_have_their_place_their_lines_and_their_kind(tmp_path: Path) -> None:
    text = "Before.\n\n# Guide\n\n## Setup\n\nAlways run it.\n\n## Setup\n\n```\nmake\nmake test\n```\n\n## Empty\n"
    write(tmp_path, "docs/guide.md", text)
    sections = files_of(tmp_path).refresh().files["docs/guide.md"].sections
    told = [(each.place, each.title, each.end, each.kind.value) for each in sections]
    assert told[-2:] == [
        ("docs/guide.md#setup", "Guide > Setup", 7, "instruction"),
        ("docs/guide.md#setup-1", "Guide > Setup", 14, "pattern"),
    ]


def test_a_text_does_not_repeat_the_headings_it_stands_under(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "# Guide\n\n## Setup\n\nRun it.\n\nPlain\n-----\n\nMore.\n\n---\n\nEnd.\n")
    write(tmp_path, "docs/b.rst", "Guide\n=====\n\nRun it.\n")
    files = files_of(tmp_path).refresh().files
    told = [(each.title, each.text) for file in files.values() for each in file.sections]
    assert told == [("Guide > Setup", "Run it."), ("Guide > Plain", "More.\n\n---\n\nEnd."), ("Guide", "Run it.")]


def test_lines_may_end_as_they_do_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(b"\xef\xbb\xbf# Boat\r\n\r\nThe pump is red.\r\n")
    (section,) = files_of(tmp_path).refresh().files["README.md"].sections
    assert section.text == "The pump is red." and section.title == "Boat"
