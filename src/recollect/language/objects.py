"""Whether what two statements say of the same thing can both hold: two folded objects -> a reason code, or None.

Dates are compared with dates, numbers with numbers of the same unit, words with words; what cannot be compared is no
disagreement. What one says more precisely than the other is none either: "Berlin" and "Berlin, Germany".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from recollect.language.content import STOP_WORDS
from recollect.language.lazily import lazily

OBJECTS_DIFFER, NUMBERS_DIFFER, DATES_DIFFER, POLARITY_DIFFERS = (
    "objects_differ",
    "numbers_differ",
    "dates_differ",
    "polarity_differs",
)

NAME_OF_MONTH = rf"(?P<month>{'|'.join(sorted(MONTH_NUMBERS, key=len, reverse=True))})\.?"
YEAR = r"(?:19|20)\d\d"
DATE_FORMS = (
    lazily(r"\b(?P<year>\d{4})-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b"),
    lazily(rf"\b{NAME_OF_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<year>{YEAR}))?\b"),
    lazily(
        rf"\b(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?\b{NAME_OF_MONTH}(?:,?\s+(?:of\s+)?(?P<year>{YEAR}))?\b"
    ),
    lazily(rf"\b(?P<weekday>{'|'.join(WEEKDAY_NUMBERS)})s?\b"),
    lazily(r"\b(?P<hour>[01]?\d|2[0-3])(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>am|pm)\b"),
    lazily(r"\b(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)\b"),
    lazily(r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)\b"),
    lazily(rf"(?<![\d.,$€£])\b(?P<year>{YEAR})\b(?![.,]?\d|\s*(?:%|[a-z]))"),
)
HINT = lazily(rf"\d|\b(?:{'|'.join((*MONTH_NUMBERS, *WEEKDAY_NUMBERS))})")  # without one, neither date nor figure
NUMBER = lazily(
    r"(?<![\w.-])[$€£~]?\s?(?P<digits>\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    r"\s?(?P<scale>k|m|bn|b)?(?P<percent>%)?(?![\w-])"
)
SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "bn": 1e9}
NUMBER_WORDS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
KEPT = frozenset({"on", "off", *NUMBER_WORDS})  # small words that tell values apart
CURRENCY = {"dollars": "$", "usd": "$", "euros": "€", "euro": "€", "eur": "€", "pounds": "£", "gbp": "£"}
WORD = lazily(r"[^\W_][\w.&/@+-]*")

# States of which a thing is in one at a time.
EXCLUSIVE = """
open/closed active/inactive/archived/deprecated enabled/disabled on/off online/offline available/unavailable
approved/rejected/pending accepted/declined finished/unfinished complete/incomplete paid/unpaid married/single/divorced
alive/dead true/false public/private bullish/bearish/neutral allowed/forbidden safe/unsafe left-handed/right-handed
synchronous/asynchronous mandatory/optional manual/automatic free/paid solved/unsolved resolved/unresolved
employed/unemployed stable/unstable healthy/ill full-time/part-time for-profit/non-profit compatible/incompatible
required/optional encrypted/unencrypted valid/invalid guilty/innocent
""".split()
STATES = tuple(frozenset(group.split("/")) for group in EXCLUSIVE)
# Names of large places: to live in one of them and in a town is no contradiction.
LARGE_PLACES = frozenset(
    """
    europe asia africa america australia germany france spain portugal italy england scotland wales ireland britain uk
    usa us canada mexico brazil argentina chile peru colombia china japan india pakistan korea vietnam thailand
    indonesia malaysia singapore philippines russia ukraine poland austria switzerland netherlands belgium denmark
    sweden norway finland iceland greece turkey israel egypt morocco kenya nigeria ghana ethiopia romania hungary
    croatia serbia california texas florida bavaria catalonia ontario quebec
    """.split()
)


STATE_WORDS = frozenset().union(*STATES)


class Value(NamedTuple):
    """An object taken apart: the dates it names (by their pieces), its numbers, and its other words."""

    dates: dict[str, int]
    numbers: frozenset[float]
    words: tuple[str, ...]


def value_of(text: str) -> Value:
    """A folded object taken apart.

    >>> value_of("$1,200 per month").numbers, value_of("12 may 2025").dates["month"]
    (frozenset({1200.0}), 5)
    """
    dates, numbers, rest = _dates_and_numbers(text) if HINT.search(text) else ({}, set(), text)
    words = [CURRENCY.get(word, word) for word in WORD.findall(rest) if word not in STOP_WORDS or word in KEPT]
    numbers.update(NUMBER_WORDS[word] for word in words if word in NUMBER_WORDS)
    return Value(dates, frozenset(numbers), tuple(word for word in words if word not in NUMBER_WORDS))


def is_state(text: str) -> bool:
    """Whether a folded object is one of the states a thing passes through: "open", "pending"."""
    return text in STATE_WORDS


def differ(one: str, other: str) -> str | None:
    """Why two objects of which only one can hold do not agree, or None.

    >>> differ("berlin", "berlin, germany"), differ("berlin", "porto"), differ("900 euros", "950 euros")
    (None, 'objects_differ', 'numbers_differ')
    """
    if one == other:
        return None
    first, second = value_of(one), value_of(other)
    if first.dates and second.dates:
        shared = first.dates.keys() & second.dates.keys()
        return DATES_DIFFER if any(first.dates[piece] != second.dates[piece] for piece in shared) else None
    if first.numbers and second.numbers:
        return NUMBERS_DIFFER if first.numbers != second.numbers and _same_unit(first, second) else None
    if first.dates or second.dates or first.numbers or second.numbers or not (first.words and second.words):
        return None
    return None if _agree(first.words, second.words) else OBJECTS_DIFFER


def counts_differ(one: str, other: str) -> str | None:
    """Whether the same things are counted with another number: "two brothers", "three brothers"."""
    first, second = value_of(one), value_of(other)
    same = set(map(_singular, first.words)) == set(map(_singular, second.words))
    return NUMBERS_DIFFER if same and first.numbers and second.numbers and first.numbers != second.numbers else None


def exclude_each_other(one: str, other: str) -> str | None:
    """Whether two descriptions differ in one word, and by states of which only one can be: "open", "closed"."""
    first, second = (set(value_of(each).words) for each in (one, other))
    changed = (first - second, second - first)
    if any(len(each) != 1 for each in changed):
        return None
    pair = changed[0] | changed[1]
    return OBJECTS_DIFFER if any(pair <= states for states in STATES) else None


def denies(denied: str, said: str, *, exactly: bool = False) -> bool:
    """Whether to deny the one is to deny the other: the other says all of it, or more precisely.

    >>> denies("lawyer", "tax lawyer"), denies("tax lawyer", "lawyer")
    (True, False)
    """
    first, second = (_said(value_of(each)) for each in (denied, said))
    return bool(first) and (first == second if exactly else first <= second)


def _said(value: Value) -> set[object]:
    return {*map(_singular, value.words), *value.numbers, *value.dates.items()}


def _dates_and_numbers(text: str) -> tuple[dict[str, int], set[float], str]:
    """The dates and the numbers of a text, and the text without them."""
    dates, rest = _dates(text)
    numbers: set[float] = set()

    def take(match: re.Match[str]) -> str:
        digits = re.sub(r"[,' ](?=\d{3}(?!\d))", "", match["digits"]).replace(",", ".")
        numbers.add(float(digits) * SCALES.get(match["scale"] or "", 1))
        return " % " if match["percent"] else " "

    return dates, numbers, NUMBER.sub(take, rest)


def _dates(text: str) -> tuple[dict[str, int], str]:
    """The pieces of the dates in a text, and the text without them."""
    found: dict[str, int] = {}

    def take(match: re.Match[str]) -> str:
        pieces = {name: value for name, value in match.groupdict().items() if value}
        if "month" in pieces:
            pieces["number"] = str(MONTH_NUMBERS[pieces.pop("month")])
        if "weekday" in pieces:
            pieces["weekday"] = str(WEEKDAY_NUMBERS[pieces["weekday"]])
        if "hour" in pieces:
            later = 12 if pieces.pop("half", "") == "pm" and int(pieces["hour"]) < 12 else 0
            pieces = {"minute_of_day": str((int(pieces["hour"]) + later) * 60 + int(pieces.get("minute", 0)))}
        for name, value in pieces.items():
            found.setdefault("month" if name == "number" else name, int(value))
        return " "

    for form in DATE_FORMS:
        text = form.sub(take, text)
    return found, text


def _same_unit(one: Value, other: Value) -> bool:
    first, second = ({_singular(word) for word in each.words} for each in (one, other))
    return first <= second or second <= first


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one says all the other says, is short for it, or speaks of a larger place around it."""
    first, second = ({_singular(word) for word in each} for each in (one, other))
    if first <= second or second <= first or first == {"".join(other)} or second == {"".join(one)}:
        return True
    short = {"".join(word[0] for word in each) for each in (one, other) if len(each) > 1}
    if short & {*one, *other}:
        return True
    return bool(first & LARGE_PLACES) != bool(second & LARGE_PLACES)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
