"""What reading a text gave, remembered for the short texts read last: the same memories are asked for again and again.

`remembered` goes around a function of texts. Forgetting a memory forgets all readings, so that no words of it stay
behind in the process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
MOST_TEXTS = 4_096
LONGEST_TEXT = 2_000  # characters: eight megabytes at most for each function

_forgetful: list[Callable[[], None]] = []


def remembered(read: Callable[P, T]) -> Callable[P, T]:
    """The same function of one text or several, which does not read what it has just read."""
    known = lru_cache(maxsize=MOST_TEXTS)(read)
    _forgetful.append(known.cache_clear)

    @wraps(read)
    def reading(*texts: P.args, **named: P.kwargs) -> T:
        return known(*texts) if sum(map(len, texts)) <= LONGEST_TEXT else read(*texts, **named)  # type: ignore[arg-type]

    return reading


def forget_with_readings(forget: Callable[[], None]) -> None:
    """Have that called too when readings are let go of: for whoever keeps words of texts in another way."""
    _forgetful.append(forget)


def forget_readings() -> None:
    """Let go of every text read so far."""
    for forget in _forgetful:
        forget()
