"""Which one of its sort a question asks for, and whether a text speaks only of another one.

"Who paid invoice 71124?" asks for one invoice, "What is Ben's phone number?" for one number. A text about invoice
71123, or Ana's number, is as near in words and meaning as can be and answers neither. Takes texts; gives what a
question is particular about. Sure rather than complete: a text has to name another of the sort, and never that one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, normalize

from recollect.language.lazily import lazily
from recollect.language.spellings import spellings

LOOKED_AT = 2_000  # characters of a question
READ = 4_000  # characters of a text
FIRST = 3  # texts that may speak of another
YEAR = lazily(r"(?:1\d|20)\d\d")
NUMBER = r"\d+(?:[.,-]\d+)*"

# What a name beside it is the name of.
SORTS = """
    account airport album app application area band bank boat book branch brand bridge building bus campaign castle
    cat channel church city class client cluster college committee company component conference contract council
    country county course customer database department desk district division document dog engine environment
    episode event exam factory feature festival film flight floor folder gate group hall hospital hotel house island
    journal lab lake language lesson library machine magazine market meeting method model module mountain movie
    museum novel office order package page park party patch patient phase pipeline plan planet plant platform player
    port printer process product program programme project province queue region release repository river road room
    route sample school season section server service ship shop site song space sprint squad stage state station
    store street subject system table tank task team theater theatre ticket tool tower town train treaty trial
    tunnel unit university vendor version vessel village volcano warehouse website
""".split()
# What a number after it is the number of, beside those.
NUMBERED_SORTS = """
    act apartment appendix article battalion bill block bug build card case chapter check claim code command commit
    counter device edition equation error exercise experiment figure file incident instalment invoice issue item job
    law level line locker lot match milestone mission motion note option paragraph parcel participant patent permit
    policy pr problem quarter question race receipt record report request revision round row rule run scene serial
    session shard shelf shipment slide slot step stop story tag test thread track transaction truck type user verse
    volume voucher war ward zone
""".split()
NO_NAMES = frozenset(
    """
    A An All Another Any Are Both Did Do Does Each Every Has Have He How Her His I In Is It Its My New No Of On One
    Old Only Other Our Same She Some Such That The Their These They This Those Was We Were What When Where Which Who
    Whose Why You Your
    """.split()
)
# Words before "of" that join, or tell where something is or how much, and are no thing of it.
PLACES = frozenset(
    """
    about ahead all any back because beside bottom center centre corner each east edge end ends front half inside
    instead kilometers kilometres kind kinds least lot lots middle miles most none north northeast northern northwest
    number one ones out outside part parts piece rest side sides some sort sorts south southeast southern southwest
    start top type types use variety version west which who
    """.split()
)
NO_THINGS = frozenset("a an and are at been did do does for had has have in is it not of on or the to was were".split())

NAME = r"[A-Z][\w-]+"
CALLED = r"(?:(?:no\.?|nr\.?|number|id)\s*)?#?"
WHOLE = r"(?![\w%°-])"
COUNTS = r"\s+(?!(?:is|was|has|does|its|this|as|vs)\b)[a-z]+s\b"  # "order 300 chairs" says how many
NUMBERED = lazily(
    rf"(?<![\w-])({'|'.join([*SORTS, *NUMBERED_SORTS])})s?\s+{CALLED}({NUMBER}){WHOLE}(?!{COUNTS})", re.IGNORECASE
)
CODED = lazily(r"(?<![\w.-])((?:[a-z]{2,12}|[vq])[-_]?)(\d+(?:\.\d+)*)(?![\w-])", re.IGNORECASE)
BEFORE_NAME = lazily(rf"\b(?i:({'|'.join(SORTS)}))\s+(?:(?:called|named)\s+)?({NAME})")
AFTER_NAME = lazily(rf"(?<![\w-])(?<![Ww]hich )(?<![Ww]hat )({NAME})\s+(?i:({'|'.join(SORTS)}))\b")
OWNED = lazily(rf"(?<![\w-])({NAME})['’]s\s+([a-z]+)(?:\s+([a-z]+))?")
BELONGING = lazily(rf"\b([a-z]{{3,}})\s+of\s+({NAME})")


class Told(NamedTuple):
    """A text, and what it goes by: who said it, and its title."""

    name: str
    text: str


class Particular(NamedTuple):
    """One thing of a sort: what tells it apart, and how that of any of the sort is found in a text."""

    sort: str
    mark: str
    any_mark: re.Pattern[str]
    thing: str = ""  # where the mark is whose thing it is

    def is_in(self, told: Told) -> bool:
        """Whether a text speaks of it, in any spelling. Of somebody's thing it does if it is about whose it is, or
        speaks of both."""
        if self.thing and self.thing not in told.text.lower():
            return self._is_marked(told.name)
        return self._is_marked(told.name) or self._is_marked(told.text)

    def _is_marked(self, text: str) -> bool:
        low = folded(text)
        return any(each in low and _whole(each).search(low) for each in map(folded, spellings(self.mark)))

    def another_in(self, text: str) -> str:
        """What tells another of its sort apart that a text speaks of, empty where there is none."""
        marks = (next(filter(None, match.groups())) for match in self.any_mark.finditer(text[:READ]))
        return next((mark for mark in marks if not _same(mark, self.mark) and mark not in NO_NAMES), "")


def another_than_asked(question: str, texts: Sequence[Told]) -> str:
    """What the first few of some texts speak of instead of what the question asks for, which none of them speaks of.

    >>> another_than_asked("Who paid invoice 71124?", [Told("", "Invoice 71123 was paid by Ana.")])
    '71123'
    >>> another_than_asked("Who paid invoice 71124?", [Told("", "71123 was paid."), Told("", "Invoice 71124 was not.")])
    ''
    """
    for each in particulars(question):
        other = next((other for told in texts[:FIRST] if (other := each.another_in(told.text))), "")
        if other and not any(map(each.is_in, texts)):
            return other
    return ""


def folded(text: str) -> str:
    """A text in small letters without accents.

    >>> folded("Tekezé")
    'tekeze'
    """
    low = text.lower()
    return low if low.isascii() else "".join(each for each in normalize("NFD", low) if not combining(each))


def _same(one: str, other: str) -> bool:
    return folded(one) in map(folded, spellings(other))


@lru_cache(maxsize=256)
def particulars(question: str) -> tuple[Particular, ...]:
    """What a question is particular about.

    >>> [(each.sort, each.mark) for each in particulars("Is invoice 71124 for DB-07 on Ana's desk?")]
    [('invoice', '71124'), ('db-', 'DB-07'), ("'s desk", 'Ana')]
    """
    asked = question[:LOOKED_AT]
    found = [
        Particular(sort.lower(), mark, _numbered(sort.lower()))
        for sort, mark in NUMBERED.findall(asked)
        if not YEAR.fullmatch(mark)
    ]
    found += [
        Particular(begin.lower(), f"{begin}{digits}", _coded(begin.lower())) for begin, digits in CODED.findall(asked)
    ]
    named = [*BEFORE_NAME.findall(asked), *((sort, mark) for mark, sort in AFTER_NAME.findall(asked))]
    found += [
        Particular(sort.lower(), mark, _named(sort.lower()))
        for sort, mark in named
        if mark not in NO_NAMES and mark.lower() not in SORTS
    ]
    for mark, thing, more in OWNED.findall(asked):
        if thing not in NO_THINGS and mark not in NO_NAMES:
            things = f"{thing} {more}" if more and more not in NO_THINGS else thing
            found.append(Particular(f"'s {things}", mark, _owned(things), thing))
    found += [
        Particular(f"{thing} of", mark, _belonging(thing), thing)
        for thing, mark in BELONGING.findall(asked)
        if thing not in NO_THINGS | PLACES and mark not in NO_NAMES
    ]
    return tuple({(each.sort, each.mark): each for each in found}.values())


@lru_cache(maxsize=1_024)
def _whole(mark: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?<!\d[.,]){re.escape(mark)}(?![\w-])(?![.,]\d)")


@lru_cache(maxsize=256)
def _numbered(sort: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){sort}s?\s+{CALLED}({NUMBER}){WHOLE}", re.IGNORECASE)


@lru_cache(maxsize=256)
def _coded(begin: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.-])({re.escape(begin)}\d+(?:\.\d+)*)(?![\w-])", re.IGNORECASE)


@lru_cache(maxsize=256)
def _named(sort: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?i:{sort})\s+(?:(?:called|named)\s+)?({NAME})|(?<![\w-])({NAME})\s+(?i:{sort})\b")


@lru_cache(maxsize=256)
def _owned(things: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])({NAME})['’]s\s+" + things.replace(" ", r"\s+") + r"\b")


@lru_cache(maxsize=256)
def _belonging(thing: str) -> re.Pattern[str]:
    return re.compile(rf"\b{thing}\s+of\s+(?:the\s+)?({NAME})")
