"""Two sentences that say the same but for one thing: a name, a figure, a phrase in its place, or a "not".

Takes texts; gives, for two of them, the reason code, as `statements.disagree` does. It needs no relation to be known,
but nearly every word to be the same and the same beginning: two near repeats of which only one can be right. Leaves to
`reconcile` whether they tell of different times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from recollect.language.content import STOP_WORDS
from recollect.language.lazily import lazily
from recollect.language.objects import (
    DATES_DIFFER,
    NUMBER_WORDS,
    NUMBERS_DIFFER,
    OBJECTS_DIFFER,
    POLARITY_DIFFERS,
    differ,
    value_of,
)
from recollect.language.relations import POINTING, UNSURE
from recollect.language.words import straighten

LOOKED_AT = 600  # characters
LONGEST = 45  # words; longer sentences say too much to differ in one thing
LEAST_SHARED = 4  # content words that must be the same
SHARE = 0.6  # of the content words of the longer one
WIDEST = 5  # words in the place that differs
LEAST_DENIED = 3  # content words of what is denied

WORD = lazily(r"[$€£]?\d[\d,.:]*\d%?|\d%?|[^\W_](?:[\w'&/@+.-]*\w)?")
NOT_OTHER = lazily(r",\s+not\s")  # "Ben, not Ana, …" denies a name, not the sentence; see `statements`
SENTENCE_END = lazily(r"[.!?]\s+(?=[A-Z\"'(])|\n+")
DENYING = frozenset("not never no cannot neither nor without".split())
ADDED = frozenset("also only just now still once both together really recently first ever any".split())  # weightless
UNTOUCHED = frozenset([*NUMBER_WORDS, *MONTH_NUMBERS, *WEEKDAY_NUMBERS])
VAGUE = frozenset("many several some few various multiple numerous other another different new".split())


class Frame(NamedTuple):
    """A sentence as its words, folded; those that carry content; how many name its subject; whether it denies."""

    words: tuple[str, ...]
    content: frozenset[str]
    subject: int
    denies: bool


def frame_of(text: str) -> Frame | None:
    """The first sentence of a text, ready to be compared; None where it is asked, hedged, too short or too long.

    >>> frame_of("Ana never sailed the blue boat.").denies, frame_of("Did Ana sail?") is None
    (True, True)
    """
    plain = straighten(text[:LOOKED_AT]).strip()
    end = SENTENCE_END.search(plain)
    first = plain[: end.start() + 1].strip() if end else plain
    found = WORD.findall(first)
    states = LEAST_SHARED <= len(found) <= LONGEST and not first.endswith(("?", "!")) and not NOT_OTHER.search(first)
    if not states or found[0].lower() in POINTING:
        return None
    lowered = [word.lower() for word in found]
    if not UNSURE.isdisjoint(word for word, seen in zip(lowered, found, strict=True) if seen != "May"):
        return None
    denies = any(word in DENYING or word.endswith("n't") for word in lowered)
    words = tuple(_root(word) for word in lowered if not _is_small(word))
    kept = [seen for seen, word in zip(found, lowered, strict=True) if not _is_small(word)]
    subject = next((place for place, word in enumerate(kept) if place and not word[0].isupper()), len(kept))
    return Frame(words, frozenset(word for word in words if word not in STOP_WORDS), subject, denies)


def rival(one: Frame, other: Frame) -> str | None:
    """Why two sentences that are nearly the same cannot both be right, or None.

    >>> ours = frame_of("Ana sold the old blue boat to Ben in Porto")
    >>> rival(ours, frame_of("Ana sold the old blue boat to Carl in Porto"))
    'objects_differ'
    """
    if one.words[:1] != other.words[:1] or (one.content == other.content and one.denies == other.denies):
        return None
    if one.denies != other.denies:
        denied, said = (one, other) if one.denies else (other, one)
        enough = len(denied.content) >= LEAST_DENIED and denied.content <= said.content
        return POLARITY_DIFFERS if enough else None
    shared = len(one.content & other.content)
    if shared < LEAST_SHARED or shared < SHARE * max(len(one.content), len(other.content)):
        return None
    return _place_differs(one.words, other.words, beyond=max(one.subject, other.subject))


def _place_differs(one: Sequence[str], other: Sequence[str], *, beyond: int) -> str | None:
    """How two rows of words differ in one place, where it lies beyond the subject and the word after it."""
    before = 0
    while before < min(len(one), len(other)) and one[before] == other[before]:
        before += 1
    after = 0
    while after < min(len(one), len(other)) - before and one[-1 - after] == other[-1 - after]:
        after += 1
    first, second = (" ".join(words[before : len(words) - after]) for words in (one, other))
    if before <= beyond or not first or not second or max(len(first.split()), len(second.split())) > WIDEST:
        return None
    if not VAGUE.isdisjoint((*first.split(), *second.split())):
        return None
    mine, yours = value_of(first), value_of(second)
    if (mine.dates and yours.dates) or (mine.numbers and yours.numbers):
        found = differ(first, second)
        return found if found in {DATES_DIFFER, NUMBERS_DIFFER} else None
    comparable = not (mine.dates or yours.dates or mine.numbers or yours.numbers) and mine.words and yours.words
    return OBJECTS_DIFFER if comparable and set(mine.words).isdisjoint(yours.words) else None


def _is_small(word: str) -> bool:
    return word in {"the", "a", "an", "has", "have", "had", "does", "do", "did"} or word in DENYING or word in ADDED


def _root(word: str) -> str:
    """A word without the endings of number and tense, roughly: both sides lose the same. Dates stay what they are."""
    if word in UNTOUCHED:
        return word
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending) and not word.endswith("ss"):
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word
