"""ask, search, recall, browse, get and spaces, on a real store."""

from __future__ import annotations

import re
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
    assert "1 (2026-03-01) is preferred to 2 (2025-03-01): numbers differ, latest wins" in done.out
    assert "contradicted" in done.out


def test_ask_explains_scores_and_path(run: Run, gate: str) -> None:
    done = run("ask", "What is the harbour gate code?", "--explain")
    assert "log-odds of relevance" in done.out
    assert "The path" in done.out
    assert re.search(r"round 1  \d lookups", done.out)
    assert "first_round" in done.out
    said = run("ask", "What is the harbour gate code?", "--explain", "--json").json
    assert said["trace"]["steps"][0]["name"] == "understand"
    assert "trace" not in run("ask", "What is the harbour gate code?", "--json").json


def test_ask_quotes_the_answer_and_cites_the_evidence_by_its_place(run: Run, gate: str) -> None:
    done = run("ask", "What is the harbour gate code?")
    assert "“The harbour gate code is 4471” [1]" in done.out
    said = run("ask", "What is the harbour gate code?", "--json").json
    assert f"[memory:{gate}]" in said["answer"]


def test_ask_keeps_the_context_to_the_tokens_given(run: Run, gate: str) -> None:
    asked = ("ask", "What is the harbour gate code?", "--json")
    assert gate in run(*asked).json["context"]
    assert run(*asked, "--max-tokens", "0").json["context"] == ""


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


def test_recall_takes_recipe_and_deadline(run: Run, gate: str) -> None:
    said = run("recall", "What is the harbour gate code?", "--recipe", "fast", "--deadline", "30", "--json").json
    assert [each["id"] for each in said["memories"]] == [gate]


def test_recall_says_of_each_memory_why_it_is_there(run: Run, gate: str) -> None:
    done = run("recall", "What is the harbour gate code?", "--explain")
    assert "Why these" in done.out
    assert "It is number 1 of 1 in the evidence" in done.out
    said = run("recall", "What is the harbour gate code?", "--explain", "--json").json
    assert [each["id"] for each in said["explained"]] == [gate]
    assert said["explained"][0]["trace_id"] == said["trace_id"]


def test_recall_explains_nothing_where_there_is_nothing_to_explain(run: Run, gate: str) -> None:
    assert "Nothing to explain" in run("recall", "--explain").err
    kept_none = run("recall", "What is the harbour gate code?", "--explain", "--set", "keep_traces=0")
    assert (kept_none.code, "Nothing to explain" in kept_none.err) == (0, True)
    assert run("recall", "--explain", "--json").json["explained"] == []


def test_context_is_the_block_and_nothing_else(run: Run, gate: str) -> None:
    done = run("context", "What is the harbour gate code?")
    assert done.code == 0
    said = run("context", "What is the harbour gate code?", "--json").json
    assert done.out == said["context"] + "\n"
    assert said["memories"] == [gate]
    assert said["reason"] == ""


def test_a_session_is_shown_a_memory_once(run: Run, gate: str) -> None:
    asked = ("context", "What is the harbour gate code?", "--session", "mine")
    assert gate in run(*asked).out
    again = run(*asked)
    assert (again.code, again.out) == (0, "")
    assert "this session was shown all of it before" in again.err
    said = run(*asked, "--json").json
    assert (said["context"], said["reason"], said["already_shown"]) == ("", "already_shown", [gate])


@pytest.mark.parametrize(
    ("message", "why"),
    [("ok thanks", "nothing to look up"), ("Who is the captain of the submarine?", "nothing that is stored bears on")],
)
def test_context_says_why_there_is_none(run: Run, gate: str, message: str, why: str) -> None:
    done = run("context", message)
    assert (done.code, done.out) == (0, "")
    assert why in done.err


def test_quiet_leaves_stderr_alone(run: Run, gate: str) -> None:
    assert run("context", "ok thanks", "--quiet").err == ""
    assert run("browse", "--limit", "1", "-q").err == ""


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


# --- where it is from ------------------------------------------------------------------------------


def test_paths_narrow_what_may_come_back(run: Run, add: Add) -> None:
    here = add("The pump of the boat is red", "--source", "docs/boat/pump.md")
    add("The pump of the crane is red", "--source", "src/crane.py")
    add("The pump of the truck is red")
    for command in (("search", "red pump"), ("ask", "Which pump is red?"), ("recall", "red pump"), ("browse",)):
        said = run(*command, "--path", "docs/**", "--path", "lib/*.py", "--json").json
        rows = next(said[name] for name in ("hits", "evidence", "memories") if name in said)
        assert [row.get("id") or row["memory"]["id"] for row in rows] == [here], command


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "harbour"
    root.mkdir()
    (root / "AGENTS.md").write_text("# Working here\n\n## Tests\n\nAlways run the harbour tests with `make tide`.\n")
    return root


def test_ask_looks_into_the_files_of_a_project(run: Run, project: Path) -> None:
    question = "How do I run the harbour tests?"
    said = run("ask", question, "--local", str(project), "--json").json
    assert said["verdict"] == "answerable" and said["evidence"][0]["kind"] == "instruction"
    assert "[local:AGENTS.md#tests]" in said["answer"]
    assert run("ask", question, "--json").json["verdict"] == "none"


def test_context_looks_into_the_files_of_a_project(run: Run, project: Path) -> None:
    done = run("context", "How do I run the harbour tests?", "--local", str(project))
    assert "[local:AGENTS.md#tests] instruction" in done.out and "make tide" in done.out


def test_a_project_that_is_no_folder_is_refused(run: Run, project: Path) -> None:
    done = run("ask", "How?", "--local", str(project / "AGENTS.md"))
    assert done.code == 2 and "is no folder" in done.err
