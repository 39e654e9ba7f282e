"""Findings -> Judgement: does every part have something good, did this round bring news, is there time to go on?

The rounds are replayed from their findings: how each part stands, what each round brought, what was tried. Leaves to
`rewrite` what to try next, and to `weigh` what it all amounts to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from recollect.rank.attention import observe
from recollect.rank.identity import evidence_key, fact_key
from recollect.rank.routes import untried_sources
from recollect.recipes import Recipe
from recollect.records import Memory, whole_text
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import (
    Enough,
    Findings,
    Found,
    Hit,
    Judgement,
    Part,
    PartState,
    Pool,
    Progress,
    Question,
    RoundGain,
    Stop,
    Tried,
    Weak,
)

MOST_TOLD = 5  # observations named in the trace


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call may go on, and the sources there are."""

    recipe: Recipe
    deadline_passed: bool
    sources: tuple[str, ...] = ()


def judge(
    question: Question, findings: Sequence[Findings], *, limits: Limits, settings: Settings, trace: Recorder
) -> Judgement:
    """Stop or go on, and why."""
    states, progress = _replayed(question.parts, findings, settings)
    stop = _stop(states, progress, limits=limits, settings=settings)
    _record(states, progress, stop, trace)
    return Enough(stop, states, progress) if stop else Weak(states, progress)


# --- how it stands -------------------------------------------------------------------------------


@dataclass(slots=True)
class _Standing:
    """One part while the rounds are replayed: its best relevance, and the names no good hit has mentioned yet."""

    part: Part
    missing: list[str]
    best: float = 0.0
    served: bool = False

    def take(self, hits: Iterable[Hit], gate: float) -> None:
        self.served = True
        for hit in hits:
            self.best = max(self.best, hit.relevance)
            if self.missing and hit.relevance >= gate:
                text = whole_text(hit.memory).lower()
                self.missing = [name for name in self.missing if name.lower() not in text]

    def coverage(self, gate: float) -> float:
        """The share of the part's names that good hits mention; of a part that did not pass, nothing is covered."""
        if self.best < gate:
            return 0.0
        named = len(self.part.entities)
        return (named - len(self.missing)) / named if named else 1.0

    def state(self, settings: Settings) -> PartState:
        gate = settings.quality_threshold
        strong = self.best >= settings.strong_threshold
        return PartState(self.part, self.best, self.best >= gate, strong, self.coverage(gate), self.served)


@dataclass(slots=True)
class _Known:
    """What the rounds replayed so far have brought that passes the gate: each fact with the memories that say it."""

    memories: set[str] = field(default_factory=set)
    facts: dict[str, list[Memory]] = field(default_factory=dict)

    def add(self, hits: Iterable[Hit], gate: float) -> tuple[int, int]:
        """How many facts were new, and how many new evidences there are for facts already known."""
        facts = evidence = 0
        for hit in hits:
            memory = hit.memory
            if hit.relevance < gate or memory.id in self.memories:
                continue
            self.memories.add(memory.id)
            known = self.facts.setdefault(fact_key(memory), [])
            if not known:
                facts += 1
            elif evidence_key(memory) not in map(evidence_key, known):
                evidence += 1
            known.append(memory)
        return facts, evidence


def _replayed(
    parts: Sequence[Part], findings: Sequence[Findings], settings: Settings
) -> tuple[tuple[PartState, ...], Progress]:
    """How each part stands after all rounds, and what each round brought."""
    gate = settings.quality_threshold
    standings = {part.number: _Standing(part, list(part.entities)) for part in parts}
    known = _Known()
    tried: set[Tried] = set()
    gains: list[RoundGain] = []
    passed = streak = 0
    for finding in findings:
        facts = evidence = 0
        for outcome in finding.outcomes:
            tried.add(outcome.lookup.key)
            if isinstance(outcome, Found):
                standings[outcome.lookup.part].take(outcome.hits, gate)
                new_facts, new_evidence = known.add(outcome.hits, gate)
                facts, evidence = facts + new_facts, evidence + new_evidence
        before, passed = passed, sum(each.best >= gate for each in standings.values())
        gained = facts >= settings.novelty_min_new_facts or passed > before
        streak = 0 if gained or not gains else streak + 1  # the first round has nothing to be new against
        covered = sum(each.coverage(gate) for each in standings.values()) / max(1, len(standings))
        gains.append(RoundGain(finding.round, facts, evidence, covered, streak))
    states = tuple(each.state(settings) for each in standings.values())
    pool = observe(findings, gate=gate, settings=settings)
    return states, Progress(tuple(gains), frozenset(known.facts), frozenset(tried), pool)


# --- whether to go on ------------------------------------------------------------------------------


def _stop(states: Sequence[PartState], progress: Progress, *, limits: Limits, settings: Settings) -> Stop | None:
    """Why to stop, the first reason that holds; None to go on."""
    recipe, rounds = limits.recipe, progress.rounds
    all_passed = all(state.passed for state in states)
    floor = min(settings.early_stop_min_rounds, recipe.max_rounds)
    if all(state.strong for state in states):
        return Stop.ENOUGH
    if limits.deadline_passed:
        return Stop.DEADLINE
    if len(progress.facts) >= settings.max_facts and rounds >= settings.early_stop_min_rounds:
        return Stop.MAX_FACTS
    if all_passed and rounds >= floor and (recipe.max_rounds == 1 or not recipe.widens):
        return Stop.ENOUGH
    if settings.fallback_on_timeout and _has_stand_in(states, progress, limits.sources):
        return None  # no source has answered for it yet: neither rounds nor news can be counted against it
    if rounds >= recipe.max_rounds:
        return Stop.MAX_ROUNDS
    if progress.no_gain_streak >= settings.novelty_patience:
        return Stop.NO_NOVELTY
    return None


def _has_stand_in(states: Sequence[PartState], progress: Progress, sources: Sequence[str]) -> bool:
    """Whether a part no source has answered for can still be asked of another. Each is asked once, so this ends."""
    return any(
        not state.served and untried_sources(state.part, sources=sources, tried=progress.tried) for state in states
    )


def _record(states: Sequence[PartState], progress: Progress, stop: Stop | None, trace: Recorder) -> None:
    for state in states:
        trace.decide(
            "judge part",
            _standing(state),
            part=state.part.number,
            best=round(state.best, 6),
            coverage=round(state.coverage, 6),
        )
    gain = progress.gains[-1] if progress.gains else RoundGain(0, 0, 0, 0.0, 0)
    trace.decide(
        "stop" if stop else "go on",
        stop.value if stop else _why_go_on(states),
        round=progress.rounds,
        parts=len(states),
        passed=sum(state.passed for state in states),
        new_facts=gain.new_facts,
        new_evidence=gain.new_evidence,
        coverage=round(gain.coverage_score, 6),
        no_gain_streak=gain.no_gain_streak,
    )
    _record_pool(progress.pool, trace)
    trace.count(new_facts=gain.new_facts, new_evidence=gain.new_evidence)
    trace.note(rounds=progress.rounds, coverage=round(gain.coverage_score, 6))


def _record_pool(pool: Pool, trace: Recorder) -> None:
    """What was seen so far, and who has most attention: that is what later lookups read."""
    trace.decide(
        "observe",
        "attention",
        seen=len(pool.observations),
        window=len(pool.window),
        beliefs=sum(each.is_belief for each in pool.observations),
        ids=", ".join(each.hit.memory.id for each in pool.window[:MOST_TOLD]),
        attention=", ".join(f"{each.attention:.2f}" for each in pool.window[:MOST_TOLD]),
    )


def _standing(state: PartState) -> str:
    if not state.served:
        return "unserved"
    return "strong" if state.strong else "passed" if state.passed else "weak"


def _why_go_on(states: Sequence[PartState]) -> str:
    if any(not state.served for state in states):
        return "unserved_parts"
    return "not_strong_yet" if all(state.passed for state in states) else "weak_parts"
