"""Findings -> Judgement: does every part have something good, did this round bring news, is there time to go on?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.recipes import Recipe
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Enough, Findings, Found, Judgement, PartState, Progress, Question, Stop, Weak


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call may go on."""

    recipe: Recipe
    deadline_passed: bool


def judge(
    question: Question, findings: Sequence[Findings], *, limits: Limits, settings: Settings, trace: Recorder
) -> Judgement:
    """Stop or go on, and why."""
    states = tuple(_state(part.number, question, findings, settings) for part in question.parts)
    progress = _progress(findings)
    stop = _stop(states, progress, limits=limits, settings=settings)
    trace.decide(
        "stop" if stop else "go on",
        stop.value if stop else "weak_parts",
        round=progress.rounds,
        passed=sum(state.passed for state in states),
        parts=len(states),
        streak_without_news=progress.streak_without_news,
    )
    return Enough(stop, states, progress) if stop else Weak(states, progress)


def _state(number: int, question: Question, findings: Sequence[Findings], settings: Settings) -> PartState:
    best = max(
        (
            hit.relevance
            for finding in findings
            for outcome in finding.outcomes
            if isinstance(outcome, Found) and outcome.lookup.part == number
            for hit in outcome.hits
        ),
        default=0.0,
    )
    return PartState(question.parts[number], best, best >= settings.quality_threshold)


def _progress(findings: Sequence[Findings]) -> Progress:
    seen: set[str] = set()
    tried: set[str] = set()
    streak = 0
    for finding in findings:
        before = len(seen)
        for outcome in finding.outcomes:
            tried.add(outcome.lookup.text)
            if isinstance(outcome, Found):
                seen.update(hit.memory.id for hit in outcome.hits)
        streak = 0 if len(seen) > before else streak + 1
    return Progress(len(findings), frozenset(seen), frozenset(tried), streak)


def _stop(states: Sequence[PartState], progress: Progress, *, limits: Limits, settings: Settings) -> Stop | None:
    if all(state.passed for state in states):
        return Stop.ENOUGH
    if limits.deadline_passed:
        return Stop.DEADLINE
    if progress.rounds >= limits.recipe.max_rounds:
        return Stop.MAX_ROUNDS
    if progress.streak_without_news >= settings.novelty_patience:
        return Stop.NO_NOVELTY
    return None
