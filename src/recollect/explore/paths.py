"""How two entities are connected: the best paths between them, each with the statements that make it.

Both ends are explored at once, statements followed either way. A hop costs one, more through a hub, against the
direction of a statement, or over a weak relation; paths come in order of cost. What belongs to an end (the methods of a
class) is an end too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from math import log10
from typing import NamedTuple

from recollect.knowledge import Connection as Connection
from recollect.knowledge import Relation, Statement, Way
from recollect.ports import Knowledge

MOST_AT_ONCE = 400  # nodes of a frontier that are asked about
STATEMENTS_PER_NODE = 200
MOST_TRIED = 20_000  # partial paths
HUB_FROM = 10  # statements at a node from which on it connects anything with anything
AGAINST = 0.1
WEAK = {Relation.RELATED: 1.0, Relation.MENTIONS: 0.5, Relation.DEFINES: 0.3, Relation.IMPORTS: 0.2}
OWNING = frozenset({Relation.CONTAINS.value, Relation.DEFINES.value})
OWNED_LEVELS = 2


class _Edge(NamedTuple):
    to: str
    said: Statement
    cost: float


_Edges = Mapping[str, Sequence[_Edge]]


class PathFinder:
    """Finds paths in one space; `relations` and `projects`, where given, are the only ones followed."""

    def __init__(
        self,
        knowledge: Knowledge,
        *,
        space: str,
        relations: frozenset[str] = frozenset(),
        projects: frozenset[str] = frozenset(),
    ) -> None:
        self._knowledge = knowledge
        self._space = space
        self._relations = relations
        self._projects = projects

    def between(self, ones: Sequence[str], others: Sequence[str], *, max_hops: int, most: int) -> list[Connection]:
        """The best paths from any of the ones to any of the others, cheapest first; with `max_hops` hops at most."""
        owned, owning = self._owned(ones), self._owned(others)
        starts, goals = {*ones, *owned}, {*others, *owning}
        starts, goals = starts - set(others), goals - set(ones)
        edges = self._explored(starts, goals, max_hops)
        away = _distances(goals, edges)
        found = _cheapest(starts, goals, edges, away=away, max_hops=max_hops, most=most)
        return [_with_owners(path, owned, owning) for path in found]

    def _owned(self, ids: Sequence[str]) -> dict[str, tuple[str, Statement]]:
        """What belongs to these: for each, its owner and the statement that says so."""
        owners: dict[str, tuple[str, Statement]] = {}
        level: list[str] = list(ids)
        for _ in range(OWNED_LEVELS):
            if not level:
                break
            said = self._about(level, Way.OUT, OWNING)
            new = {each.object: (each.subject, each) for each in said if each.object not in {*ids, *owners}}
            owners.update(new)
            level = sorted(new)
        return owners

    def _about(self, ids: Iterable[str], way: Way, relations: frozenset[str]) -> list[Statement]:
        return self._knowledge.about(
            self._space,
            sorted(ids)[:MOST_AT_ONCE],
            way=way,
            relations=relations,
            projects=self._projects,
            limit=STATEMENTS_PER_NODE,
        )

    def _explored(self, starts: set[str], goals: set[str], max_hops: int) -> _Edges:
        """All statements within reach of both ends: half of the hops from each, the nearer frontier first."""
        said: dict[Statement, None] = {}
        seen = [set(starts), set(goals)]
        fronts = [set(starts), set(goals)]
        for _ in range(max_hops):
            side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
            if not fronts[side]:
                side = 1 - side
            new = self._about(fronts[side], Way.BOTH, self._relations)
            said.update(dict.fromkeys(new))
            ends = {end for each in new for end in (each.subject, each.object)}
            fronts[side] = ends - seen[side]
            seen[side] |= ends
        return _edges(said)


def _edges(said: Iterable[Statement]) -> dict[str, list[_Edge]]:
    ends: dict[str, list[tuple[str, Statement, float]]] = {}
    for each in said:
        if each.subject != each.object:
            weak = WEAK.get(Relation(each.relation), 0.0) if each.relation in set(Relation) else 0.0
            ends.setdefault(each.subject, []).append((each.object, each, 1.0 + weak))
            ends.setdefault(each.object, []).append((each.subject, each, 1.0 + weak + AGAINST))
    toll = {node: hub_toll(len(out)) for node, out in ends.items()}
    edges: dict[str, list[_Edge]] = {}
    for node, out in ends.items():
        best: dict[str, _Edge] = {}
        for to, each, cost in sorted(out, key=lambda row: (row[2], row[1])[0]):
            if to not in best:
                best[to] = _Edge(to, each, cost + (toll[node] + toll[to]) / 2)
        edges[node] = sorted(best.values(), key=lambda edge: (edge.cost, edge.to))
    return edges


def hub_toll(statements: int) -> float:
    """What it costs to pass a node with so many statements.

    >>> hub_toll(5), hub_toll(100), hub_toll(1000)
    (0.0, 1.0, 2.0)
    """
    return log10(statements / HUB_FROM) if statements > HUB_FROM else 0.0


def _distances(goals: set[str], edges: _Edges) -> dict[str, int]:
    """Hops to the nearest goal."""
    away = dict.fromkeys(goals, 0)
    level = sorted(goals)
    while level:
        new = {edge.to: away[node] + 1 for node in level for edge in edges.get(node, ()) if edge.to not in away}
        away.update(new)
        level = sorted(new)
    return away


def _cheapest(
    starts: set[str], goals: set[str], edges: _Edges, *, away: Mapping[str, int], max_hops: int, most: int
) -> list[Connection]:
    """Paths without repeats in order of cost: hops left are a bound from below, since none costs less than one."""
    waiting: list[tuple[float, int, tuple[str, ...], float, tuple[Statement, ...]]] = []
    for start in sorted(starts):
        if start in away:
            heappush(waiting, (float(away[start]), 0, (start,), 0.0, ()))
    found: list[Connection] = []
    tried = 0
    while waiting and len(found) < most and tried < MOST_TRIED:
        _, hops, nodes, cost, said = heappop(waiting)
        tried += 1
        if nodes[-1] in goals:
            found.append(Connection(nodes, said, cost))
            continue
        for edge in edges.get(nodes[-1], ()):
            left = away.get(edge.to)
            if left is None or edge.to in nodes or edge.to in starts or hops + 1 + left > max_hops:
                continue
            spent = cost + edge.cost
            heappush(waiting, (spent + left, hops + 1, (*nodes, edge.to), spent, (*said, edge.said)))
    return found


def _with_owners(
    path: Connection, owned: Mapping[str, tuple[str, Statement]], owning: Mapping[str, tuple[str, Statement]]
) -> Connection:
    """The path from end to end, where it began or ended at something that belongs to one."""
    nodes, said = list(path.nodes), list(path.statements)
    while nodes[0] in owned:
        owner, belongs = owned[nodes[0]]
        nodes.insert(0, owner)
        said.insert(0, belongs)
    while nodes[-1] in owning:
        owner, belongs = owning[nodes[-1]]
        nodes.append(owner)
        said.append(belongs)
    return Connection(tuple(nodes), tuple(said), path.cost)
