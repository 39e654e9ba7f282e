"""What use teaches: writes that strengthen links of memories found together, and favour what was of use.

Only pieces that serve the same part count as found together, and only good ones. All of it is bounded, wears off, is
kept apart from what was stated, and can be undone. Trust is never touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from typing import Any

from recollect.records import Favour, Strengthen
from recollect.settings import LearningSettings, Settings
from recollect.values import Answer, Decision, Span, Use

STRENGTHEN = "strengthen"
LEARN = "learn"


def lessons(answer: Answer, *, amount: float, settings: Settings, now: datetime) -> list[Strengthen]:
    """One lesson per pair of the best pieces of a part; a pair that serves two parts counts once."""
    learning = settings.learning
    if not learning.enabled or amount <= 0:
        return []
    pairs = dict.fromkeys(
        pair for state in answer.parts for pair in _together(answer, state.part.number, settings=settings)
    )
    return [Strengthen(one, other, amount, now, learning.most, learning.half_life_days) for one, other in pairs]


def _together(answer: Answer, part: int, *, settings: Settings) -> Iterator[tuple[str, str]]:
    good = [
        piece.memory.id
        for piece in answer.evidence
        if part in piece.parts and piece.relevance >= settings.answerable_threshold and not piece.superseded
    ]
    yield from combinations(sorted(good[: settings.learning.together]), 2)


def with_lessons(answer: Answer, taught: Sequence[Strengthen], *, because: str) -> Answer:
    """The answer whose trace says what was learned from it, which is what undoing it reads."""
    if not taught:
        return answer
    decisions = tuple(
        Decision(STRENGTHEN, because, {"one": each.one, "other": each.other, "amount": each.amount}) for each in taught
    )
    span = Span(LEARN, 0.0, decisions, answer.trace.seconds)
    return replace(answer, trace=replace(answer.trace, spans=(*answer.trace.spans, span)))


def undone(payload: Mapping[str, Any], *, learning: LearningSettings, now: datetime) -> list[Strengthen]:
    """What takes back the lessons a stored trace speaks of."""
    decisions = [
        decision["numbers"]
        for span in payload.get("spans", ())
        if span["name"] == LEARN
        for decision in span["decisions"]
        if decision["what"] == STRENGTHEN
    ]
    return [
        Strengthen(each["one"], each["other"], -each["amount"], now, learning.most, learning.half_life_days)
        for each in decisions
    ]


def favour(id: str, use: Use, *, learning: LearningSettings, now: datetime) -> Favour:
    """What one word of feedback changes."""
    amounts = {Use.USED: learning.used, Use.NOT_USED: -learning.not_used, Use.WRONG: -learning.wrong}
    return Favour(id, amounts[use], now, learning.most_favour, learning.half_life_days)
