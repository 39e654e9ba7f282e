"""Writing into the graph: all of a file at once, in the caller's transaction, instead of what it gave before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence

from recollect.graph.database import note_change
from recollect.graph.kept import FileFacts
from recollect.graph.keys import NAME, id_of, last_of, plain_key
from recollect.knowledge import Named

AT_ONCE = 20_000  # texts asked for in one statement
IDS = "(select value from json_each(?))"
FIND_FILES = """
select f.id from json_each(?) j join files f on f.project = j.value ->> 0 and f.path = j.value ->> 1
"""
ERASE = (
    f"delete from called where entity in (select id from entities where file in {IDS})",  # noqa: S608
    f"delete from entities where file in {IDS}",  # noqa: S608
    f"delete from statements where file in {IDS}",  # noqa: S608
    f"delete from aliases where file in {IDS}",  # noqa: S608
    f"delete from chunks where file in {IDS}",  # noqa: S608
    f"delete from files where id in {IDS}",  # noqa: S608
)

UNNAMED = """
select e.id from entities e where e.file = ? and not exists (
    select 1 from statements s where s.file = e.file and e.ref in (s.said_subject, s.said_object)
)
"""
IN_USE = "select 1 from statements s where s.file = files.id"

Found = tuple[int, int]  # a ref and the node it means


def put_files(db: sqlite3.Connection, files: Iterable[FileFacts]) -> None:
    """Keep these files; of two with the same place, the last."""
    latest = list({(file.project, file.path): file for file in files}.values())
    erase_files(db, [(file.project, file.path) for file in latest])
    rows = _Rows(_intern(db, latest), _relations(db, latest), _next(db, "chunks"), _next(db, "entities"))
    for place, file in enumerate(latest, start=_next(db, "files")):
        rows.add(place, file)
    db.executemany("insert into files values (?, ?, ?, ?, ?, ?, ?, ?)", rows.files)
    db.executemany("insert into chunks values (?, ?, ?, ?)", rows.chunks)
    db.executemany("insert into entities values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.entities)
    db.executemany("insert or ignore into called values (?, ?)", rows.called)
    db.executemany("insert into aliases values (?, ?, ?, ?)", rows.aliases)
    db.executemany("insert into statements values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.statements)
    note_change(db, {file.project for file in latest})


class _Rows:
    """The rows of several files, put together before any is written."""

    def __init__(
        self, refs: dict[tuple[str, str], Found], relations: dict[str, int], next_chunk: int, next_entity: int
    ) -> None:
        self._refs, self._relations = refs, relations
        self._next_chunk, self._next_entity = next_chunk, next_entity
        self.files: list[tuple[object, ...]] = []
        self.chunks: list[tuple[object, ...]] = []
        self.entities: list[tuple[object, ...]] = []
        self.called: list[tuple[str, int]] = []
        self.aliases: list[tuple[object, ...]] = []
        self.statements: list[tuple[object, ...]] = []

    def add(self, place: int, file: FileFacts) -> None:
        project = file.project
        self.files.append((place, project, file.path, *file.mark, file.language, file.skipped))
        chunks = {}
        for ordinal, memory in enumerate(file.chunk_ids):
            chunks[memory] = self._next_chunk
            self.chunks.append((self._next_chunk, place, ordinal, memory))
            self._next_chunk += 1
        for entity in file.entities:
            self._add_entity(place, self._refs[project, entity.key][0], entity)
        for alias in file.aliases:
            self.aliases.append((place, self._refs.get((project, alias.key), (None,))[0], *alias))
        self._add_statements(place, file, chunks)

    def _add_entity(self, place: int, ref: int, entity: Named) -> None:
        key, name, kind, line, end, detail, others = entity
        number = self._next_entity
        self._next_entity += 1
        self.entities.append((number, place, ref, name, kind, line, end, detail, json.dumps(others) if others else ""))
        if key.startswith(NAME) or plain_key(name) != last_of(key):  # else its key shows it
            self.called.append((plain_key(name), number))
        self.called += [(plain_key(other), number) for other in others]

    def _add_statements(self, place: int, file: FileFacts, chunks: dict[str, int]) -> None:
        project, refs, relations = file.project, self._refs, self._relations
        for said_subject, relation, said_object, line, sentence, weight, memory in file.told:
            subject, subject_node = refs[project, said_subject]
            object, object_node = refs[project, said_object]
            chunk = chunks.get(memory)
            apart = memory if memory and chunk is None else None
            ends = (subject, object, subject_node, relations[relation], object_node)
            self.statements.append((place, *ends, line, weight, chunk, apart, sentence))


def erase_files(db: sqlite3.Connection, places: Sequence[tuple[str, str]]) -> bool:
    """Erase all that these files gave; whether there was any of them."""
    found = [row for (row,) in db.execute(FIND_FILES, (json.dumps(list(places)),))]
    if found:
        for sql in ERASE:
            db.execute(sql, (json.dumps(found),))
        note_change(db, {project for project, _ in places})
    return bool(found)


def erase_memories(db: sqlite3.Connection, memories: Sequence[str]) -> bool:
    """Erase all that was read out of these memories, files and triples; whether there was any.

    A name that no triple of a collection has any more goes with the last one that had it.
    """
    given = (json.dumps(list(memories)),)
    cut = db.execute(f"select distinct file from chunks where memory in {IDS}", given).fetchall()  # noqa: S608
    places = [db.execute("select project, path from files where id = ?", row).fetchone() for row in cut]
    erased = erase_files(db, places) if places else False
    collections = db.execute(f"select distinct file from statements where memory in {IDS}", given).fetchall()  # noqa: S608
    if not collections:
        return erased
    db.execute(f"delete from statements where memory in {IDS}", given)  # noqa: S608
    for row in collections:
        db.execute(f"delete from called where entity in ({UNNAMED})", row)  # noqa: S608
        db.execute(f"delete from entities where id in ({UNNAMED})", row)  # noqa: S608
        db.execute(f"delete from files where id = ? and not exists ({IN_USE})", row)  # noqa: S608
    note_change(db, {""})
    return True


def erase_project(db: sqlite3.Connection, project: str | None) -> None:
    """Erase all that the files of this project gave, or of every project and collection."""
    if project is None:
        for table in (
            "unsettled",
            "called",
            "entities",
            "statements",
            "aliases",
            "chunks",
            "files",
            "refs",
            "relations",
        ):
            db.execute(f"delete from {table}")  # noqa: S608
        note_change(db, set())
    else:
        erase_files(db, db.execute("select project, path from files where project = ?", (project,)).fetchall())


def _relations(db: sqlite3.Connection, files: Iterable[FileFacts]) -> dict[str, int]:
    used = sorted({told.relation for file in files for told in file.told})
    db.executemany("insert or ignore into relations (relation) values (?)", [(relation,) for relation in used])
    return {relation: id for id, relation in db.execute("select id, relation from relations")}


def _intern(db: sqlite3.Connection, files: Iterable[FileFacts]) -> dict[tuple[str, str], Found]:
    """The refs of all keys in these files; those that are new mean themselves until they are settled."""
    wanted: dict[tuple[str, str], None] = {}
    for file in files:
        project = file.project
        for entity in file.entities:
            wanted[project, entity.key] = None
        for told in file.told:
            wanted[project, told.subject] = None
            wanted[project, told.object] = None
        for alias in file.aliases:
            if not alias.key.endswith("*"):
                wanted[project, alias.key] = None
    return find_or_make_refs(db, list(wanted))


def find_or_make_refs(db: sqlite3.Connection, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Found]:
    """Refs by project and key, made where there is none yet."""
    texts = {id_of(*ref): ref for ref in wanted}
    found: dict[tuple[str, str], Found] = {}
    in_order = list(texts)
    sql = f"select text, id, node from refs where text in {IDS}"  # noqa: S608
    for start in range(0, len(in_order), AT_ONCE):
        part = json.dumps(in_order[start : start + AT_ONCE], ensure_ascii=False)
        for text, id, node in db.execute(sql, (part,)):
            found[texts[text]] = (id, node)
    free = _next(db, "refs")
    new = []
    for text, ref in texts.items():
        if ref not in found:
            found[ref] = (free, free)
            new.append((free, text, last_of(ref[1]), free))
            free += 1
    db.executemany("insert into refs values (?, ?, ?, ?)", new)
    return found


def _next(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"select coalesce(max(id), 0) + 1 from {table}").fetchone()[0])  # noqa: S608
