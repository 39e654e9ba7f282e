"""Docs that cannot drift: generated pages are current, examples and the README's code run, links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect import errors

from .source_tree import PACKAGE, ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def _derived() -> dict[Path, str]:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[Path, str] = module.derived()
    return found


DERIVED = [ROOT / "docs/settings.md", ROOT / "docs/cli.md", PACKAGE / "sync.pyi", PACKAGE / "client/blocking.pyi"]


@pytest.mark.parametrize("path", DERIVED, ids=str)
def test_a_generated_file_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == _derived()[path], "run 'make docs'"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path: Path) -> None:
    quick = {"RECOLLECT_EMBEDDER__NAME": "static"}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=os.environ | quick)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_readme_code_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    quick = {"RECOLLECT_EMBEDDER__NAME": "static"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=os.environ | quick
    )
    assert done.returncode == 0, done.stderr
    assert "BTC thesis" in done.stdout
    assert "SOL trade" in done.stdout
    assert done.stdout.startswith("answerable high"), "as its comment says"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert all((page.parent / target).exists() for target in targets), targets


def test_every_error_stands_in_the_tree_of_its_module() -> None:
    raised = {
        name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert all(re.search(rf"\b{name}\b", errors.__doc__ or "") for name in raised)


def test_every_folder_of_the_package_has_its_heading() -> None:
    headings = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert all(f"`{folder}/`" in headings for folder in folders), folders


def test_decision_records_are_numbered_and_say_context_decision_consequences() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    assert [int(record.name[:3]) for record in records] == list(range(1, len(records) + 1))
    for record in records:
        text = record.read_text(encoding="utf-8")
        assert all(f"**{word}.**" in text for word in ("Context", "Decision", "Consequences")), record.name
