"""What the graph gives, in plain words: statements with their places, answers, paths, patterns, definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recollect.explore.ask import Finding
from recollect.explore.paths import Connection
from recollect.explore.patterns import Pattern
from recollect.explore.relation_words import Form, meanings_of
from recollect.explore.relations import words_in
from recollect.knowledge import Node, Relation, Statement, Way
from recollect.ports import Knowledge

PROJECT_WORDS = frozenset({"project", "repository", "repo", "team", "package"})
MEMBERS = frozenset({"method", "column", "field"})
SEGMENT = re.compile(r"[^.#:/]+")
MOST_SHOWN = 20  # names in a sentence
MOST_PLACES = 3  # of a definition
MOST_KEPT = 200  # names in the metadata
Told = tuple[str, Mapping[str, Any], Sequence[Statement]]


class Teller:
    """Names nodes of one space; each is read once."""

    def __init__(self, knowledge: Knowledge, space: str) -> None:
        self.space = space
        self._knowledge = knowledge
        self._nodes: dict[str, Node] = {}

    def read(self, ids: Iterable[str]) -> None:
        """Read these at once, before they are told one by one."""
        missing = [id for id in dict.fromkeys(ids) if id not in self._nodes]
        if missing:
            self._nodes.update((node.id, node) for node in self._knowledge.nodes(self.space, missing))

    def node(self, id: str) -> Node | None:
        self.read([id])
        return self._nodes.get(id)

    def name(self, id: str) -> str:
        node = self.node(id)
        return full_name(node) if node else id

    def statement(self, said: Statement) -> str:
        """One statement in words, with the sentence that makes it, or its place."""
        self.read([said.subject, said.object])
        if said.sentence:
            return said.sentence
        return f"{self.name(said.subject)} {in_words(said.relation)} {self.name(said.object)}{place_of(said)}"

    def definition(self, node: Node) -> str:
        """What a node is and where."""
        where = f" in {node.project}" if node.project else ""
        places = [f"{path}:{line}" if line else path for path, line in node.places[:MOST_PLACES]]
        at = f" ({', '.join(places)})" if places else ""
        detail = f": {node.detail}" if node.detail else ""
        return f"{full_name(node)} is a {node.kind or 'thing'}{where}{at}{detail}"


def full_name(node: Node) -> str:
    """The name of a thing; of a member, with the name of what it is a member of.

    >>> full_name(Node("", "py:shop.orders.OrderService.place", "place", "method"))
    'OrderService.place'
    >>> full_name(Node("", "ts:src/cart#Cart.add", "add", "method")), full_name(Node("", "py:s.pay", "pay", "function"))
    ('Cart.add', 'pay')
    """
    if node.kind not in MEMBERS:
        return node.name
    segments = SEGMENT.findall(node.key.partition(":")[2])
    return ".".join(segments[-2:]) if segments else node.name


def in_words(relation: str) -> str:
    """A relation as words between its subject and its object.

    >>> in_words("written_by"), in_words("calls"), in_words("genre")
    ('was written by', 'calls', 'has genre')
    """
    words = words_in(relation)
    if words[-1] == "by" and words[0] not in ("is", "was"):
        return f"was {' '.join(words)}"
    forms = {meaning.form for meaning in meanings_of(words[0])}
    noun = len(words) == 1 and forms and Form.VERB not in forms
    return f"has {words[0]}" if noun else " ".join(words)


def place_of(said: Statement) -> str:
    """Where a statement stands, in brackets; empty where nobody knows.

    >>> place_of(Statement("a", "calls", "b", path="orders/service.py", line=12))
    ' (orders/service.py:12)'
    """
    if not said.path or not (said.project or said.line):
        return ""
    return f" ({said.path}:{said.line})" if said.line else f" ({said.path})"


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, the first of them where they are many."""
    more = len(names) - MOST_SHOWN
    return ", ".join(names[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")


def counted(count: int, noun: str) -> str:
    """How many of what.

    >>> counted(1, "project"), counted(3, "class"), counted(2, "repository")
    ('1 project', '3 classes', '2 repositories')
    """
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}{'es' if noun.endswith(('s', 'x', 'ch')) else 's'}"


def told_answer(finding: Finding, tell: Teller) -> Told:
    """The answers as one sentence, and as names in order."""
    answers = finding.answers
    assert answers is not None and finding.chain is not None
    tell.read(answers.nodes[:MOST_KEPT])
    names = [tell.name(id) for id in answers.nodes[:MOST_KEPT]]
    start, count = full_name(finding.start.nodes[0]), len(answers.nodes)
    steps = [[(step.relation, step.way.value) for step in hop.steps] for hop in answers.hops]
    metadata = {
        "answers": tuple(names),
        "entities": tuple(answers.nodes[:MOST_KEPT]),
        "relation": " > ".join("/".join(name for name, _ in hop) for hop in steps),
        "count": count,
    }
    said = answers.trail
    if len(answers.hops) == 1 and count == 1:
        body = tell.statement(said[0])
    elif len(answers.hops) == 1:
        body = _one_hop(finding, start, names, said)
    else:
        words = ", ".join(hop.words for hop in answers.hops)
        body = f"{count} found from {start} by {words}: {listed(names)}"
    if finding.chain.kind in PROJECT_WORDS:
        projects = sorted({each.project for each in said if each.project})
        metadata = {**metadata, "projects": tuple(projects), "answers": tuple(projects), "count": len(projects)}
        body = f"{counted(len(projects), 'project')}: {listed(projects)}. {body}"
    return body, metadata, said


def _one_hop(finding: Finding, start: str, names: Sequence[str], said: Sequence[Statement]) -> str:
    assert finding.answers is not None and finding.chain is not None
    relations = dict.fromkeys(each.relation for each in said)
    verbs = " or ".join(in_words(relation) for relation in relations)
    count, kind = len(finding.answers.nodes), finding.chain.kind
    if any(step.way is Way.IN for step in finding.answers.hops[0].steps):
        many = f"{count}" if not kind or kind in PROJECT_WORDS else counted(count, kind)
        return f"{many} {_plural(verbs)} {start}: {listed(names)}"
    return f"{start} {verbs} {count}: {listed(names)}"


def _plural(verbs: str) -> str:
    """Verbs of one made verbs of many, where they are one word.

    >>> _plural("calls"), _plural("was written by"), _plural("uses or calls")
    ('call', 'were written by', 'use or call')
    """
    many = [verb.removesuffix("s") if " " not in verb else verb for verb in verbs.split(" or ")]
    return " or ".join(f"were{verb[3:]}" if verb.startswith("was ") else verb for verb in many)


def told_path(path: Connection, tell: Teller) -> Told:
    """A path as its statements, in order, without those that only say whose member something is: its name does."""
    tell.read(path.nodes)
    names = [tell.name(id) for id in path.nodes]
    telling = [said for said in path.statements if not _is_in_name(said, tell)] or path.statements
    body = "; ".join(tell.statement(said) for said in telling)
    metadata = {
        "answers": tuple(names),
        "entities": path.nodes,
        "relation": " > ".join(said.relation for said in path.statements),
        "count": len(path.statements),
    }
    return body, metadata, path.statements


def _is_in_name(said: Statement, tell: Teller) -> bool:
    node = tell.node(said.object)
    return said.relation == Relation.CONTAINS and node is not None and node.kind in MEMBERS


def told_pattern(pattern: Pattern, tell: Teller) -> Told:
    """What recurs, and in which projects."""
    rows = [f"{each.what} ({', '.join(each.projects)})" for each in pattern.recurring[:MOST_SHOWN]]
    projects = pattern.projects
    things = dict.fromkeys(node.name for node in pattern.things)
    body = f"{counted(len(projects), 'project')} with {listed(list(things))}: {', '.join(projects)}. {'; '.join(rows)}"
    metadata = {
        "answers": projects if pattern.wanted else tuple(each.what for each in pattern.recurring),
        "entities": tuple(node.id for node in pattern.things),
        "relation": "contains",
        "count": len(projects),
        "projects": projects,
    }
    return body, metadata, [said for each in pattern.recurring for said in each.statements]
