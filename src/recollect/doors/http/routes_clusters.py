"""The routes for clusters: list them, put memories in, take them out. What is in one: `GET /v1/memories?cluster=`."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from recollect.doors import wire
from recollect.doors.http.access import Asker, ReadingIn
from recollect.doors.http.bodies_stored import ClusterBody
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN, editing
from recollect.doors.http.replies_stored import ClustersReply, MemoriesReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired

TAG = "clusters"


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1/clusters", tags=[TAG], dependencies=[ONLY_KNOWN])

    @routes.get("", response_model=ClustersReply, responses=problems())
    async def clusters(space: ReadingIn) -> Response:
        """The clusters of a space by name, and how many current memories each has."""
        found = await wired.engine.clusters(space=space)
        return await reply(lambda: {"items": [{"name": name, "memories": count} for name, count in found.items()]})

    @routes.post("/add", response_model=MemoriesReply, responses=problems(404, 409))
    async def add_to_cluster(body: ClusterBody, caller: Asker) -> Response:
        """Put memories in a cluster, all or none."""
        space = editing(caller, body.space)
        done = await wired.engine.add_to_cluster(body.cluster, *body.ids, space=space)
        return await reply(lambda: {"items": [wire.memory(each) for each in done]})

    @routes.post("/remove", response_model=MemoriesReply, responses=problems(404, 409))
    async def remove_from_cluster(body: ClusterBody, caller: Asker) -> Response:
        """Take memories out of a cluster, all or none."""
        space = editing(caller, body.space)
        done = await wired.engine.remove_from_cluster(body.cluster, *body.ids, space=space)
        return await reply(lambda: {"items": [wire.memory(each) for each in done]})

    return routes
