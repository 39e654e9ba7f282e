"""How long an MCP client waits for `recollect mcp` to shake hands, beside a bare server of the same SDK, and how many
tokens the tool definitions have.

python benchmarks/mcp_start.py [--runs 9] [--embedder minilm]

Each run is a fresh process on a fresh store, asked by the SDK's client; both kinds in turn, so that a busy moment hits
both alike. The first question is asked right after the handshake, while the model is still loading.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from recollect.models.tokens import TokenCounter

SCRIPT = str(Path(sys.executable).parent / "recollect")
BARE = """
import anyio, mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
async def tools(context, params):
    return types.ListToolsResult(tools=[])
async def main():
    server = Server("bare", on_list_tools=tools)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
anyio.run(main)
"""
LIMIT_SECONDS = 2.0


async def handshake(server: StdioServerParameters, *, asks: bool) -> tuple[float, float]:
    """Seconds from starting the process to the end of the handshake, and then to the first answer."""
    began = time.perf_counter()
    async with Client(server, mode="legacy") as client:
        shaken = time.perf_counter() - began
        if not asks:
            return shaken, 0.0
        began = time.perf_counter()
        await client.call_tool("retrieve", {"question": "What did Ana write about the harbour?"})
        return shaken, time.perf_counter() - began


async def definitions(server: StdioServerParameters) -> list[dict[str, object]]:
    """The tools as they are sent."""
    async with Client(server) as client:
        return [each.model_dump(by_alias=True, exclude_none=True) for each in (await client.list_tools()).tools]


def tokens(tools: list[dict[str, object]]) -> str:
    """How many there are, of each tool and of all."""
    count = TokenCounter()
    lines = []
    for tool in tools:
        lines.append(f"  {tool['name']:10} {count(json.dumps(tool, separators=(',', ':'))):5}")
    seen = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
    whole, read = (count(json.dumps(each, separators=(",", ":"))) for each in (tools, seen))
    return "\n".join([*lines, f"  all        {whole:5}, of which names, descriptions and arguments {read}"])


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--embedder", default="minilm")
    given = parser.parse_args()
    times: dict[str, list[float]] = {"bare": [], "recollect": [], "first answer": []}
    for _ in range(given.runs):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["mcp", "--store", folder, "--set", f"embedder={given.embedder}"]
            ours = StdioServerParameters(command=SCRIPT, args=arguments)
            bare = StdioServerParameters(command=sys.executable, args=["-c", BARE])
            times["bare"].append((await handshake(bare, asks=False))[0])
            shaken, answered = await handshake(ours, asks=True)
            times["recollect"].append(shaken)
            times["first answer"].append(answered)
    for name, seconds in times.items():
        print(f"{name:14} median {statistics.median(seconds):.3f} s  slowest {max(seconds):.3f} s")
    ratio = statistics.median(times["recollect"]) / statistics.median(times["bare"])
    print(f"handshake: {ratio:.2f} times a bare server of the SDK; limit {LIMIT_SECONDS} s")
    with tempfile.TemporaryDirectory() as folder:
        tools = await definitions(StdioServerParameters(command=SCRIPT, args=["mcp", "--store", folder]))
    print(f"tokens of the tool definitions:\n{tokens(tools)}")


if __name__ == "__main__":
    asyncio.run(main())
