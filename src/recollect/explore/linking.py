"""Which entities a question names.

Runs of words are looked up in one call: as they stand, and as identifiers would join them. The weightiest run wins what
others overlap with; a word that only holds the sentence together, or speaks of a relation, weighs next to nothing, so
that a film called "The" takes no word from "The Ring". What is written like a name and not known is compared by
spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.explore.relation_words import CLASS_WORDS, meanings_of
from recollect.explore.wording import (
    LOOKED_AT,
    Token,
    is_function_word,
    looks_like_code,
    singular,
    spellings_of,
    tokens_of,
)
from recollect.knowledge import Node
from recollect.language.entities import find_entities
from recollect.language.words import QUESTION_WORDS
from recollect.memories import name_key
from recollect.ports import Knowledge

LONGEST_NAME = 16  # words
MOST_WORDS = 60  # of a question; longer ones are pasted text
MOST_NODES = 8  # of one name
RESEMBLING = 5
LEAST_ALIKE = 0.75
BY_SPELLING = 0.85  # belief in a name that had to be joined or split
BY_LIKENESS = 0.8
QUOTED = re.compile(r"[\"“”`]([^\"“”`\n]{1,120})[\"“”`]|(?<!\w)'([^'\n]{2,120})'(?!\w)")
DOTTED = re.compile(r"\w+(?:(?:\.|::|#|/)\w+)+")
SEPARATORS = re.compile(r"\.|::|#|/|:")
EVERYDAY, CAPITAL, PLAIN, NAME, CODE = 0.1, 0.5, 1.0, 1.2, 1.5  # what a word weighs


class Link(NamedTuple):
    """Words of a question (first, and one past the last) and the nodes they may mean, likeliest first.

    `belief` is how surely the words are meant as a name at all, and as this one.
    """

    start: int
    end: int
    text: str
    nodes: tuple[Node, ...]
    belief: float
    weight: float

    @property
    def span(self) -> range:
        return range(self.start, self.end)


def link(
    question: str, knowledge: Knowledge, *, space: str, projects: frozenset[str] = frozenset()
) -> tuple[Link, ...]:
    """The entities a question names, weightiest first; names do not overlap."""
    question = question[:LOOKED_AT]
    tokens = tokens_of(question)[:MOST_WORDS]
    if not tokens:
        return ()
    quoted = [_tokens_within(tokens, *found.span()) for found in QUOTED.finditer(question)]
    runs = _runs(tokens)
    asked = list(dict.fromkeys(name for names in runs.values() for name in names if name))
    known = knowledge.named(space, asked, projects=projects)
    found = [made for run, names in runs.items() if (made := _linked(tokens, run, names, known, quoted))]
    found += _dotted(question, tokens, knowledge, space=space, projects=projects)
    chosen = _apart(found)
    if not any(each.belief > BY_LIKENESS * LEAST_ALIKE for each in chosen):
        chosen = _apart([*chosen, *_resembling(question, tokens, knowledge, space=space, projects=projects)])
    return tuple(chosen)


def _runs(tokens: Sequence[Token]) -> dict[range, list[str]]:
    return {
        range(start, end): spellings_of([token.text for token in tokens[start:end]])
        for start in range(len(tokens))
        for end in range(start + 1, min(len(tokens), start + LONGEST_NAME) + 1)
    }


def _tokens_within(tokens: Sequence[Token], start: int, end: int) -> range:
    inside = [at for at, token in enumerate(tokens) if start <= token.start and token.end <= end]
    return range(inside[0], inside[-1] + 1) if inside else range(0)


def _linked(
    tokens: Sequence[Token],
    run: range,
    names: Sequence[str],
    known: dict[str, tuple[Node, ...]],
    quoted: Sequence[range],
) -> Link | None:
    name = next((each for each in names if known.get(each)), None)
    if name is None or (run == range(1) and tokens[0].low in QUESTION_WORDS and run not in quoted):
        return None  # a question begins so; a function called `which` is not meant
    weights = [weight_of(tokens, at) for at in run]
    weight = sum(weights) if run not in quoted else max(PLAIN, *weights) * len(weights) + 1
    belief = min(1.0, max(weights)) if run not in quoted else 1.0
    if name != names[0]:
        belief *= BY_SPELLING
    text = " ".join(token.text for token in tokens[run.start : run.stop])
    return Link(run.start, run.stop, text, ordered(known[name], text), belief, weight)


def weight_of(tokens: Sequence[Token], at: int) -> float:
    """How much a word says about which thing is named.

    >>> words = tokens_of("who directed The Ring")
    >>> [weight_of(words, at) for at in range(4)]
    [0.1, 0.1, 0.5, 1.2]
    """
    token = tokens[at]
    if looks_like_code(token.text):
        return CODE
    everyday = is_function_word(token.low) or singular(token.low) in CLASS_WORDS or bool(meanings_of(token.low))
    capital = at > 0 and token.text[0].isupper()
    if not everyday:
        return NAME if capital else PLAIN
    return CAPITAL if capital else EVERYDAY


def ordered(nodes: Iterable[Node], written: str) -> tuple[Node, ...]:
    """Those written just so first, then those called so rather than known by it, then those a project defines.

    Where something is called just that and no more, as the module `threading` is, others that end so are not meant.
    """
    name, nodes = name_key(written), tuple(nodes)
    nodes = tuple(node for node in nodes if _segments(node.key) == [written.casefold()]) or nodes

    def place(node: Node) -> tuple[bool, bool, bool, str]:
        return (node.name != written, name_key(node.name) != name, not node.project, node.id)

    return tuple(sorted(nodes, key=place)[:MOST_NODES])


def _dotted(
    question: str, tokens: Sequence[Token], knowledge: Knowledge, *, space: str, projects: frozenset[str]
) -> list[Link]:
    """Names with their owners: "OrderService.pay" is the `pay` that stands in OrderService."""
    links = []
    for found in DOTTED.finditer(question):
        parts = [part for part in SEPARATORS.split(found[0]) if part]
        called = knowledge.named(space, [name_key(parts[-1])], projects=projects).get(name_key(parts[-1]), ())
        wanted = [part.casefold() for part in parts]
        nodes = [node for node in called if _segments(node.key)[-len(wanted) :] == wanted]
        nodes = [node for node in nodes if _segments(node.key) == wanted] or nodes
        run = _tokens_within(tokens, *found.span())
        if nodes and run:
            links.append(Link(run.start, run.stop, found[0], ordered(nodes, parts[-1]), 1.0, CODE * len(run) + 1))
    return links


def _segments(key: str) -> list[str]:
    """The names a key is made of, without what sort it is of.

    >>> _segments("py:shop.Cart.add"), _segments("ts:src/cart#Cart")
    (['shop', 'cart', 'add'], ['src', 'cart', 'cart'])
    """
    return [part for part in SEPARATORS.split(key.partition(":")[2].casefold()) if part]


def _resembling(
    question: str, tokens: Sequence[Token], knowledge: Knowledge, *, space: str, projects: frozenset[str]
) -> list[Link]:
    """What is written as a name and known under another spelling."""
    links = []
    for name in find_entities(question):
        at = question.find(name)
        run = _tokens_within(tokens, at, at + len(name)) if at >= 0 else range(0)
        if not run:
            continue
        alike = knowledge.resembling(space, name, limit=RESEMBLING, projects=projects)
        nodes = [(node, likeness) for node, likeness in alike if likeness >= LEAST_ALIKE]
        if nodes:
            best = nodes[0][1]
            same = tuple(node for node, likeness in nodes if likeness == best)
            links.append(Link(run.start, run.stop, name, same, BY_LIKENESS * best, best * len(run)))
    return links


def _apart(links: Sequence[Link]) -> list[Link]:
    """Weightiest first; what overlaps with a weightier one is left out."""
    chosen: list[Link] = []
    for each in sorted(links, key=lambda link: (-link.weight, -(link.end - link.start), -link.start)):
        if not any(each.start < other.end and other.start < each.end for other in chosen):
            chosen.append(each)
    return chosen
