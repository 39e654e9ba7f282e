"""The routes for whole spaces: which there are, counts, export, import, fading, and an end to one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import chain
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse

from recollect.doors import wire
from recollect.doors.http.access import AdministeringIn, Asker, ReadingIn, Right
from recollect.doors.http.bodies import documented
from recollect.doors.http.errors import MALFORMED, Rejected, Told
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN
from recollect.doors.http.replies_stored import FadedReply, ImportedReply, SpacesReply, StatsReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired
from recollect.records import LONGEST_SPACE_NAME

TAG = "spaces"
NOTHING = 204
LINES = "application/x-ndjson"
PIECE = 65_536  # characters sent at once
EXPORTED = {"schema": {"type": "string", "description": "An export as `GET /v1/export` gives it."}}
LINES_BODY: dict[str, Any] = {"requestBody": {"required": True, "content": {LINES: EXPORTED, "text/plain": EXPORTED}}}

NamedSpace = Annotated[
    str,
    Query(
        alias="space",
        description="The space; it has to be named.",
        **documented(minLength=1, maxLength=LONGEST_SPACE_NAME),
    ),
]


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1", tags=[TAG], dependencies=[ONLY_KNOWN])
    _add_spaces(routes, wired)
    _add_transfer(routes, wired)
    return routes


def _add_spaces(routes: APIRouter, wired: Wired) -> None:
    @routes.get("/spaces", response_model=SpacesReply, responses=problems())
    async def spaces(caller: Asker) -> Response:
        """The spaces there are, of those the key may see."""
        found = [each for each in await wired.engine.spaces() if caller.sees(each)]
        return await reply(lambda: {"items": found})

    @routes.get("/spaces/stats", response_model=StatsReply, responses=problems(404))
    async def stats(space: ReadingIn) -> Response:
        """Counts for one space."""
        found = await wired.engine.stats(space=space)
        return await reply(lambda: wire.stats(found, space=space))

    @routes.delete("/spaces", status_code=NOTHING, responses=problems(404))
    async def forget_space(name: NamedSpace, caller: Asker) -> Response:
        """Erase a whole space."""
        await wired.engine.forget_space(caller.check(Right.ADMIN, name))
        return Response(status_code=NOTHING)

    @routes.post("/spaces/fade", response_model=FadedReply, responses=problems(404))
    async def fade(space: AdministeringIn) -> Response:
        """Move the memories of a space along the forgetting curve."""
        done = await wired.engine.fade(space=space)
        return await reply(lambda: {"changed": done})


def _add_transfer(routes: APIRouter, wired: Wired) -> None:
    @routes.get(
        "/export",
        response_class=StreamingResponse,
        responses={
            200: {"description": "The space as JSON lines.", "content": {LINES: {"schema": {"type": "string"}}}},
            **problems(404),
        },
    )
    async def export(space: AdministeringIn) -> Response:
        """The whole space as JSON lines, sent as they are read."""
        lines = wired.engine.export_stream(space=space)
        first = await anext(lines)  # what is wrong shows here, while it can still be told
        return StreamingResponse(_pieces(first, lines), media_type=LINES)

    @routes.post("/import", response_model=ImportedReply, responses=problems(), openapi_extra=LINES_BODY)
    async def import_lines(request: Request, space: AdministeringIn) -> Response:
        """Read an export into a space; a bad line anywhere means that nothing is written."""
        try:
            text = (await request.body()).decode()
        except UnicodeDecodeError as error:
            raise Rejected(MALFORMED, Told("the body is not UTF-8", field="body", remedy="send JSON lines")) from error
        done = await wired.engine.import_space(text.split("\n"), space=space)
        return await reply(lambda: done)


async def _pieces(first: str, lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """The lines, joined to pieces worth sending."""
    waiting, size = [first], len(first)
    async for line in lines:
        if size > PIECE:
            yield "".join(chain.from_iterable((each, "\n") for each in waiting))
            waiting, size = [], 0
        waiting.append(line)
        size += len(line)
    yield "".join(chain.from_iterable((each, "\n") for each in waiting))
