"""What reading a text gave, remembered for the texts read last: the same memories are asked for again and again.

`remembered` goes around a function of texts. Forgetting a memory forgets all readings, so that no words of it stay
behind in the process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
MOST_TEXTS, SHORT_TEXT = 4_096, 2_000  # texts and characters: eight megabytes at most for each function
MOST_LONG_TEXTS, LONGEST_TEXT = 256, 32_000  # as much again for the long ones, of which one question reads a few

_forgetful: list[Callable[[], None]] = []


def remembered(read: Callable[P, T]) -> Callable[P, T]:
    """The same function of one text or several, which does not read what it has just read."""
    known, long_known = lru_cache(maxsize=MOST_TEXTS)(read), lru_cache(maxsize=MOST_LONG_TEXTS)(read)
    _forgetful.extend((known.cache_clear, long_known.cache_clear))

    @wraps(read)
    def reading(*texts: P.args, **named: P.kwargs) -> T:
        size = sum(map(len, texts))  # type: ignore[arg-type]
        if size <= SHORT_TEXT:
            return known(*texts)
        return long_known(*texts) if size <= LONGEST_TEXT else read(*texts, **named)

    return reading


def forget_with_readings(forget: Callable[[], None]) -> None:
    """Have that called too when readings are let go of: for whoever keeps words of texts in another way."""
    _forgetful.append(forget)


def forget_readings() -> None:
    """Let go of every text read so far."""
    for forget in _forgetful:
        forget()
