"""What recurs across projects: which ones have something, how many, and what theirs have in common.

"Which projects key customers by UUID?", "What patterns do other teams use for customer tables?". Takes words; finds the
things whose names are made of them, with what they consist of, and counts by project. Leaves single things to `ask`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.explore.wording import LOOKED_AT, Token, is_function_word, name_words, singular, tokens_of
from recollect.knowledge import Node, Relation, Statement, Way
from recollect.ports import Knowledge

RECURS = (
    r"patterns?|conventions?|practices?|approach(?:es)?|recurring|in\s+common|usual(?:ly)?|typical(?:ly)?|other\s+teams?"
    r"|across\s+(?:all\s+)?(?:projects|teams|services|repos\w*)"
)
COUNTS = r"(?:which|what|how\s+many)\s+(?:other\s+)?(?:projects?|teams?|repos(?:itor(?:y|ies))?|services?)"
ASKS = re.compile(rf"\b(?:{RECURS}|{COUNTS})\b", re.IGNORECASE)
ASKS_WHAT_RECURS = re.compile(rf"\b(?:{RECURS})\b", re.IGNORECASE)
# Words of such questions that describe no thing.
ASKING = frozenset(
    """
    pattern convention practice approach recurring common usual usually typical typically team project repo repository
    service across use uses used using have has define defines model models store stores keep other many design
    structure look key keys keyed identify identifies identified
    """.split()
)
# Sorts of things, as the graph calls them.
SORTS = {
    "table": ("table",), "column": ("column",), "class": ("class", "interface", "struct", "trait"),
    "function": ("function", "method"), "method": ("method", "function"), "endpoint": ("endpoint",),
    "module": ("module",), "schema": ("table", "class"), "field": ("column", "field", "attribute"),
}  # fmt: skip
KEYING = re.compile(r"\b(?:key|keys|keyed|keying|identif\w+|primary\s+keys?)\b", re.IGNORECASE)
IS_KEY = re.compile(r"primary\s+key", re.IGNORECASE)
MOST_ALIKE = 200
MOST_NAMES = 8
RECURS_FROM = 2
OWNING = frozenset({Relation.CONTAINS.value})


class Recurring(NamedTuple):
    """Something several have: what, which projects, and the statements that show it."""

    what: str
    projects: tuple[str, ...]
    statements: tuple[Statement, ...]


class Pattern(NamedTuple):
    """What a question about patterns found: the things it is about, what recurs among them, and those that fit.

    `wanted` are the words their parts had to have ("uuid"); empty where the question asks what there is.
    """

    topic: str
    things: tuple[Node, ...]
    parts: Mapping[str, Node]
    recurring: tuple[Recurring, ...]
    wanted: tuple[str, ...] = ()

    @property
    def projects(self) -> tuple[str, ...]:
        if self.wanted:
            return tuple(sorted({project for each in self.recurring for project in each.projects}))
        return tuple(sorted({node.project for node in self.things if node.project}))


def find_pattern(
    question: str, knowledge: Knowledge, *, space: str, projects: frozenset[str] = frozenset()
) -> Pattern | None:
    """What recurs, for a question that asks so; None for any other, or where nothing of that name is known."""
    question = question[:LOOKED_AT]
    if not ASKS.search(question):
        return None
    words = _content(tokens_of(question))
    sorts = tuple(dict.fromkeys(kind for word in words for kind in SORTS.get(word, ())))
    for topic in (word for word in words if word not in SORTS):
        things = _called(topic, knowledge, space=space, projects=projects)
        things = [node for node in things if node.kind in (sorts or ("table", "class", "endpoint", "struct"))]
        if things:
            wanted = tuple(word for word in words if word != topic and word not in SORTS)
            return _counted(topic, things, wanted, question, knowledge, space)
    return None


def is_of_one_thing(question: str, pattern: Pattern) -> bool:
    """Whether a question only counts projects, and of nothing in particular: "which projects use celery?"."""
    return not pattern.wanted and not ASKS_WHAT_RECURS.search(question[:LOOKED_AT])


def _content(tokens: Sequence[Token]) -> list[str]:
    words = [singular(token.low) for token in tokens if not is_function_word(token.low)]
    return list(dict.fromkeys(word for word in words if word not in ASKING))


def _called(topic: str, knowledge: Knowledge, *, space: str, projects: frozenset[str]) -> list[Node]:
    """The things whose names have that word, singular or plural."""
    names = (topic, f"{topic}s", f"{topic}es", f"{topic.removesuffix('y')}ies")
    known = knowledge.named(space, names, projects=projects)
    found = {node.id: node for nodes in known.values() for node in nodes}
    for name in names[:2]:
        alike = knowledge.resembling(space, name, limit=MOST_ALIKE, projects=projects)
        found.update((node.id, node) for node, _ in alike if topic in name_words(node.name))
    return [found[id] for id in sorted(found)]


def _counted(
    topic: str, things: list[Node], wanted: tuple[str, ...], question: str, knowledge: Knowledge, space: str
) -> Pattern:
    said = knowledge.about(space, [node.id for node in things], way=Way.OUT, relations=OWNING)
    parts = {node.id: node for node in knowledge.nodes(space, sorted({each.object for each in said}))}
    owners = {node.id: node for node in things}
    keys_only = bool(KEYING.search(question))
    groups: dict[str, list[Statement]] = {}
    for each in said:
        part = parts.get(each.object)
        if part and _fits(part, topic, wanted, keys_only=keys_only):
            groups.setdefault(_described(part), []).append(each)
    recurring = [_recurring(what, group, owners) for what, group in groups.items()]
    least = 1 if wanted or keys_only else RECURS_FROM
    kept = [each for each in recurring if len(each.projects) >= least]
    if not kept and not wanted:
        kept = recurring
    kept.sort(key=lambda each: (-len(each.projects), -len(each.statements), each.what))
    return Pattern(topic, tuple(things), parts, tuple(kept), wanted or (("key",) if keys_only else ()))


def _fits(part: Node, topic: str, wanted: Sequence[str], *, keys_only: bool) -> bool:
    if keys_only and not (IS_KEY.search(part.detail) or part.name.casefold() in ("id", "key", f"{topic}_id", "uuid")):
        return False
    described = name_words(part.name) | name_words(part.detail)
    return all(word in described for word in wanted)


def _described(part: Node) -> str:
    """A part as it recurs: its name and, for a column, its type.

    >>> _described(Node("1", "sql:a.id", "customers.id", "column", detail="UUID PRIMARY KEY"))
    'id UUID PRIMARY KEY'
    """
    return f"{part.name.rpartition('.')[2]} {part.detail}".strip()


def _recurring(what: str, group: Sequence[Statement], owners: Mapping[str, Node]) -> Recurring:
    projects = {owners[each.subject].project or each.project for each in group}
    return Recurring(what, tuple(sorted(projects - {""})), tuple(group))
