"""Which half of the questions weights may be fitted on, told by the question's text alone.

The same question falls into the same half in every set and under every id, so that what is fitted on one half of some
sets is never measured on a question it has seen.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import sha256

LAST_FIT_DIGIT = 7  # of sixteen: the first eight are one half


class Half(StrEnum):
    """The two halves."""

    FIT = "fit"
    HELD_OUT = "held-out"


def half_of(text: str) -> Half:
    """The half a question belongs to."""
    return Half.FIT if in_fit_half(text) else Half.HELD_OUT


def in_fit_half(text: str) -> bool:
    """Whether weights may be fitted on this question; capitals and spaces make no difference.

    >>> in_fit_half("Who built the lighthouse?"), in_fit_half("  who built  the LIGHTHOUSE?")
    (True, True)
    """
    plain = " ".join(text.lower().split())
    return int(sha256(plain.encode("utf-8")).hexdigest()[-1], 16) <= LAST_FIT_DIGIT
