"""Settling what is stored: which keys a change may concern, what they mean now, and writing that. `meanings` decides.

What all projects define, alias and inherit is remembered between two calls, so that reading in one project more costs
what that project and those that lead to it cost, and not all over again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator

from recollect.graph.database import changes
from recollect.graph.keys import Ref, id_of, ref_of
from recollect.graph.meanings import Facts, Meanings, reach_of
from recollect.graph.writing import find_or_make_refs
from recollect.knowledge import Relation

FILES_OF = "(select id from files where project = :project)"
USED = f"""
select id, text, node from refs where id in (
    select said_subject from statements where file in {FILES_OF}
    union select said_object from statements where file in {FILES_OF}
    union select ref from entities where file in {FILES_OF}
    union select ref from aliases where ref is not null and file in {FILES_OF}
)
"""  # noqa: S608
DEFINITIONS = """
select r.text, e.kind, e.name, e.aliases
from files f join entities e on e.file = f.id join refs r on r.id = e.ref where f.project = :project
"""
ALIASES = """
select a.key, a.target from files f join aliases a on a.file = f.id where f.project = :project order by f.path, a.rowid
"""
BASES = """
select s.text, o.text from relations l join files f on f.project = :project
join statements t on t.file = f.id and t.relation = l.id
join refs s on s.id = t.said_subject join refs o on o.id = t.said_object
where l.relation = :relation order by f.path, t.id
"""
# A node of its own stays while somebody speaks of it or means it.
DEAD = """
select r.id, r.node from json_each(?) j join refs r on r.id = j.value
where not exists (select 1 from refs o where o.node = r.id and o.id <> r.id)
and not exists (select 1 from statements t where t.subject = r.id) and not exists (
    select 1 from statements t where t.object = r.id
) and not exists (select 1 from entities e where e.ref = r.id)
"""
IN_COLLECTIONS = "select id from refs where text >= '::' and text < ':;'"
REFS_OF = "select id from refs where text >= ? and text < ?"

Found = tuple[int, int]  # a ref and the node it means


class Settled:
    """What is remembered of one graph. `at` is the change it is of: any other means that somebody else settled it."""

    def __init__(self) -> None:
        self.at = -1
        self.facts = Facts()
        self.refs: dict[str, dict[str, Found]] = {}
        self.by_reach: dict[str, dict[str, list[str]]] = {}  # project -> reach -> keys
        self.leads: dict[str, set[tuple[str, str]]] = {}

    def load(self, db: sqlite3.Connection, project: str) -> None:
        """Take what is stored of a project for what is known of it."""
        self.facts.forget(project)
        given = {"project": project, "relation": Relation.INHERITS}
        for text, kind, name, aliases in db.execute(DEFINITIONS, given):
            self.facts.define(project, ref_of(text)[1], kind, (name, *(json.loads(aliases) if aliases else ())))
        for key, target in db.execute(ALIASES, given):
            self.facts.alias(project, key, target)
        for subject, object in db.execute(BASES, given):
            self.facts.inherit(project, ref_of(subject)[1], ref_of(object)[1])
        self.refs[project] = {ref_of(text)[1]: (id, node) for id, text, node in db.execute(USED, given)}
        reaches: dict[str, list[str]] = {}
        for key in self.refs[project]:
            reaches.setdefault(reach_of(key), []).append(key)
        self.by_reach[project] = reaches
        self.leads[project] = self.facts.leads(project)

    def concerned(self, projects: Iterable[str], tops: set[str]) -> Iterator[Ref]:
        """All keys of these projects, and those of others that lead below these tops."""
        back: dict[str, set[str]] = {}
        for pairs in self.leads.values():
            for one, other in pairs:
                back.setdefault(other, set()).add(one)
        reached, ahead = set(tops), list(tops)
        while ahead:
            new = back.get(ahead.pop(), set()) - reached
            reached |= new
            ahead += new
        for project, reaches in self.by_reach.items():
            chosen = reaches if project in projects else reached & reaches.keys()
            for reach in chosen:
                yield from ((project, key) for key in reaches[reach])


def is_settled(db: sqlite3.Connection) -> bool:
    """Whether nothing was changed since it was settled last."""
    return db.execute("select 1 from unsettled limit 1").fetchone() is None


def settle(db: sqlite3.Connection, known: Settled) -> None:
    """Work out what keys mean after what was changed, in the caller's transaction."""
    changed = [project for (project,) in db.execute("select project from unsettled order by project")]
    files = {project for (project,) in db.execute("select distinct project from files")}
    stale = int(db.execute("select value from meta where key = 'settled'").fetchone()[0]) != known.at
    if stale:
        known.__init__()  # type: ignore[misc]
    known.at = -1  # until the transaction is through
    read = [project for project in (sorted(files) if stale else changed) if project]
    tops: set[str] = set()
    for project in read:
        tops |= known.facts.tops(project)
        known.load(db, project)
        tops |= known.facts.tops(project)
    loose = _move(db, known, list(known.concerned(set(read), tops)))
    _sweep(db, known, changed, loose)
    db.execute("delete from unsettled")
    db.execute("update meta set value = value + 1 where key = 'changes'")
    db.execute("update meta set value = (select value from meta where key = 'changes') where key = 'settled'")
    known.at = changes(db)


def _move(db: sqlite3.Connection, known: Settled, refs: list[Ref]) -> set[int]:
    """Write what these mean now; the nodes that fewer mean than before."""
    meanings = Meanings(known.facts)
    meant = {ref: meanings.means(*ref) for ref in refs}
    nodes = find_or_make_refs(db, sorted(set(meant.values())))
    moved = []
    for (project, key), node in meant.items():
        id, before = known.refs[project][key]
        after = nodes[node][0]
        if before != after:
            moved.append((after, before, id))
            known.refs[project][key] = (id, after)
    # A node means itself, also where it was a key that meant something else until now.
    used = {id for id, _ in (known.refs[project][key] for project, key in refs)}
    moved += [(id, before, id) for id, before in nodes.values() if before != id and id not in used]
    db.executemany("update statements set subject = ? where subject = ? and said_subject = ?", moved)
    db.executemany("update statements set object = ? where object = ? and said_object = ?", moved)
    db.executemany("update refs set node = ? where id = ?", [(after, id) for after, _, id in moved])
    return {before for _, before, _ in moved}


def _sweep(db: sqlite3.Connection, known: Settled, changed: list[str], loose: set[int]) -> None:
    """Erase keys that no file uses any more and nothing means."""
    doubtful = set(loose)
    for project in changed:
        used = {id for id, _ in known.refs.get(project, {}).values()}
        begin = id_of(project, "")
        rows = db.execute(IN_COLLECTIONS) if not project else db.execute(REFS_OF, (begin, begin[:-1] + ";"))
        doubtful |= {id for (id,) in rows if id not in used}
    in_use = {id for refs in known.refs.values() for id, _ in refs.values()} if doubtful else set()
    while doubtful := doubtful - in_use:
        dead = db.execute(DEAD, (json.dumps(sorted(doubtful)),)).fetchall()
        if not dead:
            return
        db.executemany("delete from refs where id = ?", [(id,) for id, _ in dead])
        doubtful = (doubtful | {node for _, node in dead}) - {id for id, _ in dead}
