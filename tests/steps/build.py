"""Small values for the steps' tests, with everything a test does not care about filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.records import Filters, Memory
from recollect.settings import Settings
from recollect.testing.clock import START, FakeClock
from recollect.testing.corpus import make_memory
from recollect.trace import Recorder
from recollect.values import (
    Enough,
    Evidence,
    Explanation,
    Findings,
    Found,
    Hit,
    Judgement,
    Lookup,
    Outcome,
    Part,
    PartState,
    Progress,
    Question,
    RoundGain,
    Scope,
    Stop,
)

SCOPE = Scope("default", Filters(), 10)


def recorder() -> Recorder:
    return Recorder("trace", started_at=START, monotonic=FakeClock().monotonic)


def memory(id: str, body: str = "", **fields: Any) -> Memory:
    return make_memory(0, **{"id": id, "title": "", "body": body or f"text of {id}", **fields})


def hit(id: str, relevance: float = 0.8, *, source: str = "list", **fields: Any) -> Hit:
    explanation = Explanation(relevance, f"{source} says so")
    return Hit(memory(id, **fields), source, relevance, relevance, explanation)


def lookup(text: str = "question", *, source: str = "list", part: int = 0, **fields: Any) -> Lookup:
    return Lookup(text, "default", source, fields.pop("limit", 10), part, **fields)


def found(*hits: Hit, part: int = 0, source: str = "list", text: str = "question") -> Found:
    return Found(lookup(text, source=source, part=part), hits, 0.0)


def findings(*outcomes: Outcome, round: int = 1) -> Findings:
    return Findings(round, outcomes)


def question(*texts: str) -> Question:
    parts = tuple(Part(number, text) for number, text in enumerate(texts or ("question",)))
    return Question(" ".join(texts), frozenset(), parts)


def progress(*tried: Lookup, rounds: int = 1, **fields: Any) -> Progress:
    """What so many rounds that brought nothing have tried."""
    gains = tuple(RoundGain(number, 0, 0, 0.0, number) for number in range(1, rounds + 1))
    return Progress(gains, tried=frozenset(each.key for each in tried), **fields)


def scope(*sources: str, limit: int = 10, **filters: Any) -> Scope:
    """A scope with these sources."""
    return Scope("default", Filters(**filters), limit, sources)


def judged(*bests: float, stop: Stop = Stop.ENOUGH) -> Judgement:
    """A judgement over as many parts as there are best relevances."""
    gate = Settings().quality_threshold
    states = tuple(PartState(Part(n, f"part {n}"), best, best >= gate) for n, best in enumerate(bests))
    return Enough(stop, states, Progress((RoundGain(1, 1, 0, 1.0, 0),)))


def evidence(id: str, relevance: float = 0.8, *, parts: Sequence[int] = (0,), **fields: Any) -> Evidence:
    why = Explanation(relevance, "list says so")
    return Evidence(memory(id, **fields), relevance, relevance, tuple(parts), ("list",), (1,), why)
