"""The routes for links between memories: make one, remove one, list those at a memory."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query
from fastapi.responses import Response

from recollect.doors import wire
from recollect.doors.http.access import Asker, ReadingIn, Right, WritingIn
from recollect.doors.http.bodies import documented
from recollect.doors.http.bodies_stored import LONGEST_ID, RELATION, LinkBody
from recollect.doors.http.openapi import problems
from recollect.doors.http.queries import ONLY_KNOWN, PAGE, AfterQuery, OwnLimitQuery, page
from recollect.doors.http.replies_stored import LinkReply, LinksPage
from recollect.doors.http.sending import reply
from recollect.doors.http.wired import Wired
from recollect.errors import NotFound
from recollect.records import Link

TAG = "links"
CREATED, NOTHING = 201, 204

EndQuery = Annotated[str, Query(min_length=1, max_length=LONGEST_ID, description="A memory or entity, by id.")]
RelationQuery = Annotated[str, Query(examples=["relates_to"], **documented(pattern=RELATION))]


def router(wired: Wired) -> APIRouter:
    """The routes over these parts."""
    routes = APIRouter(prefix="/v1/links", tags=[TAG], dependencies=[ONLY_KNOWN])

    @routes.post("", status_code=CREATED, response_model=LinkReply, responses=problems(404))
    async def link(body: LinkBody, caller: Asker) -> Response:
        """Connect two memories or entities; the same ends and relation again replace the link."""
        space = caller.check(Right.WRITE, body.space)
        made = await wired.engine.link(
            body.from_id, body.to_id, body.relation, space=space,
            weight=body.weight, evidence=body.evidence, valid_from=body.valid_from, valid_to=body.valid_to,
        )  # fmt: skip
        return await reply(lambda: wire.link(made), status=CREATED)

    @routes.delete("", status_code=NOTHING, responses=problems(404))
    async def unlink(
        from_id: EndQuery, to_id: EndQuery, space: WritingIn, relation: RelationQuery = "relates_to"
    ) -> Response:
        """Remove one link."""
        await wired.engine.unlink(from_id, to_id, relation, space=space)
        return Response(status_code=NOTHING)

    @routes.get("", response_model=LinksPage, responses=problems(404))
    async def links(id: EndQuery, space: ReadingIn, limit: OwnLimitQuery = PAGE, after: AfterQuery = None) -> Response:
        """The links at one memory or entity, in both directions, by their ends."""
        found = await wired.engine.links(id, space=space)
        if after is not None:
            places = {_cursor(each): place for place, each in enumerate(found)}
            if after not in places:
                raise NotFound("no link to continue after; start again without it")
            found = found[places[after] + 1 :]
        shown = found[:limit]
        last = _cursor(shown[-1]) if shown else None
        return await reply(lambda: page([wire.link(each) for each in shown], limit=limit, cursor=last))

    return routes


def _cursor(link: Link) -> str:
    return ":".join(quote(each, safe="") for each in (link.from_id, link.to_id, link.relation))
