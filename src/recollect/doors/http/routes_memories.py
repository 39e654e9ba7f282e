"""The routes for memories: remember, read, change, supersede, archive, restore, forget, list."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import Response

from recollect.doors import wire
from recollect.doors.http.access import Asker, ReadingIn, Right, WritingIn
from recollect.doors.http.bodies_stored import (
    LONGEST_ID,
    RememberBody,
    RememberManyBody,
    SupersedeBody,
    UpdateBody,
)
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import (
    ONLY_KNOWN,
    PAGE,
    AfterQuery,
    EditingIn,
    FiltersQuery,
    IdempotencyKey,
    LimitQuery,
    editing,
    page,
)
from recollect.doors.http.replies_found import MemoryReply
from recollect.doors.http.replies_stored import MemoriesPage, RememberedManyReply, RememberedReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired
from recollect.values import Fate, Remembered

TAG = "memories"
CREATED, OK, NOTHING = 201, 200, 204
THERE: dict[int | str, dict[str, Any]] = {
    OK: {"model": RememberedReply, "description": "The same is stored already, or the key was used for it."}
}

IdPath = Annotated[str, Path(min_length=1, max_length=LONGEST_ID, description="Of the memory.")]


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1/memories", tags=[TAG], dependencies=[ONLY_KNOWN])
    _add_remembering(routes, wired)
    _add_reading(routes, wired)
    _add_changing(routes, wired)
    _add_ending(routes, wired)
    return routes


def _add_remembering(routes: APIRouter, wired: Wired) -> None:
    @routes.post("", status_code=CREATED, response_model=RememberedReply, responses={**THERE, **problems(409)})
    async def remember(body: RememberBody, caller: Asker, key: IdempotencyKey = None) -> Response:
        """Store one text, unless the same is stored already; 200 says that it was."""
        space = caller.check(Right.WRITE, body.space)
        keys = None if key is None else [key]
        (done,) = await wired.engine.remember_many([body.value()], space=space, keys=keys)
        return await reply(lambda: wire.remembered(done), status=_status([done]))

    @routes.post(
        "/batch", status_code=CREATED, response_model=RememberedManyReply,
        responses={OK: {"model": RememberedManyReply, "description": "All were stored already."}, **problems(409)},
    )  # fmt: skip
    async def remember_many(body: RememberManyBody, caller: Asker, key: IdempotencyKey = None) -> Response:
        """Store several texts, in order; all are checked before the first is stored."""
        space = caller.check(Right.WRITE, body.space)
        drafts = [each.value() for each in body.memories]
        keys = None if key is None else [f"{key} {number}" for number in range(len(drafts))]
        done = await wired.engine.remember_many(drafts, space=space, keys=keys)
        return await reply(lambda: {"items": [wire.remembered(each) for each in done]}, status=_status(done))


def _add_reading(routes: APIRouter, wired: Wired) -> None:
    @routes.get("", response_model=MemoriesPage, responses=problems(404))
    async def browse(
        space: ReadingIn, filters: FiltersQuery, limit: LimitQuery = PAGE, after: AfterQuery = None
    ) -> Response:
        """Memories newest first, a page at a time."""
        found = await wired.engine.browse(space=space, filters=filters, limit=limit, after=after)
        last = found[-1].id if found else None
        return await reply(lambda: page([wire.memory(each) for each in found], limit=limit, cursor=last))

    @routes.get("/{id:whole}", response_model=MemoryReply, responses=problems(404))
    async def get(id: IdPath, space: ReadingIn) -> Response:
        """One memory. This counts as an access and makes it last longer."""
        found = await wired.engine.get(id, space=space)
        return await reply(lambda: wire.memory(found))


def _add_changing(routes: APIRouter, wired: Wired) -> None:
    @routes.patch("/{id:whole}", response_model=MemoryReply, responses=problems(404, 409))
    async def update(id: IdPath, body: UpdateBody, caller: Asker) -> Response:
        """Change the fields sent; `text` replaces the text, `append` adds to it."""
        space = editing(caller, body.space)
        changed = await wired.engine.update(id, space=space, append=body.append, **body.given())
        return await reply(lambda: wire.memory(changed))

    @routes.post("/{id:whole}/supersede", status_code=CREATED, response_model=MemoryReply, responses=problems(404, 409))
    async def supersede(id: IdPath, body: SupersedeBody, caller: Asker) -> Response:
        """Store a newer version; the old memory stays, its interval closed."""
        space = editing(caller, body.space)
        new = await wired.engine.supersede(id, space=space, **body.given())
        return await reply(lambda: wire.memory(new), status=CREATED)


def _add_ending(routes: APIRouter, wired: Wired) -> None:
    @routes.post("/{id:whole}/archive", response_model=MemoryReply, responses=problems(404, 409))
    async def archive(id: IdPath, space: EditingIn) -> Response:
        """Take a memory out of every search."""
        done = await wired.engine.archive(id, space=space)
        return await reply(lambda: wire.memory(done))

    @routes.post("/{id:whole}/restore", response_model=MemoryReply, responses=problems(404, 409))
    async def restore(id: IdPath, space: EditingIn) -> Response:
        """Bring an archived memory back."""
        done = await wired.engine.restore(id, space=space)
        return await reply(lambda: wire.memory(done))

    @routes.delete("/{id:whole}", status_code=NOTHING, responses=problems(404))
    async def forget(id: IdPath, space: WritingIn) -> Response:
        """Really erase a memory: its text, vector, links, and every trace that speaks of it."""
        await wired.engine.forget(id, space=space)
        return Response(status_code=NOTHING)


def _status(done: list[Remembered]) -> int:
    return CREATED if any(each.fate is Fate.STORED for each in done) else OK
