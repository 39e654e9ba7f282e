"""Signals to one probability of relevance, comparable across sources, kinds and questions.

A logistic curve over two signals: cosine, and the share of the question's terms (weighted by rarity) that the
text holds. The weights are starting values, placed so that a cosine of .45 with half the terms present is even
odds; the calibrated model that replaces them is fitted on labelled questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp

from recollect.records import Term
from recollect.values import Explanation


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known about one text against one question; None where it could not be compared."""

    cosine: float | None
    coverage: float


@dataclass(frozen=True, slots=True)
class Weights:
    """The curve's weights."""

    bias: float
    cosine: float
    coverage: float


WITH_COSINE = Weights(bias=-6.5, cosine=9.0, coverage=5.0)
KEYWORD_ONLY = Weights(bias=-3.0, cosine=0.0, coverage=6.0)


def coverage(terms: Sequence[Term], held: Iterable[str]) -> float:
    """The share of the question's terms a text holds, each weighted by its rarity.

    >>> coverage([Term("btc", 3.0), Term("thesi", 1.0)], ["btc", "is"])
    0.75
    """
    known = set(held)
    total = sum(term.idf for term in terms)
    return sum(term.idf for term in terms if term.text in known) / total if total else 0.0


def relevance(signals: Signals) -> tuple[float, Explanation]:
    """A probability, and the log-odds it was made from; the details add up to those."""
    weights = KEYWORD_ONLY if signals.cosine is None else WITH_COSINE
    parts = [
        Explanation(weights.bias, "before any sign"),
        Explanation(weights.coverage * signals.coverage, f"covers {signals.coverage:.0%} of the question's terms"),
    ]
    if signals.cosine is not None:
        parts.append(Explanation(weights.cosine * signals.cosine, f"cosine {signals.cosine:.3f}"))
    odds = Explanation(sum(part.value for part in parts), "log-odds of relevance", tuple(parts), sums=True)
    return 1 / (1 + exp(-odds.value)), odds
