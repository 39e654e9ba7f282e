"""The routes that ask: the same answers as the library, told as JSON or as events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from recollect.doors import wire

from .conftest import Service

QUESTION = "When is the harbour plan due?"


def without_moments(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in {"timings", "trace_id", "started_at"}}


def test_retrieve_gives_what_the_library_gives(service: Service) -> None:
    reply = service.ask("POST", "/v1/retrieve", {"text": QUESTION})
    answer = service.run(service.engine.retrieve(QUESTION))
    expected = json.loads(json.dumps(wire.answer(answer, weak_below=service.engine.settings.answerable_threshold)))
    assert reply.status_code == 200
    assert without_moments(reply.json()) == without_moments(expected)
    assert reply.json()["verdict"] == "answerable"


def test_retrieve_tells_what_happens_as_events(service: Service) -> None:
    reply = service.ask("POST", "/v1/retrieve", {"text": QUESTION}, headers={"Accept": "text/event-stream"})
    events = [block.split("\n") for block in reply.text.strip().split("\n\n")]
    names = [lines[0].removeprefix("event: ") for lines in events]
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert names[-1] == "answer"
    assert set(names[:-1]) == {"progress"}
    told = [json.loads(lines[1].removeprefix("data: ")) for lines in events]
    begun = [each["name"] for each in told[:-1] if each["what"] == "begins"]
    assert begun[:4] == ["understand", "plan", "search", "judge"]
    assert told[-1]["verdict"] == "answerable"
    assert any(each["what"] == "ran" and each["numbers"]["source"] == "memory" for each in told[:-1])


def test_a_mistake_is_an_ordinary_error_even_where_events_are_wanted(service: Service) -> None:
    body = {"text": QUESTION, "filters": {"time": {"start": "2026-02-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"}}}
    reply = service.ask("POST", "/v1/retrieve", body, headers={"Accept": "text/event-stream"})
    assert reply.status_code == 422
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["field"] == "time_range"


def test_search_gives_data_count_metrics_and_how_the_query_was_understood(service: Service) -> None:
    told = service.ask("POST", "/v1/search", {"text": "harbour plan", "limit": 2}).json()
    assert list(told) == ["data", "count", "metrics", "qcs"]
    assert told["count"] == len(told["data"]) == 2
    assert told["metrics"]["top_relevance"] == max(each["relevance"] for each in told["data"])
    assert sum(told["metrics"]["sources"].values()) == 2
    assert told["qcs"]["question"] == "harbour plan"


def test_zero_is_a_limit(service: Service) -> None:
    assert service.ask("POST", "/v1/search", {"text": "harbour plan", "limit": 0}).json()["count"] == 0
    assert service.ask("POST", "/v1/recall", {"limit": 0}).json()["memories"] == []


def test_classify_reads_a_question_against_the_moment_given(service: Service) -> None:
    body = {"text": "What did Ana say yesterday?", "now": "2026-03-02T10:00:00Z"}
    told = service.ask("POST", "/v1/classify-query", body).json()
    assert told["time"] == {"start": "2026-03-01T00:00:00+00:00", "end": "2026-03-02T00:00:00+00:00"}
    assert told["category"] == "D3"


def test_context_is_given_once_in_a_session(service: Service) -> None:
    body = {"message": QUESTION, "session": "one"}
    first, second = (service.ask("POST", "/v1/context", body).json() for _ in range(2))
    assert "March 2027" in first["context"]
    assert second["context"] == ""
    assert second["reason"] == "already_shown"


def test_recall_without_a_question_goes_on_behind_a_memory(service: Service) -> None:
    whole = service.ask("POST", "/v1/recall", {}).json()["memories"]
    body = {"after": whole[1]["id"], "limit": 2}
    assert service.ask("POST", "/v1/recall", body).json()["memories"] == whole[2:4]
    reply = service.ask("POST", "/v1/recall", {**body, "text": "harbour"})
    assert (reply.status_code, reply.json()["field"]) == (422, "after")


def test_recall_brings_memories_for_a_question_and_the_newest_without_one(service: Service) -> None:
    asked = service.ask("POST", "/v1/recall", {"text": QUESTION}).json()
    newest = service.ask("POST", "/v1/recall", {"limit": 1}).json()
    assert asked["memories"][0]["title"] == "Harbour plan"
    assert asked["memories"][0]["relevance"] > 0.5
    assert newest["memories"][0]["text"] == "The harbour party is on Friday."


MISTAKES = {
    "no text": ({}, "text"),
    "text of another type": ({"text": 1}, "text"),
    "blank text": ({"text": "  "}, "text"),
    "unknown field": ({"text": "x y", "colour": 1}, "colour"),
    "unknown field inside": ({"text": "x y", "filters": {"colour": 1}}, "filters.colour"),
    "negative limit": ({"text": "x y", "limit": -1}, "limit"),
    "limit as text": ({"text": "x y", "limit": "3"}, "limit"),
    "limit above the most": ({"text": "x y", "limit": 1001}, "limit"),
    "unknown lifecycle": ({"text": "x y", "filters": {"lifecycles": ["gone"]}}, "filters.lifecycles"),
    "space with a line break": ({"text": "x y", "space": "a\nb"}, "space"),
    "half a character": ({"text": "x y \ud800"}, "text"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_names_its_field_and_a_remedy(service: Service, case: str) -> None:
    body, field = MISTAKES[case]
    content = json.dumps(body).encode()
    reply = service.ask("POST", "/v1/search", content=content, headers={"Content-Type": "application/json"})
    assert reply.status_code == 422, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    told = reply.json()
    assert told["status"] == 422
    assert told["field"] == field
    assert told["detail"]
    assert told["remedy"]


def test_what_is_no_json_is_malformed(service: Service) -> None:
    reply = service.ask("POST", "/v1/search", content=b"{", headers={"Content-Type": "application/json"})
    assert reply.status_code == 400
    assert reply.json()["type"] == "urn:recollect:problem:malformed"


def test_a_deadline_beyond_what_a_request_may_take_is_refused(service: Service) -> None:
    reply = service.ask("POST", "/v1/retrieve", {"text": QUESTION, "deadline": 90})
    assert reply.status_code == 422
    assert reply.json()["field"] == "deadline"
