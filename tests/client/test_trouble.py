"""What goes wrong: errors come back as the library's, and only what is safe is asked again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import InvalidInput, NotFound, RecollectError, Refused, Unavailable, WriteConflict, watching
from recollect.client import Client
from recollect.client.problems import PREFIX, SORTS, error_of
from recollect.doors.http.errors import KINDS, problem, told_of
from recollect.errors import EmbedderMismatch, MissingExtra, StoreError, UnknownName
from recollect.settings import RemoteSettings

from .conftest import Served

PATIENCE = 60.0  # seconds that no test waits: what it waits for happens long before
QUICK = RemoteSettings(timeout_seconds=60, network_seconds=0.1, retry_wait_seconds=0)
NOT_READY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 0\r\n"
    b"Content-Length: 2\r\nConnection: close\r\n\r\n{}"
)
EMPTY_LIST = b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"items":[]}'
NO_ZONE = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
ERRORS: list[RecollectError] = [
    Refused("too short; say more", reason="not_worth_keeping"),
    UnknownName("unknown recipe 'x'; known: fast", field="recipe"),
    InvalidInput("limit is -1; give 0 or more", field="limit"),
    NotFound("no memory 'x' in space 'default'"),
    WriteConflict("the key was used for something else; take another"),
    EmbedderMismatch("other vectors"),
    StoreError("disk full"),
    Unavailable("no weights"),
    MissingExtra("the graph", extra="code"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_comes_back_as_what_it_was(error: RecollectError) -> None:
    kind, told = told_of(error)
    again = error_of(problem(kind, told, request_id="r1"), names={}, where="http://x")
    assert type(again) is type(error)
    assert getattr(again, "field", None) == getattr(error, "field", None)
    assert getattr(again, "reason", None) == getattr(error, "reason", None)
    assert again.remedy == told.remedy
    assert told.remedy is None or told.remedy in str(again)
    assert "request r1" in "".join(again.__notes__)


def test_every_sort_of_problem_has_a_way_back() -> None:
    slugs = {kind.slug for kind in KINDS.values()}
    assert slugs - {"unavailable"} <= set(SORTS)
    assert isinstance(error_of({"type": f"{PREFIX}news", "detail": "x"}, names={}, where="y"), Unavailable)


MISTAKES: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "no question": lambda memory: memory.retrieve(" "),
    "a limit below zero": lambda memory: memory.search("harbour", limit=-1),
    "a limit that is no number": lambda memory: memory.recall("harbour", limit="3"),
    "too many": lambda memory: memory.browse(limit=1_001),
    "a deadline of nothing": lambda memory: memory.retrieve("harbour?", deadline=0),
    "an endless deadline": lambda memory: memory.retrieve("harbour?", deadline=float("inf")),
    "no filters": lambda memory: memory.search("harbour", filters={"kinds": ["a"]}),
    "messages that are none": lambda memory: memory.retrieve("harbour?", messages="hello"),
    "an empty id": lambda memory: memory.get(""),
    "an unknown id": lambda memory: memory.get("nobody"),
    "an id with a slash": lambda memory: memory.get("docs/plan"),
    "a trace with a slash": lambda memory: memory.trace("docs/plan"),
    "to forget with a slash": lambda memory: memory.forget("docs/plan"),
    "to archive what a route is called": lambda memory: memory.archive(".."),
    "a text not worth keeping": lambda memory: memory.remember("ok"),
    "an unknown space": lambda memory: memory.forget_space("nowhere"),
    "a space without a name": lambda memory: memory.browse(space=""),
    "nothing to forget": lambda memory: memory.forget(),
    "body and append": lambda memory: memory.update("x", body="a", append="b"),
    "an unknown trace": lambda memory: memory.trace("nobody"),
    "an unknown use": lambda memory: memory.feedback("last", "x", "loved"),
    "an unknown ruling": lambda memory: memory.resolve_conflict("a", "b", "toss_a_coin"),
    "a moment without zone": lambda memory: memory.classify("yesterday?", now=NO_ZONE),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_the_same_error_in_the_same_field(
    mistake: Callable[[Any], Awaitable[Any]], served: Served
) -> None:
    async def told(memory: Any) -> tuple[type, Any]:
        with pytest.raises(RecollectError) as caught:
            await mistake(memory)
        return type(caught.value), getattr(caught.value, "field", None)

    library = served.run(told(served.library))
    assert served.run(told(served.client())) == library


# The service looks at the shape of a request first, and says less of the sort and more of the field.
BY_SHAPE: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "body": lambda memory: memory.remember(""),
    "colour": lambda memory: memory.remember("The harbour plan.", colour="red"),
    "recipe": lambda memory: memory.retrieve("harbour?", recipe="slow"),
}


@pytest.mark.parametrize("field", BY_SHAPE)
def test_a_mistake_of_shape_is_of_the_same_family_and_names_the_field(field: str, served: Served) -> None:
    with pytest.raises(InvalidInput):
        served.run(BY_SHAPE[field](served.library))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput) as caught:
        served.run(BY_SHAPE[field](served.client()))  # type: ignore[arg-type]
    assert caught.value.field == field


def test_a_wrong_key_and_a_closed_space_are_the_caller_s_mistakes(served: Served) -> None:
    key = served.key("read", spaces=("team",))
    with pytest.raises(InvalidInput, match="not valid") as wrong:
        served.run(served.client(api_key="rk_wrong").spaces())
    assert wrong.value.field == "api_key"
    assert wrong.value.remedy is not None and "Bearer" in wrong.value.remedy
    with pytest.raises(InvalidInput, match="may not read") as closed:
        served.run(served.client(api_key=key).browse(space="other"))
    assert closed.value.field == "space"


@pytest.mark.parametrize("address", ["ftp://x", "nothing", "http://u:p@host", "http://host?q=1", "http://[", 7])
def test_an_address_that_cannot_be_used_is_refused_at_once(address: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Client(address)
    assert caught.value.field == "base_url"
    with pytest.raises(InvalidInput) as caught:
        Client("http://host", api_key="two\nlines")
    assert caught.value.field == "api_key"


# --- again, or not --------------------------------------------------------------------------------


class Time:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.mark.parametrize(
    "call", [lambda c: c.spaces(), lambda c: c.remember("The harbour plan.")], ids=["read", "write"]
)
def test_over_a_limit_it_waits_as_long_as_it_is_told(serve: Callable[..., Served], call: Any) -> None:
    time = Time()
    served = serve(monotonic=lambda: time.now, service__requests_per_second=0.2, service__burst=1)
    client = served.client(sleep=time.sleep, monotonic=lambda: time.now)
    served.run(client.spaces())
    served.run(call(client))
    assert time.slept == [5.0]


def test_it_does_not_wait_beyond_its_own_time(serve: Callable[..., Served]) -> None:
    time = Time()
    served = serve(monotonic=lambda: time.now, service__requests_per_second=0.01, service__burst=1)
    client = served.client(sleep=time.sleep, monotonic=lambda: time.now)
    served.run(client.spaces())
    with pytest.raises(Unavailable, match="try again in 100 s"):
        served.run(client.spaces())
    assert time.slept == []


@asynccontextmanager
async def answering(*replies: bytes | None) -> AsyncIterator[tuple[str, list[bytes]]]:
    """An address where each connection in turn gets one of these replies, or none; and what was asked there."""
    left, asked = list(replies), []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.append(head)
        reply = left.pop(0) if left else None
        if reply is not None:
            writer.write(reply)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked
    finally:
        server.close()


def test_a_lost_reply_is_asked_for_again_where_that_is_safe() -> None:
    async def story() -> None:
        async with answering(None, NOT_READY, EMPTY_LIST) as (address, asked):
            assert await Client(address, settings=QUICK).spaces() == []
            assert len(asked) == 3
        async with answering(None, None, None, EMPTY_LIST) as (address, asked):
            with pytest.raises(Unavailable, match="cannot be reached"):
                await Client(address, settings=QUICK).spaces()
            assert len(asked) == 1 + QUICK.retries

    asyncio.run(story())


@pytest.mark.parametrize("reply", [None, NOT_READY], ids=["lost", "not ready"])
def test_a_write_without_a_key_is_never_repeated(reply: bytes | None) -> None:
    async def story() -> None:
        async with answering(reply, EMPTY_LIST) as (address, asked):
            with pytest.raises(Unavailable):
                await Client(address, settings=QUICK).remember("The harbour plan.")
            assert len(asked) == 1
        async with answering(reply, reply) as (address, asked):
            with pytest.raises(Unavailable):
                await Client(address, settings=QUICK).remember("The harbour plan.", key="once")
            assert len(asked) > 1
            assert all(b"idempotency-key: once" in head.lower() for head in asked)

    asyncio.run(story())


@pytest.mark.parametrize("reply", [EMPTY_LIST, b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<h1>",
                                   b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n"],
                         ids=["other shape", "no JSON", "elsewhere"])  # fmt: skip
def test_something_that_is_no_recollect_is_said_to_be_none(reply: bytes) -> None:
    async def story() -> None:
        async with answering(reply) as (address, _):
            with pytest.raises(Unavailable):
                await Client(address, settings=QUICK).stats()

    asyncio.run(story())


# --- time -------------------------------------------------------------------------------------------


@asynccontextmanager
async def silent() -> AsyncIterator[tuple[str, asyncio.Queue[bytes], asyncio.Event]]:
    """An address that hears everything and says nothing; the event is set when the caller hangs up."""
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65_536):
            heard.put_nowait(piece)
        gone.set()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard, gone
    finally:
        server.close()


def test_a_deadline_is_passed_on_and_kept_here_too() -> None:
    async def story() -> None:
        async with silent() as (address, heard, gone):
            asking = asyncio.ensure_future(Client(address, settings=QUICK).retrieve("harbour?", deadline=2))
            sent = b""
            while b'"deadline": 1.' not in sent:
                sent += await asyncio.wait_for(heard.get(), PATIENCE)
            with pytest.raises(Unavailable, match="gave no answer in 2"):
                await asking
            await asyncio.wait_for(gone.wait(), PATIENCE)

    asyncio.run(story())


def test_a_deadline_that_passed_while_it_waited_is_not_sent() -> None:
    class Overslept(Time):
        async def sleep(self, seconds: float) -> None:
            await super().sleep(seconds + 0.25)

    async def story() -> None:
        time = Overslept()
        async with answering(None, EMPTY_LIST) as (address, asked):
            client = Client(address, settings=QUICK, sleep=time.sleep, monotonic=lambda: time.now)
            with pytest.raises(Unavailable, match="cannot be reached"):
                await client.retrieve("harbour?", deadline=0.2)
            assert (len(asked), len(time.slept)) == (1, 1)

    asyncio.run(story())


def test_events_that_are_no_json_are_said_to_be_none() -> None:
    told = b"event: progress\ndata: <h1>\n\n"
    reply = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s" % (len(told), told)

    async def story() -> None:
        async with answering(reply) as (address, _):
            with pytest.raises(Unavailable, match="not JSON"), watching(lambda _: None):
                await Client(address, settings=QUICK).retrieve("harbour?")

    asyncio.run(story())


def test_whoever_stops_waiting_closes_the_connection() -> None:
    async def story() -> None:
        async with silent() as (address, heard, gone):
            asking = asyncio.ensure_future(Client(address).retrieve("harbour?"))
            await heard.get()
            assert not gone.is_set()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await asyncio.wait_for(gone.wait(), PATIENCE)

    asyncio.run(story())
