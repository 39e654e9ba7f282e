"""Following chains of relations through a graph: one call per hop, within bounds, each answer with what says so.

A walk does not turn back over the statement it came by: the films of a film's director are the others. Where the words
leave the way open, the other way is tried when the likelier one leads nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from recollect.explore.chains import Chain, Hop
from recollect.explore.relation_words import Expect
from recollect.knowledge import Statement, Way
from recollect.ports import Knowledge

MOST_ENDS = 2_000  # nodes a hop goes on from; a graph's greatest hubs are cut there
MOST_STATEMENTS = 2_000  # of one node and hop
TURNED = 0.8  # belief left of a hop followed against its words
UNEXPECTED = 0.6  # belief left where a person is asked for and something else is found, or the like


class Answers(NamedTuple):
    """Where a chain leads: nodes by how many ways lead there, then by id; per node the statement that led there last.

    `trail` has all statements of the last hop, `hops` the chain as it was followed.
    """

    nodes: tuple[str, ...]
    trail: tuple[Statement, ...]
    hops: tuple[Hop, ...]
    belief: float


class _Walk(NamedTuple):
    """A frontier: for each node reached, from where and by which relation, and how many ways lead there so."""

    reached: dict[str, dict[tuple[str, str], int]]
    trail: tuple[Statement, ...]
    hops: tuple[Hop, ...]
    belief: float


class Follower:
    """Follows chains in one space, and remembers what it asked for within one question."""

    def __init__(self, knowledge: Knowledge, *, space: str, projects: frozenset[str] = frozenset()) -> None:
        self._knowledge = knowledge
        self._space = space
        self._projects = projects
        self._asked: dict[tuple[frozenset[str], Way, frozenset[str]], list[Statement]] = {}

    def follow(self, starts: Sequence[str], chain: Chain) -> Answers:
        """Where the chain leads from these nodes; empty where it leads nowhere."""
        walk = _Walk({start: {} for start in starts}, (), (), chain.belief)
        for place, hop in enumerate(chain.hops):
            walk = self._hop(walk, hop, last=place == len(chain.hops) - 1, expects=chain.expects)
            if not walk.reached:
                break
        reached = walk.reached
        beside = self._said_beside(starts, reached) if len(walk.hops) == 1 else {}
        counted = sorted(
            reached, key=lambda node: (node in starts, -sum(reached[node].values()), -beside.get(node, 0), node)
        )
        belief = walk.belief if _fits(walk.hops, chain.expects) else walk.belief * UNEXPECTED
        return Answers(tuple(counted), walk.trail, walk.hops, belief if counted else 0.0)

    def _said_beside(self, starts: Sequence[str], reached: Collection[str]) -> dict[str, int]:
        """How many statements of any kind are between the start and each answer: what is said twice is surer."""
        counts: dict[str, int] = {}
        if len(reached) > 1:
            for said in self._about(frozenset(starts), Way.BOTH, frozenset()):
                far = said.object if said.subject in starts else said.subject
                if far in reached:
                    counts[far] = counts.get(far, 0) + 1
        return counts

    def _hop(self, walk: _Walk, hop: Hop, *, last: bool, expects: Expect) -> _Walk:
        likely = self._step(walk, hop)
        if hop.fixed or (likely.reached and not (last and _clash(hop.arrives, expects))):
            return likely
        turned = self._step(walk, hop.turned())
        if not turned.reached:
            return likely
        if likely.reached and _clash(hop.departs, expects):
            return likely
        return turned._replace(belief=turned.belief * TURNED)

    def _step(self, walk: _Walk, hop: Hop) -> _Walk:
        ends = sorted(walk.reached)[:MOST_ENDS]
        reached: dict[str, dict[tuple[str, str], int]] = {}
        trail: list[Statement] = []
        for way in (Way.OUT, Way.IN):
            relations = frozenset(step.relation for step in hop.steps if step.way is way)
            if not relations:
                continue
            for said in self._about(frozenset(ends), way, relations):
                near, far = (said.subject, said.object) if way is Way.OUT else (said.object, said.subject)
                came = walk.reached.get(near)
                back = (far, said.relation)
                if came is None or (came and set(came) == {back}):
                    continue  # over the statement it came by, and by no other
                ways = reached.setdefault(far, {})
                here = (near, said.relation)
                ways[here] = ways.get(here, 0) + max(1, sum(came.values()) - came.get(back, 0))
                trail.append(said)
        return _Walk(reached, tuple(trail), (*walk.hops, hop), walk.belief)

    def _about(self, ends: frozenset[str], way: Way, relations: frozenset[str]) -> list[Statement]:
        key = (ends, way, relations)
        if key not in self._asked:
            self._asked[key] = self._knowledge.about(
                self._space,
                sorted(ends),
                way=way,
                relations=relations,
                projects=self._projects,
                limit=MOST_STATEMENTS,
            )
        return self._asked[key]


def _fits(hops: Sequence[Hop], expects: Expect) -> bool:
    return not hops or not _clash(hops[-1].arrives, expects)


def _clash(arrives: Expect, expects: Expect) -> bool:
    """Whether one cannot be the other: a year is no person, a person no place.

    >>> _clash(Expect.TIME, Expect.PERSON), _clash(Expect.ANY, Expect.PERSON), _clash(Expect.PERSON, Expect.THING)
    (True, False, True)
    """
    return Expect.ANY not in (arrives, expects) and arrives is not expects
