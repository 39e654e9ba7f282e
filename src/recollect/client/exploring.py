"""The verbs for named things, projects and whole spaces: what the graph says, what was read, what there is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from recollect.client import reading_stored as stored
from recollect.client.connected import Connected, nothing
from recollect.client.connection import Call, Repeat
from recollect.errors import InvalidInput
from recollect.knowledge import Connection, Ingested, Node, ProjectRead, Statement, Way
from recollect.records import SpaceStats

ENTITIES, PROJECTS, SPACES = "/v1/entities", "/v1/projects", "/v1/spaces"
MOST = 1_000


class _Said(NamedTuple):
    statements: list[Statement]
    more: bool


class Exploring(Connected):
    """What is known of named things, and from which files and spaces."""

    async def entities(self, name: str, *, space: str | None = None) -> list[Node]:
        """The entities that go by a name; where there is none, those whose names are written most alike."""
        call = _read(ENTITIES, self._in(space, name=name, limit=MOST))
        return await self._ask(call, lambda said: [stored.node(each) for each in said["items"]])

    async def same_entity(self, name: str, *, space: str | None = None) -> dict[str, list[Node]]:
        """The entities of exactly that name, by the project that defines them."""
        call = _read(f"{ENTITIES}/same", self._in(space, name=name))
        return await self._ask(
            call,
            lambda said: {
                project: [stored.node(each) for each in nodes] for project, nodes in said["projects"].items()
            },
        )

    async def neighbours(
        self,
        entity: str,
        *,
        relations: Collection[str] = (),
        way: Way = Way.BOTH,
        hops: int = 1,
        space: str | None = None,
    ) -> list[Statement]:
        """What is said of an entity (by id or name), and of what is reached from it in so many hops.

        More than a thousand statements are refused, not cut.
        """
        query = self._in(space, entity=entity, relation=sorted(relations), way=str(way), hops=hops, limit=MOST)
        found = await self._ask(
            _read(f"{ENTITIES}/neighbours", query),
            lambda said: _Said([stored.statement(each) for each in said["items"]], said["more"]),
        )
        if found.more:
            raise InvalidInput(f"more than {MOST:,} statements; name relations or go fewer hops", field="hops")
        return found.statements

    async def paths(
        self, one: str, other: str, *, relations: Collection[str] = (), space: str | None = None
    ) -> list[Connection]:
        """The best paths between two entities (by id or name), cheapest first, each with its statements."""
        call = _read(f"{ENTITIES}/paths", self._in(space, one=one, other=other, relation=sorted(relations)))
        return await self._ask(call, lambda said: [stored.connection(each) for each in said["items"]])

    # --- projects ------------------------------------------------------------------------------------

    async def projects(self, *, space: str | None = None) -> list[ProjectRead]:
        """The projects of a space and what was read of each, by name."""
        call = _read(PROJECTS, self._in(space))
        return await self._ask(call, lambda said: [stored.project(each) for each in said["items"]])

    async def ingest(self, *paths: str, project: str, space: str | None = None, embed: bool = True) -> Ingested:
        """Read files of the service's machine into a project, or bring it up to date."""
        sent = self._in(space, project=project, paths=[str(path) for path in paths], embed=embed)
        return await self._ask(Call("POST", f"{PROJECTS}/ingest", body=sent, repeat=Repeat.SAFE), stored.ingested)

    async def ingest_each(self, *folders: str, space: str | None = None, embed: bool = True) -> list[Ingested]:
        """Read every folder right below these, on the service's machine, as a project of its own."""
        sent = self._in(space, paths=[str(folder) for folder in folders], embed=embed)
        call = Call("POST", f"{PROJECTS}/ingest-each", body=sent, repeat=Repeat.SAFE)
        return await self._ask(call, lambda said: [stored.ingested(each) for each in said["items"]])

    async def connect(self, *, space: str | None = None) -> int:
        """Read what the memories of a space state of named things into the graph; how many statements that are."""
        call = Call("POST", f"{PROJECTS}/connect", self._in(space), repeat=Repeat.SAFE)
        return await self._ask(call, _count)

    async def forget_project(self, project: str, *, space: str | None = None) -> int:
        """Erase all that was read of a project: pieces, vectors, statements. Gives how many files it had."""
        return await self._ask(Call("DELETE", PROJECTS, self._in(space, project=project)), _count)

    # --- spaces --------------------------------------------------------------------------------------

    async def spaces(self) -> list[str]:
        """The names of the spaces the key may see."""
        return await self._ask(_read(SPACES, {}), lambda said: [str(each) for each in said["items"]])

    async def stats(self, *, space: str | None = None) -> SpaceStats:
        """Counts for one space."""
        return await self._ask(_read(f"{SPACES}/stats", self._in(space)), stored.stats)

    async def forget_space(self, space: str) -> None:
        """Erase a whole space."""
        await self._ask(Call("DELETE", SPACES, {"space": space}), nothing)

    async def fade(self, *, space: str | None = None) -> dict[str, str]:
        """Move memories along the forgetting curve; gives what changed, by id."""
        call = Call("POST", f"{SPACES}/fade", self._in(space))
        return await self._ask(call, lambda said: dict(said["changed"]))

    async def export_space(self, *, space: str | None = None) -> list[str]:
        """The whole space as JSON lines."""
        body = await self._line.text(_read("/v1/export", self._in(space)))
        return body.decode().removesuffix("\n").split("\n")

    async def import_space(self, lines: Iterable[str], *, space: str | None = None) -> dict[str, int]:
        """Read an export into a space; gives how many of each sort there were."""
        call = Call("POST", "/v1/import", self._in(space), "\n".join(lines))
        return await self._ask(call, dict)


def _read(path: str, query: dict[str, Any]) -> Call:
    return Call("GET", path, query, repeat=Repeat.SAFE)


def _count(said: dict[str, Any]) -> int:
    return int(said["count"])
