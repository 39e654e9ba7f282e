"""The verbs that look into the graph without a question: entities by name, what is said of them, paths between two."""

from __future__ import annotations

from collections.abc import Collection

from recollect.errors import Unavailable
from recollect.explore.linking import RESEMBLING, ordered
from recollect.explore.paths import Connection, PathFinder
from recollect.inputs import check_ids, check_limit
from recollect.knowledge import Node, Statement, Way
from recollect.offload import run_in_thread
from recollect.ports import Knowledge
from recollect.records import check_space, name_key
from recollect.verbs.wired import DEFAULT_SPACE, Wired


class Graph(Wired):
    """What is known of named things."""

    async def entities(self, name: str, *, space: str = DEFAULT_SPACE) -> list[Node]:
        """The entities that go by a name; where there is none, those whose names are written most alike."""
        check_space(space)
        check_ids(name, field="name")
        return await run_in_thread(_entities, self._graph(), space, name)

    async def same_entity(self, name: str, *, space: str = DEFAULT_SPACE) -> dict[str, list[Node]]:
        """The entities of exactly that name, by the project that defines them."""
        check_space(space)
        check_ids(name, field="name")
        found = await run_in_thread(lambda: self._graph().named(space, [name_key(name)]))
        by_project: dict[str, list[Node]] = {}
        for node in found.get(name_key(name), ()):
            by_project.setdefault(node.project, []).append(node)
        return {project: by_project[project] for project in sorted(by_project)}

    async def neighbours(
        self,
        entity: str,
        *,
        relations: Collection[str] = (),
        way: Way = Way.BOTH,
        hops: int = 1,
        space: str = DEFAULT_SPACE,
    ) -> list[Statement]:
        """What is said of an entity (by id or name), and of what is reached from it in so many hops."""
        check_space(space)
        check_ids(entity, field="entity")
        check_limit(hops, field="hops")
        return await run_in_thread(_neighbours, self._graph(), space, entity, frozenset(relations), Way(way), hops)

    async def paths(
        self, one: str, other: str, *, relations: Collection[str] = (), space: str = DEFAULT_SPACE
    ) -> list[Connection]:
        """The best paths between two entities (by id or name), cheapest first, each with its statements."""
        check_space(space)
        check_ids(one, field="one")
        check_ids(other, field="other")
        settings = self.settings.graph
        return await run_in_thread(
            lambda: PathFinder(self._graph(), space=space, relations=frozenset(relations)).between(
                _ids(self._graph(), space, one),
                _ids(self._graph(), space, other),
                max_hops=settings.max_hops,
                most=settings.paths,
            )
        )

    def _graph(self) -> Knowledge:
        if self._knowledge is None:
            raise Unavailable("there is no graph here; open Recollect with a folder for its store")
        return self._knowledge


def _entities(knowledge: Knowledge, space: str, name: str) -> list[Node]:
    found = knowledge.named(space, [name_key(name)]).get(name_key(name), ())
    if found:
        return list(ordered(found, name))
    return [node for node, _ in knowledge.resembling(space, name, limit=RESEMBLING)]


def _ids(knowledge: Knowledge, space: str, entity: str) -> list[str]:
    """The ids an id or a name stands for."""
    if known := knowledge.nodes(space, [entity]):
        return [node.id for node in known]
    return [node.id for node in knowledge.named(space, [name_key(entity)]).get(name_key(entity), ())]


def _neighbours(
    knowledge: Knowledge, space: str, entity: str, relations: frozenset[str], way: Way, hops: int
) -> list[Statement]:
    found: dict[Statement, None] = {}
    front = _ids(knowledge, space, entity)
    seen = set(front)
    for _ in range(hops):
        if not front:
            break
        said = knowledge.about(space, front, way=way, relations=relations)
        found.update(dict.fromkeys(said))
        ends = {end for each in said for end in (each.subject, each.object)}
        front = sorted(ends - seen)
        seen |= ends
    return list(found)
