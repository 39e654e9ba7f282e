"""`benchmarks/quality.py`: the page says what was measured and by what, a second run asks nothing again."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from .small import write_set

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def quality(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, with its neighbours in reach for as long as the test runs."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for name in ("quality", "quality_page", "floors"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import quality as script  # type: ignore[import-not-found, unused-ignore]

    return script


def made(quality: Any, tmp_path: Path, *more: str) -> str:
    data = tmp_path / "data"
    if not data.exists():
        write_set(data / "island")
    out = tmp_path / "docs" / "quality.md"
    out.parent.mkdir(exist_ok=True)
    options = ["--set", "embedder=hashing", "--limit", "4", "--cache", str(tmp_path / "kept"), "--out", str(out)]
    assert quality.main([str(data), *options, *more]) == 0
    return out.read_text(encoding="utf-8")


def without_times(page: str) -> str:
    return re.sub(r"p50 \d+ ms, p95 \d+ ms", "", page)


def test_the_page_has_every_set_its_methods_and_what_made_it(quality: Any, tmp_path: Path) -> None:
    page = made(quality, tmp_path, "--half", "all", "--recipe", "fast")
    assert "| settings | `embedder.name` = hashing |" in page
    assert "| recipe | fast |" in page
    assert "| embedder | hashing-64-v1 |" in page
    assert "| questions | at most 4 of each set |" in page
    titles = re.findall(r"^### (\S+)$", page, re.MULTILINE)
    assert titles[-1] == "island"
    assert set(titles) == {folder.name for folder in quality.own_sets()} | {"island"}
    section = page.split("### island")[1]
    assert "6 documents, 4 questions, 3 of them with an answer." in section
    for said in ("**recollect**", "bm25", "dense", "rrf", "linear", "ECE", "Brier", "cut-off", "tokens", "p95"):
        assert said in section
    summary = page.split("## Against the best plain method")[1].split("## ")[0]
    assert re.search(r"^\| island \| 3 \| \S+ / \S+ \w+, ", summary, re.MULTILINE)
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page):
        assert ElementTree.parse(tmp_path / "docs" / picture).getroot().tag.endswith("svg")
    assert "quality/island.svg" in page


def test_ours_stands_beside_the_best_plain_figure(quality: Any) -> None:
    def given(ours: float, **plain: float) -> dict[str, Any]:
        figures = {name: {"MRR": {"value": value}} for name, value in plain.items()}
        return {"ranking": {"MRR": {"value": ours}}, "confidence": None, "baselines": figures}

    from quality_page import _beside  # type: ignore[import-not-found, unused-ignore]

    assert _beside(given(0.75, bm25=0.5, dense=0.7), "MRR") == ".750 / .700 dense, **+.050**"
    assert _beside(given(0.75, bm25=0.9, dense=0.7), "MRR") == ".750 / .900 bm25, −.150"
    assert _beside(given(1.0, bm25=1.0, dense=1.0), "MRR") == "1.00 / 1.00 bm25, ±.000"
    assert _beside(given(1.0, bm25=1.0), "AUROC") == "–"


def test_a_second_run_takes_what_was_kept(quality: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = len(quality.own_sets())
    first = made(quality, tmp_path)
    assert "kept from before" not in capsys.readouterr().err
    assert made(quality, tmp_path) == first
    assert capsys.readouterr().err.count("kept from before") == own + 1
    whole = made(quality, tmp_path, "--half", "all")
    assert capsys.readouterr().err.count("kept from before") == own, "another half is asked anew, of the sets given"
    assert "1 questions (held-out half), 0 of them with an answer." in first.split("### island")[1]
    assert [page.count("(held-out half)") for page in (first, whole)] == [1, 0]
    elsewhere = made(quality, tmp_path, "--cache", str(tmp_path / "elsewhere"))
    assert without_times(elsewhere) == without_times(first), "the same again but for times"


def test_a_folder_without_a_set_is_named(quality: Any, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="holds no labelled set"):
        quality.main([str(tmp_path), "--set", "embedder=hashing"])
