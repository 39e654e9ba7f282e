"""What a text adds to the better ones: of several alike, the one that brings what they lack comes first.

A question with two sides is seldom answered by the five texts nearest to one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.records import Term

FEWEST = 3  # texts; of two, neither can change places
LOOKED_AT = 16  # best texts that may change places
PLACES = 8  # chosen one after the other; behind them, places matter little
APART = 1e-4  # of one choice and the next, or those that would pass the first would stand by id, before it too


def complemented(
    scores: Mapping[str, float], texts: Mapping[str, str], terms: Sequence[Term], *, gain: float
) -> dict[str, float]:
    """The scores, raised by how much of the question each brings that those chosen before it lack; they fall from one
    choice to the next, so that the first stays the first.

    >>> complemented({"1": 3.0, "2": 2.0, "3": 1.9}, {"1": "boat", "2": "boat", "3": "crane"},
    ...     [Term("boat", 1.0), Term("crane", 1.0)], gain=2.0)
    {'1': 3.0, '2': 2.0, '3': 2.9}
    """
    found = dict(scores)
    total = sum(term.idf for term in terms)
    if not gain or len(scores) < FEWEST or not total:
        return found
    order = sorted(scores, key=lambda id: (-scores[id], id))
    left = order[1:LOOKED_AT]
    has = {id: [term.text in texts[id] for term in terms] for id in order[:LOOKED_AT]}
    lacking = [0.0 if there else term.idf for term, there in zip(terms, has[order[0]], strict=True)]
    if not any(lacking):
        return found
    last = scores[order[0]]
    for _ in range(PLACES):
        if not left or not any(lacking):
            break
        raised = {id: scores[id] + gain * sum(_brought(lacking, has[id])) / total for id in left}
        chosen = min(left, key=lambda id: (-raised[id], id))
        last = found[chosen] = min(last - APART, raised[chosen])
        left.remove(chosen)
        lacking = [0.0 if there else missing for missing, there in zip(lacking, has[chosen], strict=True)]
    for id in (*left, *order[LOOKED_AT:]):  # what was not chosen stays behind what was
        found[id] = min(last - APART, scores[id])
    return found


def _brought(lacking: Sequence[float], has: Sequence[bool]) -> list[float]:
    return [missing for missing, there in zip(lacking, has, strict=True) if there]
