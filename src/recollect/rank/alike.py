"""Which of some vectors are nearly the same: pairs from a cosine on, in pure Python.

Most pairs are told apart by the signs of their components, which costs a tenth of a microsecond; only the rest is
multiplied out. What nearness means for the texts is decided by the caller.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from math import acos, pi, sqrt
from operator import mul

from recollect.records import Vector

BYTES_PER_FLOAT = 4
# With few components signs say little and multiplying is cheap: those are all compared exactly.
FEWEST_COMPONENTS = 128
# Two vectors at an angle differ in the sign of angle/pi of their components, give or take a binomial deviation. Four
# and a half of those leave out three in a million pairs of evenly spread vectors at the threshold itself, fewer above
# it. It is no guarantee for vectors whose weight lies in a few components; then a near repeat stays beside its twin.
DEVIATIONS = 4.5


def pairs_alike(vectors: Sequence[Vector | None], *, threshold: float) -> list[tuple[int, int, float]]:
    """The pairs (place, later place, cosine) from the threshold on, in order; only vectors of one embedder compare."""
    groups: dict[tuple[str, int], list[int]] = {}
    for place, vector in enumerate(vectors):
        if vector is not None:
            groups.setdefault((vector.identity, vector.dimensions), []).append(place)
    pairs: list[tuple[int, int, float]] = []
    for (_, dimensions), places in groups.items():
        if len(places) > 1:
            pairs += _pairs([(place, vectors[place]) for place in places], dimensions=dimensions, threshold=threshold)
    return sorted(pairs)


def _pairs(
    placed: Sequence[tuple[int, Vector | None]], *, dimensions: int, threshold: float
) -> list[tuple[int, int, float]]:
    data = [vector.data for _, vector in placed if vector is not None]
    signs = _signs(data, dimensions)
    most = most_signs_apart(dimensions, threshold=threshold)
    values: dict[int, array[float]] = {}
    pairs = []
    for one, sign in enumerate(signs):
        for other in range(one + 1, len(signs)):
            if (sign ^ signs[other]).bit_count() <= most:
                for each in (one, other):
                    if each not in values:
                        values[each] = _floats(data[each])
                cosine = sum(map(mul, values[one], values[other]))
                if cosine >= threshold:
                    pairs.append((placed[one][0], placed[other][0], cosine))
    return pairs


def most_signs_apart(dimensions: int, *, threshold: float) -> int:
    """In how many signs two vectors may differ and still be worth comparing.

    >>> most_signs_apart(384, threshold=0.85), most_signs_apart(64, threshold=0.85)
    (102, 64)
    """
    if dimensions < FEWEST_COMPONENTS:
        return dimensions
    share = acos(max(-1.0, min(1.0, threshold))) / pi
    return min(dimensions, int(dimensions * share + DEVIATIONS * sqrt(dimensions * share * (1 - share))) + 1)


def _signs(data: Sequence[bytes], dimensions: int) -> list[int]:
    """The sign bits of little-endian floats: the highest bit of each fourth byte."""
    mask = int.from_bytes(b"\x80" * dimensions, "little")
    return [int.from_bytes(each[BYTES_PER_FLOAT - 1 :: BYTES_PER_FLOAT], "little") & mask for each in data]


def _floats(data: bytes) -> array[float]:
    values = array("f", data)
    if sys.byteorder == "big":
        values.byteswap()
    return values
