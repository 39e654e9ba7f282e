"""Server-sent events: what happens to a question while it is answered, then the answer.

`progress` events tell steps, decisions and lookups; `answer` is the reply, `error` a problem. A mistake found before
anything has happened is an ordinary error reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any

from fastapi.responses import Response, StreamingResponse

from recollect.doors.discreet import discreet_numbers
from recollect.doors.http.errors import Noted, problem, tell
from recollect.doors.http.sending import encode
from recollect.doors.wire_stored import number, numbers
from recollect.offload import run_in_thread
from recollect.trace import watching
from recollect.values import Happening

MEDIA_TYPE = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def wants_events(accept: str | None) -> bool:
    """Whether a client asked for events.

    >>> wants_events("text/event-stream"), wants_events("application/json"), wants_events(None)
    (True, False, False)
    """
    return any(each.partition(";")[0].strip().lower() == MEDIA_TYPE for each in (accept or "").split(","))


async def stream(ask: Callable[[], Awaitable[Callable[[], Any]]], noted: Noted) -> Response:
    """The reply that tells what happens; `ask` gives what makes the payload of the answer."""
    inbox: asyncio.Queue[Happening] = asyncio.Queue()
    here = asyncio.get_running_loop()
    with watching(lambda each: _pass_on(here, inbox, each)):
        asking = asyncio.ensure_future(ask())
    first = asyncio.ensure_future(inbox.get())
    try:
        await asyncio.wait({asking, first}, return_when=asyncio.FIRST_COMPLETED)
        if not first.done():
            asking.result()  # raises what is to be an ordinary error
    except BaseException:
        asking.cancel()
        first.cancel()
        raise
    told = _tell(asking, first, inbox, noted)
    return StreamingResponse(told, media_type=MEDIA_TYPE, headers=HEADERS)


def _pass_on(here: asyncio.AbstractEventLoop, inbox: asyncio.Queue[Happening], each: Happening) -> None:
    """Put it into the inbox, from whichever loop it happened on."""
    here.call_soon_threadsafe(inbox.put_nowait, each)


async def _tell(
    asking: asyncio.Future[Any],
    first: asyncio.Future[Happening],
    inbox: asyncio.Queue[Happening],
    noted: Noted,
) -> AsyncIterator[bytes]:
    waiting = first
    try:
        while True:
            await asyncio.wait({asking, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if not waiting.done():
                break
            yield event("progress", happening(waiting.result()))
            waiting = asyncio.ensure_future(inbox.get())
        name, make = await _outcome(asking, noted)
        yield await run_in_thread(lambda: event(name, make()))
    finally:  # also when the client has gone: then its question need not be answered
        asking.cancel()
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting


async def _outcome(asking: asyncio.Future[Callable[[], Any]], noted: Noted) -> tuple[str, Callable[[], Any]]:
    try:
        return "answer", await asking
    except Exception as error:  # noqa: BLE001 - a door: the reply has begun, so the error is an event of it
        told = problem(*tell(error, noted), request_id=noted.request_id)
        return "error", lambda: told


def event(name: str, payload: Any) -> bytes:
    """One event.

    >>> event("answer", {"a": 1})
    b'event: answer\\ndata: {"a":1}\\n\\n'
    """
    return b"event: " + name.encode() + b"\ndata: " + encode(payload) + b"\n\n"


def happening(value: Happening) -> dict[str, Any]:
    """Something that happened to a question, with the lookup's words but no memory's."""
    return {
        "what": value.what,
        "name": value.name,
        "at": number(value.at),
        "numbers": numbers(discreet_numbers(value.numbers)),
    }
