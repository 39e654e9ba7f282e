"""What docs/mcp.md shows is run: its client code as it stands, its configuration by a real client."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from recollect.doors.mcp_shapes import FILTERS
from recollect.doors.mcp_tools import TOOLS

from .mcp_clients import SCRIPT, listening

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
LOCAL, REMOTE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ENTRIES = [json.loads(each) for each in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
ADDRESS = "http://127.0.0.1:8766/mcp"


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """A home whose store asks for an embedder that needs no weights, and the script on the path."""
    store = tmp_path / "home" / ".recollect"
    store.mkdir(parents=True)
    (store / "recollect.toml").write_text('[embedder]\nname = "static"\n', encoding="utf-8")
    path = f"{Path(SCRIPT).parent}{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(tmp_path / "home"), "PATH": path}


def test_the_client_code_runs(surroundings: dict[str, str]) -> None:
    done = subprocess.run([sys.executable, "-c", LOCAL], capture_output=True, text=True, env=os.environ | surroundings)
    assert done.returncode == 0, done.stderr
    answered, refused = done.stdout.splitlines()
    assert re.fullmatch(r"answerable \[memory:\w+\]", answered)
    told = json.loads(refused)["error"]
    assert (told["field"], told["remedy"]) == ("recipe", "known: fast, balanced, deep")


def test_the_client_code_over_http_runs(folder: Path) -> None:
    assert ADDRESS in REMOTE

    async def run() -> str:
        async with listening(folder) as address:
            code = REMOTE.replace(ADDRESS, address)
            pipe = asyncio.subprocess.PIPE
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=pipe)
            return (await process.communicate())[0].decode()

    assert asyncio.run(run()).strip() == str([tool.name for tool in TOOLS])


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: next(iter(entry)))
def test_the_configuration_starts_a_server(entry: dict[str, Any], surroundings: dict[str, str]) -> None:
    (servers,) = entry.values()
    given = servers["recollect"]

    async def ask() -> list[str]:
        server = StdioServerParameters(command=given["command"], args=given["args"], env=surroundings)
        async with Client(server) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    readers = [tool.name for tool in TOOLS if not tool.writes]
    assert asyncio.run(ask()) == (readers if "--read-only" in given["args"] else [tool.name for tool in TOOLS])


def test_the_page_names_every_tool_its_arguments_and_filters() -> None:
    for tool in TOOLS:
        (row,) = re.findall(rf"^\| `{tool.name}` .*$", PAGE, re.MULTILINE)
        assert all(re.search(rf"\b{name}\b", row) for name in tool.takes["properties"]), row
    assert all(f"`{name}`" in PAGE for name in FILTERS["properties"])
