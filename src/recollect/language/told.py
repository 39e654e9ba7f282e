"""Times told in a stored text -> ranges [start, end), against the moment it was said.

Prose is not a question, so that less of it is a time than `times` would find, and all of it is looked at. A weekday, or
a month or day without a year, lies on the side its verb says ("we met on Friday", "we are meeting on Friday"), else on
the nearer one. Left out: what is too vague to date by (recently), what comes again and again (every Friday), what
counts from elsewhere in a story (the previous year), what lies outside the time named (before 2016), and seasons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from recollect.language import calendar as cal
from recollect.language.calendar import VAGUE, WEEKDAY_NAMES, Span
from recollect.language.cues import CUE as CUE
from recollect.language.cues import SHORT, beginnings, cued_sentences, has_cue
from recollect.language.lazily import lazily
from recollect.language.tense import Side, fitting, side_of
from recollect.language.times import ANY_CLEAR, COUNT, END, MONTH, NTH, RESOLVERS, WEEKDAY, YEAR
from recollect.language.words import HELPING_VERB, straighten
from recollect.records import Memory

MOST_CHARACTERS = 20_000  # of a text that is read at all
NEAR = 200  # characters before and after an expression that bear on it: a table may have thousands in one "sentence"
NO_MOMENT = datetime(2000, 1, 1, tzinfo=UTC)  # stands in where only full dates are looked for
MIN_YEAR, MAX_YEAR = 1000, 2200  # "0042-01-02" is a number
LONG, A_YEAR = 62, 365  # days: a longer time is not written to the day, and one so long not to the month
WRITTEN = frozenset({"document", "chunk"})  # stored long after they were written: that moment dates no "yesterday"


class Told(NamedTuple):
    """A time a text tells: its words, from when, until when (left out), and whether it took the moment to tell."""

    phrase: str
    start: datetime
    end: datetime
    is_relative: bool


class _Said(NamedTuple):
    """An expression where it stands: in the sentence, from one place to another, said at a moment."""

    sentence: str
    start: int
    end: int
    now: datetime

    @property
    def phrase(self) -> str:
        return self.sentence[self.start : self.end].rstrip(".")

    @property
    def words(self) -> list[str]:
        return self.phrase.lower().split()

    @property
    def lead(self) -> str:
        return self.sentence[max(0, self.start - NEAR) : self.start]

    @property
    def rest(self) -> str:
        return self.sentence[self.end : self.end + NEAR]

    @property
    def side(self) -> Side:
        return side_of(self.lead, self.rest)


Meaning = Callable[[_Said], Span | None]


def told_times(text: str, said_at: datetime | None) -> tuple[Told, ...]:
    """The times a text tells, in its order, each once; without a moment, those only that name their year.

    >>> (told,) = told_times("I went to a support group yesterday.", datetime(2023, 5, 8, 13, 56, tzinfo=UTC))
    >>> told.phrase, written(told)
    ('yesterday', '2023-05-07')
    """
    if not has_cue(text):
        return ()
    found: dict[Told, None] = {}
    is_story = False  # a year was named: the months after it may be of that one
    for sentence, last_cue in _sentences(text):
        for told in _told_in(sentence, last_cue, said_at or NO_MOMENT):
            is_story = is_story or not told.is_relative
            if not told.is_relative or (said_at and not (is_story and IN_YEAR.match(told.phrase))):
                found[told] = None
    return tuple(found)


def said_at(memory: Memory) -> datetime | None:
    """When a memory's text was said, as far as that is known."""
    return memory.event_time or (None if memory.kind in WRITTEN else memory.created_at)


def written(told: Told) -> str:
    """A told time as a day, month or year, or as a range of those; a long one is not given to the day.

    >>> written(Told("last week", datetime(2023, 5, 1, tzinfo=UTC), datetime(2023, 5, 8, tzinfo=UTC), True))
    '2023-05-01 to 2023-05-07'
    """
    last = told.end - timedelta(microseconds=1)
    days = (told.end - told.start).days
    whole_months = told.start.day == 1 and told.end.day == 1 and days
    form = "%Y" if days >= A_YEAR else "%Y-%m" if whole_months or days > LONG else "%Y-%m-%d"
    first, until = told.start.strftime(form), last.strftime(form)
    return first if first == until else f"{first} to {until}"


# --- how it is written ---------------------------------------------------------------------------

NAMED = r"(?:weekend|week|month|quarter|year)"
LATER = r"(?:day|week|month|year)s?"
ANY_DAY = rf"(?:{WEEKDAY}|{SHORT})"
DAY_OF_MONTH = rf"(?:\d{{1,2}}{NTH}\s+(?:of\s+)?{MONTH}|{MONTH}\s+(?:the\s+)?\d{{1,2}}{NTH}(?!\d))"
BOUND = rf"(?:(?:{DAY_OF_MONTH}|{MONTH})(?:,?\s+{YEAR})?|\d{{4}}-\d\d-\d\d|{YEAR})"
NO_COUNT = r"(?!\s+[a-z]+s\b|\s*BCE?\b)"  # "in 2000 tokens"
PART = (
    r"(?:the\s+)?(?:(?:very|first|second|third|last)\s+)*"
    r"(?:end|start|beginning|middle|weeks?|weekend|half|rest|days?|course)\s+of"
)

NAMES_YEAR = lazily(rf"\b{YEAR}|\b\d{{4}}-\d\d")
IN_YEAR = lazily(rf"(?!.*\b(?:last|this|next|previous)\s+{MONTH}).*(?:\b{MONTH}|\bq[1-4]\b)", re.IGNORECASE)
OTHER_YEAR = lazily(r",?\s+\d{3,4}\b")  # "February 1082", older than the tables go
BEFORE_IT = lazily(r"^(?:(?:ever\s+)?since|in|on|by|during|throughout|until|till|around|over|at)\s+", re.IGNORECASE)


# --- what it means -------------------------------------------------------------------------------


def _resolved(core: str, now: datetime) -> Span | None:
    """As in a question."""
    for pattern, resolve in RESOLVERS:
        if match := pattern.fullmatch(core):
            return resolve(match, now)
    return None


def _clear(said: _Said) -> Span | None:
    """An expression of the question tables, as far as prose means it so."""
    phrase, words = said.phrase, said.words
    if VAGUELY.match(phrase) or ELSEWHERE.match(phrase) or _is_common_word(said):
        return None
    if words == ["today"] and said.lead.endswith("ago "):  # "a year ago today"
        return None
    if words[0] in {"today", "tomorrow"} and said.rest.startswith("'s"):  # "today's world" is of no day
        return None
    if OF_UNIT.search(phrase) and re.match(r"\s+of\b", said.rest, re.IGNORECASE):  # "the last week of June"
        return None
    if LASTS.match(phrase) and (words[1] in {"a", "an"} or LASTING.search(said.lead)):  # "it may last two weeks"
        return None
    if words[:2] == ["the", "last"] and words[2] in UNITS:  # "in the last month": up to now, not the month before
        return cal.named_unit(said.now, "past", words[2]) if words[2] != "quarter" else None
    if words[:2] == ["the", "next"] and said.side is Side.BEFORE:  # "the next year they moved"
        return None
    if phrase[:1] in "qQ" and not NAMES_YEAR.search(phrase) and not WHEN_LEAD.search(said.lead):  # "an Audi Q3"
        return None
    return _dated(phrase, said)


def _dated(core: str, said: _Said) -> Span | None:
    """A date, month or quarter; without a year, the one of last year, this or next that the verb fits."""
    if NAMES_YEAR.search(core) or not IN_YEAR.match(core):
        return _resolved(core, said.now)
    if OTHER_YEAR.match(said.rest):
        return None
    ends = [said.now.replace(year=said.now.year + years, month=12, day=31) for years in (-1, 0, 1)]
    return fitting([span for end in ends if (span := _if_any(core, end))], side=said.side, now=said.now)


def _if_any(core: str, now: datetime) -> Span | None:
    try:
        return _resolved(core, now)
    except ValueError:  # 29 February
        return None


def _month(said: _Said) -> Span | None:
    if said.rest.startswith("'s"):  # "in June's kitchen"
        return None
    if said.words[0] == "by" and (_is_common_word(said) or re.match(r"\s+[A-Z]", said.rest)):  # "by June Carter"
        return None
    return _dated(PART_OF.sub("", BEFORE_IT.sub("", said.phrase)), said)


def _weekday(said: _Said) -> Span | None:
    name = _day_name(said)
    if name is None:
        return None
    return fitting([cal.weekday(said.now, which, name) for which in ("on", "next")], side=said.side, now=said.now)


def _named_day(said: _Said) -> Span | None:
    """ "Last Fri", "this past Friday", "this coming Friday"."""
    name = _day_name(said)
    which = {"past": "last", "coming": "next"}.get(said.words[-2], said.words[-2])
    return cal.weekday(said.now, which, name) if name else None


def _day_name(said: _Said) -> str | None:
    """The weekday a phrase ends with; a short one needs its capital: "on sat" may be a verb."""
    last = said.phrase.split()[-1]
    if last.lower() not in WEEKDAY_NAMES and not last[0].isupper():
        return None
    return next(name for name in WEEKDAY_NAMES if name.startswith(last[:3].lower()))


def _coming(said: _Said) -> Span | None:
    unit = said.words[-1]
    this = cal.named_unit(said.now, "this", unit)
    return this if unit == "weekend" and this.start > said.now else cal.named_unit(said.now, "next", unit)


def _twice(which: str) -> Meaning:
    """ "The week before last", "the month after next"."""

    def meaning(said: _Said) -> Span | None:
        name = said.words[1]
        step = cal.weekday if name in WEEKDAY_NAMES else cal.named_unit
        return step(step(said.now, which, name).start, which, name)

    return meaning


def _weekend(said: _Said) -> Span | None:
    """The one the verb fits; "this weekend" may be over where something was done on it."""
    weekends = [cal.named_unit(said.now, which, "weekend") for which in ("last", "this", "next")]
    if said.words[0] == "this":
        return fitting(weekends[:2], side=said.side, now=said.now) if said.side is Side.BEFORE else weekends[1]
    return fitting(weekends, side=said.side, now=said.now)


def _week_of(said: _Said) -> Span | None:
    day = _dated(re.sub(r".*?\bof\s+", "", said.phrase, count=1), said)
    return day and cal.unit_around(day.start, "week")


def _weekends_ago(said: _Said) -> Span | None:
    count = cal.number(" ".join(said.words[:-2]))
    return cal.named_unit(said.now - timedelta(weeks=count - 1), "last", "weekend")


def _from_now(said: _Said) -> Span | None:
    """ "Two weeks from now", "in two weeks' time"; "in two weeks" only where the verb looks ahead: "done in a week"."""
    match = re.match(rf"(?:in\s+)?({COUNT})\s+(?:more\s+)?({LATER})", said.phrase, re.IGNORECASE)
    if match is None:
        return None
    count, unit = " ".join(match[1].lower().split()), match[2]
    if said.words[-1] not in {"now", "today", "time"} and (
        unit == "day" or said.side is not Side.AHEAD or not WILL_BE.search(said.lead)
    ):
        return None
    if count in VAGUE:
        fewest, most = (cal.next_units(said.now, str(each), unit).end for each in VAGUE[count])
        return Span(fewest - timedelta(days=1), most)
    return cal.unit_around(cal.next_units(said.now, count, unit).end - timedelta(days=1), unit)


def _range(said: _Said) -> Span | None:
    """ "From June to August 2022": what has no year takes it from the end."""
    first, last = re.findall(BOUND, said.phrase, re.IGNORECASE)
    until = _dated(last, said)
    since = until and _resolved(first, until.start)
    return Span(since.start, until.end) if until and since and since.start < until.end else None


# Each: its name, how it is written, what it means. Of two that begin at one place, the first counts.
IN_MONTH = rf"(?:(?:ever\s+)?since|in|by|during|throughout|until|till|{PART})\s+(?:early\s+|mid-?\s*|late\s+)?{MONTH}"
FORMS: tuple[tuple[str, str, Meaning], ...] = (
    (
        "before_yesterday",
        r"(?:the\s+)?day\s+before\s+yesterday|(?:the\s+)?night\s+before\s+last",
        lambda said: cal.day(said.now, -2),
    ),
    ("after_tomorrow", r"(?:the\s+)?day\s+after\s+tomorrow", lambda said: cal.day(said.now, 2)),
    ("before_last", rf"the\s+(?:{NAMED}|{WEEKDAY})\s+before\s+last", _twice("last")),
    ("after_next", rf"the\s+{NAMED}\s+after\s+next", _twice("next")),
    ("past", rf"this\s+past\s+{NAMED}", lambda said: cal.named_unit(said.now, "past", said.words[-1])),
    ("coming", rf"(?:this|the)\s+coming\s+{NAMED}", _coming),
    ("named_day", rf"this\s+(?:past|coming)\s+{ANY_DAY}|(?:last|next|this)\s+{SHORT}", _named_day),
    ("week_of", rf"(?:the\s+)?week\s+of\s+{DAY_OF_MONTH}(?:,?\s+{YEAR})?", _week_of),
    ("weekends_ago", rf"{COUNT}\s+weekends?\s+ago", _weekends_ago),
    (
        "back",
        rf"{COUNT}\s+(?:{LATER})\s+back(?!\s+(?:to|in|from|at)\b)",
        lambda said: cal.ago(said.now, " ".join(said.words[:-2]), said.words[-2]),
    ),
    (
        "from_now",
        rf"{COUNT}\s+{LATER}\s+from\s+(?:now|today)|in\s+{COUNT}\s+(?:more\s+)?{LATER}(?:'s?\s+time)?",
        _from_now,
    ),
    ("weekend", r"this\s+weekend|(?:over|during|at|on)\s+the\s+weekend", _weekend),
    (
        "range",
        rf"(?:between\s+{BOUND}\s+and|(?:from|in|during)\s+{BOUND}\s*(?:[-–—]|\b(?:to|until|till|through)\b))\s*{BOUND}"
        rf"{NO_COUNT}",
        _range,
    ),
    ("month", rf"{IN_MONTH}(?!,?\s+(?:of\s+)?{YEAR})", _month),
    (
        "year",
        rf"(?:(?:ever\s+)?since|in|by|during|throughout|until|till)\s+(?:the\s+year\s+|early\s+|mid-?\s*|late\s+)?"
        rf"{YEAR}{NO_COUNT}|(?:spring|summer|autumn|fall|winter)\s+(?:of\s+)?{YEAR}"
        rf"|(?:end|start|beginning|middle|(?:first|second)\s+half)\s+of\s+{YEAR}{NO_COUNT}",
        lambda said: cal.years(said.now, int(said.phrase[-4:]), 1),
    ),
    ("weekday", rf"(?:since|on|by|until|till)\s+{ANY_DAY}(?!,?\s+(?:the\s+)?(?:\d|{MONTH}))", _weekday),
    ("clear", ANY_CLEAR, _clear),
)
MEANINGS = {name: meaning for name, _, meaning in FORMS}
EXPRESSION = lazily(
    rf"\b(?<![\w'/-])(?:{'|'.join(f'(?P<{name}>{pattern})' for name, pattern, _ in FORMS)}){END}", re.IGNORECASE
)

# --- what only looks like one --------------------------------------------------------------------

VAGUELY = lazily(r"recently|lately|these|the\s+other", re.IGNORECASE)
ELSEWHERE = lazily(r"(?:the\s+)?(?:previous|current)\s|the\s+(?:first|second|third|fourth)\s+quarter$", re.IGNORECASE)
OF_UNIT = lazily(r"(?:last|past|next|coming|this)\b.*\b(?:week|month|quarter|year|weekend|day)s?$", re.IGNORECASE)
UNITS = frozenset("week weekend month quarter year".split())
LASTS = lazily(rf"last\s+{COUNT}\s", re.IGNORECASE)
LASTING = lazily(rf"(?:\b(?:{HELPING_VERB}|to|not|only)|'ll|n't)\s+$", re.IGNORECASE)
WILL_BE = lazily(
    r"(?:\b(?:will|won't|shall|gonna|am|is|are|due)|'ll|'m|'re)\b|\b(?:leav|start|begin|end|expir|return)\w*",
    re.IGNORECASE,
)
WHEN_LEAD = lazily(r"\b(?:in|into|by|during|for|of|since|until|till|through|over)\s+$", re.IGNORECASE)
PART_OF = lazily(rf"^(?:{PART})\s+", re.IGNORECASE)
COMMON = lazily(r"\b(?:may|march|mar)\b", re.IGNORECASE)
OUTSIDE = lazily(
    r"\b(?:(?:before|after|prior\s+to|(?:earlier|later)\s+than)\s+(?:the\s+)?"
    r"|like\s+(?:it\s+(?:was|were)\s+)?(?:just\s+|only\s+)?)$",  # "it feels like just yesterday"
    re.IGNORECASE,
)
SINCE = lazily(r"\b((?:ever\s+)?since\s+(?:the\s+)?)$", re.IGNORECASE)
AGAIN = lazily(r"\b(?:every|each|any)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
HABIT = lazily(
    r"\b(?:always|usually|often|sometimes|never|typically|generally|normally|regularly|annual(?:ly)?|yearly)"
    r"\s+(?:[\w']+\s+){0,5}$",
    re.IGNORECASE,
)


def _sentences(text: str) -> Iterator[tuple[str, int]]:
    return cued_sentences(straighten(text[:MOST_CHARACTERS]))


def _told_in(sentence: str, last_cue: int, now: datetime) -> Iterator[Told]:
    for match in _expressions(sentence, last_cue):
        said = _Said(sentence, match.start(), match.end(), now)
        kind = match.lastgroup or ""
        if OUTSIDE.search(said.lead) or _comes_again(said, kind):
            continue
        try:
            span = MEANINGS[kind](said)
        except (ValueError, OverflowError):  # the 31st of February, or a year the calendar does not have
            continue
        if span is None or not MIN_YEAR <= span.start.year < MAX_YEAR:
            continue
        phrase, start, end = said.phrase, *span
        before = SINCE.search(said.lead)
        if before or said.words[0] in {"since", "ever"}:
            phrase = f"{before[1] if before else ''}{phrase}"
            end = end if now is NO_MOMENT else max(end, cal.day(now, 0).end)
        if start < end:
            yield Told(phrase, start, end, not NAMES_YEAR.search(phrase))


def _expressions(sentence: str, last_cue: int) -> Iterator[re.Match[str]]:
    """As the pattern finds them, but tried only where one can begin."""
    if not sentence.isascii():  # some foreign letters are read as if they were plain ones
        yield from EXPRESSION.finditer(sentence)
        return
    end = 0
    for place in beginnings(sentence, last_cue):
        if place >= end and (match := EXPRESSION.match(sentence, place)):
            yield match
            end = match.end()


def _comes_again(said: _Said, kind: str) -> bool:
    """Whether it is no single time: "every year in June", "we usually meet on Friday"."""
    if AGAIN.search(said.lead):
        return True
    return kind in {"weekday", "month", "weekend"} and HABIT.search(said.lead) is not None


def _is_common_word(said: _Said) -> bool:
    """Whether the month in it is an ordinary word, for lack of a capital: "this may be", "5 may come"."""
    match = COMMON.search(said.phrase)
    return match is not None and match[0].islower() and not re.search(r"\b(?:on|by|until|since)\s+$", said.lead, re.I)
