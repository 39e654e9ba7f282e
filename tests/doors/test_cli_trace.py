"""trace, feedback and unlearn, on a real store; and the picture of a path, on an answer made by hand."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from recollect.doors import cli_pictures, cli_render, wire
from recollect.journal import trace_record
from recollect.values import Conflict, ConflictKind, Decision, Span, Strategy

from . import answers
from .conftest import Run

Add = Callable[..., str]
QUESTION = "What is the harbour gate code?"


@pytest.fixture
def gate(run: Run, add: Add) -> str:
    """A memory, and a question asked about it."""
    id = add("The harbour gate code is 4471", "--title", "Harbour gate code")
    assert run("ask", QUESTION).code == 0
    return id


def drawn(*things: RenderableType, width: int = 100) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, highlight=False)
    for each in things:
        console.print(each)
    return file.getvalue()


def line_with(text: str, out: str) -> str:
    return next(line for line in out.splitlines() if text in line)


# --- the commands --------------------------------------------------------------------------------


def test_traces_are_listed_newest_first(run: Run, gate: str) -> None:
    run("ask", "Who is the captain of the submarine?")
    said = run("trace", "--json").json
    assert [each["question"] for each in said["traces"]] == ["Who is the captain of the submarine?", QUESTION]
    assert [each["verdict"] for each in said["traces"]] == ["none", "answerable"]
    assert said["next_before"] is None
    out = run("trace").out
    assert out.index("✗ none") < out.index("✓ answerable")
    assert QUESTION in out
    assert said["traces"][1]["id"] in out


def test_the_list_goes_on_where_it_ended(run: Run, gate: str) -> None:
    run("ask", "Who is the captain of the submarine?")
    first = run("trace", "--limit", "1", "--json").json
    rest = run("trace", "--limit", "1", "--before", first["next_before"], "--json").json
    assert [each["question"] for each in rest["traces"]] == [QUESTION]
    assert f"--before {first['next_before']}" in run("trace", "--limit", "1").err


def test_an_empty_journal_says_so(run: Run) -> None:
    assert run("trace").out == "No trace yet.\n"
    assert run("trace", "--json").json == {"traces": [], "next_before": None}


def test_one_trace_is_a_picture_of_the_path(run: Run, gate: str) -> None:
    done = run("trace", "last")
    assert done.code == 0
    assert "round 1" in done.out
    assert "✓ part 1" in done.out
    assert gate in done.out
    assert "The harbour gate code is 4471" not in done.out
    assert "queries executed" in done.out


def test_one_trace_is_whole_as_json(run: Run, gate: str) -> None:
    listed = run("trace", "--json").json["traces"][0]
    said = run("trace", listed["id"], "--json").json
    assert said == run("trace", "last", "--json").json
    assert {name: said[name] for name in listed if name != "confidence"} == {
        name: value for name, value in listed.items() if name != "confidence"
    }
    assert said["confidence"]["score"] == listed["confidence"]["score"]
    assert [piece["id"] for piece in said["evidence"]] == [gate]
    assert said["steps"][0]["name"] == "understand"


def test_a_trace_explains_a_memory(run: Run, gate: str) -> None:
    out = run("trace", "last", "--explain", gate).out
    assert "It is number 1 of 1 in the evidence" in out
    assert "log-odds of relevance" in out
    said = run("trace", "last", "--explain", "01stranger", "--json").json
    assert (said["id"], said["explanation"]) == ("01stranger", None)
    assert "nothing in this trace names it" in said["sentences"][0]


@pytest.mark.parametrize("use", ["used", "not-used", "not_used", "wrong"])
def test_feedback_is_taken(run: Run, gate: str, use: str) -> None:
    done = run("feedback", "last", gate, use)
    assert (done.code, "✓ Noted" in done.out) == (0, True)
    favour = run("get", gate, "--json").json["favour"]
    assert (favour > 0) == (use == "used")
    assert favour != 0


def test_feedback_as_json_says_what_was_noted(run: Run, gate: str) -> None:
    said = run("feedback", "last", gate, "not-used", "--json").json
    assert said == {"trace_id": run("trace", "--json").json["traces"][0]["id"], "id": gate, "use": "not_used"}


def test_unlearning_undoes_feedback(run: Run, gate: str) -> None:
    run("feedback", "last", gate, "used")
    done = run("unlearn", "--yes", "--json")
    assert done.json == {"space": "default", "trace_id": None, "unlearned": True}
    assert run("get", gate, "--json").json["favour"] == 0
    assert "Undid everything learned in space 'default'" in run("unlearn", "--yes").out


def test_unlearning_without_a_person_needs_yes(run: Run, gate: str) -> None:
    done = run("unlearn")
    assert done.code == 2
    assert "give --yes" in done.err


def test_unlearning_one_answer_undoes_its_lessons_only(run: Run, add: Add, gate: str) -> None:
    other = add("The harbour gate is locked at night, the harbour gate code opens it", "--title", "Harbour gate hours")
    run("feedback", "last", gate, "used")
    recalled = run("recall", QUESTION, "--json").json
    assert {each["id"] for each in recalled["memories"]} == {gate, other}

    def learned() -> float:
        return sum(link["learned"] for link in run("get", gate, "--json").json["links"])

    assert learned() > 0
    assert run("unlearn", "--trace", recalled["trace_id"], "--yes").code == 0
    assert learned() == 0
    assert run("get", gate, "--json").json["favour"] > 0


# --- the picture ---------------------------------------------------------------------------------


def told() -> wire.Json:
    return wire.trace_record(trace_record(answers.answer(), space="default"))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_picture_keeps_to_the_width(width: int) -> None:
    out = drawn(cli_pictures.path(told(), width=width), cli_pictures.kept_evidence(told()), width=width)
    assert max(map(len, out.splitlines())) <= width


def test_a_path_shows_parts_rounds_and_verdict_in_order() -> None:
    out = drawn(cli_pictures.path(told(), width=120), width=120)
    order = ["part 1", "part 2", "understand", "round 1", "rewrite", "round 2", "merge", "conflict  ", "◐ partial"]
    places = [out.index(each) for each in order]
    assert places == sorted(places)
    assert "missing: nothing relevant is stored" in line_with("part 2", out)
    assert "2 lookups, 2 new facts, coverage 0.50" in line_with("round 1", out)
    assert "temporal, numbers differ, latest wins" in line_with("conflict  ", out)
    assert "stopped: no novelty" in line_with("◐ partial", out)


def test_a_lookup_says_where_what_and_how_it_ended() -> None:
    out = drawn(cli_pictures.path(told(), width=120), width=120)
    assert "25 hits" in line_with("memory part 1 “harbour gate code”", out)
    assert "timed out" in line_with("messages part 1", out)
    assert "1 hit " in line_with("memory part 2 bridge “Albatross captain”", out)


def test_bars_of_what_ran_at_once_begin_at_the_same_place() -> None:
    out = drawn(cli_pictures.path(told(), width=120), width=120)
    first, second, later = (line_with(each, out) for each in ("25 hits", "timed out", "Albatross captain” "))
    assert first.index("━") == second.index("━") < later.index("━")
    assert second.count("━") > first.count("━")


def test_parts_in_decisions_are_counted_from_one() -> None:
    out = drawn(cli_pictures.path(told(), width=120), width=120)
    assert "part 2  text Albatross captain" in line_with("found_name", out)


def test_a_trace_just_made_looks_like_one_kept() -> None:
    fresh = wire.answer(answers.answer(), weak_below=0.35) | wire.trace(answers.answer().trace)
    assert drawn(cli_pictures.path(fresh, width=100)) == drawn(cli_pictures.path(told(), width=100))


def test_many_decisions_of_one_step_are_cut() -> None:
    answer = answers.answer()
    many = Span("merge", 0.0, tuple(Decision(f"decision {number}", "so", {}) for number in range(40)))
    long = replace(answer, trace=replace(answer.trace, spans=(many,)))
    out = drawn(cli_pictures.path(wire.trace_record(trace_record(long, space="default")), width=100))
    assert "decision 11" in out
    assert "decision 12" not in out
    assert "… 28 more; --json shows all" in out


def test_hostile_words_in_a_trace_stay_words() -> None:
    answer = answers.answer()
    hostile = "\x1b[31m[bold]red[/bold]\x07"
    spans = (Span("search", 0.1, (), 0.0, (answers.lookup("memory", hostile, began=0, seconds=0.1, hits=1),)),)
    asked = replace(answer, question=replace(answer.question, text=hostile), trace=replace(answer.trace, spans=spans))
    out = drawn(cli_pictures.path(wire.trace_record(trace_record(asked, space="default")), width=100))
    assert not {"\x1b", "\x07"} & set(out)
    assert "[bold]red[/bold]" in out


# --- an answer for people ------------------------------------------------------------------------


def test_an_answer_in_words_cites_places_and_leaves_out_what_is_told_elsewhere() -> None:
    out = drawn(*cli_render.answer(answers.answer(), weak_below=0.35))
    assert f"“{answers.SECRET}” [1], also in [{answers.TWIN}]" in out
    assert "Missing: " not in out
    assert "✗ who is the captain?  missing: nothing relevant is stored" in out


def test_evidence_carries_its_remarks() -> None:
    out = drawn(*cli_render.answer(answers.answer(), weak_below=0.35), width=160)
    first, second = line_with("Title of 01gate", out), line_with("Title of 01oldgate", out)
    for remark in ("contradicted", "1 other agrees", "through links", "looks like an instruction"):
        assert remark in first
    assert "superseded" in second
    assert "weak" not in out


def test_an_open_conflict_prefers_nobody() -> None:
    open_one = Conflict(
        answers.GATE, answers.OLD_GATE, "objects_differ", ConflictKind.FACTUAL, Strategy.ASK_USER, settled=False
    )
    line = cli_render.conflict(open_one, answers.answer().evidence).plain
    assert line == "  1 (2026-03-01) and 2 (2026-03-01) contradict each other: objects differ, open"


def test_a_conflict_with_what_is_not_shown_names_it_by_id() -> None:
    line = cli_render.conflict(answers.answer().conflicts[0], answers.answer().evidence[:1]).plain
    assert f"is preferred to {answers.OLD_GATE}" in line
