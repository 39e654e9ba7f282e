"""The routes for projects read from files: list, forget, and read in what lies below the configured folders."""

from __future__ import annotations

import os
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from recollect.doors.http.access import AdministeringIn, Asker, ReadingIn, Right, WritingIn
from recollect.doors.http.bodies import documented
from recollect.doors.http.bodies_stored import LONGEST_PROJECT, IngestBody, IngestEachBody
from recollect.doors.http.errors import FORBIDDEN, Rejected, Told
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN
from recollect.doors.http.replies_stored import AllIngestedReply, CountReply, IngestedReply, ProjectsReply
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired
from recollect.doors.wire_projects import ingested, project

TAG = "projects"

ProjectQuery = Annotated[
    str, Query(description="The project's name.", **documented(minLength=1, maxLength=LONGEST_PROJECT))
]


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1/projects", tags=[TAG], dependencies=[ONLY_KNOWN])

    @routes.get("", response_model=ProjectsReply, responses=problems())
    async def projects(space: ReadingIn) -> Response:
        """The projects of a space and what was read of each, by name."""
        found = await wired.engine.projects(space=space)
        return await reply(lambda: {"items": [project(each) for each in found]})

    @routes.delete("", response_model=CountReply, responses=problems(404))
    async def forget_project(project: ProjectQuery, space: WritingIn) -> Response:
        """Erase all that was read of a project; gives how many files it had."""
        done = await wired.engine.forget_project(project, space=space)
        return await reply(lambda: {"count": done})

    @routes.post("/ingest", response_model=IngestedReply, responses=problems(501))
    async def ingest(body: IngestBody, caller: Asker) -> Response:
        """Read files of the service's machine into a project, or bring it up to date; only below configured folders.

        Cut off by the time limit of a request, it goes on when called again.
        """
        space = caller.check(Right.ADMIN, body.space)
        paths = [inside(path, roots=wired.settings.service.ingest_roots) for path in body.paths]
        done = await wired.engine.ingest(*paths, project=body.project, space=space, embed=body.embed)
        return await reply(lambda: ingested(done))

    @routes.post("/ingest-each", response_model=AllIngestedReply, responses=problems(501))
    async def ingest_each(body: IngestEachBody, caller: Asker) -> Response:
        """Read every folder right below these as a project named after it; only below configured folders."""
        space = caller.check(Right.ADMIN, body.space)
        paths = [inside(path, roots=wired.settings.service.ingest_roots) for path in body.paths]
        done = await wired.engine.ingest_each(*paths, space=space, embed=body.embed)
        return await reply(lambda: {"items": [ingested(each) for each in done]})

    @routes.post("/connect", response_model=CountReply, responses=problems())
    async def connect(space: AdministeringIn) -> Response:
        """Read what the memories of a space state of named things into the graph; how many statements that are."""
        done = await wired.engine.connect(space=space)
        return await reply(lambda: {"count": done})

    return routes


def inside(path: str, *, roots: str) -> str:
    """The path with all links followed, if it lies below one of the folders (separated by commas) that may be read.

    What lies elsewhere is refused alike, whether it is there or not.
    """
    allowed = [os.path.realpath(os.path.expanduser(each.strip())) for each in roots.split(",") if each.strip()]
    try:
        real = os.path.realpath(path)
    except (ValueError, OSError):  # a null byte, or links in a circle
        real = ""
    if not os.path.isabs(path) or not any(real == root or real.startswith(f"{root.rstrip('/')}/") for root in allowed):
        detail = "this path is not below a folder that may be read here"
        raise Rejected(FORBIDDEN, Told(detail, field="paths", remedy="add the folder to service.ingest_roots"))
    return real
