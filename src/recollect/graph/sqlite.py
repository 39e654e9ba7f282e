"""The graph on disk: `graph.db` in the folder of each space.

Implements `ports.Knowledge`. Thread-safe; several processes may read beside one that writes. A space that is not there
is empty for every reader, and comes to be with the first thing put into it, as in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recollect.graph import looking
from recollect.graph.database import GRAPH_FILE, GraphDatabase, changes
from recollect.graph.kept import kept_of_triples, latest_of
from recollect.graph.settling import is_settled, settle
from recollect.graph.writing import erase_files, erase_memories, erase_project, put_files
from recollect.knowledge import FileMark, Kept, Node, ProjectRead, RelationUse, Statement, Triple, Way
from recollect.records import check_space
from recollect.settings import StoreSettings
from recollect.store import folders
from recollect.store.opened import Opened
from recollect.store.pool import mark_erased

MARKS = "select path, digest, size, mtime from files where project = ? order by path"
CHUNKS = """
select f.path, c.memory from json_each(?) j join files f on f.project = ? and f.path = j.value
left join chunks c on c.id >= f.id and c.id < f.end order by f.path, c.id
"""


class SqliteKnowledge:
    """The graphs of all spaces under one root folder, which is the store's."""

    def __init__(self, root: Path, *, settings: StoreSettings) -> None:
        self._root = root.expanduser()
        self._settings = settings
        self._opened = Opened(self._begin, most=settings.open_spaces)

    def holds(self, space: str) -> bool:
        return (folders.folder_of(self._root, check_space(space)) / GRAPH_FILE).exists()

    # --- files -----------------------------------------------------------------------------------

    def files(self, space: str, project: str) -> dict[str, FileMark]:
        with self._opened.reading(space) as db:
            return {path: FileMark(*mark) for path, *mark in db.execute(MARKS, (project,))} if db else {}

    def chunks_of(self, space: str, project: str, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        with self._opened.reading(space) as db:
            for path, memory in db.execute(CHUNKS, (looking.as_json(set(paths)), project)) if db else ():
                found.setdefault(path, []).extend([memory] if memory is not None else [])
        return {path: tuple(found[path]) for path in paths if path in found}

    def put(self, space: str, kept: Sequence[Kept]) -> None:
        if files := latest_of(kept):
            self._put(space, files)

    def remove(self, space: str, project: str, paths: Sequence[str]) -> None:
        with self._opened.using(space) as opened:
            if opened and paths:
                with opened.writing() as db:
                    erase_files(db, [(project, path) for path in paths])

    def settle(self, space: str) -> None:
        with self._opened.reading(space) as db:
            if db is None or is_settled(db):
                return
        with self._opened.using(space) as opened:
            if opened:
                with opened.writing() as writer:
                    settle(writer)

    def projects(self, space: str) -> list[ProjectRead]:
        with self._opened.reading(space) as db:
            return looking.projects_read(db) if db else []

    # --- what is known ---------------------------------------------------------------------------

    def state(self, space: str, collection: str, triples: Sequence[Triple]) -> None:
        if not triples:
            return self.remove(space, "", [collection])
        self._put(space, [kept_of_triples(collection, triples)])

    def nodes(self, space: str, ids: Sequence[str]) -> list[Node]:
        with self._opened.reading(space) as db:
            return looking.nodes_by_id(db, ids) if db else []

    def named(
        self, space: str, names: Sequence[str], *, projects: frozenset[str] = frozenset()
    ) -> dict[str, tuple[Node, ...]]:
        with self._opened.reading(space) as db:
            return looking.named(db, names, projects=projects) if db else {}

    def resembling(
        self, space: str, name: str, *, limit: int, projects: frozenset[str] = frozenset()
    ) -> list[tuple[Node, float]]:
        with self._opened.using(space) as opened:
            if opened is None:
                return []
            with opened.reading() as db:
                alike = opened.spellings.alike(db, name, changes=changes(db))
                return looking.resembling(db, alike, limit=limit, projects=projects)

    def about(
        self,
        space: str,
        ids: Sequence[str],
        *,
        way: Way = Way.BOTH,
        relations: frozenset[str] = frozenset(),
        projects: frozenset[str] = frozenset(),
        limit: int | None = None,
    ) -> list[Statement]:
        with self._opened.reading(space) as db:
            if db is None:
                return []
            return looking.about(db, ids, way=way, relations=relations, projects=projects, limit=limit)

    def relations(self, space: str) -> list[RelationUse]:
        with self._opened.using(space) as opened:
            if opened is None:
                return []
            with opened.reading() as db:
                return opened.relation_uses(db)

    def forget(self, space: str, project: str | None = None) -> None:
        with self._opened.using(space) as opened:
            if opened is None:
                return
            with opened.writing() as db:
                erase_project(db, project)
                settle(db)
                mark_erased(db)
            opened.shrink()

    def erase(self, space: str, memories: Sequence[str]) -> None:
        with self._opened.using(space) as opened:
            if opened is None or not memories:
                return
            with opened.writing() as db:
                if erase_memories(db, memories):
                    settle(db)
                    mark_erased(db)
            opened.shrink()

    def check(self, space: str) -> list[str]:
        """What is wrong with the graph of a space; empty when nothing is."""
        with self._opened.using(space) as opened:
            return opened.leftovers() if opened else []

    def close(self) -> None:
        self._opened.close()

    def _put(self, space: str, files: Sequence[Kept]) -> None:
        with self._opened.using(space, create=True) as opened:
            if opened:
                with opened.writing() as db:
                    put_files(db, files)

    # --- opening ---------------------------------------------------------------------------------

    def _begin(self, space: str, mode: str) -> GraphDatabase | None:
        path = folders.folder_of(self._root, space) / GRAPH_FILE
        if mode == "rwc":
            folders.create(self._root, space)
        elif not path.exists():
            return None
        return GraphDatabase(path, busy_seconds=self._settings.busy_seconds, mode=mode)
