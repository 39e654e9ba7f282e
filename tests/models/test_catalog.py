from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import InvalidInput, UnknownName
from recollect.models.catalog import BUILT_IN, embedder_names, load_embedder

NEEDED = {"openai": {"model": "m"}}


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_built_in_name_gives_an_embedder(name: str) -> None:
    assert load_embedder(name, NEEDED.get(name, {})).identity


def test_options_reach_the_embedder() -> None:
    assert load_embedder("hashing", {"dimensions": 8}).identity == "hashing-8-v1"
    assert load_embedder("minilm", {"precision": "fp32"}).identity == "all-MiniLM-L6-v2/fp32"


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="known: hashing, minilm, openai, static"):
        load_embedder("bert", {})


@pytest.mark.parametrize(
    ("name", "options", "field", "message"),
    [
        ("hashing", {"dims": 3}, "dims", "no option 'dims'; known: dimensions"),
        ("static", {"x": 3}, "x", "no option 'x'; known: none"),
        ("minilm", {"_encode": None}, "_encode", "no option '_encode'"),
        ("openai", {}, "model", "needs the option 'model'"),
        ("minilm", {"precision": "int4"}, "precision", "not one of int8, fp32"),
        ("minilm", {"parallel": 0}, "parallel", "at least 1"),
    ],
)
def test_wrong_option_is_named(name: str, options: dict[str, object], field: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        load_embedder(name, options)
    assert caught.value.field == field


def test_entry_points_of_other_packages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[recollect.embedders]\nother = other_embedder:Other\n")
    (tmp_path / "other_embedder.py").write_text(
        "class Other:\n    def __init__(self, **anything): self.identity = anything['identity']\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert "other" in embedder_names()
    assert load_embedder("other", {"identity": "other-1"}).identity == "other-1"


def test_heavy_parts_are_not_loaded_by_import() -> None:
    modules = [f"recollect.models.{name}" for name in ("catalog", "minilm", "static", "openai", "weights")]
    heavy = {"numpy", "onnx", "onnxruntime", "tokenizers", "wordllama"}
    script = f"import sys, {', '.join(modules)}; print({heavy!r} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert said.stdout == "set()\n"
