"""Sortable identifiers: 48 bits of time, 80 bits of entropy, in 26 characters that sort by creation."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u

Entropy = Callable[[int], bytes]


def new_id(now: datetime, *, entropy: Entropy) -> str:
    """An id for something made at `now`. The entropy is passed in, so that a test can fix it.

    >>> from datetime import UTC
    >>> new_id(datetime(2026, 1, 1, tzinfo=UTC), entropy=bytes)
    '01kdvdna000000000000000000'
    """
    milliseconds = int(now.timestamp() * 1000)
    number = (milliseconds << 80) | int.from_bytes(entropy(10), "big")
    return "".join(ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
