"""The graph beside the truth: precision and recall of sets, for sampled symbols. A part of `projects.py`.

`beyond` are statements at places where a name cannot be told without running the code or following types: neither right
nor wrong. All else that the truth does not say is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from python_truth import Symbol, Truth
from recollect.knowledge import Node, Statement, Way
from recollect.ports import Knowledge
from recollect.records import name_key

SPACE = "default"
SEED = 20260715
SAMPLED = 300
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
        for sort, each in [("missing", one) for one in wanted - got] + [("wrong", one) for one in got - wanted - beyond]:
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
    """The same in words."""
    return []


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
    inward: dict[Symbol, set[Symbol]] = defaultdict(set)
    for subject, object in pairs:
        inward[object].add(subject)
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
    users: dict[Symbol, set[Symbol]] = defaultdict(set)
    for (project, _), module in check.truth.imports:
        if project != module[0]:
            users[module].add((project, ""))
    score = Score("projects that use")
    for symbol in random.sample(sorted(users), min(SAMPLED, len(users))):
        said = check.graph.about(SPACE, [id_of(symbol)], way=Way.IN, relations=frozenset({"imports"}))
        got = {(each.project, "") for each in said if each.project != symbol[0] and each.path.endswith(".py")}
        check.count(score, symbol, users[symbol], got, set())
    return score


def _is_beyond(truth: Truth, said: Statement, symbol: Symbol) -> bool:
    last = symbol[1].rpartition(".")[2]
    site = (said.project, said.path, said.line)
    return any((site, name) in truth.unresolved for name in (last, ""))


def _of_kind(truth: Truth, kind: str) -> Iterable[Symbol]:
    return (symbol for symbol, each in truth.kinds.items() if each == kind)


def _is_definition(node: Node) -> bool:
    return node.kind in KINDS and node.key.startswith(PYTHON) and any(path.endswith(".py") for path, _ in node.places)


def id_of(symbol: Symbol) -> str:
    return f"{symbol[0]}::{PYTHON}{symbol[1]}"


def symbol_of(id: str) -> Symbol:
    project, _, key = id.partition("::")
    return project, key.removeprefix(PYTHON)


Ask = Callable[[str], set[str]]
