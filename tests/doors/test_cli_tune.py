"""`recollect tune`: stages and figures for people, a settings file that `--config` takes, and mistakes named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..evals.small import write_set
from ..evals.test_tune import towns
from .conftest import Run

STRICT = ("--set", "answerable_threshold=0.99")


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder_of_towns(tmp_path: Path) -> str:
    towns(tmp_path / "towns")
    return str(tmp_path / "towns")


def test_what_helps_is_written_and_can_be_used(
    run: Run, folder_of_towns: str, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out, report = tmp_path / "tuned.toml", tmp_path / "report.json"
    done = run("tune", folder_of_towns, *STRICT, "--out", str(out), "--json", str(report))
    assert done.code == 0, done.err
    assert all(stage in done.out for stage in ("weights", "gate", "cut-off", "verdict", "labels", "kept"))
    assert "recall@5" in done.out and "AUROC" in done.out and f"--config {out}" in done.out.replace("\n", "")
    assert "…" not in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())
    told = json.loads(report.read_text(encoding="utf-8"))
    assert set(told["settings"]) >= {"answerable_threshold"}
    assert told["held_out"]["verdicts"]["change"]["value"] > 0
    assert not folder.exists(), "the user's own store is not touched"
    better = run("eval", folder_of_towns, "--config", str(out), "--json", "-").json
    worse = run("eval", folder_of_towns, *STRICT, "--json", "-").json
    verdicts = [each["sets"][0]["confidence"]["verdicts"]["answerable"] for each in (better, worse)]
    assert verdicts[0].get("answerable", 0) > verdicts[1].get("answerable", 0)


def test_when_nothing_helps_nothing_is_written(run: Run, tmp_path: Path) -> None:
    island, out = write_set(tmp_path / "island"), tmp_path / "tuned.toml"
    done = run("tune", str(island), "--out", str(out))
    assert done.code == 0, done.err
    assert "nothing was written" in done.out
    assert not out.exists()


def test_a_dash_prints_the_report_and_nothing_else(run: Run, folder_of_towns: str) -> None:
    told = run("tune", folder_of_towns, "--limit", "12", "--fit", "0.6", "--json", "-").json
    assert told["questions"]["fit"] + told["questions"]["held_out"] == 12
    assert (told["fit"], told["embedder"]) == (0.6, "hashing-64-v1")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fit", "1"], "fit is 1"),
        (["--limit", "1"], "limit is 1"),
        (["--out", "/nowhere/at/all"], "'/nowhere/at/all' cannot be written"),
        (["--set", "nonsense=1"], "unknown setting 'nonsense'"),
    ],
)
def test_mistakes_are_named(run: Run, folder_of_towns: str, options: list[str], said: str) -> None:
    done = run("tune", folder_of_towns, *options)
    assert done.code == 2
    assert said in done.err
