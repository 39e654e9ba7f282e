"""Reading the graph: nodes by id and by name, and the statements at them. Each takes a connection and gives values."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from recollect.graph.keys import NAME, NAME_KIND, UNOWNED_KIND, longer_names, ref_of, shown_name
from recollect.knowledge import Node, ProjectRead, RelationUse, Statement, Way

NODES = "select r.text, r.id from json_each(?) j join refs r on r.text = j.value where r.node = r.id"
# All refs that mean these rows: a node itself, and those that stand for it.
MEANT = """
with meant (id) as (
    select r.id from json_each(:rows) j cross join refs r on r.id = j.value where r.node = r.id
    union all select r.id from json_each(:rows) j cross join refs r on r.node = j.value and r.node <> r.id
)
"""
DEFINITIONS = f"""
{MEANT}
select r.node, r.text, e.name, e.kind, e.line, e.detail, e.aliases, f.project, f.path
from meant m cross join refs r on r.id = m.id join entities e on e.ref = r.id join files f on f.id = e.file
order by f.project, f.path, e.line, e.id
"""  # noqa: S608
BY_LAST = "select r.last, r.text, r.id, r.node from json_each(?) j join refs r on r.last = j.value"
BY_OTHER_NAME = """
select c.name, r.node from json_each(?) j join called c on c.name = j.value
join entities e on e.id = c.entity join refs r on r.id = e.ref
"""
TEXTS = "select r.id, r.text from json_each(?) j join refs r on r.id = j.value"
USERS = f"{MEANT} select r.node, r.text from meant m cross join refs r on r.id = m.id"  # noqa: S608
AT_ENDS = {Way.OUT: ("subject",), Way.IN: ("object",), Way.BOTH: ("subject", "object")}
ABOUT = f"""
{MEANT}
select a.text, l.relation, b.text, t.weight, f.project, f.path, t.line, t.sentence,
    coalesce(t.memory, c.memory, ''), t.id
from meant m cross join statements t on t.{{end}} = m.id {{narrowed}}
cross join refs s on s.id = t.subject cross join refs a on a.id = s.node
cross join refs o on o.id = t.object cross join refs b on b.id = o.node
cross join relations l on l.id = t.relation cross join files f on f.id = t.file left join chunks c on c.id = t.chunk
"""  # noqa: S608
BY_RELATION = "and t.relation in (select id from relations where relation in (select value from json_each(:relations)))"
BY_PROJECT = "where f.project in (select value from json_each(:projects))"
KINDS = """
with ranked as (
    select r.node, e.kind, row_number() over (
        partition by r.node order by substr(r.text, instr(r.text, '::')) <> substr(n.text, instr(n.text, '::')),
        f.project, f.path, e.line, e.id
    ) as place
    from entities e join refs r on r.id = e.ref join refs n on n.id = r.node join files f on f.id = e.file
)
select node, kind from ranked where place = 1
"""
FACTS = """
select distinct t.relation, s.node, o.node
from statements t cross join refs s on s.id = t.subject cross join refs o on o.id = t.object
"""
PROJECTS = """
select f.project, sum(f.skipped = ''),
    (select count(*) from files g cross join chunks c on c.id >= g.id and c.id < g.end where g.project = f.project),
    (select count(distinct e.ref) from files g cross join entities e on e.id >= g.id and e.id < g.end
        where g.project = f.project),
    (select count(*) from files g cross join statements t on t.id >= g.id and t.id < g.end where g.project = f.project)
from files f where f.project <> '' group by f.project order by f.project
"""


def nodes_by_id(db: sqlite3.Connection, ids: Sequence[str]) -> list[Node]:
    """The nodes of these text ids, in their order."""
    rows = dict(db.execute(NODES, (as_json(ids),)).fetchall())
    found = _nodes(db, rows.values())
    return [found[rows[id]] for id in ids if id in rows]


def named(db: sqlite3.Connection, names: Sequence[str], *, projects: frozenset[str]) -> dict[str, tuple[Node, ...]]:
    """The nodes that go by these names."""
    called = _called(db, names, also_longer=True)
    rows = _seen(db, {row for each in called.values() for row in each}, projects)
    nodes = _nodes(db, rows)
    found = {}
    for name in names:
        mine = [nodes[row] for row in called.get(name, set()) & rows]
        if mine:
            found[name] = tuple(sorted(mine, key=lambda node: (not node.project, node.id)))
    return found


def resembling(
    db: sqlite3.Connection, alike: list[tuple[float, list[str]]], *, limit: int, projects: frozenset[str]
) -> list[tuple[Node, float]]:
    """The nodes of these names, which are best first."""
    found: list[tuple[Node, float]] = []
    taken: set[int] = set()
    for likeness, names in _by_likeness(alike):
        if len(found) >= limit:
            break
        called = _called(db, names, also_longer=False)
        rows = _seen(db, {row for each in called.values() for row in each}, projects) - taken
        taken |= rows
        found += sorted(((node, likeness) for node in _nodes(db, rows).values()), key=lambda each: each[0].id)
    return found[: max(limit, 0)]


def about(
    db: sqlite3.Connection,
    ids: Sequence[str],
    *,
    way: Way,
    relations: frozenset[str],
    projects: frozenset[str],
    limit: int | None,
) -> list[Statement]:
    """The statements at these nodes, in order, each once at a place."""
    nodes = [row for _, row in db.execute(NODES, (as_json(set(ids)),))]
    values = {"rows": as_json(nodes), "relations": as_json(relations), "projects": as_json(projects)}
    rows: dict[int, Any] = {}
    for end in AT_ENDS[way]:
        sql = ABOUT.format(end=end, narrowed=BY_RELATION if relations else "")
        for row in db.execute(sql + (BY_PROJECT if projects else ""), values):
            rows[row[9]] = row
    # subject, relation, object, project, path, line, memory; then the order in which they were written
    in_order = sorted(rows.values(), key=lambda row: (*row[:3], *row[4:7], row[8], row[9]))
    distinct = _first_at_each_place(in_order)
    kept = distinct if limit is None else _some_of_each(distinct, set(ids), way=way, limit=limit)
    return [Statement(*row[:9]) for row in kept]


def relation_uses(db: sqlite3.Connection) -> list[RelationUse]:
    """The relations by how many facts use them."""
    kinds = dict(db.execute(KINDS).fetchall())
    counts: dict[int, tuple[dict[Any, int], dict[Any, int]]] = {}
    for relation, *ends in db.execute(FACTS):
        for end, counted in zip(ends, counts.setdefault(relation, ({}, {})), strict=True):
            kind = kinds.get(end, -end)
            counted[kind] = counted.get(kind, 0) + 1
    relations = dict(db.execute("select id, relation from relations").fetchall())
    unknown = {-kind for pair in counts.values() for each in pair for kind in each if isinstance(kind, int)}
    texts = dict(db.execute(TEXTS, (as_json(unknown),)).fetchall())
    found = [
        RelationUse(relations[id], sum(subjects.values()), _most(subjects, texts), _most(objects, texts))
        for id, (subjects, objects) in counts.items()
    ]
    return sorted(found, key=lambda use: (-use.facts, use.relation))


def projects_read(db: sqlite3.Connection) -> list[ProjectRead]:
    """What is kept of each project."""
    return [ProjectRead(*row) for row in db.execute(PROJECTS)]


def as_json(values: Iterable[object]) -> str:
    return json.dumps(list(values), ensure_ascii=False)


def _called(db: sqlite3.Connection, names: Sequence[str], *, also_longer: bool) -> dict[str, set[int]]:
    """Rows of nodes by the names they go by."""
    wanted = set(names)
    lasts = {last for name in wanted for last in _endings(name)} if also_longer else wanted
    found: dict[str, set[int]] = {}
    for last, text, row, node in db.execute(BY_LAST, (as_json(lasts),)):
        if row == node and last in wanted:
            found.setdefault(last, set()).add(node)
        if also_longer:
            for name in longer_names(ref_of(text)[1]) & wanted:
                found.setdefault(name, set()).add(node)
    for name, node in db.execute(BY_OTHER_NAME, (as_json(wanted),)):
        found.setdefault(name, set()).add(node)
    return found


def _endings(name: str) -> Iterator[str]:
    words = name.split(" ")
    return (" ".join(words[place:]) for place in range(len(words)))


def _seen(db: sqlite3.Connection, rows: set[int], projects: frozenset[str]) -> set[int]:
    """Those that these projects define, or speak of without anybody defining them."""
    if not projects:
        return rows
    texts = dict(db.execute(TEXTS, (as_json(rows),)).fetchall())
    owned = {row for row, text in texts.items() if ref_of(text)[0] in projects}
    unowned = [row for row, text in texts.items() if not ref_of(text)[0]]
    spoken_of = db.execute(USERS, {"rows": as_json(unowned)})
    return owned | {node for node, text in spoken_of if ref_of(text)[0] in projects}


def _nodes(db: sqlite3.Connection, rows: Collection[int]) -> dict[int, Node]:
    """Nodes by row, from all definitions that mean them: their own first."""
    wanted = as_json(rows)
    definitions: dict[int, list[Any]] = {}
    for row in db.execute(DEFINITIONS, {"rows": wanted}):
        definitions.setdefault(row[0], []).append(row)
    return {row: _node(text, definitions.get(row, [])) for row, text in db.execute(TEXTS, (wanted,))}


def _node(text: str, definitions: list[Any]) -> Node:
    project, key = ref_of(text)
    if not definitions:
        return Node(text, key, shown_name(key), unowned_kind(key), project)
    definitions = sorted(definitions, key=lambda each: ref_of(each[1])[1] != key)  # its own first
    first = definitions[0]
    names: dict[str, None] = {}
    for _, _, name, _, _, _, aliases, _, _ in definitions:
        names[name] = None
        if aliases:
            names.update(dict.fromkeys(json.loads(aliases)))
    names.pop(first[2])
    places = dict.fromkeys((each[8], each[4]) for each in definitions if each[7] and ref_of(each[1])[1] == key)
    detail = next((each[5] for each in definitions if each[5]), "")
    return Node(text, key, first[2], first[3], project, detail, tuple(names), tuple(places))


def unowned_kind(key: str) -> str:
    """The kind of a thing that nobody defines."""
    return NAME_KIND if key.startswith(NAME) else UNOWNED_KIND


def _first_at_each_place(rows: list[Any]) -> list[Any]:
    found = []
    before: Any = None
    for row in rows:
        place = (*row[:3], *row[4:7], row[8])
        if place != before:
            found.append(row)
        before = place
    return found


def _some_of_each(rows: list[Any], ids: set[str], *, way: Way, limit: int) -> list[Any]:
    left = dict.fromkeys(ids, limit)
    kept = []
    for row in rows:
        ends = {row[0]} if way is Way.OUT else {row[2]} if way is Way.IN else {row[0], row[2]}
        room = [end for end in ends & ids if left[end] > 0]
        for end in room:
            left[end] -= 1
        if room:
            kept.append(row)
    return kept


def _by_likeness(found: list[tuple[float, list[str]]]) -> Iterator[tuple[float, list[str]]]:
    """Names that are equally alike, together."""
    for likeness, group in groupby(found, key=lambda each: each[0]):
        yield likeness, [name for _, names in group for name in names]


def _most(counted: dict[str | int, int], texts: dict[int, str]) -> str:
    """The kind counted most; where a node stands instead of one, nobody defines it."""
    kinds: dict[str, int] = {}
    for kind, count in counted.items():
        known = unowned_kind(ref_of(texts[-kind])[1]) if isinstance(kind, int) else kind
        kinds[known] = kinds.get(known, 0) + count
    return min(kinds, key=lambda kind: (-kinds[kind], kind))
