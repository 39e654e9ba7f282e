"""Settling what is stored: which keys a change may concern, what they mean now, and writing that. `meanings` decides.

All of a changed project is read; of the others only what its keys lead to and what leads to it, so that neither time
nor memory grows with what else is in the graph.
"""

from __future__ import annotations

import json
import sqlite3

from recollect.graph.keys import NAME, Ref, id_of, ref_of
from recollect.graph.meanings import Meanings, is_for_others, reach_of
from recollect.graph.stored import StoredFacts, between
from recollect.graph.writing import find_or_make_refs

REFS = "select id, text, node from refs where text >= ? and text < ?"
# What a project defines itself means that, whatever others do.
NOT_DEFINED = f"{REFS} and not exists (select 1 from entities e where e.ref = refs.id)"  # noqa: S608
CONSULTED = """
select distinct r.id, r.text, r.node from json_each(?) j cross join consulted c on c.top = j.value
cross join refs r on r.id = c.ref
"""
# Those of a change may be many, and of names in other projects there are few.
NAMES = """
select r.id, r.text, r.node from json_each(?) j cross join refs r on r.last = j.value where instr(r.text, '::name:')
"""
# A ref stays while somebody uses it or means it.
DEAD = """
select r.id, r.node from json_each(?) j cross join refs r on r.id = j.value
where not exists (select 1 from refs o where o.node = r.id and o.node <> o.id)
and not exists (select 1 from statements t where t.subject = r.id)
and not exists (select 1 from statements t where t.object = r.id)
and not exists (select 1 from entities e where e.ref = r.id)
and not exists (
    select 1 from aliases a join files f on f.id = a.file
    where a.key = substr(r.text, instr(r.text, '::') + 2) and f.project = substr(r.text, 1, instr(r.text, '::') - 1)
)
"""

Found = tuple[int, int]  # a ref and the node it means


def is_settled(db: sqlite3.Connection) -> bool:
    """Whether nothing was changed since it was settled last."""
    return db.execute("select 1 from unsettled limit 1").fetchone() is None


def settle(db: sqlite3.Connection) -> None:
    """Work out what keys mean after what was changed, in the caller's transaction."""
    tops: set[str] = set()
    changed: set[str] = set()
    for project, top in db.execute("select project, top from unsettled"):
        changed.add(project)
        if is_for_others(top, project):
            tops.add(top)
    facts = StoredFacts(db)
    refs: dict[Ref, Found] = {}
    for project in sorted(changed - {""}):
        tops |= facts.load(project)
        refs.update(_refs_of(db, REFS, project, ""))
    refs.update(_concerned(db, changed, tops - {""}))
    _sweep(db, _move(db, facts, refs))
    db.execute("delete from unsettled")
    db.execute("update meta set value = value + 1 where key = 'changes'")


def _refs_of(db: sqlite3.Connection, sql: str, project: str, begin: str) -> dict[Ref, Found]:
    """The keys of a project that begin so, what they are stored as and what they meant."""
    skip = len(id_of(project, ""))
    return {(project, text[skip:]): (id, node) for id, text, node in db.execute(sql, between(project, begin))}


def _concerned(db: sqlite3.Connection, changed: set[str], tops: set[str]) -> dict[Ref, Found]:
    """The keys of other projects that begin with these tops, or whose meaning was found by keys that do."""
    others = {each for (each,) in db.execute("select distinct project from files")} - changed - {""}
    if not others:
        return {}
    found: dict[Ref, Found] = {}
    for project in sorted(others):
        for top in tops:
            if not top.startswith(NAME):
                refs = _refs_of(db, NOT_DEFINED, project, top)
                found.update((ref, each) for ref, each in refs.items() if reach_of(ref[1]) == top)
    names = [top[len(NAME) :] for top in tops if top.startswith(NAME)]
    for sql, given in ((NAMES, names), (CONSULTED, sorted(tops))):
        for id, text, node in db.execute(sql, (json.dumps(given, ensure_ascii=False),)):
            ref = ref_of(text)
            if ref[0] in others and (sql is CONSULTED or ref[1] in tops):
                found[ref] = (id, node)
    return found


def _move(db: sqlite3.Connection, facts: StoredFacts, refs: dict[Ref, Found]) -> set[int]:
    """Write what these mean now; the nodes that fewer mean than before."""
    meanings = Meanings(facts)
    meant: dict[Ref, Ref] = {}
    consulted: list[tuple[str, int]] = []
    moved: list[tuple[int, int, int]] = []
    for ref, (id, before) in refs.items():
        if meanings.is_own(*ref):  # as most are
            if before != id:
                moved.append((id, id, before))
            continue
        meant[ref] = meanings.means(*ref)
        if len(meanings.consulted) > 1:
            own = reach_of(ref[1])
            consulted += [(top, id) for top in meanings.consulted if top != own]
    given = (json.dumps([id for id, _ in refs.values()]),)
    db.execute("delete from consulted where ref in (select value from json_each(?))", given)
    db.executemany("insert into consulted values (?, ?)", consulted)
    nodes = find_or_make_refs(db, sorted({node for node in meant.values() if node not in refs}))
    for ref, node in meant.items():
        id, before = refs[ref]
        after = refs[node][0] if node in refs else nodes[node]
        if before != after:
            moved.append((after, id, before))
    # A node means itself, also where it was a key that meant something else until now.
    strayed = "select r.id, r.id, r.node from json_each(?) j cross join refs r on r.id = j.value where r.node <> r.id"
    moved += db.execute(strayed, (json.dumps(list(nodes.values())),)).fetchall()
    db.executemany("update refs set node = ? where id = ?", [each[:2] for each in moved])
    return {before for _, id, before in moved if before != id}


def _sweep(db: sqlite3.Connection, doubtful: set[int]) -> None:
    """Erase keys that no file uses any more and nothing means."""
    doubtful |= {id for (id,) in db.execute("select ref from loose")}
    db.execute("delete from loose")
    while doubtful:
        dead = db.execute(DEAD, (json.dumps(sorted(doubtful)),)).fetchall()
        if not dead:
            return
        db.executemany("delete from refs where id = ?", [(id,) for id, _ in dead])
        db.executemany("delete from consulted where ref = ?", [(id,) for id, _ in dead])
        doubtful = (doubtful | {node for _, node in dead}) - {id for id, _ in dead}
