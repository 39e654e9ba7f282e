"""Times as data sets write them, to moments: ISO 8601 first, then a table of other forms; without a zone it is UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

DAYS = ("%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y %m %d", "%B %Y", "%Y")
CLOCKS = ("%I:%M %p on {}", "%H:%M on {}", "{} %H:%M:%S", "{} %H:%M", "{} %I:%M %p", "{}")
FORMS = tuple(clock.format(day) for day in DAYS for clock in CLOCKS)
# What says nothing more: a weekday, the endings of "1st", "2nd" …, and what only stands between.
WEEKDAY = re.compile(r"\(?\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?\)?", re.IGNORECASE)
ENDING = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b", re.IGNORECASE)
BETWEEN = re.compile(r"(?:[\s,/-]|\bat\b)+", re.IGNORECASE)


def read_moment(given: Any) -> datetime | None:
    """The moment a text or a number of seconds since 1970 names; None when it names none.

    >>> read_moment("1:56 pm on 8 May, 2023").isoformat()
    '2023-05-08T13:56:00+00:00'
    >>> read_moment("2023/05/20 (Sat) 02:21").isoformat()
    '2023-05-20T02:21:00+00:00'
    """
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    if isinstance(given, str):
        return _read(given.strip())
    try:
        return datetime.fromtimestamp(given, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@lru_cache(maxsize=4_096)
def _read(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    plain = BETWEEN.sub(" ", ENDING.sub("", WEEKDAY.sub(" ", text))).strip()
    for form in FORMS:
        try:
            return datetime.strptime(plain, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
