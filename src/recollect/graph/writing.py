"""Writing into the graph: all of a file at once, in the caller's transaction, instead of what it gave before."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from recollect.graph.database import note_change
from recollect.graph.keys import NAME, Ref, id_of, last_of, plain_key, ref_of
from recollect.graph.meanings import reach_of
from recollect.knowledge import Kept, Named

AT_ONCE = 20_000  # texts asked for in one statement
IDS = "(select value from json_each(?))"
FIND_FILES = """
select f.id, f.end, f.project from json_each(?) j join files f on f.project = j.value ->> 0 and f.path = j.value ->> 1
"""
ERASE = (
    "insert or ignore into loose select subject from statements where id >= ?1 and id < ?2",
    "insert or ignore into loose select object from statements where id >= ?1 and id < ?2",
    "insert or ignore into loose select ref from entities where id >= ?1 and id < ?2",
    "insert or ignore into loose select r.id from files f cross join aliases a on a.id >= ?1 and a.id < ?2 "
    "cross join refs r on r.text = f.project || '::' || a.key where f.id = ?1",
    "delete from called where entity >= ?1 and entity < ?2",
    "delete from entities where id >= ?1 and id < ?2",
    "delete from statements where id >= ?1 and id < ?2",
    "delete from aliases where id >= ?1 and id < ?2",
    "delete from chunks where id >= ?1 and id < ?2",
    "delete from files where id = ?1",
)
DEFINED = """
select r.text, e.name, e.aliases from entities e join refs r on r.id = e.ref where e.id >= ? and e.id < ?
"""
ALIASED = "select key from aliases where id >= ? and id < ?"
LOOSEN = f"""
insert or ignore into loose select subject from statements where memory in {IDS}
union select object from statements where memory in {IDS}
"""  # noqa: S608
UNNAMED = """
select e.id from files f join entities e on e.id >= f.id and e.id < f.end where f.id = ? and not exists (
    select 1 from statements s where s.subject = e.ref and s.file = f.id
) and not exists (select 1 from statements s where s.object = e.ref and s.file = f.id)
"""
IN_USE = "select 1 from statements s where s.id >= files.id and s.id < files.end"
TABLES = "unsettled loose tops consulted called entities statements aliases chunks files refs relations".split()


def put_files(db: sqlite3.Connection, files: Sequence[Kept]) -> None:
    """Keep these files, each of another place."""
    erase_files(db, [(file.project, file.path) for file in files])
    rows = _Rows(_intern(db, files), _relations(db, files))
    free = int(db.execute("select coalesce(max(end), 1) from files").fetchone()[0])
    for file in files:
        free = rows.add(free, file)
    db.executemany("insert into files values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.files)
    db.executemany("insert into chunks values (?, ?, ?)", rows.chunks)
    db.executemany("insert into entities values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.entities)
    db.executemany("insert or ignore into called values (?, ?)", rows.called)
    db.executemany("insert into aliases values (?, ?, ?, ?)", rows.aliases)
    db.executemany("insert into statements values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.statements)
    note_change(db, {file.project for file in files})


class _Rows:
    """The rows of several files, put together before any is written."""

    def __init__(self, refs: dict[str, dict[str, int]], relations: dict[str, int]) -> None:
        self._refs, self._relations = refs, relations
        self.files: list[tuple[object, ...]] = []
        self.chunks: list[tuple[int, int, str]] = []
        self.entities: list[tuple[object, ...]] = []
        self.called: list[tuple[str, int]] = []
        self.aliases: list[tuple[int, int, str, str]] = []
        self.statements: list[tuple[object, ...]] = []

    def add(self, id: int, file: Kept) -> int:
        """Add a file whose rows begin at this id; where those of the next may begin."""
        end = id + max(1, *map(len, (file.chunk_ids, file.entities, file.aliases, file.facts)))
        self.files.append((id, end, file.project, file.path, *file.mark, file.language, file.skipped))
        self.chunks += [(number, id, memory) for number, memory in enumerate(file.chunk_ids, id)]
        self.aliases += [(number, id, *alias) for number, alias in enumerate(file.aliases, id)]
        refs = self._refs[file.project]
        for number, entity in enumerate(file.entities, id):
            self._add_entity(number, id, refs[entity.key], entity)
        self._add_statements(id, file)
        return end

    def _add_entity(self, number: int, file: int, ref: int, entity: Named) -> None:
        key, name, kind, line, end, detail, others = entity
        self.entities.append((number, file, ref, name, kind, line, end, detail, json.dumps(others) if others else ""))
        if key.startswith(NAME) or plain_key(name) != last_of(key):  # else its key shows it
            self.called.append((plain_key(name), number))
        self.called += [(plain_key(other), number) for other in others]

    def _add_statements(self, id: int, file: Kept) -> None:
        refs, relations = self._refs[file.project], self._relations
        chunks = {memory: number for number, memory in enumerate(file.chunk_ids, id)}
        self.statements += [
            (
                number,
                id,
                refs[subject],
                relations[relation],
                refs[object],
                line,
                weight,
                chunks.get(memory),
                memory if memory and memory not in chunks else None,
                sentence,
            )
            for number, (subject, relation, object, line, sentence, weight, memory) in enumerate(file.facts, id)
        ]


def erase_files(db: sqlite3.Connection, places: Sequence[tuple[str, str]]) -> bool:
    """Erase all that these files gave; whether there was any of them."""
    found = db.execute(FIND_FILES, (json.dumps(list(places)),)).fetchall()
    for id, end, project in found:
        tops = {top for text, *names in db.execute(DEFINED, (id, end)) for top in _tops_of(text, *names)}
        tops |= {reach_of(key) for (key,) in db.execute(ALIASED, (id, end))}
        db.executemany("insert or ignore into unsettled values (?, ?)", [(project, top) for top in tops])
        for sql in ERASE:
            db.execute(sql, (id, end) if "?2" in sql else (id,))
    if found:
        note_change(db, {project for _, _, project in found})
    return bool(found)


def _tops_of(text: str, name: str, others: str) -> Iterator[str]:
    """What may mean something else without a definition: keys that begin like its own, and its names."""
    key = ref_of(text)[1]
    if not key.startswith(NAME):
        yield reach_of(key)
        yield from (NAME + plain_key(each) for each in (name, *(json.loads(others) if others else ())))


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
    db.execute(LOOSEN, given * 2)
    db.execute(f"delete from statements where memory in {IDS}", given)  # noqa: S608
    for row in collections:
        db.execute(f"insert or ignore into loose select ref from entities where id in ({UNNAMED})", row)  # noqa: S608
        db.execute(f"delete from called where entity in ({UNNAMED})", row)  # noqa: S608
        db.execute(f"delete from entities where id in ({UNNAMED})", row)  # noqa: S608
        db.execute(f"delete from files where id = ? and not exists ({IN_USE})", row)  # noqa: S608
    note_change(db, {""})
    return True


def erase_project(db: sqlite3.Connection, project: str | None) -> None:
    """Erase all that the files of this project gave, or of every project and collection."""
    if project is None:
        for table in TABLES:
            db.execute(f"delete from {table}")  # noqa: S608
        note_change(db, set())
    else:
        erase_files(db, db.execute("select project, path from files where project = ?", (project,)).fetchall())


def _relations(db: sqlite3.Connection, files: Sequence[Kept]) -> dict[str, int]:
    used = sorted({fact[1] for file in files for fact in file.facts})
    db.executemany("insert or ignore into relations (relation) values (?)", [(relation,) for relation in used])
    return {relation: id for id, relation in db.execute("select id, relation from relations")}


def _intern(db: sqlite3.Connection, files: Sequence[Kept]) -> dict[str, dict[str, int]]:
    """The refs of all keys in these files, by project and key."""
    wanted: dict[str, set[str]] = {}
    for file in files:
        keys = wanted.setdefault(file.project, set())
        keys.update([entity.key for entity in file.entities])
        keys.update([fact[0] for fact in file.facts])
        keys.update([fact[2] for fact in file.facts])
        keys.update([alias.key for alias in file.aliases if not alias.key.endswith("*")])
    found: dict[str, dict[str, int]] = {project: {} for project in wanted}
    in_order = sorted((project, key) for project, keys in wanted.items() for key in keys)
    for (project, key), ref in find_or_make_refs(db, in_order).items():
        found[project][key] = ref
    return found


def find_or_make_refs(db: sqlite3.Connection, wanted: Sequence[Ref]) -> dict[Ref, int]:
    """Refs by project and key; those that are new mean themselves until they are settled."""
    texts = {id_of(*ref): ref for ref in wanted}
    found: dict[Ref, int] = {}
    in_order = list(texts)
    sql = "select r.text, r.id from json_each(?) j cross join refs r on r.text = j.value"
    for start in range(0, len(in_order), AT_ONCE):
        part = json.dumps(in_order[start : start + AT_ONCE], ensure_ascii=False)
        for text, id in db.execute(sql, (part,)):
            found[texts[text]] = id
    free = int(db.execute("select coalesce(max(id), 0) + 1 from refs").fetchone()[0])
    new = [(text, ref) for text, ref in texts.items() if ref not in found]
    found.update((ref, number) for number, (_, ref) in enumerate(new, free))
    rows = [(number, text, last_of(ref[1]), number) for number, (text, ref) in enumerate(new, free)]
    db.executemany("insert into refs values (?, ?, ?, ?)", rows)
    return found
