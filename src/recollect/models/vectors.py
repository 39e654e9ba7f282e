"""What every embedder here shares: a text made fit for a tokenizer, numbers packed as a unit vector."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence


def clean(text: str, *, limit: int) -> str:
    """The first `limit` characters; half characters (lone surrogates), which no tokenizer takes, become '?'.

    >>> clean("abc\\ud800def", limit=5)
    'abc?d'
    """
    return text[:limit].encode("utf-8", "replace").decode("utf-8")


def pack_unit(values: Sequence[float]) -> bytes | None:
    """The values at length one as little-endian float32, or None when they have no direction.

    >>> pack_unit([3.0, 4.0]) == struct.pack("<2f", 0.6, 0.8)
    True
    >>> pack_unit([0.0, 0.0]) is None
    True
    """
    length = math.hypot(*values)
    if length == 0.0 or not math.isfinite(length):
        return None
    return struct.pack(f"<{len(values)}f", *(value / length for value in values))


def first_axis(dimensions: int) -> bytes:
    """A unit vector for a text that says nothing: absence of words must not become absence of a vector."""
    return struct.pack(f"<{dimensions}f", 1.0, *(0.0 for _ in range(dimensions - 1)))
