"""Bounds on a comparison, so that a replay can stop a build: which are broken, in words.

A bound is on the second side, or on the only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.evals.replay_compare import ALIKE, COSTS, JUDGED, LABELLED, Comparison
from recollect.evals.replay_requests import Request

MEASURES = (*JUDGED, *LABELLED, *ALIKE, *COSTS)
CHANGED = "changed"
WHY_NOT = {
    **dict.fromkeys(JUDGED, "no request says what it expects"),
    **dict.fromkeys(LABELLED, "no request says what it expects, or whether it is answerable"),
    **dict.fromkeys((*ALIKE, CHANGED), "there is nothing to compare with; give --against, or replay stored traces"),
}
ROUNDING = 1e-9


class Sense(StrEnum):
    """Which way a bound holds."""

    AT_LEAST = "at least"
    AT_MOST = "at most"


class Bound(NamedTuple):
    """What a measure may be."""

    measure: str
    sense: Sense
    value: float


def parse_bounds(texts: Iterable[str], sense: Sense) -> list[Bound]:
    """Bounds from `measure=value` texts.

    >>> parse_bounds(["recall@5=.9"], Sense.AT_LEAST)
    [Bound(measure='recall@5', sense=<Sense.AT_LEAST: 'at least'>, value=0.9)]
    """
    return [_bound(text, sense) for text in texts]


def check_bounds(bounds: Iterable[Bound], requests: Sequence[Request], *, sides: int) -> None:
    """Refuse a bound on something these requests will not measure, before any of them is asked."""
    judged = any(request.expect for request in requests)
    labelled = judged or any(request.answerable is not None for request in requests)
    unknown = {
        *(() if judged else JUDGED),
        *(() if labelled else LABELLED),
        *(() if sides == 2 else (*ALIKE, CHANGED)),
    }
    for bound in bounds:
        if bound.measure in unknown:
            raise InvalidInput(f"{bound.measure} cannot be measured: {WHY_NOT[bound.measure]}", field=bound.measure)


def broken_bounds(found: Comparison, bounds: Iterable[Bound]) -> list[str]:
    """A sentence for each bound that is broken."""
    return list(_broken(found, bounds))


def _broken(found: Comparison, bounds: Iterable[Bound]) -> Iterator[str]:
    for bound in bounds:
        seen = _value(found, bound.measure)
        short = bound.value - seen if bound.sense is Sense.AT_LEAST else seen - bound.value
        if short > ROUNDING:
            yield f"{bound.measure} is {seen:.4g}, and should be {bound.sense} {bound.value:g}"


def _value(found: Comparison, measure: str) -> float:
    if measure == CHANGED:
        return found.changed
    if measure in found.alike:
        return found.alike[measure].value
    estimate = found.figures[measure].sides[-1]
    assert estimate is not None, "the last side was asked here, and knows everything"
    return estimate.value


def _bound(text: str, sense: Sense) -> Bound:
    name, _, value = text.partition("=")
    if name.strip() not in MEASURES:
        raise InvalidInput(f"unknown measure {name.strip()!r}; known: {', '.join(MEASURES)}", field="measure")
    try:
        return Bound(name.strip(), sense, float(value))
    except ValueError as error:
        raise InvalidInput(f"bound {text!r} has no number; write it like recall@5=.9", field=name.strip()) from error
