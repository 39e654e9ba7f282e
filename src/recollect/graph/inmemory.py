"""The reference implementation of `ports.Knowledge`: plain dictionaries, looked through from end to end.

It decides nothing about speed and keeps nothing on disk; the real one is tested against it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from recollect.graph.alike import LEAST_ALIKE, likeness, squeezed
from recollect.graph.kept import kept_of_triples, latest_of, without
from recollect.graph.keys import (
    NAME,
    NAME_KIND,
    UNOWNED_KIND,
    Ref,
    id_of,
    last_of,
    longer_names,
    ref_of,
    shown_name,
)
from recollect.graph.meanings import Facts, Meanings
from recollect.knowledge import (
    Fact,
    FileMark,
    Kept,
    Named,
    Node,
    ProjectRead,
    Relation,
    RelationUse,
    Statement,
    Triple,
    Way,
)
from recollect.memories import name_key
from recollect.records import check_space


class _Space:
    """What one space knows: its files, and what the keys in them meant when they were last settled."""

    def __init__(self) -> None:
        self.files: dict[tuple[str, str], Kept] = {}
        self.means: dict[Ref, Ref] = {}

    def keep(self, file: Kept) -> None:
        self.files[file.project, file.path] = file
        for ref in _refs_of(file):
            self.means.setdefault(ref, ref)

    def in_order(self) -> Iterator[Kept]:
        return (self.files[place] for place in sorted(self.files))

    def definitions(self) -> Iterator[tuple[Ref, Kept, Named]]:
        """Every definition with the node it is one of."""
        for file in self.in_order():
            for entity in file.entities:
                yield self.means[file.project, entity.key], file, entity


class InMemoryKnowledge:
    """Named things and what is said of them, for tests and small uses."""

    def __init__(self) -> None:
        self._spaces: dict[str, _Space] = {}
        self._lock = threading.RLock()

    def holds(self, space: str) -> bool:
        return bool(self._at(space).files)

    # --- files -----------------------------------------------------------------------------------

    def files(self, space: str, project: str) -> dict[str, FileMark]:
        return {file.path: file.mark for file in self._at(space).in_order() if file.project == project}

    def chunks_of(self, space: str, project: str, paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
        files = self._at(space).files
        return {path: files[project, path].chunk_ids for path in paths if (project, path) in files}

    def put(self, space: str, kept: Sequence[Kept]) -> None:
        latest = latest_of(kept)
        with self._lock:
            for file in latest:
                self._made(space).keep(file)

    def remove(self, space: str, project: str, paths: Sequence[str]) -> None:
        with self._lock:
            for path in paths:
                self._at(space).files.pop((project, path), None)

    def settle(self, space: str) -> None:
        with self._lock:
            at = self._at(space)
            facts = Facts()
            refs: set[Ref] = set()
            for file in at.in_order():
                refs.update(_refs_of(file))
                _enter(file, facts)
            meanings = Meanings(facts)
            meant = {ref: meanings.means(*ref) for ref in refs}
            at.means = dict(meant) | {node: node for node in meant.values()}

    def projects(self, space: str) -> list[ProjectRead]:
        found: dict[str, list[Kept]] = {}
        for file in self._at(space).in_order():
            if file.project:
                found.setdefault(file.project, []).append(file)
        return [
            ProjectRead(
                project,
                files=sum(not file.skipped for file in files),
                chunks=sum(len(file.chunk_ids) for file in files),
                entities=len({entity.key for file in files for entity in file.entities}),
                statements=sum(len(file.facts) for file in files),
            )
            for project, files in found.items()
        ]

    # --- what is known ---------------------------------------------------------------------------

    def state(self, space: str, collection: str, triples: Sequence[Triple]) -> None:
        with self._lock:
            if triples:
                self._made(space).keep(kept_of_triples(collection, triples))
            else:
                self.remove(space, "", [collection])

    def nodes(self, space: str, ids: Sequence[str]) -> list[Node]:
        at = self._at(space)
        wanted = [ref_of(id) for id in ids]
        return [_node(at, ref) for ref in wanted if at.means.get(ref) == ref]

    def named(
        self, space: str, names: Sequence[str], *, projects: frozenset[str] = frozenset()
    ) -> dict[str, tuple[Node, ...]]:
        at = self._at(space)
        found: dict[str, set[Ref]] = {}
        for ref, node in at.means.items():
            called = longer_names(ref[1]) | ({last_of(ref[1])} if ref == node else set())
            for name in called.intersection(names):
                found.setdefault(name, set()).add(node)
        for node, _, entity in at.definitions():
            for name in {name_key(each) for each in (entity.name, *entity.aliases)}.intersection(names):
                found.setdefault(name, set()).add(node)
        seen = _seen_by(at, projects)
        in_order = {name: _in_order(nodes & seen if projects else nodes) for name, nodes in found.items()}
        return {name: tuple(_node(at, ref) for ref in in_order[name]) for name in names if in_order.get(name)}

    def resembling(
        self, space: str, name: str, *, limit: int, projects: frozenset[str] = frozenset()
    ) -> list[tuple[Node, float]]:
        at = self._at(space)
        best: dict[Ref, float] = {}
        for node, called in _all_names(at):
            alike = likeness(squeezed(name), squeezed(called))
            if alike >= LEAST_ALIKE and alike > best.get(node, 0):
                best[node] = alike
        seen = _seen_by(at, projects)
        in_order = sorted((-alike, id_of(*ref), ref) for ref, alike in best.items() if not projects or ref in seen)
        return [(_node(at, ref), -alike) for alike, _, ref in in_order[: max(limit, 0)]]

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
        wanted = set(ids)
        left: dict[str, int | None] = dict.fromkeys(ids, limit)
        found = []
        for said in _statements(self._at(space)):
            ends = {said.subject} if way is Way.OUT else {said.object} if way is Way.IN else {said.subject, said.object}
            if not ends & wanted or (relations and said.relation not in relations):
                continue
            if projects and said.project not in projects:
                continue
            room = [end for end in ends & wanted if left[end] is None or (left[end] or 0) > 0]
            for end in room:
                before = left[end]
                left[end] = None if before is None else before - 1
            if room:
                found.append(said)
        return found

    def relations(self, space: str) -> list[RelationUse]:
        at = self._at(space)
        facts = {(said.relation, said.subject, said.object) for said in _statements(at)}
        kinds = {id: _node(at, ref_of(id)).kind for _, *ends in facts for id in ends}
        found = []
        for relation in {fact[0] for fact in facts}:
            mine = [fact for fact in facts if fact[0] == relation]
            subject, object = (_most(kinds[fact[end]] for fact in mine) for end in (1, 2))
            found.append(RelationUse(relation, len(mine), subject, object))
        return sorted(found, key=lambda use: (-use.facts, use.relation))

    def forget(self, space: str, project: str | None = None) -> None:
        with self._lock:
            at = self._at(space)
            if project is None:
                self._spaces.pop(space, None)
            else:
                self.remove(space, project, [path for owner, path in at.files if owner == project])
                self.settle(space)

    def erase(self, space: str, memories: Sequence[str]) -> None:
        with self._lock:
            at = self._at(space)
            left = {place: without(file, set(memories)) for place, file in at.files.items()}
            if left != at.files:
                at.files = {place: file for place, file in left.items() if file is not None}
                self.settle(space)

    def check(self, space: str) -> list[str]:
        return []

    def close(self) -> None:
        self._spaces.clear()

    def _at(self, space: str) -> _Space:
        return self._spaces.get(check_space(space)) or _Space()

    def _made(self, space: str) -> _Space:
        return self._spaces.setdefault(check_space(space), _Space())


def _refs_of(file: Kept) -> Iterator[Ref]:
    for entity in file.entities:
        yield file.project, entity.key
    for subject, _, object, *_ in file.facts:
        yield file.project, subject
        yield file.project, object
    for alias in file.aliases:
        if not alias.key.endswith("*"):
            yield file.project, alias.key


def _enter(file: Kept, facts: Facts) -> None:
    for entity in file.entities:
        facts.define(file.project, entity.key, entity.kind, (entity.name, *entity.aliases))
    for alias in file.aliases:
        facts.alias(file.project, alias.key, alias.target)
    for subject, relation, object, *_ in file.facts:
        if relation == Relation.INHERITS:
            facts.inherit(file.project, subject, object)


def _node(at: _Space, ref: Ref) -> Node:
    """The node of this project and key, from all definitions that mean it: its own first."""
    project, key = ref
    mine = [(file, entity) for node, file, entity in at.definitions() if node == ref]
    mine.sort(key=lambda each: (each[1].key != key, each[0].project, each[0].path, each[1].line))
    if not mine:
        kind = NAME_KIND if key.startswith(NAME) else UNOWNED_KIND
        return Node(id_of(*ref), key, shown_name(key), kind, project)
    _, first = mine[0]
    names = dict.fromkeys(name for _, entity in mine for name in (entity.name, *entity.aliases))
    places = dict.fromkeys((file.path, entity.line) for file, entity in mine if file.project and entity.key == key)
    detail = next((entity.detail for _, entity in mine if entity.detail), "")
    aliases = tuple(name for name in names if name != first.name)
    return Node(id_of(*ref), key, first.name, first.kind, project, detail, aliases, tuple(places))


def _statements(at: _Space) -> list[Statement]:
    """All of them between nodes, each once at a place, in order."""
    found: dict[tuple[str, str, str, str, str, int, str], Statement] = {}
    for file in at.in_order():
        for fact in file.facts:
            said = _statement(fact, file, at.means)
            place = (said.subject, said.relation, said.object, said.project, said.path, said.line, said.memory)
            found.setdefault(place, said)
    return [found[place] for place in sorted(found)]


def _statement(fact: Fact, file: Kept, means: Mapping[Ref, Ref]) -> Statement:
    subject, relation, object, line, sentence, weight, memory = fact
    subject, object = (id_of(*means[file.project, key]) for key in (subject, object))
    return Statement(subject, relation, object, weight, file.project, file.path, line, sentence, memory)


def _seen_by(at: _Space, projects: frozenset[str]) -> set[Ref]:
    """What these projects define, or speak of without anybody defining it."""
    seen: set[Ref] = set()
    for ref, node in at.means.items():
        if node[0] in projects or (not node[0] and ref[0] in projects):
            seen.add(node)
    return seen


def _all_names(at: _Space) -> Iterator[tuple[Ref, str]]:
    for ref, node in at.means.items():
        if ref == node:
            yield node, last_of(ref[1])
    for node, _, entity in at.definitions():
        for name in (entity.name, *entity.aliases):
            yield node, name_key(name)


def _in_order(refs: set[Ref]) -> list[Ref]:
    return sorted(refs, key=lambda ref: (not ref[0], id_of(*ref)))


def _most(kinds: Iterator[str]) -> str:
    counted = Counter(kinds)
    return min(counted, key=lambda kind: (-counted[kind], kind))
