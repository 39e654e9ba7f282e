"""One corpus, the same questions through every door: the same verdict, evidence, order, numbers and words.

The library (awaited and blocking), the command line, a `recollect serve` process asked raw and through the client
(awaited and blocking), and the MCP tools. A door that has no argument for a case says so in `CANNOT`.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from typer.testing import CliRunner

from recollect import BlockingRecollect, Filters, Message, Recollect, RecollectError
from recollect.client import BlockingClient, Client
from recollect.doors import wire
from recollect.doors.cli import app
from recollect.doors.http.errors import KINDS, TYPE_PREFIX
from recollect.values import Answer, VerdictKind

from .mistakes import ID, MISTAKES, Mistake

try:
    from .mcp_clients import inside
except ImportError as missing:
    NO_MCP = str(missing)
else:
    NO_MCP = ""

SCRIPT = str(Path(sys.executable).parent / "recollect")
SETTINGS = ("--set", "embedder=hashing", "--set", "timeout_seconds=60", "--set", "lookup_timeout=30")
OPENED: dict[str, Any] = {
    "embedder": "hashing", "timeout_seconds": 60.0, "lookup_timeout": 30.0, "environment": {},
}  # fmt: skip
READY_WITHIN_SECONDS = 60.0
CORPUS: tuple[dict[str, Any], ...] = (
    {"body": "The harbour plan is due in March 2027.", "title": "Harbour plan"},
    {"body": "Ana leads the harbour project."},
    {"body": "The gate code of the harbour is 4471.", "title": "Gate code"},
    {"body": "The gate code of the harbour is 1299.", "title": "Gate code"},
    {"body": "Never dock a ferry in the harbour at low tide.", "kind": "lesson"},
    {"body": "The ferry to the harbour leaves at nine.", "kind": "message", "author": "Ben"},
    {"body": "Grüße aus Zürich: das Treffen beginnt um neun Uhr."},
)


@dataclass(frozen=True)
class Case:
    """A question, with what narrows it."""

    text: str
    kinds: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()

    @property
    def filters(self) -> Filters | None:
        return Filters(kinds=frozenset(self.kinds)) if self.kinds else None


CASES = {
    "simple": Case("When is the harbour plan due?"),
    "compound": Case("When is the harbour plan due and who leads the harbour project?"),
    "none": Case("Where do penguins sleep in winter?"),
    "half of it": Case("When is the harbour plan due and where do penguins sleep in winter?"),
    "conflict": Case("What is the gate code of the harbour?"),
    "follow-up": Case("When is it due?", messages=(Message("user", "Tell me about the harbour plan."),)),
    "filters": Case("What about the harbour?", kinds=("lesson",)),
    "trivial": Case("hello"),
    "another alphabet": Case("Wann beginnt das Treffen in Zürich?"),
}
EXPECTED = {"simple": "answerable", "none": "none", "trivial": "none", "half of it": "partial"}
CANNOT = {("command line", "follow-up"), ("MCP", "follow-up")}  # they take no messages


class Told(NamedTuple):
    """What an answer comes to, whichever door it came through."""

    verdict: str
    confidence: float
    label: str
    ids: tuple[str, ...]
    relevance: tuple[float, ...]
    gaps: tuple[tuple[int, str, str], ...]
    conflicts: tuple[tuple[str, str, str, bool], ...]
    text: str


def of_json(said: Any) -> Told:
    return Told(
        said["verdict"],
        said["confidence"]["score"],
        said["confidence"]["label"],
        tuple(each["id"] for each in said["evidence"]),
        tuple(each["relevance"] for each in said["evidence"]),
        tuple((each["part"], each["text"], each["reason"]) for each in said["gaps"]),
        tuple((each["preferred"], each["other"], each["reason"], each["settled"]) for each in said["conflicts"]),
        said["answer"],
    )


def of_answer(answer: Answer) -> Told:
    return Told(
        answer.verdict.value,
        round(answer.confidence.score, 6),
        answer.confidence.label.value,
        tuple(each.memory.id for each in answer.evidence),
        tuple(round(each.relevance, 6) for each in answer.evidence),
        tuple((each.part, each.text, each.reason) for each in answer.gaps),
        tuple((each.preferred, each.other, each.reason, each.settled) for each in answer.conflicts),
        answer.text,
    )


# --- the doors -------------------------------------------------------------------------------------


class Doors:
    """Every way in to one store."""

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address
        self.library = BlockingRecollect.open(folder, **OPENED)
        self.client = BlockingClient(address)
        self.ask: dict[str, Callable[[Case], Told]] = {
            "library, blocking": lambda case: of_answer(self.library.retrieve(case.text, **_given(case))),
            "library": lambda case: of_answer(asyncio.run(self._awaited(case))),
            "command line": lambda case: of_json(self.run("ask", case.text, *_flags(case))),
            "HTTP": lambda case: of_json(self.post("/v1/retrieve", _body(case)).json()),
            "client, blocking": lambda case: of_answer(self.client.retrieve(case.text, **_given(case))),
            "client": lambda case: of_answer(asyncio.run(self._asked(case))),
            "MCP": lambda case: of_json(self.tool("retrieve", question=case.text, **_narrowed(case))),
        }

    def run(self, *arguments: str) -> Any:
        given = [SCRIPT, *arguments, "--json", "--store", str(self.folder), *SETTINGS]
        return json.loads(subprocess.run(given, capture_output=True, text=True).stdout)

    def run_here(self, *arguments: str) -> Any:
        """The same without a process of its own, which takes longer than all the rest."""
        given = [*arguments, "--json", "--store", str(self.folder), *SETTINGS]
        return json.loads(CliRunner().invoke(app, given).stdout)

    def post(self, path: str, body: Any) -> httpx.Response:
        return httpx.post(self.address + path, json=body, timeout=60)

    def tool(self, name: str, **arguments: Any) -> Any:
        """What a tool gives, or what it says about a call that cannot be done."""

        async def call() -> Any:
            async with Recollect.open(self.folder, **OPENED) as engine, inside(engine) as client:
                result = await client.call_tool(name, arguments)
                return json.loads(result.content[0].text) if result.is_error else result.structured_content  # type: ignore[union-attr]

        return asyncio.run(call())

    async def _awaited(self, case: Case) -> Answer:
        async with Recollect.open(self.folder, **OPENED) as memory:
            return await memory.retrieve(case.text, **_given(case))

    async def _asked(self, case: Case) -> Answer:
        async with Client(self.address) as memory:
            return await memory.retrieve(case.text, **_given(case))

    def close(self) -> None:
        self.client.close()
        self.library.close()


def _given(case: Case) -> dict[str, Any]:
    return {"filters": case.filters, "messages": case.messages}


def _flags(case: Case) -> list[str]:
    return [flag for kind in case.kinds for flag in ("--kind", kind)]


def _body(case: Case) -> dict[str, Any]:
    messages = [{"author": each.author, "text": each.text} for each in case.messages]
    return {"text": case.text, "messages": messages, **_narrowed(case)}


def _narrowed(case: Case) -> dict[str, Any]:
    return {"filters": {"kinds": list(case.kinds)}} if case.kinds else {}


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    folder = tmp_path_factory.mktemp("agree")
    with BlockingRecollect.open(folder, **OPENED) as memory:
        for each in CORPUS:
            memory.remember(**each)
        memory.retrieve(CASES["simple"].text)  # so that there is a trace
    given = [SCRIPT, "serve", "--port", "0", "--store", str(folder), *SETTINGS]
    with subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("Listening on "), line
            opened = Doors(folder, line.split()[-1])
            until = time.monotonic() + READY_WITHIN_SECONDS
            while not opened.client.check().ok and time.monotonic() < until:
                time.sleep(0.05)
            yield opened
            opened.close()
        finally:
            process.send_signal(signal.SIGTERM)


NAMES = ["library", "command line", "HTTP", "client", "client, blocking", "MCP"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("door", NAMES)
def test_a_question_has_one_answer_whichever_door_it_comes_through(door: str, name: str, doors: Doors) -> None:
    if (door, name) in CANNOT:
        pytest.skip(f"{door} takes no messages")
    if door == "MCP" and NO_MCP:
        pytest.skip(f"the MCP door is not there: {NO_MCP}")
    assert doors.ask[door](CASES[name]) == doors.ask["library, blocking"](CASES[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_the_cases_are_what_they_are_called(name: str, doors: Doors) -> None:
    assert doors.ask["library, blocking"](CASES[name]).verdict == EXPECTED[name]


def test_the_conflict_is_one_and_the_filter_filters(doors: Doors) -> None:
    ask = doors.ask["library, blocking"]
    assert ask(CASES["conflict"]).conflicts
    assert ask(CASES["half of it"]).gaps
    lesson = doors.library.browse(filters=Filters(kinds=frozenset({"lesson"})))
    assert set(ask(CASES["filters"]).ids) == {each.id for each in lesson}
    assert VerdictKind(ask(CASES["follow-up"]).verdict) is not VerdictKind.NONE


def test_a_plain_search_is_the_same_and_zero_is_a_limit(doors: Doors) -> None:
    for limit in (0, 3):
        wanted = [
            (each.memory.id, round(each.relevance, 6)) for each in doors.library.search("harbour", limit=limit).hits
        ]
        assert bool(wanted) is bool(limit)
        told = {
            "command line": doors.run("search", "harbour", "--limit", str(limit))["hits"],
            "HTTP": doors.post("/v1/search", {"text": "harbour", "limit": limit}).json()["data"],
            "client": [wire.hit(each) for each in doors.client.search("harbour", limit=limit).hits],
        }
        for door, hits in told.items():
            assert [(each["id"], each["relevance"]) for each in hits] == wanted, door
        if not NO_MCP:
            results = doors.tool("search", query="harbour", limit=limit)["results"]
            assert [each["id"] for each in results] == [id for id, _ in wanted]


# --- mistakes --------------------------------------------------------------------------------------


SLUGS = {kind.slug: error.__name__ for error, kind in reversed(KINDS.items())}
Said = tuple[str, str | None, str | None]  # the error, the field, the reason


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_the_same_whichever_door_it_is_made_at(name: str, doors: Doors) -> None:
    mistake = MISTAKES[name]
    id = doors.library.browse(limit=1)[0].id
    wanted = _raised(mistake.library, doors.library, id)
    told = {"client": _raised(mistake.library, doors.client, id), "HTTP": _problem(doors, mistake, id)}
    if mistake.command is not None:
        told["command line"] = _said(doors.run_here(*(id if word == ID else word for word in mistake.command))["error"])
    assert told == dict.fromkeys(told, wanted)
    if mistake.tool is not None and not NO_MCP:
        tool, arguments = mistake.tool
        error, _, reason = wanted
        assert _said(doors.tool(tool, **arguments)["error"]) == (error, mistake.tool_field, reason)


def _raised(make: Callable[[Any, str], Any], memory: Any, id: str) -> Said:
    with pytest.raises(RecollectError) as caught:
        make(memory, id)
    error = caught.value
    return type(error).__name__, getattr(error, "field", None), getattr(error, "reason", None)


def _problem(doors: Doors, mistake: Mistake, id: str) -> Said:
    method, path, body = mistake.http
    content = json.dumps(body).replace(ID, id) if body is not None else None
    headers = {"Content-Type": "application/json"}
    reply = httpx.request(method, doors.address + path.replace(ID, id), content=content, headers=headers, timeout=60)
    told = reply.json()
    return SLUGS[told["type"].removeprefix(TYPE_PREFIX)], told["field"], told["reason"]


def _said(error: dict[str, Any]) -> Said:
    return error["type"], error["field"], error["reason"]
