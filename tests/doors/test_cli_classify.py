"""classify: how a question is understood, without a search."""

from __future__ import annotations

import pytest

from .conftest import Run

KEYS = [
    "question", "rewritten", "traits", "type", "entities", "parts", "parts_in_detail", "time", "disqualified",
    "category", "reason", "query_type", "confidence", "entity", "attribute",
]  # fmt: skip


def test_everything_is_told_as_json(run: Run) -> None:
    said = run("classify", "What's my BTC thesis and how did my last SOL trade go?", "--json").json
    assert list(said) == KEYS
    assert said["parts"] == ["What's my BTC thesis", "how did my last SOL trade go?"]
    assert [part["text"] for part in said["parts_in_detail"]] == said["parts"]
    assert said["traits"] == ["compound", "reasoning"]
    assert said["entities"] == ["BTC", "SOL"]
    assert (said["disqualified"], said["category"], said["reason"]) == (True, "D1", "reasoning_query")


def test_a_lookup_names_entity_and_attribute(run: Run) -> None:
    said = run("classify", "What is my stop for SOL?", "--json").json
    assert (said["disqualified"], said["category"], said["reason"]) == (False, None, None)
    assert (said["query_type"], said["confidence"]) == ("LOOKUP", 0.95)
    assert (said["entity"], said["attribute"]) == ("SOL", "stop")
    assert said["type"] == "entity_lookup"


def test_times_count_from_the_given_moment(run: Run) -> None:
    said = run("classify", "What did I do yesterday?", "--now", "2026-03-01T10:00", "--json").json
    assert said["time"] == {"start": "2026-02-28T00:00:00+00:00", "end": "2026-03-01T00:00:00+00:00"}
    assert said["category"] == "D3"


def test_messages_before_fill_references(run: Run) -> None:
    said = run("classify", "and in May?", "--message", "How much did I spend in April?", "--json").json
    assert said["rewritten"] == "How much did I spend in May?"
    assert said["question"] == "and in May?"


def test_people_get_a_small_table(run: Run) -> None:
    out = run("classify", "What's BTC at? Did my SOL trade close last week?", "--now", "2026-03-04").out
    for line in ("traits      compound, time", "part 2      Did my SOL trade close last week?", "category    D3"):
        assert line in out
    assert "2026-02-23T00:00:00+00:00 to 2026-03-02T00:00:00+00:00" in out


@pytest.mark.parametrize("text", ["", "  "])
def test_nothing_is_no_question(run: Run, text: str) -> None:
    assert run("classify", text).code == 2
