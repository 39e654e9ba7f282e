"""Real clients of the MCP door: a `recollect mcp` process over stdio or HTTP, or a server in this process."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from recollect import Recollect
from recollect.doors.mcp import make_server
from recollect.doors.mcp_tools import Bound

SCRIPT = str(Path(sys.executable).parent / "recollect")
GONE_WITHIN_SECONDS = 60.0
# Time enough for a machine that is busy with something else.
GIVEN = ("embedder=hashing", "timeout_seconds=600", "lookup_timeout=600")
SETTINGS = [each for setting in GIVEN for each in ("--set", setting)]


def arguments(folder: Path, *more: str) -> list[str]:
    return ["mcp", "--store", str(folder), *SETTINGS, *more]


@asynccontextmanager
async def over_stdio(folder: Path, *more: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with Client(StdioServerParameters(command=SCRIPT, args=arguments(folder, *more)), mode=mode) as client:
        yield client


@asynccontextmanager
async def listening(folder: Path, *more: str) -> AsyncIterator[str]:
    """The address of a `recollect mcp --http` process, which is told to stop afterwards and must do so."""
    given = arguments(folder, "--http", "--port", "0", *more)
    process = await asyncio.create_subprocess_exec(SCRIPT, *given, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    try:
        line = (await process.stderr.readline()).decode()
        assert line.startswith("Listening on "), line
        yield line.split()[-1]
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(process.wait(), GONE_WITHIN_SECONDS)
    assert process.returncode == 0


@asynccontextmanager
async def over_http(folder: Path, *more: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with listening(folder, *more) as address, Client(address, mode=mode) as client:
        yield client


@asynccontextmanager
async def with_key(address: str, key: str, *, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def inside(engine: Recollect, bound: Bound | None = None) -> AsyncIterator[Client]:
    """A client of a server in this process, over the protocol's own messages."""
    async with Client(make_server(engine, lambda _: bound or Bound("default")), mode="legacy") as client:
        yield client


async def done(client: Client, tool: str, **given: Any) -> Any:
    """The structured content of a call that went well, held against the schema the tool promises."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, text_of(result)
    promised = {each.name: each.output_schema for each in (await client.list_tools()).tools}[tool]
    assert promised is not None
    jsonschema.Draft202012Validator(promised).validate(result.structured_content)
    return result.structured_content


async def refused(client: Client, tool: str, given: Mapping[str, Any]) -> Any:
    """What a tool says about a call that cannot be done."""
    result = await client.call_tool(tool, dict(given))
    assert result.is_error
    assert result.structured_content is None
    assert "Traceback" not in text_of(result)
    return json.loads(text_of(result))["error"]


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    return str(getattr(content, "text", ""))
