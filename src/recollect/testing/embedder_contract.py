"""What every embedder must do, as tests. Subclass it and supply a pytest fixture called `embedder`:

    class TestMine(EmbedderContract):
        @pytest.fixture
        def embedder(self): return MyEmbedder()

Needs no plugin: each test runs its own event loop.
"""

from __future__ import annotations

import asyncio
import math
import struct
from collections.abc import Sequence

from recollect.ports import Embedder, TextKind
from recollect.records import Vector

TEXTS = (
    "The release was moved to the second week of March.",
    "Bees find their way home by the position of the sun.",
    "ok",
    "The invoice from the plumber has not been paid, and the reminder came on Tuesday last week already.",
    "Where did I leave the spare key?",
)


def numbers(vector: Vector) -> tuple[float, ...]:
    """A vector's values."""
    return struct.unpack(f"<{vector.dimensions}f", vector.data)


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length one."""
    return math.fsum(a * b for a, b in zip(numbers(one), numbers(other), strict=True))


def distance(one: Vector, other: Vector) -> float:
    """The largest difference of any value."""
    return max(abs(a - b) for a, b in zip(numbers(one), numbers(other), strict=True))


def embed(embedder: Embedder, *texts: str, kind: TextKind = TextKind.DOCUMENT) -> list[Vector]:
    """Embed from a test, outside any loop."""
    return asyncio.run(embedder.embed(texts, kind=kind))


class EmbedderContract:
    """The suite. `similar` and `unrelated` may be replaced for a model of another language."""

    tolerance = 1e-6
    similar: Sequence[str] = ("A cat is sleeping on the sofa.", "The cat sleeps on a sofa.")
    unrelated = "Quarterly revenue rose by twelve percent."

    def test_order_of_texts_is_kept(self, embedder: Embedder) -> None:
        forward, backward = embed(embedder, *TEXTS), embed(embedder, *reversed(TEXTS))
        for one, other in zip(forward, reversed(backward), strict=True):
            assert distance(one, other) <= self.tolerance, "a vector moved with its place in the list"
        assert distance(forward[0], forward[1]) > self.tolerance, "different texts gave the same vector"

    def test_vector_does_not_depend_on_its_neighbours(self, embedder: Embedder) -> None:
        for text, among in zip(TEXTS, embed(embedder, *TEXTS), strict=True):
            (alone,) = embed(embedder, text)
            assert distance(alone, among) <= self.tolerance, f"{text!r} differs alone and among others"

    def test_vectors_have_length_one(self, embedder: Embedder) -> None:
        for kind in TextKind:
            for vector in embed(embedder, *TEXTS, kind=kind):
                assert abs(math.hypot(*numbers(vector)) - 1.0) < 1e-4

    def test_same_text_gives_the_same_vector_again(self, embedder: Embedder) -> None:
        first, again = embed(embedder, TEXTS[0]), embed(embedder, TEXTS[0])
        assert distance(first[0], again[0]) <= self.tolerance

    def test_all_vectors_have_one_dimension_and_the_identity(self, embedder: Embedder) -> None:
        vectors = [*embed(embedder, *TEXTS), *embed(embedder, TEXTS[0], kind=TextKind.QUERY)]
        assert len({vector.dimensions for vector in vectors}) == 1
        assert {vector.identity for vector in vectors} == {embedder.identity}

    def test_no_texts_give_no_vectors(self, embedder: Embedder) -> None:
        assert embed(embedder) == []

    def test_empty_text_gives_a_vector(self, embedder: Embedder) -> None:
        for vector in embed(embedder, "", " \n\t", "…!?"):
            assert abs(math.hypot(*numbers(vector)) - 1.0) < 1e-4

    def test_very_long_text_gives_a_vector(self, embedder: Embedder) -> None:
        words, unbroken = embed(embedder, "many different words " * 20_000, "x" * 100_000)
        assert words.dimensions == unbroken.dimensions

    def test_any_characters_give_a_vector(self, embedder: Embedder) -> None:
        odd = ("Grüße aus Zürich", "你好，世界", "👩‍👩‍👧 family", "مرحبا", "a\x00b", "half \ud83d of a pair")
        assert len(embed(embedder, *odd)) == len(odd)

    def test_identity_is_a_constant_name(self, embedder: Embedder) -> None:
        before = embedder.identity
        embed(embedder, TEXTS[0])
        assert before and embedder.identity == before

    def test_concurrent_calls_agree(self, embedder: Embedder) -> None:
        async def together() -> list[list[Vector]]:
            calls = (embedder.embed(TEXTS, kind=TextKind.DOCUMENT) for _ in range(6))
            return await asyncio.gather(*calls)

        first, *others = asyncio.run(together())
        for other in others:
            for one, two in zip(first, other, strict=True):
                assert distance(one, two) <= self.tolerance

    def test_similar_texts_are_closer_than_unrelated_ones(self, embedder: Embedder) -> None:
        one, two, far = embed(embedder, *self.similar, self.unrelated)
        assert cosine(one, two) > cosine(one, far) + 0.1
