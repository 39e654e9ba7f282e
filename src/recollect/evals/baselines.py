"""What plain methods rank on the same store: words alone, meaning alone, and the two ways of adding them.

BM25 and cosines are the store's own. Each method looks at the first fifty of both; ties stand by id.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.ports import Store
from recollect.rank.fuse import fuse_ranks
from recollect.records import Filters, Vector

METHODS = ("bm25", "dense", "rrf", "linear")
# The best fused rank says where the two agree, not how good it is: it tells nothing of answerability.
SAYS_NOTHING_OF_ANSWERS = frozenset({"rrf"})
FIRST = 50
HALF = 0.5


class Scored(NamedTuple):
    """An id with its score."""

    id: str
    score: float


def plain_rankings(store: Store, space: str, text: str, vector: Vector) -> dict[str, list[Scored]]:
    """What each method ranks for one question, best first."""
    matches, _ = store.match(space, text, filters=Filters(), limit=FIRST)
    words = {match.id: match.source_score for match in matches}
    near = store.nearest(space, vector, filters=Filters(), limit=FIRST)
    cosines = {match.id: match.source_score for match in near}
    fused = fuse_ranks({"bm25": list(words), "dense": list(cosines)})
    cosines_of_all = cosines | store.cosines(space, vector, [id for id in words if id not in cosines])
    best = max(words.values(), default=0.0) or 1.0
    mixed = {
        id: HALF * words.get(id, 0.0) / best + HALF * cosines_of_all.get(id, 0.0)
        for id in dict.fromkeys([*words, *cosines])
    }
    return {
        "bm25": [Scored(id, score) for id, score in words.items()],
        "dense": [Scored(id, score) for id, score in cosines.items()],
        "rrf": [Scored(id, why.value) for id, why in fused],
        "linear": [Scored(id, mixed[id]) for id in sorted(mixed, key=lambda id: (-mixed[id], id))],
    }
