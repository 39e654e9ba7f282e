"""A question answered from the graph: which entity, by which chain of relations, with what result.

Takes words; gives a finding, or none where no known entity is named. The likeliest reading that leads somewhere wins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from recollect.explore.chains import Chain, read_chains
from recollect.explore.follow import Answers, Follower
from recollect.explore.linking import Link, link
from recollect.explore.paths import Connection, PathFinder
from recollect.explore.relation_words import CLASS_WORDS, KINDS
from recollect.explore.relations import Lexicon, read_lexicon
from recollect.explore.wording import LOOKED_AT, Token, is_function_word, singular, tokens_of
from recollect.knowledge import Node, RelationUse
from recollect.ports import Knowledge

LINKS_TRIED = 3
SURE = 0.75  # a reading believed so much ends the search for others
SURE_NAME = 0.5
CONNECTING = re.compile(
    r"\b(?:connect\w*|relat(?:e|es|ed|ion|ions|ionship|ionships)|link(?:s|ed)?|path|paths|between|reach(?:es)?|route"
    r"|depend(?:s)?\s+on|interact\w*|tied|flows?|get(?:s)?\s+(?:to|from))\b",
    re.IGNORECASE,
)
YES_OR_NO = re.compile(r"^\s*(?:does|do|did|is|are|was|were|has|have|can)\b", re.IGNORECASE)


class Finding(NamedTuple):
    """What a question gave: the entity asked about, the reading and its answers, or the paths between two entities.

    `defines`: nothing but what the entity is, is asked. `belief` is in the reading and its answers together.
    """

    links: tuple[Link, ...]
    start: Link
    nodes: tuple[Node, ...]
    chain: Chain | None = None
    answers: Answers | None = None
    paths: tuple[Connection, ...] = ()
    belief: float = 0.0
    defines: bool = False
    empty: bool = False  # the question was understood, and nothing is known


@lru_cache(maxsize=64)
def lexicon_of(uses: tuple[RelationUse, ...]) -> Lexicon:
    """How the relations of a graph can be spoken of, worked out once for each set of them."""
    return read_lexicon(uses)


class Asker:
    """Asks one space. `projects`, where given, are the only ones heard; paths are as long and as many as said."""

    def __init__(
        self,
        knowledge: Knowledge,
        *,
        space: str,
        projects: frozenset[str] = frozenset(),
        max_hops: int,
        paths: int,
    ) -> None:
        self._knowledge = knowledge
        self._space = space
        self._projects = projects
        self._max_hops = max_hops
        self._paths = paths
        self._follower = Follower(knowledge, space=space, projects=projects)

    def ask(self, question: str) -> Finding | None:
        """The finding for a question; None where it names nothing that is known."""
        question = question[:LOOKED_AT]
        links = link(question, self._knowledge, space=self._space, projects=self._projects)
        if not links:
            return None
        tokens = tokens_of(question)
        if connected := self._connected(question, links):
            return connected
        lexicon = lexicon_of(tuple(self._knowledge.relations(self._space)))
        best: Finding | None = None
        for start in links[:LINKS_TRIED]:
            for finding in self._readings(start, links, tokens, lexicon):
                if best is None or finding.belief > best.belief:
                    best = finding
            if best and best.belief >= SURE:
                break
        if best and best.belief > 0:
            return _only_asked(question, best)
        start = links[0]
        bare = not _said_otherwise(tokens, start)
        return Finding(links, start, start.nodes, defines=bare, empty=best is not None)

    def _connected(self, question: str, links: Sequence[Link]) -> Finding | None:
        """The paths between the two names of a question that asks how they belong together."""
        sure = [each for each in links if each.belief >= SURE_NAME]
        if len(sure) < 2 or not CONNECTING.search(question):
            return None
        one, other = sorted(sure[:2], key=lambda each: each.start)
        finder = PathFinder(self._knowledge, space=self._space, projects=self._projects)
        ends = [[node.id for node in each.nodes] for each in (one, other)]
        found = finder.between(*ends, max_hops=self._max_hops, most=self._paths)
        belief = min(one.belief, other.belief) if found else 0.0
        return Finding(tuple(links), one, one.nodes, paths=tuple(found), belief=belief, empty=not found)

    def _readings(
        self, start: Link, links: tuple[Link, ...], tokens: Sequence[Token], lexicon: Lexicon
    ) -> list[Finding]:
        findings = []
        ids = [node.id for node in start.nodes]
        named = {at for each in links if each is not start and each.belief >= SURE_NAME for at in each.span}
        for chain in read_chains(tokens, start.span, lexicon, named=named):
            answers = self._of_kind(self._follower.follow(ids, chain), chain.kind)
            belief = answers.belief * start.belief
            findings.append(Finding(links, start, start.nodes, chain, answers, belief=belief))
            if belief >= SURE:
                break
        return findings

    def _of_kind(self, answers: Answers, kind: str) -> Answers:
        """Only the sort of thing that is asked for, where any of the answers is of it."""
        kinds = KINDS.get(kind, (kind,)) if kind else ()
        if not kinds or not answers.nodes:
            return answers
        fitting = {node.id for node in self._knowledge.nodes(self._space, answers.nodes) if node.kind in kinds}
        if not fitting:
            return answers
        nodes = tuple(id for id in answers.nodes if id in fitting)
        trail = tuple(said for said in answers.trail if said.subject in fitting or said.object in fitting)
        return answers._replace(nodes=nodes, trail=trail)


def _only_asked(question: str, finding: Finding) -> Finding:
    """Of a question for yes or no that names another entity among the answers, that one alone."""
    answers = finding.answers
    others = {node.id for each in finding.links if each is not finding.start for node in each.nodes}
    if answers is None or not YES_OR_NO.match(question) or not others & set(answers.nodes):
        return finding
    nodes = tuple(id for id in answers.nodes if id in others)
    trail = tuple(said for said in answers.trail if said.subject in others or said.object in others)
    return finding._replace(answers=answers._replace(nodes=nodes, trail=trail))


def _said_otherwise(tokens: Sequence[Token], start: Link) -> list[str]:
    """Content words beside the name."""
    outside = [token.low for at, token in enumerate(tokens) if at not in start.span]
    return [low for low in outside if not is_function_word(low) and singular(low) not in CLASS_WORDS]
