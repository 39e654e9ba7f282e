"""Signals to one probability of relevance, comparable across sources, kinds and questions.

A logistic curve over three signals: the cosine, the keyword score as a share of the highest any text could reach
for this question, and whether the names in the question occur. `benchmarks/fit_relevance.py` fits the weights.
What is linked raises it afterwards (`through_links`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

from recollect.records import Memory, Term
from recollect.values import Explanation


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known about one text against one question; no cosine where the two could not be compared."""

    cosine: float | None
    strength: float
    named: float = 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """The curve's weights."""

    bias: float
    cosine: float
    strength: float
    named: float


# Fitted by `benchmarks/fit_relevance.py --questions 600` on half of ten labelled sets of questions, on the first hit
# by words and by meaning. On the other half: AUROC .95 telling off-topic questions apart, .57 to .81 elsewhere.
WITH_COSINE = Weights(bias=-2.73, cosine=1.72, strength=4.59, named=0.53)
KEYWORD_ONLY = Weights(bias=-1.94, cosine=0.0, strength=4.89, named=0.60)

SMALLEST = 1e-15  # stands for a chance of zero, whose log-odds there are none
SHORTEST_IN_ANY_CASE = 4  # letters
HIGHEST_TERM_FACTOR = 2.2  # BM25 with k1 = 1.2: a term adds its idf times at most k1 + 1


def highest_score(terms: Sequence[Term]) -> float:
    """The highest keyword score any text could reach for these terms.

    >>> highest_score([Term("btc", 1.5), Term("thesi", 0.5)])
    4.4
    """
    return HIGHEST_TERM_FACTOR * sum(_as_if_once(term) for term in terms)


def _as_if_once(term: Term) -> float:
    """The term's idf; one that occurs nowhere weighs as if it occurred once.

    Among many texts that is nearly the same. In a store of a few it is not: there, most words of any question are
    missing, and by their own idf they would outweigh the ones that are found.
    """
    if term.occurs:
        return term.idf
    texts = (exp(term.idf) - 2) / 2  # idf = log(1 + (texts + .5) / .5), solved for how many texts there are
    return log(1 + max(texts - 0.5, 0.5) / 1.5)


def strength(bm25: float, *, highest: float) -> float:
    """A keyword score as a share of the highest one possible.

    >>> strength(2.2, highest=4.4)
    0.5
    """
    return round(bm25 / highest, 9) if highest else 0.0


def named(names: Sequence[str], memory: Memory, *, spellings: Sequence[Sequence[str]] = ()) -> float:
    """Whether the names in a question occur in a text, in any of their spellings: 1 all, -1 none, in between by share;
    0 where it has none."""
    if not names:
        return 0.0
    text = f"{memory.author or ''}\n{memory.title}\n{memory.body}"
    low = text.lower()
    written = spellings if len(spellings) == len(names) else [(name,) for name in names]
    found = sum(
        any(spelling.lower() in low and _pattern(spelling, first=not place).search(text) for place, spelling in places)
        for places in (list(enumerate(each)) for each in written)
    )
    return 2 * found / len(names) - 1


@lru_cache(maxsize=1_024)
def _pattern(spelling: str, *, first: bool) -> re.Pattern[str]:
    """The name as a whole word. In any case, but for other short forms, which are often words when written small."""
    as_written = not first and len(spelling) < SHORTEST_IN_ANY_CASE
    return re.compile(rf"(?<!\w){re.escape(spelling)}(?!\w)", 0 if as_written else re.IGNORECASE)


def chance(signals: Signals) -> float:
    """The probability `relevance` gives, without saying why."""
    weights = KEYWORD_ONLY if signals.cosine is None else WITH_COSINE
    odds = weights.bias + weights.strength * signals.strength + weights.named * signals.named
    if signals.cosine is not None:
        odds += weights.cosine * signals.cosine
    return 1 / (1 + exp(-odds))


def relevance(signals: Signals) -> tuple[float, Explanation]:
    """A probability, and the log-odds it was made from; the details add up to those."""
    weights = KEYWORD_ONLY if signals.cosine is None else WITH_COSINE
    parts = [
        Explanation(weights.bias, "before any sign"),
        Explanation(weights.strength * signals.strength, f"keyword strength {signals.strength:.3f}"),
        Explanation(weights.named * signals.named, f"names {signals.named:+.2f}"),
    ]
    if signals.cosine is not None:
        parts.append(Explanation(weights.cosine * signals.cosine, f"cosine {signals.cosine:.3f}"))
    odds = Explanation(sum(part.value for part in parts), "log-odds of relevance", tuple(parts), sums=True)
    return 1 / (1 + exp(-odds.value)), odds


def through_links(own: float, odds: Explanation, *, best: float) -> tuple[float, Explanation]:
    """A relevance and its log-odds, raised by what is linked: 1 - (1 - own)(1 - best).

    `best` is the strongest single path to it, a chain of chances; several paths from what one question matched say
    much the same, so they are not added up here.

    >>> probability, odds = relevance(Signals(0.5, 0.2))
    >>> raised, why = through_links(probability, odds, best=0.5)
    >>> raised == 1 - (1 - probability) / 2, why.details[-1].what
    (True, 'through links')
    """
    if best <= 0:
        return own, odds
    missed = (1 - own) * (1 - best)
    raised = 1 - missed
    gain = log(raised / max(missed, SMALLEST)) - log(max(own, SMALLEST) / max(1 - own, SMALLEST))
    parts = (*odds.details, Explanation(gain, "through links"))
    return raised, odds._replace(value=sum(part.value for part in parts), details=parts)
