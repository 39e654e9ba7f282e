"""When two texts are the same, and when they only look it: embeddings hardly see numbers, names and negation."""

from __future__ import annotations

import hashlib
import re
import unicodedata

NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w-]*")
TICKER = re.compile(r"\b[A-Z][A-Z0-9]{1,}\b")
NEGATION = re.compile(r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|\w+n['’]t)\b", re.IGNORECASE)


def content_hash(title: str, body: str) -> str:
    """The identity of a text: equal for texts that differ only in white space or Unicode form.

    >>> content_hash("", "a  b") == content_hash(" ", "a b")
    True
    """
    folded = "\n".join(" ".join(unicodedata.normalize("NFC", text).split()) for text in (title, body))
    return hashlib.sha256(folded.encode()).hexdigest()[:32]


def details(text: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """What must agree for two similar texts to be the same: numbers, names, and whether it denies.

    >>> numbers, names, denies = details("Ana did not pay 30 EUR")
    >>> sorted(numbers), sorted(names), denies
    (['30'], ['eur'], True)
    """
    numbers = frozenset(NUMBER.findall(text))
    names = frozenset(name.lower() for name in (*NAME.findall(text), *TICKER.findall(text)))
    return numbers, names, bool(NEGATION.search(text))


def details_agree(one: str, other: str) -> bool:
    """Whether two texts name the same numbers and names and both deny or both do not.

    >>> details_agree("BTC target is 100k", "BTC target is 120k")
    False
    """
    return details(one) == details(other)
