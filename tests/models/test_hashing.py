from __future__ import annotations

import doctest
import math

import pytest

from recollect.errors import InvalidInput
from recollect.models import hashing, vectors
from recollect.models.hashing import HashingEmbedder, hash_text

from .servers import unpack


def test_vectors_never_change_between_versions() -> None:
    # Stored vectors outlive the program; a change here needs a new identity.
    assert HashingEmbedder(dimensions=4).identity == "hashing-4-v1"
    assert hash_text("the cat", dimensions=4).hex() == "6ed91ebedc5f043f6ed91ebe93cc53bf"


def test_a_word_in_another_form_is_nearer_than_another_word() -> None:
    def cosine(one: str, two: str) -> float:
        first, second = (unpack(hash_text(text, dimensions=256)) for text in (one, two))
        return math.fsum(a * b for a, b in zip(first, second, strict=True))

    assert cosine("embedding", "embeddings") > cosine("embedding", "plumber") + 0.2


def test_zero_dimensions_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        HashingEmbedder(dimensions=0)


@pytest.mark.parametrize("module", [hashing, vectors], ids=lambda module: module.__name__)
def test_examples_in_docstrings_hold(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]
