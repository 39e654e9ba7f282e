"""The routes for named things: entities by name, what is said of them, paths between two, the same one elsewhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import Field

from recollect.doors import wire_graph
from recollect.doors.http.access import ReadingIn
from recollect.doors.http.bodies import documented
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN, PAGE, WHOLE, Name, Names, OwnLimitQuery
from recollect.doors.http.replies_stored import NodesReply, PathsReply, SameEntityReply, StatementsReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired
from recollect.knowledge import Way

TAG = "entities"
MOST_HOPS = 5

Hops = Annotated[
    Annotated[int, Field(le=MOST_HOPS)],
    WHOLE,
    Query(description="How far to follow statements.", **documented(minimum=0)),
]


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1/entities", tags=[TAG], dependencies=[ONLY_KNOWN])

    @routes.get("", response_model=NodesReply, responses=problems())
    async def entities(name: Name, space: ReadingIn, limit: OwnLimitQuery = PAGE) -> Response:
        """The entities that go by a name; where there is none, those written most alike."""
        found = await wired.engine.entities(name, space=space)
        return await reply(lambda: {"items": [wire_graph.node(each) for each in found[:limit]]})

    @routes.get("/same", response_model=SameEntityReply, responses=problems())
    async def same_entity(name: Name, space: ReadingIn) -> Response:
        """The entities of exactly that name in every project of the space."""
        found = await wired.engine.same_entity(name, space=space)
        return await reply(
            lambda: {"projects": {name: [wire_graph.node(each) for each in nodes] for name, nodes in found.items()}}
        )

    @routes.get("/neighbours", response_model=StatementsReply, responses=problems())
    async def neighbours(
        entity: Name,
        space: ReadingIn,
        relation: Names,
        way: Way = Way.BOTH,
        hops: Hops = 1,
        limit: OwnLimitQuery = PAGE,
    ) -> Response:
        """What is said of an entity (by id or name), and of what is reached from it."""
        found = await wired.engine.neighbours(entity, space=space, relations=relation, way=way, hops=hops)
        told = {"more": len(found) > limit}
        return await reply(lambda: {"items": [wire_graph.statement(each) for each in found[:limit]], **told})

    @routes.get("/paths", response_model=PathsReply, responses=problems())
    async def paths(one: Name, other: Name, space: ReadingIn, relation: Names) -> Response:
        """The best paths between two entities (by id or name), the cheapest first."""
        found = await wired.engine.paths(one, other, space=space, relations=relation)
        return await reply(lambda: {"items": [wire_graph.connection(each) for each in found]})

    return routes
