"""What a failed part says stays on this machine: callers over HTTP and MCP are told its kind and no path."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.doors.discreet import discreet_note
from recollect.errors import StoreError
from recollect.ports import TextKind
from recollect.records import Vector
from recollect.values import Abilities, Lookup, Reply

from .http.conftest import Service
from .mcp_clients import done, inside

PATH = "/srv/secret/space one/memories.db"
QUESTION = "When is the harbour plan due?"


class Broken:
    """A source that fails, and says where."""

    def __init__(self, name: str, error: Exception) -> None:
        self.name = name
        self.abilities = Abilities()
        self._error = error

    async def search(self, lookup: Lookup) -> Reply:
        raise self._error

    async def close(self) -> None:
        """Nothing to release."""


def broken() -> list[Broken]:
    return [
        Broken("archive", OSError(f"{PATH}: no such file")),
        Broken("ledger", StoreError(f"the store at {PATH} is locked; close the other program")),
        Broken("shelf", FileNotFoundError(2, "No such file", PATH)),
    ]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path / "served", sources=broken(), timeout_seconds=600.0, lookup_timeout=600.0)
    made.remember("The harbour plan is due in March 2027.", title="Harbour plan")
    made.run(made.engine.retrieve(QUESTION))  # leaves a trace
    yield made
    made.close()


def memory_id(service: Service) -> str:
    return str(service.ask("GET", "/v1/memories").json()["items"][0]["id"])


CONVERSATION = {"messages": [{"content": QUESTION}]}
ASKED: dict[str, Callable[[Service], Any]] = {
    "retrieve": lambda service: service.ask("POST", "/v1/retrieve", {"text": QUESTION}),
    "retrieve with events": lambda service: service.ask(
        "POST", "/v1/retrieve", {"text": QUESTION}, headers={"Accept": "text/event-stream"}
    ),
    "search": lambda service: service.ask("POST", "/v1/search", {"text": QUESTION}),
    "recall": lambda service: service.ask("POST", "/v1/recall", {"text": QUESTION}),
    "conversation": lambda service: service.ask("POST", "/api/memory/retrieve", CONVERSATION),
    "conversation, debugged": lambda service: service.ask("POST", "/api/memory/retrieve/debug", CONVERSATION),
    "trace": lambda service: service.ask("GET", "/v1/traces/last"),
    "replay": lambda service: service.ask("POST", "/v1/replay", {"last": 1, "settings": {"quality_threshold": 0.4}}),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_over_http_the_kind_of_a_failure_is_told_and_no_path(ask: Callable[[Service], Any], service: Service) -> None:
    reply = ask(service)
    assert reply.status_code == 200
    assert "secret" not in reply.text
    assert "memories.db" not in reply.text
    for kind in ("OSError", "StoreError", "FileNotFoundError"):
        assert kind in reply.text


@pytest.mark.parametrize("ask", ["context", "explain", "traces", "ready"])
def test_other_replies_have_no_path_either(ask: str, service: Service) -> None:
    service.run(service.app.state.wired.engine.search("warm up"))
    reply = {
        "context": lambda: service.ask("POST", "/v1/context", {"message": QUESTION}),
        "explain": lambda: service.ask("GET", f"/v1/traces/last/explain?memory_id={memory_id(service)}"),
        "traces": lambda: service.ask("GET", "/v1/traces"),
        "ready": lambda: service.ask("GET", "/ready"),
    }[ask]()
    assert "secret" not in reply.text


def test_whoever_has_the_library_is_told_all(service: Service) -> None:
    answer = service.run(service.engine.retrieve(QUESTION))
    assert f"source 'archive' failed: OSError: {PATH}: no such file" in answer.degraded
    record = service.run(service.engine.trace("last"))
    assert PATH in record.payload


def test_what_is_stored_stays_as_it_is(service: Service) -> None:
    text = f"The backup of the harbour lies in {PATH}, so that source 'x' failed: OSError: {PATH}."
    id = service.remember(text, metadata={"degraded": [PATH], "numbers": {"error": PATH}})
    memory = service.ask("GET", f"/v1/memories/{id}").json()
    assert memory["text"] == text
    assert memory["metadata"] == {"degraded": [PATH], "numbers": {"error": PATH}}
    answer = service.ask("POST", "/v1/retrieve", {"text": "Where does the backup of the harbour lie?"}).json()
    assert text in [each["text"] for each in answer["evidence"]]


@pytest.mark.parametrize(("tool", "given"), [("retrieve", {"question": QUESTION}), ("recall", {"question": QUESTION})])
def test_over_mcp_the_kind_of_a_failure_is_told_and_no_path(tool: str, given: dict[str, str], tmp_path: Path) -> None:
    async def ask() -> str:
        async with Recollect.open(tmp_path, embedder="hashing", environment={}, sources=broken()) as engine:
            await engine.remember("The harbour plan is due in March 2027.")
            async with inside(engine) as client:
                return str(await client.call_tool(tool, given)) + json.dumps(await done(client, tool, **given))

    said = asyncio.run(ask())
    assert "secret" not in said
    assert "memories.db" not in said
    assert "source 'archive' failed: OSError" in said
    assert "source 'ledger' failed: StoreError" in said


def test_an_embedder_that_fails_is_told_by_its_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(tmp_path / "served")
    service.remember("The harbour plan is due in March 2027.")

    async def fail(texts: list[str], *, kind: TextKind) -> list[Vector]:
        raise OSError(f"{PATH}: no such file")

    monkeypatch.setattr(service.engine._embedder, "embed", fail)
    reply = service.ask("POST", "/v1/retrieve", {"text": QUESTION})
    trace = service.ask("GET", "/v1/traces/last")
    service.close()
    assert reply.json()["degraded"] == ["embedding failed: keyword search only (OSError)"]
    assert "secret" not in reply.text + trace.text


NOTES = {
    "source 'bad' failed: OSError: gone": "source 'bad' failed: OSError",
    "source 'bad' failed: OSError": "source 'bad' failed: OSError",
    "source 'bad' timed out": "source 'bad' timed out",
    "source 'bad' failed: TypeError: no notes: /a": "source 'bad' failed: TypeError",
    "embedding failed: keyword search only (OSError: [Errno 2] gone: '/a (b)/c')": (
        "embedding failed: keyword search only (OSError)"
    ),
    "embedding failed: keyword search only (3 texts gave 2 vectors)": (
        "embedding failed: keyword search only (3 texts gave 2 vectors)"
    ),
    "local: by words alone, embedding failed: nothing at /a": "local: by words alone, embedding failed",
    "the index at /srv/a/b.db is old; ask again": "the index at … is old; ask again",
    "the index at ~/a and C:\\data\\b is old": "the index at … and … is old",
    "look at https://example.org/a/b and and/or": "look at https://example.org/a/b and and/or",
    "keyword search only: space 'a' holds vectors of 'm'; run 'recollect reindex'": (
        "keyword search only: space 'a' holds vectors of 'm'; run 'recollect reindex'"
    ),
}


@pytest.mark.parametrize(("note", "told"), NOTES.items())
def test_notes_keep_what_was_written_for_callers(note: str, told: str) -> None:
    assert discreet_note(note) == told
