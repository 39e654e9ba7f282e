"""The command `mcp`: the store as tools for agents, over stdin and stdout or HTTP."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import replace
from importlib import import_module
from typing import Annotated, Any

import typer

from recollect.doors.cli_call import Call, Place, locate
from recollect.doors.cli_options import Common, option
from recollect.errors import InvalidInput, MissingExtra
from recollect.records import check_space

SIGNALLED = 128  # a process that a signal ended exits with this and the signal's number
SIGTERM = 15


async def mcp(
    common: Common,
    http: Annotated[bool, option("Serve streamable HTTP instead of stdin and stdout.", "--http")] = False,
    host: Annotated[str | None, option("Address for --http. Default: 127.0.0.1.", metavar="HOST")] = None,
    port: Annotated[int | None, option("Port for --http; 0 takes a free one. Default: 8766.", metavar="PORT")] = None,
    read_only: Annotated[bool, option("Only tools that change nothing.", "--read-only")] = False,
) -> None:
    """Serve one space to agents as MCP tools: retrieve, recall, remember, forget, search, fetch."""
    if not http and (host is not None or port is not None):
        raise InvalidInput("--host and --port are for --http", field="host" if host is not None else "port")
    check_space(common.space)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    tools = import_module("recollect.doors.mcp_tools")
    door = _load("mcp_http", "mcp,server") if http else _load("mcp", "mcp")
    bound = tools.Bound(common.space, may_write=not read_only)
    async with Call(common).open(_place(common, read_only=read_only)) as engine:
        if http:
            number = await door.serve_http(engine, bound, host=host, port=port, tell=_tell(common))
        else:
            number = await door.serve_stdio(engine, bound)
    if number and not http:  # a thread still waits for stdin and would keep the process; all that matters is on disk
        sys.stderr.flush()
        os._exit(_exit_code(number))
    if number:
        raise typer.Exit(_exit_code(number))


def _exit_code(number: int) -> int:
    """Being told to stop is no failure; being interrupted by a person is told as usual."""
    return 0 if number == SIGTERM else SIGNALLED + number


def _place(common: Common, *, read_only: bool) -> Place:
    """The store and its settings; a server that only reads learns nothing from what is recalled either."""
    place = locate(common)
    still = {"learning.explicit": 0.0, "learning.automatic": 0.0} if read_only else {}
    return replace(place, arguments={**place.arguments, **still})


def _load(module: str, extra: str) -> Any:
    try:
        return import_module(f"recollect.doors.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("recollect"):
            raise
        raise MissingExtra("recollect mcp", extra=extra) from error


def _tell(common: Common) -> Any:
    def tell(address: str) -> None:
        if not common.quiet:
            typer.echo(f"Listening on {address}", err=True)

    return tell
