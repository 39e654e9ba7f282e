"""Limits: too many, too much, too long; each with a remedy, and none for somebody else's requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from recollect.doors.http.errors import Rejected
from recollect.doors.http.limits import Limits
from recollect.settings import ServiceSettings

from .conftest import Service

PATIENCE = 60.0


class Hand:
    """A clock moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def admitted(limits: Limits, who: str = "a") -> int | None:
    """The seconds to wait, or None where the request may come in."""
    try:
        with limits.admitted(who):
            return None
    except Rejected as error:
        return int(error.told.headers["Retry-After"])


def test_a_bucket_empties_and_fills_up_again() -> None:
    hand = Hand()
    limits = Limits(ServiceSettings(requests_per_second=0.5, burst=2), hand)
    assert [admitted(limits) for _ in range(3)] == [None, None, 2]
    hand.now = 1.9
    assert admitted(limits) == 1
    hand.now = 2.0
    assert admitted(limits) is None
    hand.now = 1_000.0
    assert [admitted(limits) for _ in range(3)] == [None, None, 2], "never more than the burst"


def test_one_caller_does_not_use_up_another_ones_bucket() -> None:
    limits = Limits(ServiceSettings(requests_per_second=0.1, burst=1), Hand())
    assert admitted(limits, "a") is None
    assert admitted(limits, "a") is not None
    assert admitted(limits, "b") is None


def test_only_so_many_at_once() -> None:
    limits = Limits(ServiceSettings(concurrent_requests=2), Hand())
    with limits.admitted("a"):
        with limits.admitted("a"):
            assert admitted(limits) == 1
            assert admitted(limits, "b") is None
        assert admitted(limits) is None


def test_a_caller_who_stays_does_not_keep_all_others_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.doors.http.limits.MOST_CALLERS", 2)
    limits = Limits(ServiceSettings(requests_per_second=0.1, burst=1), Hand())
    with limits.admitted("stays"):
        for who in "abcd":
            assert admitted(limits, who) is None
        assert admitted(limits, "a") is None, "forgotten, so its bucket is full again"
        assert admitted(limits, "stays") is not None, "whoever is served is not forgotten"


def test_over_the_limit_a_request_gets_429_and_how_long_to_wait(start: Callable[..., Service]) -> None:
    service = start(service__requests_per_second=0.01, service__burst=2)
    key, other = service.key("read"), service.key("read")
    replies = [service.ask("POST", "/v1/search", {"text": "harbour"}, key=key) for _ in range(3)]
    assert [each.status_code for each in replies] == [200, 200, 429]
    assert int(replies[2].headers["Retry-After"]) >= 1
    assert replies[2].json()["type"] == "urn:recollect:problem:too-many-requests"
    assert service.ask("POST", "/v1/search", {"text": "harbour"}, key=other).status_code == 200


def test_guessing_keys_is_limited_too(start: Callable[..., Service]) -> None:
    service = start(service__requests_per_second=0.01, service__burst=3)
    service.key("read")
    tried = [service.ask("POST", "/v1/search", {}, key=f"rcl_{each}_x").status_code for each in range(5)]
    assert tried == [401, 401, 401, 429, 429]


def test_a_body_that_is_too_large_is_refused_whether_or_not_it_says_so(start: Callable[..., Service]) -> None:
    service = start(service__max_body_bytes=1_000)
    headers = {"Content-Type": "application/json"}
    large = b'{"text": "' + b"x" * 1_000 + b'"}'

    async def pieces() -> Any:
        yield large[:600]
        yield large[600:]

    for content in (large, pieces()):
        reply = service.ask("POST", "/v1/search", content=content, headers=headers)
        assert reply.status_code == 413
        assert reply.json()["field"] == "body"


def test_a_request_that_takes_too_long_is_ended(start: Callable[..., Service]) -> None:
    service = start(service__request_seconds=1.0)
    began, ended = [], []

    async def slow(*_: object, **__: object) -> None:
        began.append(True)
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            ended.append(True)
            raise

    service.engine.search = slow  # type: ignore[method-assign, assignment]
    reply = service.ask("POST", "/v1/search", {"text": "harbour"})
    assert reply.status_code == 504
    assert ended == began, "the route is ended as well, if it came so far"


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_a_client_that_goes_away_stops_its_work(service: Service, accept: str) -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def slow(*_: object, **__: object) -> None:
        began.set()
        try:
            await asyncio.sleep(PATIENCE)
        finally:
            ended.set()

    service.engine.retrieve = slow  # type: ignore[method-assign, assignment]

    async def hang_up() -> list[Any]:
        sent: list[Any] = []
        body = {"type": "http.request", "body": b'{"text": "harbour plan"}', "more_body": False}

        async def receive() -> Any:
            if body:
                message = dict(body)
                body.clear()
                return message
            await began.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"accept", accept.encode())]
        scope = {
            "type": "http", "method": "POST", "path": "/v1/retrieve", "raw_path": b"/v1/retrieve", "query_string": b"",
            "headers": headers, "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http",
            "root_path": "", "http_version": "1.1", "asgi": {"version": "3.0"},
        }  # fmt: skip
        await service.app(scope, receive, send)
        await asyncio.wait_for(ended.wait(), PATIENCE)
        return sent

    assert service.run(hang_up()) == []
