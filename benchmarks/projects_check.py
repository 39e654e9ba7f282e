"""The graph beside the truth: precision and recall of sets, for sampled symbols. A part of `projects.py`.

`beyond` are statements at places where a name cannot be told without running the code or following types: neither right
nor wrong. All else that the truth does not say is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

from python_truth import Symbol, Truth

from recollect.knowledge import Node, Statement, Way
from recollect.ports import Knowledge
from recollect.records import name_key
from recollect.sources.graph import GraphSource
from recollect.values import Hit, Lookup

SPACE = "default"
SEED = 20260715
SAMPLED = 300
MOST_ANSWERS = 200
KINDS = ("class", "function", "method")
PYTHON = "py:"


@dataclass
class Score:
    """Counts over all questions of one sort."""

    name: str
    asked: int = 0
    expected: int = 0
    found: int = 0
    right: int = 0
    wrong: int = 0
    beyond: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 1.0


class Checker:
    """Counts, and prints the first differences."""

    def __init__(self, graph: Knowledge, truth: Truth, show: int) -> None:
        self.graph, self.truth, self.show = graph, truth, show
        self.shown: dict[str, int] = defaultdict(int)

    def count(self, score: Score, about: object, wanted: set[Symbol], got: set[Symbol], beyond: set[Symbol]) -> None:
        score.asked += 1
        score.expected += len(wanted)
        score.found += len(got)
        score.right += len(wanted & got)
        score.beyond += len((got & beyond) - wanted)
        score.wrong += len(got - wanted - beyond)
        missing, wrong = wanted - got, got - wanted - beyond
        for sort, each in [*(("missing", one) for one in missing), *(("wrong", one) for one in wrong)]:
            if self.shown[score.name + sort] < self.show:
                self.shown[score.name + sort] += 1
                print(f"{score.name}: {sort} {each} for {about}")


def check_graph(graph: Knowledge, truth: Truth, *, show: int) -> list[Score]:
    """Definitions by name, and who imports, inherits from and calls sampled symbols."""
    check = Checker(graph, truth, show)
    random = Random(SEED)
    return [
        _definitions(check, random),
        _inward(check, random, "imports", truth.imports, sorted(truth.modules)),
        _inward(check, random, "inherits", truth.inherits, sorted(_of_kind(truth, "class"))),
        _inward(check, random, "calls", truth.calls, sorted(truth.defined)),
        _projects(check, random),
    ]


def check_questions(graph: Knowledge, truth: Truth, *, show: int) -> list[Score]:
    """The same in words, through the graph source: what its first hit names."""
    check = Checker(graph, truth, show)
    random = Random(SEED)
    ask = Questions(graph)
    calls, bases, users = _inverse(truth.calls), _inverse(truth.inherits), _users(truth)
    return [
        _asked(check, random, ask, "What calls {}?", calls, sorted(truth.defined & calls.keys())),
        _asked(check, random, ask, "What inherits from {}?", bases, sorted(truth.defined & bases.keys())),
        _asked(check, random, ask, "Which projects use {}?", users, sorted(users)),
        _connections(check, random, ask),
    ]


class Questions:
    """Asks the graph source."""

    def __init__(self, graph: Knowledge) -> None:
        self._source = GraphSource(knowledge=graph)

    def hits(self, question: str) -> list[Hit]:
        return list(self._source.search_now(Lookup(question, SPACE, "graph", limit=MOST_ANSWERS)).hits)

    def entities(self, question: str) -> set[Symbol]:
        told = [hit.memory.metadata for hit in self.hits(question)[:1]]
        if told and "projects" in told[0]:
            return {(project, "") for project in told[0]["projects"]}
        return {symbol_of(id) for metadata in told if "answers" in metadata for id in metadata["entities"]}


def _asked(
    check: Checker, random: Random, ask: Questions, wording: str, wanted: dict[Symbol, set[Symbol]], known: list[Symbol]
) -> Score:
    """Symbols whose whole name is said, and whose answers can all be shown."""
    score = Score(wording.format("X"))
    few = [symbol for symbol in known if len(wanted[symbol]) <= MOST_ANSWERS // 2]
    for symbol in random.sample(few, min(SAMPLED // 2, len(few))):
        got = ask.entities(wording.format(symbol[1]))
        said = check.graph.about(SPACE, [id_of(symbol)], way=Way.IN)
        beyond = {symbol_of(each.subject) for each in said if _is_beyond(check.truth, each, symbol)}
        check.count(score, symbol, wanted[symbol], got, beyond)
    return score


def _connections(check: Checker, random: Random, ask: Questions) -> Score:
    """The two ends of a chain of two calls: a path between them is shown."""
    score = Score("How does A connect to B?")
    calls: dict[Symbol, set[Symbol]] = defaultdict(set)
    for one, other in check.truth.calls:
        if other in check.truth.defined and one in check.truth.defined:
            calls[one].add(other)
    starts = random.sample(sorted(calls), min(SAMPLED // 2, len(calls)))
    for one in starts:
        ends = sorted({last for middle in calls[one] for last in calls.get(middle, ())} - calls[one] - {one})
        if ends:
            other = random.choice(ends)
            told = [hit.memory.metadata for hit in ask.hits(f"How does {one[1]} connect to {other[1]}?")[:1]]
            shown = {symbol_of(id) for metadata in told for id in metadata.get("entities", ())}
            check.count(score, (one, other), {one, other}, shown & {one, other}, set())
    return score


def _definitions(check: Checker, random: Random) -> Score:
    by_name: dict[str, set[Symbol]] = defaultdict(set)
    for project, dotted in check.truth.defined:
        by_name[dotted.rpartition(".")[2]].add((project, dotted))
    score = Score("definitions")
    for name in random.sample(sorted(by_name), min(SAMPLED, len(by_name))):
        nodes = check.graph.named(SPACE, [name_key(name)]).get(name_key(name), ())
        got = {symbol_of(node.id) for node in nodes if node.name == name and _is_definition(node)}
        check.count(score, name, by_name[name], got, set())
    return score


def _inward(
    check: Checker, random: Random, relation: str, pairs: set[tuple[Symbol, Symbol]], symbols: list[Symbol]
) -> Score:
    """Who stands on the other side: for symbols that have somebody there, and for as many that may not."""
    inward = _inverse(pairs)
    known = sorted(inward)
    chosen = random.sample(known, min(SAMPLED, len(known))) + random.sample(symbols, min(SAMPLED // 2, len(symbols)))
    score = Score(relation)
    for symbol in dict.fromkeys(chosen):
        said = check.graph.about(SPACE, [id_of(symbol)], way=Way.IN, relations=frozenset({relation}))
        said = [each for each in said if each.path.endswith(".py")]
        got = {symbol_of(each.subject) for each in said}
        beyond = {symbol_of(each.subject) for each in said if _is_beyond(check.truth, each, symbol)}
        check.count(score, symbol, inward[symbol], got, beyond)
    return score


def _projects(check: Checker, random: Random) -> Score:
    """Which projects import a module that none of them defines, or that another defines."""
    users = _users(check.truth)
    score = Score("projects that use")
    for symbol in random.sample(sorted(users), min(SAMPLED, len(users))):
        said = check.graph.about(SPACE, [id_of(symbol)], way=Way.IN, relations=frozenset({"imports"}))
        said = [each for each in said if each.project != symbol[0] and each.path.endswith(".py")]
        got = {(each.project, "") for each in said}
        beyond = {(each.project, "") for each in said if _is_beyond(check.truth, each, symbol)}
        check.count(score, symbol, users[symbol], got, beyond)
    return score


def _users(truth: Truth) -> dict[Symbol, set[Symbol]]:
    users: dict[Symbol, set[Symbol]] = defaultdict(set)
    for (project, _), module in truth.imports:
        if project != module[0]:
            users[module].add((project, ""))
    return users


def _inverse(pairs: Iterable[tuple[Symbol, Symbol]]) -> dict[Symbol, set[Symbol]]:
    found: dict[Symbol, set[Symbol]] = defaultdict(set)
    for subject, object in pairs:
        found[object].add(subject)
    return found


def _is_beyond(truth: Truth, said: Statement, symbol: Symbol) -> bool:
    last = symbol[1].rpartition(".")[2]
    site = (said.project, said.path, said.line)
    if said.relation == "imports":
        return (symbol_of(said.subject), symbol) in truth.maybe_imports
    return any((site, name) in truth.unresolved for name in (last, "", "cls"))


def _of_kind(truth: Truth, kind: str) -> Iterable[Symbol]:
    return (symbol for symbol, each in truth.kinds.items() if each == kind)


def _is_definition(node: Node) -> bool:
    return node.kind in KINDS and node.key.startswith(PYTHON) and any(path.endswith(".py") for path, _ in node.places)


def id_of(symbol: Symbol) -> str:
    return f"{symbol[0]}::{PYTHON}{symbol[1]}"


def symbol_of(id: str) -> Symbol:
    project, _, key = id.partition("::")
    return project, key.removeprefix(PYTHON)
