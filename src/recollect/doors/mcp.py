"""The MCP door: a server of the official SDK over the tools in `mcp_tools.py`, on stdin and stdout.

Loaded on use; needs the extra `mcp`. The models load in the background once the first request was answered: until then
a question waits for them only within its deadline. HTTP is in `mcp_http.py`.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.metadata import version
from typing import Any, Self

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from recollect.doors.discreet import discreet
from recollect.doors.mcp_tools import INSTRUCTIONS, Bound, Reply, Tool, allowed, as_text, call, is_ours, mistake
from recollect.engine import Recollect
from recollect.errors import RecollectError

NAME = "recollect"
LOGGER = logging.getLogger("recollect.mcp")
HEAD_START_SECONDS = 0.05  # for the first answer to be written: loading a model holds the interpreter
STOPPING = (signal.SIGTERM, signal.SIGINT)
BUG = {"type": "InternalError", "message": "something went wrong inside; the server's log on stderr says what"}

Context = ServerRequestContext[Any, Any]
Binding = Callable[[Context], Bound]


def make_server(engine: Recollect, binding: Binding, *, warming: Warming | None = None) -> Server[Any]:
    """A server whose every request works in the space its binding gives."""
    engine = discreet(engine)
    learning = engine.settings.learning.enabled and engine.settings.learning.explicit > 0

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = [_definition(tool, learning=learning) for tool in allowed(binding(context))]
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        bound = binding(context)
        tools = {tool.name: tool for tool in allowed(bound)}
        if params.name not in tools:
            message = f"unknown tool {params.name[:100]!r}; there are: {', '.join(tools) or 'none'}"
            raise MCPError(types.INVALID_PARAMS, message)
        return await _called(tools[params.name], params.arguments or {}, engine=engine, space=bound.space)

    server: Server[Any] = Server(
        NAME,
        version=version("recollect"),
        title="Recollect",
        instructions=INSTRUCTIONS,
        lifespan=_no_lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    if warming is not None:
        server.middleware.append(warming)
    return server


async def serve_stdio(engine: Recollect, bound: Bound) -> int:
    """Serve stdin and stdout until stdin ends (0), or until told to stop: then the signal's number, and still reading.

    Reading is not ended then: a thread of the SDK waits for stdin, and nothing but a line or its end wakes it.
    """
    async with Warming(engine) as warming:
        serving = asyncio.create_task(_on_stdio(make_server(engine, lambda _: bound, warming=warming)))
        with stop_signals() as told:
            stopping = asyncio.create_task(told.wait())
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
    if serving.done():
        serving.result()
        return 0
    return told.number


async def _on_stdio(server: Server[Any]) -> None:
    async with stdio_server() as (reading, writing):  # stdout carries the protocol only; what others print is on stderr
        await server.run(reading, writing, server.create_initialization_options())


# --- requests ------------------------------------------------------------------------------------


def _definition(tool: Tool, *, learning: bool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations.model_validate(tool.hints(learning=learning)),
    )


async def _called(tool: Tool, arguments: dict[str, Any], *, engine: Recollect, space: str) -> types.CallToolResult:
    """The tool's result; what went wrong is told as a result too, so that the model can mend it."""
    try:
        reply = await call(tool, arguments, engine=engine, space=space)
    except RecollectError as error:
        if is_ours(error):
            LOGGER.error("the tool %s: %s: %s", tool.name, type(error).__name__, error)
        return _refusal(mistake(error, tool))
    except Exception as error:  # noqa: BLE001 - a door: a bug is told without its inside
        where = traceback.extract_tb(error.__traceback__)[-1]  # not the message: it may hold what is stored
        LOGGER.error("a bug in the tool %s: %s in %s:%s", tool.name, type(error).__name__, where.name, where.lineno)
        return _refusal({"error": {**BUG, "field": None, "reason": None, "remedy": None}})
    return _result(reply)


def _result(reply: Reply) -> types.CallToolResult:
    text = as_text(reply.content) if reply.text is None else reply.text
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=reply.content)


def _refusal(told: dict[str, Any]) -> types.CallToolResult:
    """No structured content: that has the shape of a result, and some clients insist."""
    return types.CallToolResult(content=[types.TextContent(text=as_text(told))], is_error=True)


# --- around the requests -------------------------------------------------------------------------


class Warming:
    """Loads the models in the background, from the first answered request on."""

    def __init__(self, engine: Recollect) -> None:
        self._engine = engine
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        try:
            return await call_next(ctx)
        finally:
            if self._task is None:
                self._task = asyncio.create_task(self._warm())

    async def _warm(self) -> None:
        await asyncio.sleep(HEAD_START_SECONDS)
        try:
            await self._engine.warm()
        except RecollectError as error:  # each question says by itself what it had to do without
            LOGGER.warning("loading the models failed: %s", error)


class Told:
    """Whether a signal said to stop, and which."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self.number = 0

    def stop(self, number: int) -> None:
        """Take note of a signal."""
        self.number = number
        self._event.set()

    async def wait(self) -> None:
        """Until there was one."""
        await self._event.wait()


@contextmanager
def stop_signals() -> Iterator[Told]:
    """Inside this block SIGTERM and Ctrl-C are told instead of ending the process."""
    loop, told = asyncio.get_running_loop(), Told()
    with suppress(NotImplementedError):  # on Windows, where they end the process at once
        for number in STOPPING:
            loop.add_signal_handler(number, told.stop, number)
    try:
        yield told
    finally:
        with suppress(NotImplementedError):
            for number in STOPPING:
                loop.remove_signal_handler(number)


@asynccontextmanager
async def _no_lifespan(_: Server[Any]) -> AsyncIterator[None]:
    yield
