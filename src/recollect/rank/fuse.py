"""Ranked lists to one. Ranks are fused, never scores of different kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.values import Explanation

# Cormack, Clarke and Büttcher (2009) found results flat around 60; larger trusts agreement more than first places.
RRF_K = 60


def fuse_ranks(lists: Mapping[str, Sequence[str]], *, limit: int | None = None) -> list[tuple[str, Explanation]]:
    """Reciprocal rank fusion: each list adds 1 / (60 + rank). Best first, ties by id; the explanation adds up.

    >>> [(id, round(why.value, 4)) for id, why in fuse_ranks({"keyword": ["a", "b"], "semantic": ["b"]})]
    [('b', 0.0325), ('a', 0.0164)]
    """
    ranks: dict[str, list[tuple[str, int]]] = {}
    for name in sorted(lists):
        for rank, id in enumerate(lists[name], start=1):
            ranks.setdefault(id, []).append((name, rank))
    scores = {id: sum(1 / (RRF_K + rank) for _, rank in found) for id, found in ranks.items()}
    best = sorted(scores, key=lambda id: (-scores[id], id))[:limit]
    return [(id, _explained(scores[id], ranks[id])) for id in best]


def _explained(score: float, ranks: Sequence[tuple[str, int]]) -> Explanation:
    shares = tuple(Explanation(1 / (RRF_K + rank), f"{name} rank {rank}") for name, rank in ranks)
    return Explanation(score, "fused rank", shares, sums=True)
