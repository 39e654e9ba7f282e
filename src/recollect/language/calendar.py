"""Calendar arithmetic for `times`: days, weeks, months, quarters and years around a given `now`, in its zone."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

MONTH_NAMES = "january february march april may june july august september october november december".split()
MONTH_NUMBERS = {name: number for number, name in enumerate(MONTH_NAMES, start=1)}
MONTH_NUMBERS |= {name[:3]: number for name, number in MONTH_NUMBERS.items()} | {"sept": 9}
WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAY_NUMBERS = {name: number for number, name in enumerate(WEEKDAY_NAMES)}
NUMBERS = {
    "a couple of": 2, "a couple": 2, "couple of": 2, "a few": 3, "few": 3, "an": 1, "a": 1, "one": 1, "two": 2,
    "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12,
}  # fmt: skip

VAGUE = {"a couple of": (1, 3), "a couple": (1, 3), "couple of": (1, 3), "a few": (2, 5), "few": (2, 5)}


class Span(NamedTuple):
    """From a moment to another, the second left out."""

    start: datetime
    end: datetime

    def a_year_earlier(self) -> Span:
        return Span(_shift_months(self.start, -12), _shift_months(self.end, -12))


def day(now: datetime, offset: int) -> Span:
    """The day that many days from now."""
    start = _midnight(now) + timedelta(days=offset)
    return Span(start, start + timedelta(days=1))


def last_days(now: datetime, count: int) -> Span:
    """Today and that many days before."""
    return Span(day(now, -count).start, day(now, 0).end)


def last_units(now: datetime, count: str, unit: str) -> Span:
    """The last N units up to and with today."""
    return Span(_back(now, -number(count), unit), day(now, 0).end)


def next_units(now: datetime, count: str, unit: str) -> Span:
    """The next N units from today."""
    start = _midnight(now)
    return Span(start, _back(now, number(count), unit) + timedelta(days=1))


def ago(now: datetime, count: str, unit: str) -> Span:
    """The hour, day, week, month or year that lay N of them ago; a couple is one to three, a few two to five."""
    vague = VAGUE.get(" ".join(count.lower().split()))
    if vague and not unit.lower().startswith("hour"):
        return Span(_back(now, -vague[1], unit), _back(now, -vague[0], unit) + timedelta(days=1))
    if unit.lower().startswith("hour"):
        start = now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=number(count))
        return Span(start, start + timedelta(hours=1))
    return unit_around(_back(now, -number(count), unit), unit)


def named_unit(now: datetime, which: str, unit: str) -> Span:
    """Last, this or next week, month, quarter, year or weekend; "the past week" is the last seven days."""
    which, unit = which.lower(), unit.lower()
    if which == "past":
        return last_units(now, "1", unit) if unit != "weekend" else named_unit(now, "last", unit)
    offset = {"last": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1}[which]
    if unit == "weekend":
        week = unit_around(_midnight(now) + timedelta(weeks=offset), "week")
        return Span(week.start + timedelta(days=5), week.end)
    return unit_around(_back(_first_of(now, unit), offset, unit), unit)


def weekday(now: datetime, which: str, name: str) -> Span:
    """A day of the week: last before today, next after it, this week's, or ("on") the latest up to today."""
    which, number = which.lower(), WEEKDAY_NUMBERS[name.lower()]
    ahead = (number - now.weekday()) % 7
    offset = {
        "next": ahead or 7,
        "this": number - now.weekday(),
        "on": ahead - 7 if ahead else 0,
    }.get(which, ahead - 7)
    return day(now, offset)


def named_month(now: datetime, which: str, name: str) -> Span:
    """Last March is the latest that is over, next March the first still to come, this March the one of this year."""
    number = _month_number(name)
    if which.lower() == "this":
        return month_number(now, now.year, number)
    if which.lower() == "next":
        return month_number(now, now.year + (number <= now.month), number)
    return month_number(now, now.year - (number >= now.month), number)


def month(now: datetime, name: str, year: str | None) -> Span:
    """A month of a year; without one, the latest that has begun."""
    number = _month_number(name)
    return month_number(now, int(year) if year else now.year - (number > now.month), number)


def month_number(now: datetime, year: int, number: int) -> Span:
    """A month by its number."""
    start = _midnight(now).replace(year=year, month=number, day=1)
    return Span(start, _shift_months(start, 1))


def month_day(now: datetime, name: str, day_number: str, year: str | None) -> Span:
    """A day of a month; without a year, the latest that has come."""
    number, chosen = _month_number(name), int(day_number)
    if year:
        return date(now, int(year), number, chosen)
    later = (number, chosen) > (now.month, now.day)
    return date(now, now.year - later, number, chosen)


def date(now: datetime, year: int, number: int, day_number: int) -> Span:
    """One day."""
    start = _midnight(now).replace(year=year, month=number, day=day_number)
    return Span(start, start + timedelta(days=1))


def slashed(now: datetime, first: str, second: str, year: str) -> Span:
    """A date with slashes: month first, unless that cannot be."""
    month_first = int(first) <= 12
    return date(now, int(year), int(first if month_first else second), int(second if month_first else first))


def quarter(now: datetime, number: int, year: str | None) -> Span:
    """A quarter of a year; without one, the latest that has begun."""
    chosen = int(year) if year else now.year - (number * 3 - 2 > now.month)
    start = month_number(now, chosen, number * 3 - 2).start
    return Span(start, _shift_months(start, 3))


def years(now: datetime, first: int, count: int) -> Span:
    """Whole years."""
    start = month_number(now, first, 1).start
    return Span(start, _shift_months(start, 12 * count))


def unit_around(moment: datetime, unit: str) -> Span:
    """The day, week, month, quarter or year a moment lies in."""
    start = _first_of(moment, unit)
    return Span(start, _back(start, 1, unit))


def number(text: str) -> int:
    """A count in digits or words.

    >>> number("three"), number("12")
    (3, 12)
    """
    plain = " ".join(text.lower().split())
    return int(plain) if plain.isdigit() else NUMBERS[plain]


def _first_of(moment: datetime, unit: str) -> datetime:
    start, unit = _midnight(moment), unit.lower().rstrip("s")
    if unit == "week":
        return start - timedelta(days=start.weekday())
    if unit == "month":
        return start.replace(day=1)
    if unit == "quarter":
        return start.replace(month=(start.month - 1) // 3 * 3 + 1, day=1)
    return start.replace(month=1, day=1) if unit == "year" else start


def _back(now: datetime, count: int, unit: str) -> datetime:
    """Midnight that many units from now."""
    start, unit = _midnight(now), unit.lower().rstrip("s")
    months = {"month": 1, "quarter": 3, "year": 12}.get(unit)
    if months:
        return _shift_months(start, count * months)
    return start + timedelta(days=count * (7 if unit == "week" else 1 if unit == "day" else 0))


def _shift_months(moment: datetime, count: int) -> datetime:
    """The same day so many months on, or the last one that month has."""
    year, index = divmod(moment.year * 12 + moment.month - 1 + count, 12)
    for shorter in range(4):
        try:
            return moment.replace(year=year, month=index + 1, day=moment.day - shorter)
        except ValueError:
            if moment.day <= 28:
                raise
    raise ValueError(f"no such month: {year}-{index + 1}")


def _month_number(name: str) -> int:
    return MONTH_NUMBERS[name.lower().rstrip(".")]


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)
