"""On which side of the moment a verb puts a time: "we met on Friday" lies before it, "we are meeting on Friday" ahead.

Takes the words before and after the time; gives what the verb nearest before it says, or the first one after it, and
of several times that may be meant the one on that side. No grammar: pasts and helping words from tables, and the ending
"-ed". Without a verb it knows, it may be on either side.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum

from recollect.language.calendar import Span
from recollect.language.forms import IRREGULAR, NOUNS_TOO, PAST, VERBS
from recollect.language.lazily import lazily


class Side(Enum):
    """Before the moment, ahead of it, or either."""

    BEFORE = "before"
    AHEAD = "ahead"
    EITHER = "either"


WORD = lazily(r"[\w]+(?:'\w+)?")
DONE = frozenset(past for base, past in IRREGULAR.items() if past != base) | frozenset(
    "were been gone done seen taken given written eaten broken known grown driven spoken shown begun".split()
)
TO_COME = frozenset(
    """
    will won't shall gonna am is are can can't cannot must should may might have has let's due upcoming hope hopes plan
    plans planning tomorrow
    """.split()
)
GOING_ON = VERBS - frozenset(PAST.values()) - NOUNS_TOO - frozenset("like own book live name".split())
BEING = frozenset("am is are be being get gets isn't aren't".split())
NOT_DONE = frozenset("need feed seed speed indeed exceed proceed succeed hundred".split())
SHORTEST_DONE = 4  # letters: "used", and neither "red" nor "bed"


def side_of(before: str, after: str) -> Side:
    """The side that what stands before and after a time puts it on.

    >>> side_of("we met ", ""), side_of("", " I'm flying to Rome")
    (<Side.BEFORE: 'before'>, <Side.AHEAD: 'ahead'>)
    """
    earlier, later = WORD.findall(before.lower()), WORD.findall(after.lower())
    for place in reversed(range(len(earlier))):
        if (side := _says(earlier, place)) is not Side.EITHER:
            return side
    sides = (_says(later, place) for place in range(len(later)))
    return next((side for side in sides if side is not Side.EITHER), Side.EITHER)


def fitting(spans: Sequence[Span], *, side: Side, now: datetime) -> Span | None:
    """Of some in order, the latest begun, the first not over, or the nearest: the earlier of two as near."""
    match side:
        case Side.BEFORE:
            fit = [span for span in spans if span.start <= now][-1:]
        case Side.AHEAD:
            fit = [span for span in spans if span.end > now][:1]
        case Side.EITHER:
            fit = sorted(spans, key=lambda span: max(span.start - now, now - span.end, timedelta()))
    return fit[0] if fit else None


def _says(words: Sequence[str], place: int) -> Side:
    word = words[place]
    after = words[place + 1] if place + 1 < len(words) else ""
    one, two = (words[place - back] if place >= back else "" for back in (1, 2))
    if word in {"have", "has"} and (after in DONE or _is_past(after)):
        return Side.BEFORE
    if word.endswith(("'m", "'re", "'ll")) or word in TO_COME:
        return Side.AHEAD
    if word == "got" and (one in {"have", "has"} or one.endswith("'ve")):
        return Side.AHEAD
    if word.removesuffix("n't") in DONE or _is_past(word):
        passive = any(each in BEING or each.endswith(("'m", "'re")) for each in (one, two))
        return Side.AHEAD if passive and _is_past(word) else Side.BEFORE  # "is planned for", "we're so excited"
    if word in GOING_ON and one != "to":
        return Side.BEFORE if one in {"did", "didn't"} else Side.AHEAD
    return Side.EITHER


def _is_past(word: str) -> bool:
    return word.endswith("ed") and len(word) >= SHORTEST_DONE and word not in NOT_DONE
