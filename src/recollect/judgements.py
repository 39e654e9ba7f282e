"""What judging passes along: what a call has seen, how each part stands, what the rounds brought, and whether to go on.

Frozen values, re-exported by `values.py`; made from the findings of `findings.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from recollect.findings import Hit, Stop, Tried
from recollect.questions import Part


@dataclass(frozen=True, slots=True)
class Observation:
    """One thing seen during a call, and how much attention it has now.

    It is a belief candidate where it is relevant enough to pass the gate.
    """

    hit: Hit
    attention: float
    rounds: tuple[int, ...]
    is_belief: bool


@dataclass(frozen=True, slots=True)
class Pool:
    """What a call has seen: all of it by attention, and the window later lookups read."""

    observations: tuple[Observation, ...] = ()
    window: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True)
class PartState:
    """How one part stands after a round.

    Its best relevance; whether that passes the gate, and whether it is so good that one round is enough; the share of
    what it names that good hits cover; and whether any source answered for it at all.
    """

    part: Part
    best: float
    passed: bool
    strong: bool = False
    coverage: float = 0.0
    served: bool = True


@dataclass(frozen=True, slots=True)
class RoundGain:
    """What one round brought."""

    round: int
    new_facts: int
    new_evidence: int
    coverage_score: float
    no_gain_streak: int


@dataclass(frozen=True, slots=True)
class Progress:
    """What the rounds so far brought: `facts` are the identities of all that passed the gate."""

    gains: tuple[RoundGain, ...] = ()
    facts: frozenset[str] = frozenset()
    tried: frozenset[Tried] = frozenset()
    pool: Pool = field(default_factory=Pool)

    @property
    def rounds(self) -> int:
        return len(self.gains)

    @property
    def no_gain_streak(self) -> int:
        return self.gains[-1].no_gain_streak if self.gains else 0

    @property
    def coverage_score(self) -> float:
        return self.gains[-1].coverage_score if self.gains else 0.0


@dataclass(frozen=True, slots=True)
class Enough:
    """Stop: every part is covered, or nothing more can be had; `stop` says which."""

    stop: Stop
    states: tuple[PartState, ...]
    progress: Progress


@dataclass(frozen=True, slots=True)
class Weak:
    """Go on: some part has nothing good yet, or nothing so good that one round were enough."""

    states: tuple[PartState, ...]
    progress: Progress

    @property
    def weak_parts(self) -> tuple[Part, ...]:
        """Those that did not pass, or where all did, those that are not strong."""
        weak = tuple(state.part for state in self.states if not state.passed)
        return weak or tuple(state.part for state in self.states if not state.strong)


Judgement: TypeAlias = Enough | Weak
