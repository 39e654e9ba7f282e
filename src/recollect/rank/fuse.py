"""Ranked lists to one. Ranks are fused, never scores of different kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.values import Explanation

# Cormack, Clarke and Büttcher (2009) found results flat around 60; larger trusts agreement more than first places.
RRF_K = 60


def fuse_ranks(lists: Mapping[str, Sequence[str]]) -> list[tuple[str, Explanation]]:
    """Reciprocal rank fusion: each list adds 1 / (60 + rank). Best first, ties by id; the explanation adds up.

    >>> [(id, round(why.value, 4)) for id, why in fuse_ranks({"keyword": ["a", "b"], "semantic": ["b"]})]
    [('b', 0.0325), ('a', 0.0164)]
    """
    shares: dict[str, list[Explanation]] = {}
    for name in sorted(lists):
        for rank, id in enumerate(lists[name], start=1):
            shares.setdefault(id, []).append(Explanation(1 / (RRF_K + rank), f"{name} rank {rank}"))
    fused = [
        (id, Explanation(sum(share.value for share in parts), "fused rank", tuple(parts), sums=True))
        for id, parts in shares.items()
    ]
    return sorted(fused, key=lambda each: (-each[1].value, each[0]))
