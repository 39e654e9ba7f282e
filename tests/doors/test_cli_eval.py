"""`recollect eval`: a table for people, files for whoever reads on, and mistakes named."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ..evals.small import CORPUS, QUERIES, write_set
from .conftest import Run


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def island(tmp_path: Path) -> str:
    return str(write_set(tmp_path / "island"))


def test_people_see_a_table_and_what_stands_behind_it(run: Run, island: str, folder: Path) -> None:
    done = run("eval", island, "--baselines")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].split()[:6] == ["set", "n", "R@2", "R@5", "R@10", "all@5"]
    assert lines[1].split()[:2] == ["island", "3"]
    assert [line.split()[0] for line in lines[2:6]] == ["bm25", "dense", "rrf", "linear"]
    assert "…" not in done.out
    for said in ("cut-off", "confidence", "AUROC", "if unanswerable", "tokens", "stopped by"):
        assert said in done.out
    assert not folder.exists(), "the user's own store is not touched"


def test_a_table_fits_a_narrow_screen(run: Run, island: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run("eval", island).out
    assert "…" not in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_files_are_written(run: Run, island: str, tmp_path: Path) -> None:
    report, ranked, verdicts, svg = (tmp_path / name for name in ("r.json", "r.trec", "v.jsonl", "d.svg"))
    done = run(
        "eval", island, "--json", str(report), "--run", str(ranked), "--verdicts", str(verdicts), "--svg", str(svg)
    )  # fmt: skip
    assert done.code == 0, done.err
    found = json.loads(report.read_text())
    assert found["recipe"] == "balanced"
    assert found["embedder"] == "hashing-64-v1"
    assert found["settings"] == {"embedder": "hashing"}
    assert [each["set"] for each in found["sets"]] == ["island"]
    lines = [line.split() for line in ranked.read_text().splitlines()]
    assert len(lines) == len(QUERIES) * len(CORPUS)
    assert {line[0] for line in lines} == {query["id"] for query in QUERIES}
    told = [json.loads(line) for line in verdicts.read_text().splitlines()]
    assert [each["query_id"] for each in told] == [query["id"] for query in QUERIES]
    assert set(told[0]) == {"query_id", "verdict", "confidence", "parts", "stop_reason"}
    assert ElementTree.parse(svg).getroot().tag.endswith("svg")


def test_a_dash_prints_the_report_and_nothing_else(run: Run, island: str) -> None:
    assert run("eval", island, "--json", "-").json["sets"][0]["queries"] == len(QUERIES)


def test_several_sets_share_a_table_and_have_files_of_their_own(run: Run, island: str, tmp_path: Path) -> None:
    other = write_set(tmp_path / "other", queries=QUERIES[:2])
    done = run("eval", island, str(other), "--run", str(tmp_path / "r.trec"), "--limit", "2", "--recipe", "fast")
    assert done.code == 0, done.err
    assert [line.split()[0] for line in done.out.splitlines()[1:3]] == ["island", "other"]
    assert {path.name for path in tmp_path.glob("r.*")} == {"r.island.trec", "r.other.trec"}
    asked = {line.split()[0] for line in (tmp_path / "r.island.trec").read_text().splitlines()}
    assert asked == {"q1", "q3"}


def test_one_half_can_be_asked(run: Run, island: str) -> None:
    halves = [run("eval", island, "--half", half, "--json", "-").json for half in ("fit", "held-out")]
    assert [each["half"] for each in halves] == ["fit", "held-out"]
    assert sum(each["sets"][0]["queries"] for each in halves) == len(QUERIES)


def test_settings_have_their_say(run: Run, island: str) -> None:
    done = run("eval", island, "--set", "enabled=false", "--json", "-")
    assert done.json["sets"][0]["stop_reasons"] == {"disabled": len(QUERIES)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--limit", "0"], "limit is 0"),
        (["--recipe", "brave"], "unknown recipe 'brave'"),
        (["--half", "better"], "'better' is not one of 'fit', 'held-out'"),
        (["--set", "nonsense=1"], "unknown setting 'nonsense'"),
        (["--run", "/nowhere/at/all"], "'/nowhere/at/all' cannot be written"),
    ],
)
def test_mistakes_are_named(run: Run, island: str, options: list[str], said: str) -> None:
    done = run("eval", island, *options)
    assert done.code == 2
    assert said in done.err


def test_files_of_two_sets_with_one_name_do_not_replace_each_other(run: Run, island: str, tmp_path: Path) -> None:
    twin = write_set(tmp_path / "elsewhere" / "island")
    done = run("eval", island, str(twin), "--verdicts", str(tmp_path / "v.jsonl"))
    assert done.code == 2
    assert "same name" in done.err


def test_a_folder_without_a_set_is_named(run: Run, tmp_path: Path) -> None:
    done = run("eval", str(tmp_path))
    assert done.code == 2
    assert "has no corpus.jsonl" in done.err


def test_a_graph_is_filled_where_it_is_wanted(run: Run, island: str) -> None:
    done = run("eval", island, "--triples", "own", "--json", "-")
    assert done.code == 0, done.err
    assert json.loads(done.out)["triples"] == "own"
    refused = run("eval", island, "--triples", "given")
    assert refused.code != 0 and "triples" in refused.err
