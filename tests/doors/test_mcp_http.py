"""MCP over HTTP: who gets in, in which space a key works, and what is turned away before anything is looked up."""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from mcp import Client

from recollect.doors.http.keys import KeyRing

from .mcp_clients import GONE_WITHIN_SECONDS, SCRIPT, arguments, done, listening, refused, with_key

HARBOUR = "Ana moved the harbour budget to four million euro."
QUAY = "Ben keeps the quay ledger in the blue cabinet."
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def key(folder: Path, *spaces: str, rights: tuple[str, ...] = ("read", "write")) -> str:
    _, text = KeyRing(folder).create(label="test", spaces=spaces, rights=rights)
    return text


async def posted(address: str, body: Any = HELLO, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx2.AsyncClient(headers=ACCEPT | named) as client:
        return await client.post(address, json=body)


def test_pages_and_names_that_are_not_ours_are_turned_away(folder: Path) -> None:
    async def ask() -> None:
        async with listening(folder) as address:
            assert (await posted(address)).status_code == 200
            assert (await posted(address, Host="evil.example")).status_code == 403
            assert (await posted(address, Origin="https://evil.example")).status_code == 403
            own = address.removesuffix("/mcp")
            assert (await posted(address, Origin=own)).status_code == 200

    asyncio.run(ask())


def test_a_key_works_in_its_own_space_and_reaches_nothing_of_another(folder: Path) -> None:
    ana, ben = key(folder, "ana"), key(folder, "ben")

    async def ask() -> None:
        async with listening(folder, "--space", "ana") as address:
            async with with_key(address, ana) as client:
                id = (await done(client, "remember", text=HARBOUR))["id"]
            async with with_key(address, ben) as client:
                await done(client, "remember", text=QUAY)
                assert [each["text"] for each in (await done(client, "recall"))["memories"]] == [QUAY]
                assert HARBOUR not in str(await done(client, "search", query="harbour budget Ana"))
                answer = await done(client, "retrieve", question="What is the harbour budget?")
                assert HARBOUR not in str(answer)
                for tool, given in (("fetch", {"id": id}), ("forget", {"ids": [id]}), ("recall", {"space": "ana"})):
                    assert HARBOUR not in str(await refused(client, tool, given))
            async with with_key(address, ana) as client:
                assert [each["text"] for each in (await done(client, "recall"))["memories"]] == [HARBOUR]

    asyncio.run(ask())


def test_a_key_has_the_tools_its_rights_allow(folder: Path) -> None:
    reader, writer = key(folder, "ana", rights=("read",)), key(folder, "ana", rights=("write",))

    async def ask() -> None:
        async with listening(folder) as address:
            for text, expected in (
                (reader, ["retrieve", "recall", "search", "fetch"]),
                (writer, ["remember", "forget"]),
            ):
                async with with_key(address, text) as client:
                    assert [each.name for each in (await client.list_tools()).tools] == expected

    asyncio.run(ask())


def test_without_a_good_key_nobody_gets_in(folder: Path) -> None:
    ring = KeyRing(folder)
    revoked, gone = ring.create(label="old", spaces=["ana"], rights=["read"])
    ring.revoke(revoked.id)
    both = key(folder, "ana", "ben")

    async def ask() -> None:
        async with listening(folder) as address:
            assert (await posted(address)).status_code == 401
            assert (
                await posted(address.replace("/mcp", "/health"))
            ).status_code == 401  # open only in the other service
            assert (await posted(address, Authorization="Bearer rcl_a_b")).status_code == 401
            assert (await posted(address, Authorization=f"Bearer {gone}")).status_code == 401
            told = await posted(address, Authorization=f"Bearer {both}")  # the server works in space `default`
            assert told.status_code == 403
            assert "ana" not in told.text
        async with listening(folder, "--space", "ben") as address:
            assert (await posted(address, Authorization=f"Bearer {both}")).status_code == 200

    asyncio.run(ask())


def test_a_session_belongs_to_the_key_that_began_it(folder: Path) -> None:
    ana, ben = key(folder, "ana"), key(folder, "ben")

    async def ask() -> None:
        async with listening(folder) as address:
            begun = await posted(address, Authorization=f"Bearer {ana}")
            session = {"mcp_session_id": begun.headers["mcp-session-id"]}
            assert (await posted(address, LIST, Authorization=f"Bearer {ana}", **session)).status_code == 200
            assert (await posted(address, LIST, Authorization=f"Bearer {ben}", **session)).status_code == 404

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("setting", "status"), [("service.max_body_bytes=1000", 413), ("service.burst=1", 429)], ids=["size", "rate"]
)
def test_too_much_is_turned_away(setting: str, status: int, folder: Path) -> None:
    long = HELLO | {"params": HELLO["params"] | {"padding": "x" * 2_000}}  # type: ignore[operator]

    async def ask() -> None:
        slow = ["--set", "service.requests_per_second=0.01"]
        async with listening(folder, "--set", setting, *slow) as address:
            assert (await posted(address)).status_code == 200
            told = await posted(address, long)
            assert told.status_code == status
            assert status != 429 or int(told.headers["retry-after"]) >= 1

    asyncio.run(ask())


def test_sessions_that_wait_for_news_are_no_requests_in_progress(folder: Path) -> None:
    async def ask() -> None:
        async with listening(folder, "--set", "service.concurrent_requests=3") as address, AsyncExitStack() as opened:
            clients = [await opened.enter_async_context(Client(address, mode="legacy")) for _ in range(6)]
            for client in clients:
                assert (await done(client, "recall"))["memories"] == []

    asyncio.run(ask())


def test_a_connection_that_sends_half_a_head_is_closed(folder: Path) -> None:
    async def ask() -> tuple[bytes, str]:
        async with listening(folder) as address:
            where = urlsplit(address)
            reading, writing = await asyncio.open_connection(where.hostname, where.port)
            writing.write(b"POST /mcp HTTP/1.1\r\nHost: localh")
            said = await asyncio.wait_for(reading.read(), GONE_WITHIN_SECONDS)  # until it is closed
            writing.close()
            return said, str((await posted(address)).headers.get("server"))

    said, server = asyncio.run(ask())
    assert said == b""
    assert server == "None"


def test_a_session_that_stays_open_does_not_hold_up_stopping(folder: Path) -> None:
    async def ask() -> None:
        given = arguments(folder, "--http", "--port", "0", "--set", "service.stop_seconds=3600")
        process = await asyncio.create_subprocess_exec(SCRIPT, *given, stderr=asyncio.subprocess.PIPE)
        assert process.stderr is not None
        address = (await process.stderr.readline()).decode().split()[-1]
        async with Client(address, mode="legacy") as client:
            await done(client, "recall")
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), GONE_WITHIN_SECONDS) == 0
            assert await process.stderr.read() == b""

    asyncio.run(ask())
