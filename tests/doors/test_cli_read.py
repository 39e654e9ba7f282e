"""ask, search, recall, browse, get and spaces, on a real store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

Add = Callable[..., str]


@pytest.fixture
def gate(add: Add) -> str:
    add("Dinner with Ana was on the terrace", "--title", "Dinner", "--kind", "episode", "--tag", "ana")
    return add(
        "The harbour gate code is 4471",
        *("--title", "Harbour gate code", "--tag", "harbour", "--project", "port", "--cluster", "codes"),
        *("--event-time", "2026-03-01", "--trust", "tool"),
    )


def test_ask_gives_verdict_and_evidence_as_json(run: Run, gate: str) -> None:
    said = run("ask", "What is the harbour gate code?", "--json").json
    assert said["verdict"] == "answerable"
    assert said["evidence"][0]["id"] == gate
    assert "trace" not in said


def test_ask_gives_a_picture_for_people(run: Run, gate: str) -> None:
    done = run("ask", "What is the harbour gate code and who is the captain of the submarine?")
    assert done.code == 0
    assert "◐ partial" in done.out
    assert "✓ What is the harbour gate code" in done.out
    assert "✗ who is the captain of the submarine?  missing:" in done.out
    assert "The harbour gate code is 4471" in done.out
    assert "stopped: " in done.out
    assert gate in done.out


def test_ask_shows_conflicts_and_which_side_is_preferred(run: Run, add: Add) -> None:
    add("The harbour gate code is 4471", "--title", "Harbour gate code", "--event-time", "2026-03-01")
    add("The harbour gate code is 1299", "--title", "Harbour gate code", "--event-time", "2025-03-01")
    done = run("ask", "What is the harbour gate code?")
    assert "1 (2026-03-01) is preferred to 2 (2025-03-01): latest wins" in done.out
    assert "contradicted" in done.out


def test_ask_explains_scores_and_path(run: Run, gate: str) -> None:
    done = run("ask", "What is the harbour gate code?", "--explain")
    assert "log-odds of relevance" in done.out
    assert "The path" in done.out
    assert "every_part_every_source" in done.out
    said = run("ask", "What is the harbour gate code?", "--explain", "--json").json
    assert said["trace"]["steps"][0]["name"] == "understand"


def test_ask_names_what_was_degraded(run: Run, gate: str) -> None:
    assert "! static embedder" in run("ask", "What is the harbour gate code?", embedder="static").out


@pytest.mark.parametrize(("flags", "code"), [((), 0), (("--fail-on-none",), 3)], ids=["as it is", "fail on none"])
def test_ask_exits_with_3_only_when_told_to(run: Run, gate: str, flags: tuple[str, ...], code: int) -> None:
    done = run("ask", "Who is the captain of the submarine?", "--json", *flags)
    assert done.json["verdict"] == "none"
    assert done.code == code


def test_ask_takes_recipe_and_deadline(run: Run, gate: str) -> None:
    said = run("ask", "What is the harbour gate code?", "--recipe", "fast", "--deadline", "30", "--json").json
    assert said["verdict"] == "answerable"


def test_an_empty_space_is_pointed_out_on_stderr(run: Run, gate: str) -> None:
    done = run("ask", "What is the harbour gate code?", "--space", "typo")
    assert "Nothing is stored in space 'typo' yet; there is: default" in done.err
    assert run("ask", "What is the harbour gate code?", "--space", "typo", "--json").err == ""


def test_search_gives_hits_with_explanations(run: Run, gate: str) -> None:
    said = run("search", "harbour gate", "--json").json
    assert said["hits"][0]["id"] == gate
    assert said["hits"][0]["explanation"]["details"]
    assert "keyword rank 1" in run("search", "harbour gate", "--explain").out


@pytest.mark.parametrize("command", [("search", "harbour gate"), ("recall", "harbour gate"), ("recall",), ("browse",)])
def test_a_limit_of_zero_is_legal(run: Run, gate: str, command: tuple[str, ...]) -> None:
    done = run(*command, "--limit", "0", "--json")
    assert done.code == 0
    assert (done.json.get("hits") or done.json.get("memories") or []) == []


def test_recall_brings_what_passes_and_browses_without_a_text(run: Run, gate: str) -> None:
    said = run("recall", "What is the harbour gate code?", "--json").json
    assert [each["id"] for each in said["memories"]] == [gate]
    assert len(run("recall", "--json").json["memories"]) == 2
    assert "Harbour gate code" in run("recall", "What is the harbour gate code?").out


@pytest.mark.parametrize(
    "filters",
    [
        ("--kind", "fact"),
        ("--tag", "harbour"),
        ("--cluster", "codes"),
        ("--project", "port"),
        ("--trust", "tool"),
        ("--since", "2026-02-01", "--until", "2026-04-01"),
        ("--since", "2026-02-01", "--until", "2026-04-01", "--time-axis", "event"),
        ("--kind", "fact", "--kind", "lesson", "--lifecycle", "active", "--lifecycle", "weak"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("command", [("browse",), ("recall",), ("search", "harbour dinner")], ids=" ".join)
def test_filters_narrow(run: Run, gate: str, command: tuple[str, ...], filters: tuple[str, ...]) -> None:
    said = run(*command, *filters, "--json").json
    assert [each["id"] for each in said.get("hits") or said["memories"]] == [gate]


def test_what_is_superseded_or_held_before_is_found_when_asked_for(run: Run, gate: str) -> None:
    newer = run("supersede", gate, "The harbour gate code is 9001", "--json").json["id"]

    def ids(*flags: str) -> set[str]:
        return {each["id"] for each in run("browse", "--tag", "harbour", *flags, "--json").json["memories"]}

    assert ids() == {newer}
    assert ids("--superseded") == {newer, gate}


def test_browse_goes_on_after_an_id(run: Run, add: Add) -> None:
    ids = [add(f"Note number {number} about the harbour") for number in (1, 2, 3)]
    first = run("browse", "--limit", "2", "--json").json
    assert [each["id"] for each in first["memories"]] == [ids[2], ids[1]]
    rest = run("browse", "--limit", "2", "--after", first["next_after"], "--json").json
    assert [each["id"] for each in rest["memories"]] == [ids[0]]
    assert rest["next_after"] is None
    assert f"--after {ids[1]}" in run("browse", "--limit", "2").err


def test_get_shows_everything_and_counts_as_a_use(run: Run, gate: str) -> None:
    said = run("get", gate, "--json").json
    assert (said["text"], said["access_count"], said["links"]) == ("The harbour gate code is 4471", 1, [])
    out = run("get", gate).out
    assert "happened   2026-03-01 00:00:00+00:00" in out
    assert "read       2 times" in out


def test_spaces_are_listed_with_counts(run: Run, gate: str) -> None:
    run("add", "Another world altogether", "--space", "other")
    said = run("spaces", "--json").json
    assert {each["space"]: each["memories"] for each in said["spaces"]} == {"default": 2, "other": 1}
    assert "other" in run("spaces").out


def test_the_settings_file_of_the_store_is_used(run: Run, gate: str, folder: Path, tmp_path: Path) -> None:
    (folder / "recollect.toml").write_text("enabled = false\n", encoding="utf-8")
    assert run("ask", "What is the harbour gate code?", "--json").json["stop_reason"] == "disabled"
    other = tmp_path / "other.toml"
    other.write_text("enabled = true\n", encoding="utf-8")
    said = run("ask", "What is the harbour gate code?", "--config", str(other), "--json").json
    assert said["stop_reason"] == "enough"


def test_hostile_text_does_not_reach_the_terminal(run: Run, add: Add) -> None:
    add("The siren \x1b[31m is [bold]red[/bold] \u202e", "--title", "\x1b]0;owned\x07 siren")
    for command in (("search", "siren"), ("browse",), ("ask", "Is the siren red?")):
        out = run(*command).out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)
        assert "[bold]red[/bold]" in out
