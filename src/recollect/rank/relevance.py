"""Two signs that mean the same for every question: how strong a keyword score is, and whether names occur.

A keyword score as it comes means nothing beside another question's; as a share of the highest any text could reach for
this question, it does. What the signs amount to is in `model`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import exp, log

from recollect.records import Memory, Term, whole_text

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
    text = whole_text(memory)
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
