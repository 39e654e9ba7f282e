"""All that a call found in one order, before anything was cut: what was kept, then the rest by where each stood.

For whoever measures rankings, or wants to see what just missed; what was merged into a piece stands right behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.values import Evidence, Findings, Found


def whole_ranking(evidence: Sequence[Evidence], findings: Sequence[Findings]) -> tuple[tuple[str, float], ...]:
    """Ids with scores that never rise from one to the next."""
    order: dict[str, float] = {}
    last = 1.0
    for piece in evidence:  # where parts take turns, a later one may have scored higher
        last = min(last, piece.score)
        for id in (piece.memory.id, *piece.absorbed):
            order.setdefault(id, last)
    best: dict[str, float] = {}
    for finding in findings:
        for outcome in finding.outcomes:
            if isinstance(outcome, Found):
                for hit in outcome.hits:
                    if hit.relevance > best.get(hit.memory.id, -1.0):
                        best[hit.memory.id] = hit.relevance
    rest = sorted((id for id in best if id not in order), key=lambda id: (-best[id], id))
    return (*order.items(), *((id, min(best[id], last)) for id in rest))
