"""The routes for memories that contradict each other: list them, resolve one, resolve many."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from recollect.doors import wire_graph
from recollect.doors.http.access import Asker, ReadingIn, Right
from recollect.doors.http.bodies_stored import ResolveBody, ResolveManyBody
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN, PAGE, AfterQuery, LimitQuery, page
from recollect.doors.http.replies_stored import DisputesPage, ResolvedManyReply, ResolvedReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired

TAG = "conflicts"


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1/conflicts", tags=[TAG], dependencies=[ONLY_KNOWN])

    @routes.get("", response_model=DisputesPage, responses=problems(404))
    async def conflicts(space: ReadingIn, limit: LimitQuery = PAGE, after: AfterQuery = None) -> Response:
        """Pairs of current memories that contradict each other, as links say and as answers came upon them."""
        found = await wired.engine.conflicts(space=space, limit=limit, after=after)
        last = found[-1].cursor if found else None
        return await reply(lambda: page([wire_graph.dispute(each) for each in found], limit=limit, cursor=last))

    @routes.post("/resolve", response_model=ResolvedReply, responses=problems(404, 409))
    async def resolve_conflict(body: ResolveBody, caller: Asker) -> Response:
        """Decide about two memories; what no longer holds is superseded, never deleted. The same again does nothing."""
        space = caller.check(Right.WRITE, body.space)
        (done,) = await wired.engine.resolve_conflicts([body.value()], space=space)
        return await reply(lambda: wire_graph.resolved(done))

    @routes.post("/resolve-many", response_model=ResolvedManyReply, responses=problems(404, 409))
    async def resolve_conflicts(body: ResolveManyBody, caller: Asker) -> Response:
        """Decide about several, in order; all are checked before the first is stored."""
        space = caller.check(Right.WRITE, body.space)
        done = await wired.engine.resolve_conflicts([each.value() for each in body.resolutions], space=space)
        return await reply(lambda: {"items": [wire_graph.resolved(each) for each in done]})

    return routes
