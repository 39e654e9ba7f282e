"""Time expressions in a text -> a range [start, end) against a given `now`, in whose zone days begin.

Weeks start on Monday. A month or day without a year is the latest that has begun. "Recently" is the last 30 days, "the
other day" the last 7; ranges "of the last N days" include today. The first expression counts. Nothing reads a clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache

from recollect.language import calendar as cal
from recollect.language.calendar import MONTH_NUMBERS, NUMBERS, WEEKDAY_NUMBERS, Span
from recollect.language.lazily import lazily
from recollect.language.words import straighten
from recollect.records import TimeRange

Resolve = Callable[["re.Match[str]", datetime], Span]

MONTH = rf"(?:{'|'.join(MONTH_NUMBERS)})\b\.?"
WEEKDAY = rf"(?:{'|'.join(WEEKDAY_NUMBERS)})"
YEAR = r"(?:1[6-9]|20|21)\d\d"
COUNT = rf"(?:\d{{1,4}}|{'|'.join(NUMBERS)})"
UNIT = r"(?:hour|day|week|month|quarter|year)s?"
WHICH = r"(?:last|previous|this|current|next|coming|past)"
NTH = r"(?:st|nd|rd|th)?"

# Each: how it is written, what it means. These say a time wherever they stand.
CLEAR: tuple[tuple[str, Resolve], ...] = (
    (r"the\s+day\s+before\s+yesterday", lambda m, now: cal.day(now, -2)),
    (r"the\s+day\s+after\s+tomorrow", lambda m, now: cal.day(now, 2)),
    (r"yesterday|last\s+night", lambda m, now: cal.day(now, -1)),
    (r"tomorrow", lambda m, now: cal.day(now, 1)),
    (r"today|tonight|this\s+(?:morning|afternoon|evening)", lambda m, now: cal.day(now, 0)),
    (r"recently|lately|these\s+days", lambda m, now: cal.last_days(now, 30)),
    (r"the\s+other\s+day", lambda m, now: cal.last_days(now, 7)),
    (rf"(?P<n>{COUNT})\s+(?P<unit>{UNIT})\s+ago", lambda m, now: cal.ago(now, m["n"], m["unit"])),
    (
        rf"(?:the\s+)?(?:last|past|previous)\s+(?P<n>{COUNT})\s+(?P<unit>{UNIT})",
        lambda m, now: cal.last_units(now, m["n"], m["unit"]),
    ),
    (
        rf"(?:the\s+)?(?:next|coming)\s+(?P<n>{COUNT})\s+(?P<unit>{UNIT})",
        lambda m, now: cal.next_units(now, m["n"], m["unit"]),
    ),
    (
        rf"(?:the\s+)?(?P<which>{WHICH})\s+(?P<unit>week|month|quarter|year|weekend)",
        lambda m, now: cal.named_unit(now, m["which"], m["unit"]),
    ),
    (
        rf"(?P<which>last|this|next|past|previous)\s+(?P<weekday>{WEEKDAY})",
        lambda m, now: cal.weekday(now, m["which"], m["weekday"]),
    ),
    (
        rf"(?P<which>last|this|next|previous)\s+(?P<month>{MONTH})",
        lambda m, now: cal.named_month(now, m["which"], m["month"]),
    ),
    (r"(?P<y>\d{4})-(?P<mo>\d\d)-(?P<d>\d\d)", lambda m, now: cal.date(now, int(m["y"]), int(m["mo"]), int(m["d"]))),
    (r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})", lambda m, now: cal.slashed(now, m["a"], m["b"], m["y"])),
    (
        rf"(?:the\s+)?(?P<d>\d{{1,2}}){NTH}\s+(?:of\s+)?(?P<month>{MONTH})(?:,?\s+(?P<y>{YEAR}))?",
        lambda m, now: cal.month_day(now, m["month"], m["d"], m["y"]),
    ),
    (
        rf"(?P<month>{MONTH})\s+(?:the\s+)?(?P<d>\d{{1,2}}){NTH}(?!\d)(?:,?\s+(?P<y>{YEAR}))?",
        lambda m, now: cal.month_day(now, m["month"], m["d"], m["y"]),
    ),
    (rf"(?P<month>{MONTH}),?\s+(?:of\s+)?(?P<y>{YEAR})", lambda m, now: cal.month(now, m["month"], m["y"])),
    (r"(?P<y>\d{4})-(?P<mo>0[1-9]|1[0-2])(?!-?\d)", lambda m, now: cal.month_number(now, int(m["y"]), int(m["mo"]))),
    (rf"Q(?P<q>[1-4])(?:\s+(?:of\s+)?(?P<y>{YEAR}))?", lambda m, now: cal.quarter(now, int(m["q"]), m["y"])),
    (
        rf"the\s+(?P<q>first|second|third|fourth)\s+quarter(?:\s+of\s+(?P<y>{YEAR}))?",
        lambda m, now: cal.quarter(now, ("first", "second", "third", "fourth").index(m["q"].lower()) + 1, m["y"]),
    ),
    (r"the\s+(?P<decade>(?:1[6-9]|20)\d0)'?s", lambda m, now: cal.years(now, int(m["decade"]), 10)),
)
# These say a time only after a word that makes them one: "in March", "on Monday", "since 2020".
LOOSE: tuple[tuple[str, Resolve], ...] = (
    (rf"(?:early\s+|mid-?\s*|late\s+)?(?P<month>{MONTH})", lambda m, now: cal.month(now, m["month"], None)),
    (rf"(?P<weekday>{WEEKDAY})", lambda m, now: cal.weekday(now, "on", m["weekday"])),
    (rf"(?:the\s+year\s+)?(?P<y>{YEAR})", lambda m, now: cal.years(now, int(m["y"]), 1)),
)


def _bare(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)


ANY_CLEAR = rf"(?:{'|'.join(_bare(pattern) for pattern, _ in CLEAR)})"
ANY = rf"(?:{'|'.join(_bare(pattern) for pattern, _ in (*CLEAR, *LOOSE))})"
END = r"(?![\w%-]|\.\d)"
RESOLVERS = tuple((lazily(pattern, re.IGNORECASE), resolve) for pattern, resolve in (*CLEAR, *LOOSE))
ABOUT = r"(?:(?:the\s+)?(?:start|beginning|end)\s+of\s+)?(?:in\s+|on\s+)?"


def _frame(pattern: str) -> re.Pattern[str]:
    return lazily(rf"(?<![\w'/-]){pattern}{END}", re.IGNORECASE)


# How two or one of them make a range; the first frame that fits decides which moments bound it.
TWO = (
    _frame(rf"between\s+({ANY})\s+and\s+({ANY})"),
    _frame(rf"from\s+({ANY})\s+(?:to|until|till|through|up\s+to)\s+({ANY})"),
    _frame(rf"({ANY_CLEAR})\s*(?:-|–|—|to|through|until)\s*({ANY_CLEAR})"),
)
ONE = (
    ("since", _frame(rf"(?:ever\s+)?since\s+{ABOUT}({ANY})")),
    ("before", _frame(rf"(?<!day )(?:before|prior\s+to|earlier\s+than)\s+{ABOUT}({ANY})")),
    ("after", _frame(rf"(?<!day )(?:after|later\s+than)\s+{ABOUT}({ANY})")),
    ("until", _frame(rf"(?:until|till|up\s+to|through)\s+{ABOUT}({ANY})")),
)
WITHIN = (
    _frame(rf"(?:(?:in|on|over|within|during|throughout|for|from|of|by)\s+)?({ANY_CLEAR})"),
    _frame(rf"(?:in|during|throughout|of|from|for|by)\s+((?:early\s+|mid-?\s*|late\s+)?{MONTH})"),
    _frame(rf"(?:in|during|throughout|from)\s+((?:the\s+year\s+)?{YEAR})(?!\s+[a-z]+s\b)"),
    _frame(rf"on\s+({WEEKDAY})"),
)
# Words that ask how things stood at a time, not what happened in it.
AS_OF_HINT = lazily(r"\bas\s+(?:of|at)\b|\bback\s+(?:in|on)\b|\bat\s+the\s+(?:end|start|beginning|time)\s+of\b", re.I)
AS_OF = _frame(
    r"(?:as\s+(?:of|at)|back\s+(?:in|on)|at\s+the\s+time\s+of|at(?=\s+the\s+(?:end|start|beginning)\s))\s+"
    rf"(?:the\s+(?:end|(?P<start>start|beginning))\s+of\s+)?(?:in\s+|on\s+)?(?P<time>{ANY})"
)
# Nothing else can begin a time expression: most questions end here.
HINT = lazily(
    rf"\d|\b(?:to(?:day|night|morrow)|yesterday|recently|lately|these\s+days|the\s+other\s+day|ago|{WHICH}|since|until"
    rf"|till|quarter|{MONTH}|{WEEKDAY})",
    re.IGNORECASE,
)


def find_time(text: str, *, now: datetime) -> TimeRange | None:
    """The range the first time expression means, or None.

    >>> from datetime import UTC
    >>> found = find_time("What did I buy in March 2024?", now=datetime(2026, 11, 15, tzinfo=UTC))
    >>> found.start.isoformat(), found.end.isoformat()
    ('2024-03-01T00:00:00+00:00', '2024-04-01T00:00:00+00:00')
    """
    found = _expression(text)
    if found is None:
        return None
    kind, match = found
    try:
        bounds = [_resolve(each, now) for each in match.groups()]
        start, end = _bounds(kind, bounds)
    except (ValueError, OverflowError):  # the 31st of February, or a year the calendar does not have
        return None
    return TimeRange(start, end) if start is None or end is None or start < end else None


def find_as_of(text: str, *, now: datetime) -> datetime | None:
    """The moment an answer must have held at, where the text names one: "as of March 2025", "back in 2023".

    It is the end of the time named, or its start where the text says so; never later than now, but for a time to come.

    >>> from datetime import UTC
    >>> find_as_of("What was my rent as of March 2024?", now=datetime(2026, 11, 15, tzinfo=UTC)).isoformat()
    '2024-04-01T00:00:00+00:00'
    """
    plain = straighten(text)
    match = AS_OF.search(plain) if AS_OF_HINT.search(plain) else None
    if match is None:
        return None
    try:
        span = _resolve(match["time"], now)
    except (ValueError, OverflowError):  # the 31st of February, or a year the calendar does not have
        return None
    if match["start"]:
        return span.start
    return min(span.end, now) if span.start <= now else span.end


def mentions_time(text: str) -> bool:
    """Whether the text has a time expression at all."""
    return _expression(text) is not None


def time_words(text: str) -> tuple[int, int] | None:
    """Where the first time expression stands, with its preposition."""
    found = _expression(text)
    return found[1].span() if found else None


@lru_cache(maxsize=64)  # the same question is looked at for its range, its traits and its references
def _expression(text: str) -> tuple[str, re.Match[str]] | None:
    if not HINT.search(text):
        return None
    plain = straighten(text)
    for pattern in TWO:
        if match := pattern.search(plain):
            return "between", match
    for kind, pattern in ONE:
        if match := pattern.search(plain):
            return kind, match
    found = [match for pattern in WITHIN for match in pattern.finditer(plain) if _is_meant(match, plain)]
    return ("within", min(found, key=lambda match: (match.start(), -match.end()))) if found else None


POINTS_AT = frozenset("last this next previous past coming".split())


def _is_meant(match: re.Match[str], text: str) -> bool:
    """Whether an expression is a time here: "may" needs its capital, and "a march of 30 days" is none."""
    words = match.group(1).split()
    named = next((word for word in words[:2] if word.lower() not in POINTS_AT), words[0])
    if named.lower() in {"may", "march", "mar", "sun", "sat"} and not named[0].isupper() and not text.islower():
        return False
    if named.lower() == "may" and text.islower() and len(words) > 1 and words[0] == "this":
        return False  # "this may be wrong", all in small letters
    is_day = any(word[:1].isdigit() for word in words)
    introduced = re.match(r"(?:in|during|throughout|of|from|for|by|on)\s", match.group(), re.I)
    return words[0].lower() != "may" or is_day or bool(introduced)


def _resolve(text: str, now: datetime) -> Span:
    """What one expression means."""
    for pattern, resolve in RESOLVERS:
        if match := pattern.fullmatch(text.strip()):
            return resolve(match, now)
    raise ValueError(f"no meaning for {text!r}")


def _bounds(kind: str, spans: list[Span]) -> tuple[datetime | None, datetime | None]:
    """The bounds a frame makes of what it holds."""
    first, last = spans[0], spans[-1]
    if kind == "between":
        if first.start >= last.end:
            first = first.a_year_earlier()  # "from November to February"
        return first.start, last.end
    return {
        "since": (first.start, None),
        "before": (None, first.start),
        "after": (first.end, None),
        "until": (None, first.end),
        "within": (first.start, first.end),
    }[kind]
