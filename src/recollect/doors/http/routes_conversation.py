"""The routes for a conversation: facts and earlier messages that bear on its last message, with how sure that is."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from recollect.doors.http.access import Asker, Right
from recollect.doors.http.bodies import ConversationBody
from recollect.doors.http.conversation import converse, debugged, told
from recollect.doors.http.errors import noted_of
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN
from recollect.doors.http.replies import ConversationDebugReply, ConversationReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired

TAG = "conversation"


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/api/memory", tags=[TAG], dependencies=[ONLY_KNOWN])

    @routes.post("/retrieve", response_model=ConversationReply, responses=problems())
    async def retrieve_for_conversation(request: Request, body: ConversationBody, caller: Asker) -> Response:
        """Facts and messages for the last message of a conversation."""
        found = await converse(wired, body, space=caller.check(Right.READ, body.space))
        noted_of(request).reasons.append(found.stop)
        return await reply(lambda: told(found))

    @routes.post("/retrieve/debug", response_model=ConversationDebugReply, responses=problems())
    async def debug_for_conversation(request: Request, body: ConversationBody, caller: Asker) -> Response:
        """The same, with every search whole and its trace step by step."""
        found = await converse(wired, body, space=caller.check(Right.READ, body.space))
        noted_of(request).reasons.append(found.stop)
        return await reply(lambda: debugged(found))

    return routes
