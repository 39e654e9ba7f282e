"""Ranked lists to one. Ranks are fused, never scores of different kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.values import Explanation

# Cormack, Clarke and Büttcher (2009) found results flat around 60; larger trusts agreement more than first places.
RRF_K = 60


Places = tuple[tuple[str, int], ...]  # in which list, and at which rank


def fuse_ranks(lists: Mapping[str, Sequence[str]], *, limit: int | None = None) -> list[tuple[str, Explanation]]:
    """Reciprocal rank fusion: each list adds 1 / (60 + rank). Best first, ties by id; the explanation adds up.

    >>> [(id, round(why.value, 4)) for id, why in fuse_ranks({"keyword": ["a", "b"], "semantic": ["b"]})]
    [('b', 0.0325), ('a', 0.0164)]
    """
    return [(id, explain_places(places)) for id, places in fuse_places(lists, limit=limit)]


def fuse_places(lists: Mapping[str, Sequence[str]], *, limit: int | None = None) -> list[tuple[str, Places]]:
    """The same order, with the places it was made from instead of the reasons."""
    ranks: dict[str, list[tuple[str, int]]] = {}
    for name in sorted(lists):
        for rank, id in enumerate(lists[name], start=1):
            ranks.setdefault(id, []).append((name, rank))
    scores = {id: sum(1 / (RRF_K + rank) for _, rank in found) for id, found in ranks.items()}
    best = sorted(scores, key=lambda id: (-scores[id], id))[:limit]
    return [(id, tuple(ranks[id])) for id in best]


def explain_places(places: Places) -> Explanation:
    """The fused score of these places and what each adds."""
    shares = tuple(Explanation(1 / (RRF_K + rank), f"{name} rank {rank}") for name, rank in places)
    return Explanation(sum(share.value for share in shares), "fused rank", shares, sums=True)
