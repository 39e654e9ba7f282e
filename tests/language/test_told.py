"""Times told in prose: each line of cases/told.txt is one test."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import settings as examined
from hypothesis import strategies as st

from recollect.language.calendar import MONTH_NUMBERS, WEEKDAY_NUMBERS
from recollect.language.cues import FIRST_WORDS, beginnings, cued_sentences, has_cue
from recollect.language.tense import Side, side_of
from recollect.language.told import CUE, EXPRESSION, FORMS, _expressions, said_at, told_times, written
from recollect.testing.corpus import make_memory

from .loading import load

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday
CASES = load("told")


@pytest.mark.parametrize(("text", "expected"), CASES, ids=lambda value: str(value)[:60])
def test_told_times(text: str, expected: str | None) -> None:
    found = [
        f"{each.phrase}: {written(each)}{'' if each.is_relative else ' (full)'}" for each in told_times(text, SAID_AT)
    ]
    assert " | ".join(found) == (expected or "")


@pytest.mark.parametrize("text", [text for text, expected in CASES if expected])
def test_whatever_is_found_has_passed_the_first_test(text: str) -> None:
    assert all(CUE.search(match.group().lower()) for match in EXPRESSION.finditer(text) if "recent" not in match[0])


def test_a_text_without_a_time_word_is_not_looked_at_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.language.told._sentences", lambda text: pytest.fail("looked at"))
    assert told_times("The office cat is called Minka and sleeps on the printer.", SAID_AT) == ()


def test_a_range_begins_and_ends_in_the_zone_of_the_moment() -> None:
    said = SAID_AT.astimezone(timezone(timedelta(hours=-5)))
    (told,) = told_times("It rained yesterday.", said)
    assert (told.start, told.end) == (
        datetime(2023, 5, 7, tzinfo=said.tzinfo),
        datetime(2023, 5, 8, tzinfo=said.tzinfo),
    )


def test_without_a_moment_only_full_dates_are_told() -> None:
    told = told_times("We met in 2019, friends since 2016, and again yesterday and in June.", None)
    assert [(each.phrase, written(each)) for each in told] == [("in 2019", "2019"), ("since 2016", "2016")]


def test_the_year_a_date_is_of_does_not_depend_on_the_time_of_year() -> None:
    for moment in (datetime(2023, 1, 2, tzinfo=UTC), datetime(2023, 12, 30, tzinfo=UTC)):
        (past,) = told_times("We met on 28 December.", moment)
        (ahead,) = told_times("We are meeting on 4 January.", moment)
        assert past.start <= moment < ahead.end
        assert ahead.start - past.start < timedelta(days=366 + 7)


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"kind": "message", "event_time": SAID_AT}, SAID_AT),
        ({"kind": "fact", "event_time": None, "created_at": SAID_AT}, SAID_AT),
        ({"kind": "document", "event_time": None, "created_at": SAID_AT}, None),
        ({"kind": "chunk", "event_time": SAID_AT}, SAID_AT),
    ],
)
def test_when_a_text_was_said(fields: dict[str, object], known: datetime | None) -> None:
    assert said_at(make_memory(0, **fields)) == known


SIDES = {
    "I saw her": Side.BEFORE,
    "It was so good": Side.BEFORE,
    "We didn't go": Side.BEFORE,
    "I have visited": Side.BEFORE,
    "We'll see": Side.AHEAD,
    "It is planned": Side.AHEAD,
    "We're so excited": Side.AHEAD,
    "I have an exam": Side.AHEAD,
    "I wanted to go": Side.BEFORE,
    "I want to go": Side.AHEAD,
    "Dinner with a hundred of us": Side.EITHER,
}


@pytest.mark.parametrize(("words", "side"), SIDES.items(), ids=SIDES)
def test_sides(words: str, side: Side) -> None:
    assert side_of(f"{words} ", "") is side
    assert side_of("", f" {words}") is side


def test_the_verb_nearest_before_counts_more_than_one_after() -> None:
    assert side_of("I'm glad we met ", " and will meet again") is Side.BEFORE


PIECES = (
    "yesterday|on Friday|in May|5 May|last|week|the|2023|2 weeks|ago|since|from|to|between|and|Q3|9999|.|\n|went|will"
)


@given(st.lists(st.sampled_from(PIECES.split("|")), max_size=12), st.datetimes(timezones=st.just(UTC)))
def test_any_prose_at_any_moment_gives_ranges_in_order(words: list[str], moment: datetime) -> None:
    text = " ".join(words)
    for told in told_times(text, moment):
        assert told.start < told.end
        assert told.phrase in text
        assert written(told)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(told_times(text, SAID_AT), tuple)


# --- looked for only at cues and at the words they begin with, times are those found anywhere -----

SAID = sorted({word for text, _ in CASES for word in text.split()})
JOINED = [" ", "  ", "\n", ". ", "! ", "... ", '." ', ".\n\n", ", ", "-", "/", "'", "é", "\u0130", "\u017f", "(", ""]
PLAIN = st.characters(max_codepoint=127)
PROSE = st.lists(
    st.tuples(st.one_of(st.sampled_from(SAID), st.sampled_from([text for text, _ in CASES])), st.sampled_from(JOINED)),
    max_size=10,
).map(lambda pairs: "".join(map("".join, pairs)))


@examined(max_examples=200, deadline=None)
@given(PROSE)
@example("\u0130\u0130\u0130\u0130\u0130\u0130\u0130\u0130 on Friday. Then")
@example("On Fr\u0130 we met.")
def test_sentences_with_a_cue_are_all_of_them(text: str) -> None:
    ends = [match.end() for match in re.finditer(r"[.!?…]+[\"”')]*\s+(?=[\"“(]?[A-Z])|\n+", text)]
    sentences = [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
    assert [each for each, _ in cued_sentences(text)] == [each for each in sentences if CUE.search(each.lower())]


def spans_with_a_cue(found: Iterable[re.Match[str]]) -> list[tuple[int, int]]:
    return [match.span() for match in found if CUE.search(match[0].lower())]


@examined(max_examples=200, deadline=None)
@given(PROSE)
def test_expressions_are_those_found_anywhere(text: str) -> None:
    for sentence, last_cue in cued_sentences(text):
        assert spans_with_a_cue(_expressions(sentence, last_cue)) == spans_with_a_cue(EXPRESSION.finditer(sentence))


@pytest.mark.parametrize("way", [way for _, way, _ in FORMS], ids=[name for name, *_ in FORMS])
@examined(max_examples=60, deadline=None)
@given(st.data())
def test_every_way_to_write_a_time_is_found(way: str, data: st.DataObject) -> None:
    sentence = f"We met {data.draw(st.from_regex(way, fullmatch=True, alphabet=PLAIN))} there"
    assert spans_with_a_cue(_expressions(sentence, len(sentence))) == spans_with_a_cue(EXPRESSION.finditer(sentence))


@pytest.mark.parametrize("first", FIRST_WORDS)
def test_a_time_can_begin_with_each_of_the_first_words(first: str) -> None:
    assert list(beginnings(f"So, {first.upper()} it", 9)) == [4]
    assert list(beginnings(f"so-{first}, {first}x", 9)) == []


CUES = """
    tue thurs q3 quarters nightly hours afternoon 1999 2020s yesterday years tonight weekly monthly day mornings evening
    """.split()


@pytest.mark.parametrize("cue", [*CUES, *MONTH_NUMBERS, *WEEKDAY_NUMBERS])
def test_every_cue_is_one(cue: str) -> None:
    assert has_cue(f"({cue.upper()})") and not has_cue(f"x{cue}")
