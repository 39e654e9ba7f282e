"""POST /api/memory/retrieve: limits, channel and time do what they say, alone and together."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from .conftest import Service

QUESTION = {"author_id": "u-1", "author_name": "Cem", "content": "What about the harbour?"}


def ask(service: Service, path: str = "/api/memory/retrieve", **body: Any) -> dict[str, Any]:
    reply = service.ask("POST", path, {"messages": [QUESTION], **body})
    assert reply.status_code == 200, reply.text
    told: dict[str, Any] = reply.json()
    return told


def texts(found: list[dict[str, Any]]) -> set[str]:
    return {each["content"] for each in found}


def test_it_gives_facts_and_messages_with_how_it_went(service: Service) -> None:
    told = ask(service)
    assert "The harbour plan is due in March 2027." in texts(told["facts"])
    assert "The harbour party is on Friday." in texts(told["messages"])
    assert told["confidence"] in {"low", "medium", "high"}
    assert told["context_summary"]
    metadata = told["metadata"]
    assert metadata["facts_retrieved"] == len(told["facts"])
    assert metadata["messages_retrieved"] == len(told["messages"])
    assert metadata["queries_executed"] == sum(call["outcome"] != "skipped" for call in metadata["tool_calls"])
    assert metadata["iterations_used"] == len(metadata["novelty"]["new_facts_per_round"]) >= 1
    assert metadata["stop_reason"]
    assert metadata["processing_time_ms"] > 0
    assert service.run(service.engine.trace(metadata["trace_id"])).question == QUESTION["content"]


@pytest.mark.parametrize("most", [0, 1])
def test_a_limit_holds_for_facts_and_messages_each(service: Service, most: int) -> None:
    assert len(ask(service, max_facts=most)["facts"]) == most
    assert ask(service, max_facts=most)["messages"]
    assert len(ask(service, max_messages=most)["messages"]) == most
    assert ask(service, max_messages=most)["facts"]
    both = ask(service, max_facts=0, max_messages=0)
    assert (both["facts"], both["messages"]) == ([], [])


def test_no_iterations_means_nothing_is_searched(service: Service) -> None:
    told = ask(service, max_iterations=0)
    assert (told["facts"], told["messages"]) == ([], [])
    assert told["metadata"]["queries_executed"] == 0
    assert told["metadata"]["stop_reason"] == "max_rounds"


@pytest.mark.parametrize("most", [1, 2, 5, 10])
def test_no_more_iterations_are_made_than_allowed(service: Service, most: int) -> None:
    assert 1 <= ask(service, max_iterations=most)["metadata"]["iterations_used"] <= most


def test_a_channel_narrows_the_messages_and_not_the_facts(service: Service) -> None:
    told = ask(service, channel_id="planning")
    assert texts(told["messages"]) == {"The harbour plan needs another review."}
    assert "The harbour plan is due in March 2027." in texts(told["facts"])
    assert ask(service, channel_id="nowhere")["messages"] == []


def test_a_time_range_may_be_open_on_either_side(service: Service) -> None:
    service.remember("The harbour was dredged.", event_time=_moment("2020-05-01"))
    service.remember("The harbour got a crane.", event_time=_moment("2022-05-01"))
    both = {"The harbour was dredged.", "The harbour got a crane."}

    def found(**sides: str) -> set[str]:
        return texts(ask(service, time_range={**sides, "axis": "event"}, max_messages=0)["facts"]) & both

    assert found(start="2021-01-01T00:00:00Z") == {"The harbour got a crane."}
    assert found(end="2021-01-01") == {"The harbour was dredged."}
    assert found(start="2019-01-01", end="2023-01-01") == both
    assert found(start="2023-01-01", end="2024-01-01") == set()


def test_references_are_filled_from_the_messages_before(service: Service) -> None:
    said = [{"content": "Did the harbour plan change?"}, {"content": "When is it due?"}]
    reply = service.ask("POST", "/api/memory/retrieve/debug", {"messages": said}).json()
    assert "harbour" in reply["debug"]["answers"][0]["rewritten"]


def test_messages_that_say_nothing_find_nothing(service: Service) -> None:
    reply = service.ask("POST", "/api/memory/retrieve", {"messages": [{"content": "  "}]}).json()
    assert reply["facts"] == []
    assert reply["metadata"]["stop_reason"] == "trivial"


def test_the_debug_twin_adds_the_whole_trace(service: Service) -> None:
    plain, debug = ask(service), ask(service, path="/api/memory/retrieve/debug")
    assert plain.keys() | {"debug"} == debug.keys()
    assert texts(plain["facts"]) == texts(debug["facts"])
    steps = [step["name"] for step in debug["debug"]["traces"][0]["steps"]]
    assert steps[:3] == ["understand", "plan", "search"]
    assert steps[-1] == "answer"


def test_two_times_are_one_too_many(service: Service) -> None:
    body = {"messages": [QUESTION], "time_range": {"start": "2020-01-01"}, "filters": {"time": {"end": "2021-01-01"}}}
    reply = service.ask("POST", "/api/memory/retrieve", body)
    assert reply.status_code == 422
    assert reply.json()["field"] == "time_range"


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
