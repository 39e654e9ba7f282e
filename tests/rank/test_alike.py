from __future__ import annotations

from math import cos, radians, sin, sqrt
from random import Random
from struct import pack, unpack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.alike import FEWEST_COMPONENTS, most_signs_apart, pairs_alike
from recollect.records import Vector

THRESHOLD = 0.85


def unit(values: list[float]) -> list[float]:
    length = sqrt(sum(value * value for value in values))
    return [value / length for value in values]


def vector(values: list[float], identity: str = "model") -> Vector:
    return Vector(identity, pack(f"<{len(values)}f", *values))


def gaussian(random: Random, dimensions: int) -> list[float]:
    return unit([random.gauss(0, 1) for _ in range(dimensions)])


def turned(values: list[float], degrees: float, random: Random) -> list[float]:
    """Another vector at that angle."""
    other = gaussian(random, len(values))
    along = sum(a * b for a, b in zip(values, other, strict=True))
    across = unit([b - along * a for a, b in zip(values, other, strict=True)])
    return [cos(radians(degrees)) * a + sin(radians(degrees)) * b for a, b in zip(values, across, strict=True)]


def plainly(vectors: list[Vector | None], threshold: float) -> list[tuple[int, int]]:
    """Every pair, multiplied out."""
    floats = [unpack(f"<{each.dimensions}f", each.data) if each else None for each in vectors]
    return [
        (one, other)
        for one, this in enumerate(floats)
        for other, that in enumerate(floats)
        if one < other and this is not None and that is not None
        if vectors[one].identity == vectors[other].identity and len(this) == len(that)
        if sum(a * b for a, b in zip(this, that, strict=True)) >= threshold
    ]


def found(vectors: list[Vector | None], threshold: float = THRESHOLD) -> list[tuple[int, int]]:
    return [(one, other) for one, other, _ in pairs_alike(vectors, threshold=threshold)]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from([8, 64, 127, 128, 256, 384, 768]),
    st.lists(st.floats(0, 90), min_size=1, max_size=8),
    st.sampled_from([0.6, 0.75, 0.85, 0.95]),
)
def test_no_pair_is_missed_and_none_is_invented(
    seed: int, dimensions: int, angles: list[float], threshold: float
) -> None:
    random = Random(seed)
    first = gaussian(random, dimensions)
    vectors: list[Vector | None] = [vector(first), *(vector(turned(first, angle, random)) for angle in angles)]
    assert found(vectors, threshold) == plainly(vectors, threshold)


def test_at_the_threshold_itself_nothing_is_missed() -> None:
    random = Random(7)
    for _ in range(300):
        first = gaussian(random, 384)
        assert found([vector(first), vector(turned(first, 31.7, random))]) == [(0, 1)]


small = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(
    lambda each: any(abs(x) > 0.01 for x in each)
)


@settings(max_examples=100, deadline=None)
@given(st.lists(small, max_size=6))
def test_short_vectors_are_compared_whatever_their_signs(rows: list[list[float]]) -> None:
    vectors: list[Vector | None] = [vector(unit(row)) for row in rows]
    assert found(vectors) == plainly(vectors, THRESHOLD)


def test_vectors_of_different_embedders_are_never_compared() -> None:
    same = gaussian(Random(1), 384)
    assert found([vector(same, "one"), vector(same, "other"), vector(same[:200], "one")]) == []


def test_what_has_no_vector_is_like_nothing() -> None:
    same = vector(gaussian(Random(1), 384))
    assert found([None, same, None, same]) == [(1, 3)]
    assert found([]) == []


def test_the_cosine_is_told() -> None:
    random = Random(3)
    first = gaussian(random, 384)
    ((_, _, cosine),) = pairs_alike([vector(first), vector(turned(first, 20, random))], threshold=THRESHOLD)
    assert cosine == pytest.approx(cos(radians(20)), abs=1e-5)


def test_most_unrelated_pairs_are_told_apart_by_their_signs() -> None:
    random = Random(5)
    most = most_signs_apart(384, threshold=THRESHOLD)
    signs = [[value < 0 for value in gaussian(random, 384)] for _ in range(40)]
    apart = [sum(map(bool.__ne__, one, other)) for n, one in enumerate(signs) for other in signs[:n]]
    assert min(apart) > most


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 1.0])
def test_extreme_thresholds(threshold: float) -> None:
    random = Random(9)
    vectors: list[Vector | None] = [vector(gaussian(random, FEWEST_COMPONENTS)) for _ in range(4)]
    assert set(found(vectors, threshold)) <= set(plainly(vectors, threshold))
