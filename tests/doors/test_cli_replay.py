"""`recollect replay`: a comparison for people, a file for whoever reads on, an exit code for whoever builds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ..evals.small import CORPUS, QUERIES, as_lines
from .conftest import Run


@pytest.fixture
def asked(run: Run, add: Callable[..., str]) -> list[str]:
    """A store that was asked each question once; the ids of its memories."""
    ids = [add(each["text"], "--title", each["title"]) for each in CORPUS]
    for query in QUERIES:
        assert run("ask", query["text"]).code == 0
    return ids


@pytest.fixture
def file(tmp_path: Path, asked: list[str]) -> str:
    path = tmp_path / "requests.jsonl"
    lines = [
        {"text": QUERIES[0]["text"], "expect": [asked[0]]},
        {"text": QUERIES[1]["text"], "expect": ["Ferry"]},
        {"text": QUERIES[3]["text"], "answerable": False},
    ]
    path.write_text(as_lines(lines), encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("asked")
def test_without_a_file_traces_are_compared_with_what_is_answered_now(run: Run) -> None:
    done = run("replay")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0].split()[:5] == ["measure", "n", "then", "now", "change"]
    assert f"Changed: 0 of {len(QUERIES)}" in done.out
    assert "then (rows) and now (columns)" in done.out


@pytest.mark.usefixtures("asked")
def test_two_configurations_are_compared_and_the_difference_is_told(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "strict.toml"
    config.write_text("answerable_threshold = 1.0\n", encoding="utf-8")
    done = run("replay", "--against", str(config))
    assert done.code == 0, done.err
    assert "A (rows) and B (columns)" in done.out
    assert "verdict answerable → none" in done.out
    same = run("replay", "--against-set", "answerable_threshold=1.0", "--json", "-").json
    assert same["sides"] == [{"name": name, "embedder": "hashing-64-v1"} for name in "AB"]
    assert same["against_settings"] == {"answerable_threshold": "1.0"}
    assert {each["verdicts"][1] for each in same["differences"]} == {"none"}


@pytest.mark.usefixtures("asked")
def test_memories_that_entered_or_left_are_named_by_title(run: Run) -> None:
    done = run(
        "replay", "--against-set", "relevance_ratio=1", "--set", "relevance_ratio=0", "--set", "quality_threshold=0"
    )
    assert done.code == 0, done.err
    left = [line.split("left: ")[1] for line in done.out.splitlines() if "left: " in line]
    assert left and {each.split(";")[0] for each in left} <= {each["title"] for each in CORPUS}


def test_a_file_is_judged_by_what_it_expects(run: Run, file: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    done = run("replay", file, "--json", str(report), "--fail-under", "recall@5=1", "--fail-under", "verdicts=.3")
    assert done.code == 0, done.err
    told = json.loads(report.read_text(encoding="utf-8"))
    assert told["figures"]["recall@5"]["sides"][0]["value"] == 1.0
    assert (told["questions"], told["broken"], len(told["replies"])) == (3, [], 3)
    assert "recall@5" in done.out and "Changed" not in done.out


def test_a_broken_bound_is_named_and_exits_with_one(run: Run, file: str) -> None:
    given = ("replay", file, "--set", "max_results=0", "--fail-under", "recall@5=.9", "--fail-over", "rounds=0")
    done = run(*given)
    assert done.code == 1
    assert "rounds is" in done.out and "should be at most 0" in done.out
    told = run(*given, "--json", "-")
    assert (told.code, len(told.json["broken"])) == (1, done.out.count("should be"))


@pytest.mark.usefixtures("asked")
def test_too_much_change_breaks_the_build(run: Run) -> None:
    changed = ("replay", "--against-set", "answerable_threshold=1")
    assert run(*changed, "--max-changed", "1").code == 0
    done = run(*changed, "--max-changed", "0.1")
    assert done.code == 1
    assert "changed is" in done.out


@pytest.mark.usefixtures("asked")
def test_the_last_traces_are_the_newest(run: Run) -> None:
    told = run("replay", "--last", "2", "--json", "-").json
    assert [each["text"] for each in told["replies"]] == [query["text"] for query in QUERIES[-2:]]


@pytest.mark.usefixtures("asked")
def test_replaying_keeps_no_traces(run: Run) -> None:
    before = run("trace", "--json").json
    run("replay", "--against-set", "recipe=deep")
    assert run("trace", "--json").json == before


def test_requests_may_come_from_stdin(run: Run, asked: list[str]) -> None:
    done = run("replay", "-", "--json", "-", stdin=as_lines([{"text": QUERIES[2]["text"], "expect": [asked[2]]}]))
    assert done.json["figures"]["recall@10"]["questions"] == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--last", "0"], "last is 0"),
        (["--max-changed", "2"], "max_changed is 2"),
        (["--fail-under", "joy=1"], "unknown measure 'joy'"),
        (["--fail-under", "recall@5=.9"], "recall@5 cannot be measured"),
        (["--against", "/nowhere.toml"], "'/nowhere.toml' cannot be read"),
        (["--against-set", "nonsense=1"], "unknown setting 'nonsense'"),
        (["--json", "/nowhere/at/all"], "'/nowhere/at/all' cannot be written"),
    ],
)
@pytest.mark.usefixtures("asked")
def test_mistakes_are_named(run: Run, options: list[str], said: str) -> None:
    done = run("replay", *options)
    assert done.code == 2
    assert said in done.err + done.out


def test_without_traces_there_is_nothing_to_replay(run: Run) -> None:
    done = run("replay")
    assert done.code == 2
    assert "no trace to replay" in done.err


def test_a_file_and_last_are_not_for_each_other(run: Run, file: str) -> None:
    done = run("replay", file, "--last", "3")
    assert done.code == 2
    assert "not both" in done.err
