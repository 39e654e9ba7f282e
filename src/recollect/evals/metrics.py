"""How good a ranking or a probability is: pure functions over lists of numbers.

Rankings are ids, best first; grades are by id. What is averaged over which questions is decided in `scores.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import NamedTuple

SEED = 7
RESAMPLES = 1_000
BINS = 10
OUTSIDE = 0.025  # of the resamples, on each side of a 95 % interval


class Estimate(NamedTuple):
    """A figure and its 95 % interval; the interval is None where there is nothing to resample."""

    value: float
    low: float | None = None
    high: float | None = None


class Bin(NamedTuple):
    """The questions whose probability lies in one range: how many, what was said on average, what was so."""

    low: float
    high: float
    questions: int
    said: float
    true: float


def recall_at(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """The share of the gold documents within the first k.

    >>> recall_at(["a", "x", "b"], {"a": 1, "b": 1}, 2)
    0.5
    """
    return len(grades.keys() & set(ranking[:k])) / len(grades)


def all_at(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """1.0 when every gold document is within the first k."""
    return float(grades.keys() <= set(ranking[:k]))


def ndcg_at(ranking: Sequence[str], grades: Mapping[str, int], k: int) -> float:
    """Discounted cumulative gain over the first k, beside the best possible; a document gains its grade.

    >>> round(ndcg_at(["x", "a"], {"a": 1}, 10), 3)
    0.631
    """
    best = sorted(grades.values(), reverse=True)
    return _gain([grades.get(id, 0) for id in ranking[:k]]) / _gain(best[:k])


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """One over the place of the first gold document; 0 when none was found."""
    return next((1 / place for place, id in enumerate(ranking, start=1) if id in grades), 0.0)


def auroc(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """How often a positive scores above a negative, ties half; None without both.

    >>> auroc([0.9, 0.2, 0.9], [True, False, False])
    0.75
    """
    positives = sum(labels)
    pairs = positives * (len(labels) - positives)
    if not pairs:
        return None
    below, wins = 0, 0.0
    for _, tied in groupby(sorted(zip(scores, labels, strict=True), key=itemgetter(0)), key=itemgetter(0)):
        flags = [label for _, label in tied]
        here = sum(flags)
        wins += here * below + here * (len(flags) - here) / 2
        below += len(flags) - here
    return wins / pairs


def brier(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The mean squared distance between what was said and what was so."""
    return math.fsum((score - label) ** 2 for score, label in zip(scores, labels, strict=True)) / len(scores)


def reliability(scores: Sequence[float], labels: Sequence[bool], *, bins: int = BINS) -> tuple[Bin, ...]:
    """Ranges of equal width from 0 to 1, the last with its upper end; an empty one says and is zero."""
    held: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for score, label in zip(scores, labels, strict=True):
        held[min(int(score * bins), bins - 1)].append((score, label))
    return tuple(
        Bin(
            number / bins,
            (number + 1) / bins,
            len(cases),
            math.fsum(score for score, _ in cases) / max(len(cases), 1),
            sum(label for _, label in cases) / max(len(cases), 1),
        )
        for number, cases in enumerate(held)
    )


def calibration_error(scores: Sequence[float], labels: Sequence[bool], *, bins: int = BINS) -> float:
    """ECE: the distance between said and so, by range, weighted by how many questions are in it.

    >>> round(calibration_error([0.9, 0.9], [True, False]), 2)
    0.4
    """
    found = reliability(scores, labels, bins=bins)
    return math.fsum(each.questions * abs(each.said - each.true) for each in found) / len(scores)


def mean_estimates(columns: Mapping[str, Sequence[float]]) -> dict[str, Estimate]:
    """The mean of each column with its interval; all columns are resampled together, row by row."""
    rows = len(next(iter(columns.values()), ()))
    if rows == 0:
        return {}
    drawn: dict[str, list[float]] = {name: [] for name in columns}
    for chosen in _resamples(rows):
        for name, values in columns.items():
            drawn[name].append(sum([values[row] for row in chosen]) / rows)
    return {name: Estimate(math.fsum(values) / rows, *_inner(drawn[name])) for name, values in columns.items()}


def auroc_estimate(scores: Sequence[float], labels: Sequence[bool]) -> Estimate | None:
    """The AUROC with its interval; a resample without both sorts of labels does not count."""
    whole = auroc(scores, labels)
    if whole is None:
        return None
    drawn = [
        auroc([scores[row] for row in chosen], [labels[row] for row in chosen]) for chosen in _resamples(len(labels))
    ]
    return Estimate(whole, *_inner([each for each in drawn if each is not None]))


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed.

    >>> percentile([4, 1, 3, 2], 0.5)
    2
    """
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def _gain(grades: Sequence[int]) -> float:
    return math.fsum(grade / math.log2(place + 1) for place, grade in enumerate(grades, start=1))


def _resamples(rows: int) -> list[list[int]]:
    """The same draws every time."""
    random = Random(SEED)
    numbers = range(rows)
    return [random.choices(numbers, k=rows) for _ in range(RESAMPLES)]


def _inner(drawn: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(drawn)
    outside = int(OUTSIDE * len(ordered))
    return ordered[outside], ordered[-outside - 1]
