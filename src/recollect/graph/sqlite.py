"""The graph on disk: `graph.db` in the folder of each space.

Implements `ports.Knowledge`. Thread-safe; several processes may read beside one that writes. A space that is not there
is empty for every reader, and comes to be with the first thing put into it, as in the store.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from recollect.graph import looking
from recollect.graph.database import GRAPH_FILE, GraphDatabase, changes
from recollect.graph.kept import FileFacts, facts_of, facts_of_triples
from recollect.graph.settling import is_settled, settle
from recollect.graph.writing import erase_files, erase_memories, erase_project, put_files
from recollect.knowledge import FileMark, Kept, Node, ProjectRead, RelationUse, Statement, Triple, Way
from recollect.records import check_space
from recollect.settings import StoreSettings
from recollect.store import folders

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
        self._open: OrderedDict[str, GraphDatabase] = OrderedDict()
        self._lock = threading.Lock()

    def holds(self, space: str) -> bool:
        return (folders.folder_of(self._root, check_space(space)) / GRAPH_FILE).exists()

    # --- files -----------------------------------------------------------------------------------

    def files(self, space: str, project: str) -> dict[str, FileMark]:
        with self._reading(space) as db:
            return {path: FileMark(*mark) for path, *mark in db.execute(MARKS, (project,))} if db else {}

    def chunks_of(self, space: str, project: str, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        with self._reading(space) as db:
            for path, memory in db.execute(CHUNKS, (looking.as_json(set(paths)), project)) if db else ():
                found.setdefault(path, []).extend([memory] if memory is not None else [])
        return {path: tuple(found[path]) for path in paths if path in found}

    def put(self, space: str, kept: Sequence[Kept]) -> None:
        files = [facts_of(each) for each in kept]
        if files:
            self._put(space, files)

    def remove(self, space: str, project: str, paths: Sequence[str]) -> None:
        with self._writing(space) as db:
            if db and paths:
                erase_files(db, [(project, path) for path in paths])

    def settle(self, space: str) -> None:
        with self._reading(space) as db:
            if db is None or is_settled(db):
                return
        with self._using(space) as opened:
            if opened:
                with opened.writing() as writer:
                    settle(writer)

    def projects(self, space: str) -> list[ProjectRead]:
        with self._reading(space) as db:
            return looking.projects_read(db) if db else []

    # --- what is known ---------------------------------------------------------------------------

    def state(self, space: str, collection: str, triples: Sequence[Triple]) -> None:
        if not triples:
            return self.remove(space, "", [collection])
        self._put(space, [facts_of_triples(collection, triples)])

    def nodes(self, space: str, ids: Sequence[str]) -> list[Node]:
        with self._reading(space) as db:
            return looking.nodes_by_id(db, ids) if db else []

    def named(
        self, space: str, names: Sequence[str], *, projects: frozenset[str] = frozenset()
    ) -> dict[str, tuple[Node, ...]]:
        with self._reading(space) as db:
            return looking.named(db, names, projects=projects) if db else {}

    def resembling(
        self, space: str, name: str, *, limit: int, projects: frozenset[str] = frozenset()
    ) -> list[tuple[Node, float]]:
        with self._using(space) as opened:
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
        with self._reading(space) as db:
            if db is None:
                return []
            return looking.about(db, ids, way=way, relations=relations, projects=projects, limit=limit)

    def relations(self, space: str) -> list[RelationUse]:
        with self._using(space) as opened:
            if opened is None:
                return []
            with opened.reading() as db:
                return opened.relation_uses(db)

    def forget(self, space: str, project: str | None = None) -> None:
        with self._using(space) as opened:
            if opened is None:
                return
            with opened.writing() as db:
                erase_project(db, project)
                settle(db)
            opened.shrink()

    def erase(self, space: str, memories: Sequence[str]) -> None:
        with self._using(space) as opened:
            if opened is None or not memories:
                return
            with opened.writing() as db:
                erased = erase_memories(db, memories)
                if erased:
                    settle(db)
            if erased:
                opened.shrink()

    def close(self) -> None:
        with self._lock:
            for space in list(self._open):
                self._let_go(space)

    def _put(self, space: str, files: Sequence[FileFacts]) -> None:
        with self._using(space, create=True) as opened:
            if opened:
                with opened.writing() as db:
                    put_files(db, files)

    # --- opening ---------------------------------------------------------------------------------

    @contextmanager
    def _using(self, space: str, *, create: bool = False) -> Iterator[GraphDatabase | None]:
        """The open graph, kept open while in use; None when there is none and it is not to be made."""
        opened = self._acquire(check_space(space), create=create)
        try:
            yield opened
        finally:
            if opened:
                with self._lock:
                    opened.users -= 1
                    if not opened.users and self._open.get(space) is not opened:
                        opened.close()

    def _acquire(self, space: str, *, create: bool) -> GraphDatabase | None:
        with self._lock:
            opened = self._open.get(space)
            if opened and not opened.is_current():
                self._let_go(space)  # the space was dropped: what is open leads nowhere
                opened = None
            if opened is None:
                path = folders.folder_of(self._root, space) / GRAPH_FILE
                if not create and not path.exists():
                    return None
                if create:
                    folders.create(self._root, space)
                mode = "rwc" if create else "rw"
                opened = GraphDatabase(path, busy_seconds=self._settings.busy_seconds, mode=mode)
                self._open[space] = opened
            self._open.move_to_end(space)
            opened.users += 1
            for name in [name for name, each in self._open.items() if each.users == 0]:
                if len(self._open) > self._settings.open_spaces:
                    self._let_go(name)
            return opened

    def _let_go(self, space: str) -> None:
        """Close the graph now, or when the last call in flight ends."""
        opened = self._open.pop(space, None)
        if opened and not opened.users:
            opened.close()

    @contextmanager
    def _reading(self, space: str) -> Iterator[sqlite3.Connection | None]:
        with self._using(space) as opened:
            if opened is None:
                yield None
            else:
                with opened.reading() as db:
                    yield db

    @contextmanager
    def _writing(self, space: str) -> Iterator[sqlite3.Connection | None]:
        with self._using(space) as opened:
            if opened is None:
                yield None
            else:
                with opened.writing() as db:
                    yield db
