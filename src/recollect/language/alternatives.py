"""A pattern of many words that is quick to turn down: most places of a text are done with after one letter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby


def one_of(words: Iterable[str]) -> str:
    """The words as alternatives, put together by their first letters; what may follow them is for the caller to say.

    >>> one_of(["now", "act", "new"])
    'a(?:ct)|n(?:ew|ow)'
    """
    firsts = groupby(sorted(set(words)), key=lambda word: word[0])
    return "|".join(rf"{first}(?:{'|'.join(re.escape(word[1:]) for word in group)})" for first, group in firsts)
