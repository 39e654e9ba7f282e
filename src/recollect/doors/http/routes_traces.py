"""The routes that look back: traces, why a memory stands where it does, feedback, what was learned, replay."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from recollect.doors import wire
from recollect.doors.http.access import Asker, ReadingIn, Right, WritingIn
from recollect.doors.http.bodies_stored import LONGEST_ID, FeedbackBody, ReplayBody
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN, PAGE, AfterQuery, LimitQuery, page
from recollect.doors.http.replaying import Replayer
from recollect.doors.http.replies_replay import ReplayReply
from recollect.doors.http.replies_stored import TracesPage
from recollect.doors.http.replies_trace import ExplainedReply, TraceReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired

TAG = "traces"
NOTHING = 204

TracePath = Annotated[str, Path(min_length=1, max_length=LONGEST_ID, description="Of the trace; `last` is the newest.")]
MemoryQuery = Annotated[str, Query(min_length=1, max_length=LONGEST_ID, description="The memory asked about.")]
TraceQuery = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_ID, description="Only what this answer taught; else everything.")
]


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1", tags=[TAG], dependencies=[ONLY_KNOWN])
    _add_reading(routes, wired)
    _add_teaching(routes, wired)
    replayer = Replayer(wired)

    @routes.post("/replay", response_model=ReplayReply, responses=problems())
    async def replay(body: ReplayBody, caller: Asker) -> Response:
        """Ask stored questions again under changed settings, and say what that changes. Nothing is learned from it."""
        space = caller.check(Right.ADMIN, body.space)
        report = await replayer.replay(space, last=body.last, changes=body.settings)
        return await reply(lambda: report)

    return routes


def _add_reading(routes: APIRouter, wired: Wired) -> None:
    @routes.get("/traces", response_model=TracesPage, responses=problems(404))
    async def traces(space: ReadingIn, limit: LimitQuery = PAGE, after: AfterQuery = None) -> Response:
        """The traces kept, newest first."""
        found = await wired.engine.traces(space=space, limit=limit, before=after)
        last = found[-1].id if found else None
        return await reply(lambda: page([wire.trace_line(each) for each in found], limit=limit, cursor=last))

    @routes.get("/traces/{id:whole}/explain", response_model=ExplainedReply, responses=problems(404))
    async def explain(id: TracePath, memory_id: MemoryQuery, space: ReadingIn) -> Response:
        """Why a memory stands where it does in an answer, or what became of it."""
        found = await wired.engine.explain(id, memory_id, space=space)
        return await reply(lambda: wire.explained(found))

    @routes.get("/traces/{id:whole}", response_model=TraceReply, responses=problems(404))
    async def trace(id: TracePath, space: ReadingIn) -> Response:
        """One trace whole: every step, every lookup, every number behind a score."""
        found = await wired.engine.trace(id, space=space)
        return await reply(lambda: wire.trace_record(found))


def _add_teaching(routes: APIRouter, wired: Wired) -> None:
    @routes.post("/feedback", status_code=NOTHING, responses=problems(404, 409))
    async def feedback(body: FeedbackBody, caller: Asker) -> Response:
        """Say what became of a piece of evidence; the same word twice counts once."""
        space = caller.check(Right.WRITE, body.space)
        await wired.engine.feedback(body.trace_id, body.memory_id, body.use, space=space)
        return Response(status_code=NOTHING)

    @routes.post("/unlearn", status_code=NOTHING, responses=problems(404, 409))
    async def unlearn(space: WritingIn, trace_id: TraceQuery = None) -> Response:
        """Undo what was learned: from one answer, or everything."""
        await wired.engine.unlearn(space=space, trace_id=trace_id)
        return Response(status_code=NOTHING)
