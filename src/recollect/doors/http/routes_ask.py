"""The routes that ask: retrieve, context, recall, search, classify."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from recollect.doors import wire
from recollect.doors.http.access import Asker, Right
from recollect.doors.http.bodies import ClassifyBody, ContextBody, RecallBody, RetrieveBody, SearchBody
from recollect.doors.http.errors import noted_of
from recollect.doors.http.events import MEDIA_TYPE, stream, wants_events
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN
from recollect.doors.http.replies import AnswerReply, ContextReply, QuestionReply, RecallReply, SearchReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired
from recollect.doors.wire_stored import number
from recollect.errors import InvalidInput
from recollect.values import Question, Recalled, SearchResult

EVENTS: dict[str, Any] = {
    "description": "The answer; with `Accept: text/event-stream`, events while it is made: `progress`, then `answer`.",
    "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
}
TAG = "ask"


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1", tags=[TAG], dependencies=[ONLY_KNOWN])
    _add_retrieve(routes, wired)
    _add_context_and_recall(routes, wired)
    _add_search_and_classify(routes, wired)
    return routes


def _add_retrieve(routes: APIRouter, wired: Wired) -> None:
    @routes.post("/retrieve", response_model=AnswerReply, responses={200: EVENTS, **problems()})
    async def retrieve(request: Request, body: RetrieveBody, caller: Asker) -> Response:
        """Search like a researcher: a verdict, the evidence behind it, and what is missing."""
        space = caller.check(Right.READ, body.space)
        noted = noted_of(request)

        async def ask() -> Callable[[], Any]:
            async with wired.turns:
                answer = await wired.engine.retrieve(
                    body.text,
                    space=space,
                    filters=body.filters.value() if body.filters else None,
                    messages=[each.value() for each in body.messages],
                    recipe=body.recipe,
                    deadline=wired.deadline(body.deadline),
                    max_tokens=body.max_tokens,
                )
            noted.reasons.append(answer.stop.value)
            return lambda: wire.answer(answer, weak_below=wired.settings.answerable_threshold)

        if wants_events(request.headers.get("accept")):
            return await stream(ask, noted)
        return await reply(await ask())


def _add_context_and_recall(routes: APIRouter, wired: Wired) -> None:
    @routes.post("/context", response_model=ContextReply, responses=problems())
    async def context(request: Request, body: ContextBody, caller: Asker) -> Response:
        """The block to put before an agent's next reply, or an empty one with the reason."""
        space = caller.check(Right.READ, body.space)
        async with wired.turns:
            found = await wired.engine.retrieve_context(
                body.message,
                space=space,
                session=body.session,
                filters=body.filters.value() if body.filters else None,
                messages=[each.value() for each in body.messages],
                deadline=wired.deadline(body.deadline),
                max_tokens=body.max_tokens,
            )
        noted_of(request).reasons.append(found.reason or found.verdict.value)
        return await reply(lambda: wire.context(found))

    @routes.post("/recall", response_model=RecallReply, responses=problems(404))
    async def recall(body: RecallBody, caller: Asker) -> Response:
        """Memories for a question, only those that pass; without a question, the newest."""
        space = caller.check(Right.READ, body.space)
        filters = body.filters.value() if body.filters else None
        if body.after is not None:
            if body.text is not None:
                raise InvalidInput("after goes on in a list of the newest; leave it or text out", field="after")
            older = await wired.engine.browse(space=space, filters=filters, limit=body.limit, after=body.after)
            return await reply(lambda: wire.recalled(Recalled(tuple(older))))
        async with wired.turns:
            found = await wired.engine.recall(
                body.text,
                space=space,
                filters=filters,
                limit=body.limit,
                recipe=body.recipe,
                deadline=wired.deadline(body.deadline),
            )
        return await reply(lambda: wire.recalled(found))


def _add_search_and_classify(routes: APIRouter, wired: Wired) -> None:
    @routes.post("/search", response_model=SearchReply, responses=problems())
    async def search(body: SearchBody, caller: Asker) -> Response:
        """One plain hybrid search, with explained scores and no verdict."""
        space = caller.check(Right.READ, body.space)
        began = time.monotonic()
        filters = body.filters.value() if body.filters else None
        async with wired.turns:
            found = await wired.engine.search(body.text, space=space, filters=filters, limit=body.limit)
            question = await wired.engine.classify(body.text)
        seconds = time.monotonic() - began
        return await reply(lambda: searched(found, question, seconds=seconds))

    @routes.post("/classify-query", response_model=QuestionReply, responses=problems())
    async def classify_query(body: ClassifyBody, caller: Asker) -> Response:
        """How a question is understood: traits, type, names, times, parts. Nothing is searched."""
        messages = [each.value() for each in body.messages]
        question = await wired.engine.classify(body.text, now=body.now, messages=messages)
        return await reply(lambda: wire.question(question))


def searched(found: SearchResult, question: Question, *, seconds: float) -> dict[str, Any]:
    """A plain search as this door tells it."""
    metrics = {
        "processing_time_ms": round(seconds * 1000, 3),
        "top_relevance": number(max((hit.relevance for hit in found.hits), default=0.0)),
        "sources": dict(sorted(Counter(hit.source for hit in found.hits).items())),
        "degraded": list(found.degraded),
    }
    data = [wire.hit(each) for each in found.hits]
    return {"data": data, "count": len(data), "metrics": metrics, "qcs": wire.question(question)}
