"""What stands in a lineup: each candidate with its clues, and all of them with what the list is worth.

Frozen values with the arithmetic that reads a relevance off them. Who the candidates are is decided in `lineup.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from recollect.rank.answering import Signs
from recollect.rank.clues import Clues, Mention, Shape
from recollect.rank.joined import NOT_JOINED, Joined
from recollect.rank.model import Arms as Weights
from recollect.rank.model import chance_in_list, full_score
from recollect.rank.reasons import explain_answering, explain_relevance, explain_standing, through_links
from recollect.records import Memory, Term
from recollect.values import Explanation

NO_MENTION = Mention()


@dataclass(frozen=True, slots=True)
class Arms:
    """What the two searches brought, and the cosines of whatever else was compared."""

    keyword: Mapping[str, float]
    semantic: Mapping[str, float]
    highest: float
    terms: Sequence[Term]
    notes: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """One memory beside the question and the others."""

    memory: Memory
    clues: Clues
    own: float
    mention: Mention = NO_MENTION
    named_by: tuple[str, ...] = ()
    joined: Joined = NOT_JOINED


@dataclass(frozen=True, slots=True)
class Lineup:
    """The candidates by id, how the list looks, and what it is worth."""

    candidates: Mapping[str, Candidate]
    shape: Shape
    signs: Signs
    weights: Weights
    scores: Mapping[str, float] = field(default_factory=dict)
    answers: float = 0.0
    best: float = 0.0
    joined: Mapping[str, float] = field(default_factory=dict)  # what statements raised the score of each by

    def score(self, candidate: Candidate) -> float:
        """Where it stands; only differences mean anything."""
        found = self.scores.get(candidate.memory.id)
        return full_score(candidate.own, candidate.mention, self.weights.mentions) if found is None else found

    def relevance(self, candidate: Candidate) -> float:
        """The chance that it answers: that the list does, times how it stands beside the best of it."""
        return self.answers * self.beside_best(candidate)

    def beside_best(self, candidate: Candidate) -> float:
        """Its chance as a share of the best one's."""
        chance = chance_in_list(self.score(candidate), self.weights.chance)
        return min(1.0, chance / self.best) if self.best else 0.0

    def explain(self, candidate: Candidate, *, links: float) -> Explanation:
        """Why it is as relevant as it is, with what links add."""
        return explain_relevance(
            through_links(self.relevance(candidate), best=links),
            answering=explain_answering(self.signs, self.weights, answers=self.answers),
            standing=self._standing(candidate),
            beside_best=self.beside_best(candidate),
            links=links,
        )

    def _standing(self, candidate: Candidate) -> Explanation:
        alone = full_score(candidate.own, candidate.mention, self.weights.mentions)
        joined = self.joined.get(candidate.memory.id, 0.0)
        return explain_standing(
            candidate.clues,
            self.shape,
            candidate.mention,
            self.weights,
            complement=self.score(candidate) - alone - joined,
            joined=joined,
        )
