"""Messages that ask nothing: pleasantries, and texts with hardly any letters."""

from __future__ import annotations

import re

from recollect.language.words import straighten

PLEASANTRIES = frozenset(
    """
    hi|hello|hey|yo|good morning|good evening|good night|ok|okay|k|kk|yes|yep|yeah|no|nope|sure|fine|cool|nice|great
    |thanks|thank you|thx|ty|ok thanks|okay thanks|thanks a lot|many thanks|great thanks|got it|understood|sounds good
    |perfect|awesome|lol|haha|bye|goodbye|see you|never mind|nevermind|please|welcome|you're welcome|no problem|np
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)


def is_trivial(text: str) -> bool:
    """A pleasantry, or hardly any letters.

    >>> is_trivial("ok thanks!"), is_trivial("BTC?")
    (True, False)
    """
    words = _words(text)
    return sum(character.isalnum() for character in words) < 2 or words in PLEASANTRIES


def is_pleasantry(text: str) -> bool:
    """Whether a text is nothing but a pleasantry.

    >>> is_pleasantry("Great, thanks!"), is_pleasantry("Thanks for the gate code")
    (True, False)
    """
    return _words(text) in PLEASANTRIES


def _words(text: str) -> str:
    return " ".join(re.findall(r"[\w']+", straighten(text).lower()))
