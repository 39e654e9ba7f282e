"""What the package promises about itself: few dependencies, a frozen surface, nothing heavy at import."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import recollect

from .source_tree import ROOT

HEAVY = ("numpy", "tantivy", "onnxruntime", "onnx", "tokenizers", "wordllama", "typer", "rich", "yaml", "sqlite3")


def _project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_there_are_at_most_ten_core_dependencies() -> None:
    dependencies = _project()["dependencies"]
    assert isinstance(dependencies, list)
    assert len(dependencies) <= 10


def test_the_extra_called_all_holds_every_extra_a_user_needs() -> None:
    extras = _project()["optional-dependencies"]
    assert isinstance(extras, dict)
    for name in extras.keys() - {"all", "dev", "bench"}:
        assert name in extras["all"][0]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, recollect; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_public_names_are_these() -> None:
    assert set(recollect.__all__) == {
        "Answer", "BlockingRecollect", "Context", "Draft", "EmbedderMismatch", "Entity", "Evidence", "Explained",
        "Filters", "Happening", "Hit",
        "InvalidInput", "Lifecycle", "Link", "Memory", "Message", "MissingExtra", "NotFound", "Question", "Recalled",
        "Recollect",
        "RecollectError", "Refused", "Remembered", "SearchResult", "Settings", "StoreError", "TimeAxis", "TimeRange",
        "Unavailable", "UnknownName", "VerdictKind", "WriteConflict", "watching",
    }  # fmt: skip
    assert all(hasattr(recollect, name) for name in recollect.__all__)


def test_every_package_file_of_ours_is_typed() -> None:
    assert (ROOT / "src" / "recollect" / "py.typed").exists()
