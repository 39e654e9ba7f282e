"""A logistic model fitted to named signs, by Newton's method with a ridge. Plain Python: a handful of signs, no numpy.

Takes cases (signs by name, and whether it was so); gives weights by name. What the signs mean is for others to know.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

RIDGE = 1.0  # as if each weight had been seen to be near zero once; keeps few or separable cases from running away
MOST_STEPS = 50
CLOSE = 1e-9


class Logistic(NamedTuple):
    """A bias and a weight for each sign."""

    bias: float
    weights: Mapping[str, float]

    def chance(self, signs: Mapping[str, float]) -> float:
        """The probability for these signs; one that is missing counts as zero."""
        return _chance(self.bias + math.fsum(weight * signs.get(name, 0.0) for name, weight in self.weights.items()))


def fit_logistic(cases: Sequence[Mapping[str, float]], labels: Sequence[bool], *, ridge: float = RIDGE) -> Logistic:
    """The most likely weights; the ridge is on the weights, never on the bias.

    >>> fitted = fit_logistic([{"sure": 0.1}, {"sure": 0.2}, {"sure": 0.8}, {"sure": 0.9}], [False, False, True, True])
    >>> fitted.chance({"sure": 0.0}) < 0.5 < fitted.chance({"sure": 1.0})
    True
    """
    names = sorted({name for signs in cases for name in signs})
    rows = [[1.0, *(signs.get(name, 0.0) for name in names)] for signs in cases]
    penalty = [0.0, *(ridge for _ in names)]
    weights = [0.0] * (len(names) + 1)
    loss = _loss(rows, labels, weights, penalty)
    for _ in range(MOST_STEPS):
        step = _newton_step(rows, labels, weights, penalty)
        size = 1.0
        while size > CLOSE:  # a full step may overshoot where the cases can be told apart
            tried = [weight - size * part for weight, part in zip(weights, step, strict=True)]
            better = _loss(rows, labels, tried, penalty)
            if better <= loss:
                break
            size /= 2
        else:
            break
        gained, weights, loss = loss - better, tried, better
        if gained < CLOSE:
            break
    return Logistic(weights[0], dict(zip(names, weights[1:], strict=True)))


def _newton_step(
    rows: Sequence[Sequence[float]], labels: Sequence[bool], weights: Sequence[float], penalty: Sequence[float]
) -> list[float]:
    size = len(weights)
    slope = [penalty[i] * weights[i] for i in range(size)]
    bend = [[penalty[i] if i == j else 0.0 for j in range(size)] for i in range(size)]
    for row, label in zip(rows, labels, strict=True):
        chance = _chance(_dot(row, weights))
        spread = max(chance * (1 - chance), CLOSE)
        for i in range(size):
            slope[i] += (chance - label) * row[i]
            for j in range(size):
                bend[i][j] += spread * row[i] * row[j]
    return solved(bend, slope)


def solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """x of `matrix · x = right`, by elimination with the largest pivot first.

    >>> solved([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0])
    [1.0, 2.0]
    """
    size = len(right)
    work = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(work[row][column]))
        work[column], work[pivot] = work[pivot], work[column]
        for row in range(column + 1, size):
            share = work[row][column] / work[column][column]
            work[row] = [value - share * above for value, above in zip(work[row], work[column], strict=True)]
    found = [0.0] * size
    for row in reversed(range(size)):
        known = math.fsum(work[row][column] * found[column] for column in range(row + 1, size))
        found[row] = (work[row][size] - known) / work[row][row]
    return found


def _loss(
    rows: Sequence[Sequence[float]], labels: Sequence[bool], weights: Sequence[float], penalty: Sequence[float]
) -> float:
    """Minus the log-likelihood, and the ridge."""
    said = (_dot(row, weights) for row in rows)
    missed = math.fsum(_softplus(-logit if label else logit) for logit, label in zip(said, labels, strict=True))
    return missed + 0.5 * math.fsum(each * weight**2 for each, weight in zip(penalty, weights, strict=True))


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


def _chance(logit: float) -> float:
    """Without overflow on either side."""
    small = math.exp(-abs(logit))
    return 1 / (1 + small) if logit >= 0 else small / (1 + small)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))
