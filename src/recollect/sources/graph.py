"""The graph source: entities and what is said of them, asked in words.

Takes a lookup; gives first what answers it as one hit, then the statements that say so, each with file and line or the
memory that holds it, then what the named entities are. Where only a name is known and nothing of what is asked, hits
stay below the gate. How a question is read is in `explore/`; this turns findings into hits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from recollect.explore.ask import Asker, Finding
from recollect.explore.patterns import Pattern, find_pattern, is_of_one_thing
from recollect.explore.scope import find_scope
from recollect.explore.telling import Teller, full_name, told_answer, told_path, told_pattern
from recollect.knowledge import Node, Statement
from recollect.offload import run_together
from recollect.ports import Knowledge, Store
from recollect.records import Memory
from recollect.settings import Settings
from recollect.values import Abilities, Explanation, Hit, Lookup, Narrowing, Reply

GRAPH = "graph"
ANSWER, PATH, PATTERN, STATEMENT, ENTITY = "answer", "path", "pattern", "statement", "entity"
# Relevance: an answer is believed as its reading is; what supports it a little less; a bare name stays below the gate.
MOST_SURE = 0.95
SUPPORT = 0.9
DEFINED = 0.8
BESIDE = 0.3
NAME_ONLY = 0.75  # of the gate
NAMED_BESIDE = 0.005  # texts that only name it: whoever searches texts judges them better, and must not be outranked
MOST_NAMES = 200  # statements about one name
MOST_LINKS = 5  # names that something is said about, where nothing answers


def _now() -> datetime:
    return datetime.now(UTC)


class _Piece(NamedTuple):
    """Something to show, before it is a hit."""

    memory: Memory
    relevance: float
    why: str


class GraphSource:
    """Questions over a graph. With a store, a statement that a stored memory makes is shown as that memory."""

    def __init__(
        self,
        store: Store | None = None,
        *,
        knowledge: Knowledge,
        settings: Settings | None = None,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._store = store
        self._knowledge = knowledge
        self._settings = settings or Settings()
        self._now = now

    @property
    def name(self) -> str:
        return GRAPH

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=False, cooperative=True)

    async def search(self, lookup: Lookup) -> Reply:
        if not self._knowledge.holds(lookup.space):
            return Reply(())
        return await run_together(self._knowledge, self.search_now, lookup)

    async def close(self) -> None:
        """The graph is closed by whoever opened it."""

    def search_now(self, lookup: Lookup) -> Reply:
        """The same, blocking."""
        if lookup.limit <= 0:
            return Reply(())
        space, projects = lookup.space, _heard(lookup.filters.projects)
        question = lookup.about or lookup.text
        pattern = find_pattern(question, self._knowledge, space=space, projects=projects)
        finding = self.ask(question, space=space, projects=projects)
        if finding is None and lookup.about:
            finding = self.ask(lookup.text, space=space, projects=projects)
        if pattern and finding and finding.answers and finding.answers.nodes and is_of_one_thing(question, pattern):
            pattern = None  # the named thing itself has users; what is only called like it is not meant
        pieces = list(self._of_pattern(pattern, space)) or list(self._of_finding(finding, space))
        return Reply(self._hits(pieces, lookup), narrowing=self._scope(finding, pattern, space, projects))

    def ask(self, question: str, *, space: str, projects: frozenset[str] = frozenset()) -> Finding | None:
        """What a question gives before it is told in hits."""
        graph = self._settings.graph
        asker = Asker(self._knowledge, space=space, projects=projects, max_hops=graph.max_hops, paths=graph.paths)
        return asker.ask(question)

    def _scope(
        self, finding: Finding | None, pattern: Pattern | None, space: str, projects: frozenset[str]
    ) -> Narrowing:
        if pattern:
            paths = frozenset(path for node in pattern.things for path, _ in node.places)
            return Narrowing(frozenset(pattern.projects), paths, tuple(node.id for node in pattern.things))
        if finding is None:
            return Narrowing()
        trail = [said for path in finding.paths for said in path.statements]
        trail += finding.answers.trail if finding.answers else ()
        return find_scope(finding.links, self._knowledge, space=space, projects=projects, trail=trail)

    # --- from findings to pieces -----------------------------------------------------------------

    def _of_finding(self, finding: Finding | None, space: str) -> Iterator[_Piece]:
        if finding is None:
            return
        gate = self._settings.quality_threshold * NAME_ONLY
        sure = MOST_SURE * finding.belief
        tell = Teller(self._knowledge, space)
        if finding.paths:
            for place, path in enumerate(finding.paths):
                yield self._told(PATH, finding.start.nodes[0], told_path(path, tell), sure * SUPPORT**place, space)
            yield from self._statements([each for path in finding.paths for each in path.statements], sure, tell)
        elif finding.answers and finding.answers.nodes:
            node = finding.start.nodes[0]
            told = told_answer(finding, tell)
            yield self._told(ANSWER, node, told, sure, space)
            yield from self._statements(finding.answers.trail, sure, tell)
        else:
            chance = BESIDE if finding.defines else NAMED_BESIDE
            for link in finding.links[:MOST_LINKS]:
                around = self._knowledge.about(space, [node.id for node in link.nodes], limit=MOST_NAMES)
                yield from self._statements(around, chance * link.belief / SUPPORT, tell)
        chance = DEFINED if finding.defines else BESIDE if sure else gate
        named = [finding.nodes] if not finding.paths else [each.nodes for each in finding.links[:2]]
        for node in (node for nodes in named for node in nodes):
            if node.places or node.detail:
                yield self._defined(node, chance * finding.start.belief, tell)

    def _of_pattern(self, pattern: Pattern | None, space: str) -> Iterator[_Piece]:
        if pattern is None or not pattern.recurring:
            return
        tell = Teller(self._knowledge, space)
        sure = MOST_SURE if pattern.projects else self._settings.quality_threshold
        yield self._told(PATTERN, pattern.things[0], told_pattern(pattern, tell), sure, space)
        shown = [said for each in pattern.recurring for said in each.statements]
        yield from self._statements(shown, sure, tell)

    def _told(
        self, kind: str, node: Node, told: tuple[str, Mapping[str, Any], Sequence[Statement]], chance: float, space: str
    ) -> _Piece:
        body, metadata, said = told
        first = next((each for each in said if each.path), None)
        id = _id(kind, space, node.id, body)
        memory = self._memory(id, space, kind, full_name(node), body, first)
        return _Piece(replace(memory, metadata=metadata), chance, f"{kind} from the graph")

    def _defined(self, node: Node, chance: float, tell: Teller) -> _Piece:
        body = tell.definition(node)
        memory = self._memory(_id(ENTITY, node.id), tell.space, ENTITY, node.name, body, None)
        path, line = node.places[0] if node.places else ("", 0)
        memory = replace(
            memory, project=node.project or None, source_uri=path or None, source_position=str(line) if line else None
        )
        return _Piece(memory, chance, "what the named entity is")

    def _statements(self, said: Iterable[Statement], sure: float, tell: Teller) -> Iterator[_Piece]:
        """Each statement as the memory that makes it, or told in words with its place; each once."""
        distinct = list(dict.fromkeys(said))
        stored = self._stored(tell.space, [each.memory for each in distinct if each.memory])
        shown: set[str] = set()
        for each in distinct:
            memory = stored.get(each.memory)
            if memory is None:
                body = tell.statement(each)
                id = _id(STATEMENT, each.subject, each.relation, each.object, each.project, each.path, str(each.line))
                memory = self._memory(id, tell.space, STATEMENT, tell.name(each.subject), body, each)
            if memory.id not in shown:
                shown.add(memory.id)
                yield _Piece(memory, sure * SUPPORT, "a statement of the graph")

    def _stored(self, space: str, ids: Sequence[str]) -> dict[str, Memory]:
        if self._store is None or not ids:
            return {}
        return {memory.id: memory for memory in self._store.read(space, list(dict.fromkeys(ids)))}

    def _memory(self, id: str, space: str, kind: str, title: str, body: str, said: Statement | None) -> Memory:
        now = self._now()
        digest = sha256(f"{title}\n{body}".encode()).hexdigest()
        return Memory(
            id, space, kind, title, body, now, now, digest,
            project=(said.project or None) if said else None,
            source_uri=(said.path or None) if said else None,
            source_position=str(said.line) if said and said.line else None,
            trust="tool",
        )  # fmt: skip

    # --- hits ------------------------------------------------------------------------------------

    def _hits(self, pieces: Iterable[_Piece], lookup: Lookup) -> tuple[Hit, ...]:
        now = self._now()
        best: dict[str, _Piece] = {}
        for piece in pieces:
            known = best.get(piece.memory.id)
            if (known is None or piece.relevance > known.relevance) and lookup.filters.passes(piece.memory, now=now):
                best[piece.memory.id] = piece
        ordered = sorted(best.values(), key=lambda piece: (-piece.relevance, piece.memory.id))
        return tuple(
            Hit(piece.memory, GRAPH, piece.relevance, piece.relevance, Explanation(piece.relevance, piece.why))
            for piece in ordered[: lookup.limit]
        )


def _heard(projects: frozenset[str]) -> frozenset[str]:
    """Who is heard: those projects and what no project says, which the memory that holds it may place in one."""
    return projects | {""} if projects else projects


def _id(*parts: str) -> str:
    return f"graph:{sha256('|'.join(parts).encode()).hexdigest()[:24]}"
