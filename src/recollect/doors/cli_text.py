"""Foreign text made safe for a terminal: a memory is data, and may not move the cursor or change colours."""

from __future__ import annotations

import re

# Control characters but for tab and line feed, and the marks that turn the direction of writing around.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    r"""The text with everything a terminal would obey replaced.

    >>> clean("red \x1b[31m alert")
    'red �[31m alert'
    """
    return UNPRINTABLE.sub("�", text)


def one_line(text: str, *, limit: int) -> str:
    """The text on one line, cut where it is too long.

    >>> one_line("a  b\\nc d", limit=6)
    'a b c…'
    """
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"
