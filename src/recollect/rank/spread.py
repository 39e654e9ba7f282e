"""Spreading activation: from what matched, over links, to what is connected with it.

Takes the matches with their own relevance and a way to ask for links; gives for each memory or entity what reached it
and whence. Decides how much a link passes on. Whether a thing so reached may be shown, and what its activation is
worth beside other signals, is left to the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice
from math import sqrt
from typing import NamedTuple, TypeAlias

from recollect.records import LEARNED_RELATION, Link, Ties, worn_off
from recollect.settings import LearningSettings, SpreadSettings

# How much of what speaks for one end speaks for the other, by what the link says, in either direction.
# The figures for same_as, part_of, causes, similar_to, precedes, mentions and relates_to come from an earlier agent's
# memory; the others are placed among them. Each name stands here with its inverse, so that no spelling is overlooked.
RELATION_WEIGHTS: Mapping[str, float] = {
    LEARNED_RELATION: 1.0,  # only learned: what was learned says it all
    "same_as": 0.95,  # another name of the same thing
    "same_entity": 0.95,
    "part_of": 0.85,  # a piece of a whole
    "has_part": 0.85,
    "contains": 0.85,
    "causes": 0.80,  # why it happened
    "caused_by": 0.80,
    "supports": 0.75,  # a reason to believe it
    "supported_by": 0.75,
    "applied_to": 0.75,  # a lesson and where it was used
    "supersedes": 0.70,  # the same matter, newer and older
    "superseded_by": 0.70,
    "derived_from": 0.70,  # a conclusion and what it was drawn from
    "generalizes": 0.70,
    "defines": 0.70,  # where a thing is made
    "defined_in": 0.70,
    "contradicts": 0.60,  # the same matter, seen otherwise
    "mentions": 0.60,  # speaks of it, perhaps in passing
    "mentioned_in": 0.60,
    "about": 0.60,
    "calls": 0.60,  # code that needs other code
    "called_by": 0.60,
    "imports": 0.60,
    "imported_by": 0.60,
    "uses": 0.60,
    "used_by": 0.60,
    "relates_to": 0.50,  # somebody saw a connection and did not say which
    "related_to": 0.50,
    "similar_to": 0.45,  # alike in words: says little that the search did not find by itself
    "precedes": 0.40,  # came before: near in time only
    "follows": 0.40,
}
OTHER_RELATION_WEIGHT = 0.50  # as one that says no more than that there is a connection
MOST_CARRIED = 3  # waves that go on from one id: where many meet, the others add little and cost as much
IDS_PER_ID = 4  # new ids that one id is expected to lead to
MOST_NAMED = 3  # neighbours named as the way something was reached

AskTies: TypeAlias = Callable[[Sequence[str]], Mapping[str, Ties]]


class Activation(NamedTuple):
    """What reached one memory or entity.

    `received` is all of it together, `best` the strongest single path; both 0..1. `reached_by` are the ids right
    before it, strongest first. `contradicts`, `supersedes` and `coexists` are ids, by the links that were seen.
    """

    received: float = 0.0
    best: float = 0.0
    reached_by: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    coexists: tuple[str, ...] = ()


class _Flow(NamedTuple):
    """What one match's wave brought to one id: by all its paths together, and by the strongest of them."""

    amount: float
    best: float


# Per id, what each match's wave brought there in one hop.
_Flows: TypeAlias = dict[str, dict[str, _Flow]]


def relation_weight(relation: str) -> float:
    """What a relation passes on, however it is spelled.

    >>> relation_weight("part_of"), relation_weight("Part of"), relation_weight("owes money to")
    (0.85, 0.85, 0.5)
    """
    return RELATION_WEIGHTS.get(_spelled(relation), OTHER_RELATION_WEIGHT)


def spread(
    seeds: Mapping[str, float],
    ties: AskTies,
    *,
    settings: SpreadSettings,
    learning: LearningSettings,
    now: datetime,
) -> dict[str, Activation]:
    """What reaches whom from the seeds (id to own relevance), hop by hop; `ties` is asked once before each.

    Every seed sends out a wave. A link passes on what its near end has x the relation's weight x the link's own
    (stated and learned) x the hop's decay x what the near end's number of links leaves. A wave enters each id in one
    hop only, the first, so that it never comes back to where it was: no echo, no circles. What arrives on several
    ways is combined as chances are, 1 - (1 - a)(1 - b), which stays within 0..1 whatever else was found.
    The hop that uses up the budget is the last. A seed of zero sends nothing; its links are looked at for what they
    contradict and supersede.
    """
    waves = _Waves(seeds, settings=settings, learning=learning, now=now)
    waves.learn_ties(ties)
    for hop in range(1, settings.max_hops + 1):
        waves.move()
        if hop == settings.max_hops or not waves.have_room:
            break
        waves.learn_ties(ties)
    return waves.activations()


class _Waves:
    """The waves of all seeds under way."""

    def __init__(
        self, seeds: Mapping[str, float], *, settings: SpreadSettings, learning: LearningSettings, now: datetime
    ) -> None:
        self._settings, self._learning, self._now = settings, learning, now
        self._seeds = seeds
        self._ties: dict[str, Ties] = {}
        self._asked: set[str] = set()
        self._entered = {id: {id} for id in seeds}
        self._left: dict[str, float] = {}  # the chance that nothing of what arrived counts
        self._best: dict[str, float] = {}
        self._ways: dict[str, dict[str, float]] = {}
        self._room = settings.budget
        self.flows: _Flows = {id: {id: _Flow(own, own)} for id, own in _strongest(seeds)}

    @property
    def have_room(self) -> bool:
        """Whether another id may take part."""
        return self._room > 0

    def learn_ties(self, ask: AskTies) -> None:
        """Ask for the links of all that is about to pass something on."""
        wanted = [id for id in self.flows if id not in self._asked]
        if wanted:
            self._asked.update(wanted)
            self._ties.update(ask(wanted))

    def move(self) -> None:
        """One hop of every wave; the budget goes to what receives most.

        Of what was reached, the strongest go on: no more than are needed to use up what is left of the budget.
        """
        arrived: _Flows = {}
        for id, flows in self.flows.items():
            if id in self._ties:
                self._pass_on(id, flows, arrived)
        self.flows = {}
        for id, amount in _strongest({id: _together(flows.values()) for id, flows in arrived.items()}):
            if not self._has_room(id):
                continue
            flows = arrived[id]
            for seed in flows:
                self._entered[seed].add(id)
            self._left[id] = self._left.get(id, 1.0) * (1 - amount)
            self._best[id] = max(self._best.get(id, 0.0), *(flow.best for flow in flows.values()))
            if carried := self._carried(flows):
                self.flows[id] = carried
        self.flows = dict(islice(self.flows.items(), self._room // IDS_PER_ID + 1))

    def activations(self) -> dict[str, Activation]:
        """What reached each id, and what the links seen say about it."""
        contradicts, supersedes, coexists = _stated(self._ties)
        return {
            id: Activation(
                1 - self._left.get(id, 1.0),
                self._best.get(id, 0.0),
                tuple(way for way, _ in _strongest(self._ways.get(id, {}))[:MOST_NAMED]),
                tuple(sorted(contradicts.get(id, ()))),
                tuple(sorted(supersedes.get(id, ()))),
                tuple(sorted(coexists.get(id, ()))),
            )
            for id in sorted({*self._left, *contradicts, *supersedes, *coexists})
        }

    def _pass_on(self, id: str, flows: Mapping[str, _Flow], arrived: _Flows) -> None:
        ties, least = self._ties[id], self._settings.least
        share = self._settings.hop_decay * hub_share(ties, hub_links=self._settings.hub_links)
        most = max(flow.amount for flow in flows.values())
        for link in ties.links:
            factor = share * self._strength(link)
            if most * factor < least or factor <= 0:
                continue
            other = link.to_id if link.from_id == id else link.from_id
            for seed, flow in flows.items():
                passed = flow.amount * factor
                if passed < least or passed <= 0 or other in self._entered[seed]:
                    continue
                into = arrived.setdefault(other, {})
                before = into.get(seed, _Flow(0.0, 0.0))
                into[seed] = _Flow(1 - (1 - before.amount) * (1 - passed), max(before.best, flow.best * factor))
                ways = self._ways.setdefault(other, {})
                ways[id] = max(ways.get(id, 0.0), passed)

    def _carried(self, flows: Mapping[str, _Flow]) -> dict[str, _Flow]:
        """The waves that go on from an id: the strongest few, where the next hop could pass on enough of them."""
        decay, least = self._settings.hop_decay, self._settings.least
        strong = [(-flow.amount, seed) for seed, flow in flows.items() if flow.amount * decay >= least]
        return {seed: flows[seed] for _, seed in sorted(strong)[:MOST_CARRIED]}

    def _strength(self, link: Link) -> float:
        """What the link says, and what was learned about it, so far as learning is on."""
        weight = link.weight
        if self._learning.enabled and link.learned:
            days = self._learning.half_life_days
            weight += worn_off(link.learned, link.learned_at, now=self._now, half_life_days=days)
        return relation_weight(link.relation) * min(1.0, weight)

    def _has_room(self, id: str) -> bool:
        """Whether it may take part: what has already does, and seeds always; each other takes up one place."""
        if id in self._left or id in self._seeds:
            return True
        if self._room <= 0:
            return False
        self._room -= 1
        return True


def hub_share(ties: Ties, *, hub_links: int) -> float:
    """What is left for each link of something with many: the square root of how many it may have to how many it has.

    Dividing by the number itself would silence hubs altogether, though some are hubs because they matter.

    >>> [hub_share(Ties((), inbound=links, outbound=0), hub_links=6) for links in (5, 24)]
    [1.0, 0.5]
    """
    degree = ties.inbound + ties.outbound
    return 1.0 if degree <= hub_links else sqrt(hub_links / degree)


def _stated(ties: Mapping[str, Ties]) -> tuple[dict[str, set[str]], dict[str, set[str]], dict[str, set[str]]]:
    """Who contradicts whom, who supersedes whom, and which two may both hold, by the links that were seen."""
    contradicts: dict[str, set[str]] = {}
    supersedes: dict[str, set[str]] = {}
    coexists: dict[str, set[str]] = {}
    for each in ties.values():
        for link in each.links:
            match _spelled(link.relation):
                case "contradicts":
                    contradicts.setdefault(link.from_id, set()).add(link.to_id)
                    contradicts.setdefault(link.to_id, set()).add(link.from_id)
                case "coexists_with":
                    coexists.setdefault(link.from_id, set()).add(link.to_id)
                    coexists.setdefault(link.to_id, set()).add(link.from_id)
                case "supersedes":
                    supersedes.setdefault(link.from_id, set()).add(link.to_id)
                case "superseded_by":
                    supersedes.setdefault(link.to_id, set()).add(link.from_id)
    return contradicts, supersedes, coexists


@lru_cache(maxsize=1024)  # a space knows few relations and has many links
def _spelled(relation: str) -> str:
    return relation.strip().lower().replace(" ", "_").replace("-", "_")


def _together(flows: Iterable[_Flow]) -> float:
    """All of it combined as chances are."""
    left = 1.0
    for flow in flows:
        left *= 1 - flow.amount
    return 1 - left


def _strongest(amounts: Mapping[str, float]) -> list[tuple[str, float]]:
    """Strongest first, ties by id."""
    return sorted(amounts.items(), key=lambda each: (-each[1], each[0]))
