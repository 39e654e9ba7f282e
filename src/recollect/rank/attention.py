"""What a call has seen, by attention: the rounds' findings -> a pool, and the window of it that later lookups read.

An observation's attention starts at its relevance, fades with every later round, and grows when a later round finds it
again. Pure arithmetic: the rounds are replayed from the findings, so that nothing is remembered between calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.settings import Settings
from recollect.values import Findings, Found, Hit, Observation, Pool


@dataclass(slots=True)
class _Seen:
    """One memory while the rounds are replayed."""

    hit: Hit
    attention: float
    rounds: list[int]


def observe(findings: Sequence[Findings], *, gate: float, settings: Settings) -> Pool:
    """Everything found so far, most attention first, ties by id; what is relevant from the gate on is a belief."""
    seen: dict[str, _Seen] = {}
    for finding in findings:
        for known in seen.values():
            known.attention *= settings.attention_decay
        for id, hit in _best_of(finding).items():
            again = seen.get(id)
            if again is None:
                seen[id] = _Seen(hit, hit.relevance, [finding.round])
                continue
            again.attention = min(1.0, again.attention + settings.attention_boost)
            again.rounds.append(finding.round)
            if hit.relevance > again.hit.relevance:
                again.hit = hit
    ranked = sorted(seen.values(), key=lambda each: (-each.attention, each.hit.memory.id))
    observations = tuple(
        Observation(each.hit, each.attention, tuple(each.rounds), each.hit.relevance >= gate) for each in ranked
    )
    return Pool(observations, _window(observations, settings))


def _best_of(finding: Findings) -> dict[str, Hit]:
    """The best hit of each memory in one round.

    Being found by two lookups of a round earns no attention: they were sent in the same ignorance, often with the same
    words. Found again by what was sent after judging, it has proved itself once more.
    """
    best: dict[str, Hit] = {}
    for outcome in finding.outcomes:
        if isinstance(outcome, Found):
            for hit in outcome.hits:
                known = best.setdefault(hit.memory.id, hit)
                if hit.relevance > known.relevance:
                    best[hit.memory.id] = hit
    return best


def _window(observations: Sequence[Observation], settings: Settings) -> tuple[Observation, ...]:
    """Those with the most attention, not too many of one source."""
    of_source: Counter[str] = Counter()
    window: list[Observation] = []
    for each in observations:
        if len(window) == settings.max_total_observations:
            break
        if of_source[each.hit.source] < settings.max_observations_per_source:
            of_source[each.hit.source] += 1
            window.append(each)
    return tuple(window)
