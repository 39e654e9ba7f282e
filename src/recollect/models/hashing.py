"""The reference embedder: words and character trigrams, hashed into a few signed buckets.

Needs nothing but the standard library, gives the same vector everywhere and for ever, and knows no meaning:
texts are similar when they share words or parts of words.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from hashlib import blake2b

from recollect.errors import InvalidInput
from recollect.models.vectors import first_axis, pack_unit
from recollect.offload import run_in_thread
from recollect.ports import TextKind
from recollect.records import Vector

WORD_WEIGHT = 1.0
TRIGRAM_WEIGHT = 0.3  # a word has about five trigrams; together they should not outweigh the word
_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Deterministic embedder without weights, for tests, examples and as the pattern for others."""

    note: str | None = None

    def __init__(self, *, dimensions: int = 64) -> None:
        if dimensions < 1:
            raise InvalidInput(f"dimensions is {dimensions}; it must be at least 1", field="dimensions")
        self.dimensions = dimensions

    @property
    def identity(self) -> str:
        return f"hashing-{self.dimensions}-v1"

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        return await run_in_thread(self._embed_all, list(texts))

    async def close(self) -> None:
        """Nothing to release."""

    def _embed_all(self, texts: list[str]) -> list[Vector]:
        return [Vector(self.identity, hash_text(text, dimensions=self.dimensions)) for text in texts]


def hash_text(text: str, *, dimensions: int) -> bytes:
    """One text as a packed unit vector.

    >>> hash_text("the cat", dimensions=8) == hash_text("The CAT!", dimensions=8)
    True
    """
    buckets = [0.0] * dimensions
    for feature, weight in weigh_features(text).items():
        digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        number = int.from_bytes(digest, "little")
        buckets[(number >> 1) % dimensions] += weight if number & 1 else -weight
    return pack_unit(buckets) or first_axis(dimensions)


def weigh_features(text: str) -> dict[str, float]:
    """Words and the trigrams of each word, with damped counts; a text without words is taken whole.

    >>> sorted(weigh_features("Go"))
    ['#go', 'go', 'go#']
    """
    words = _WORD.findall(text.lower()) or [text]
    weights: defaultdict[str, float] = defaultdict(float)
    for word, count in Counter(words).items():
        damped = 1.0 + math.log(count)
        weights[word] += WORD_WEIGHT * damped
        for trigram in _trigrams(f"#{word}#"):
            weights[trigram] += TRIGRAM_WEIGHT * damped
    return dict(weights)


def _trigrams(text: str) -> list[str]:
    return [text[start : start + 3] for start in range(len(text) - 2)]
