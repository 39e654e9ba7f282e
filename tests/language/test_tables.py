"""The case tables are the specification: each line of tests/language/cases is one test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.attributes import find_target
from recollect.language.entities import find_entities
from recollect.language.follow_ups import fill_references
from recollect.language.times import find_as_of, find_time, mentions_time
from recollect.language.traits import find_traits
from recollect.language.types import find_type
from recollect.questions import Message, QuestionType, Trait

from .loading import listed, load

NOW = datetime(2026, 3, 18, 14, 30, tzinfo=UTC)  # a Wednesday


def _id(value: object) -> str:
    return str(value)[:60]


@pytest.mark.parametrize(("text", "expected"), load("traits"), ids=_id)
def test_traits(text: str, expected: str | None) -> None:
    target = find_target(text, entities=find_entities(text))
    assert find_traits(text, target=target) == {Trait(name) for name in listed(expected)}


@pytest.mark.parametrize(("text", "expected"), load("types"), ids=_id)
def test_types(text: str, expected: str | None) -> None:
    entities = find_entities(text)
    found = find_type(text, entities=entities, target=find_target(text, entities=entities))
    assert found is QuestionType(expected or "general")


@pytest.mark.parametrize(("text", "expected"), load("entities"), ids=_id)
def test_entities(text: str, expected: str | None) -> None:
    assert list(find_entities(text)) == listed(expected)


@pytest.mark.parametrize(("text", "expected"), load("attributes"), ids=_id)
def test_attributes(text: str, expected: str | None) -> None:
    found = find_target(text, entities=find_entities(text))
    told = found and [found.entity or "-", found.attribute or "-", str(found.confidence)]
    assert told == (listed(expected) or None)


@pytest.mark.parametrize(("text", "expected"), load("times"), ids=_id)
def test_times(text: str, expected: str | None) -> None:
    found = find_time(text, now=NOW)
    told = found and "..".join(f"{each:%Y-%m-%d}" if each else "" for each in (found.start, found.end))
    assert told == expected


@pytest.mark.parametrize(("text", "expected"), load("as_of"), ids=_id)
def test_as_of(text: str, expected: str | None) -> None:
    found = find_as_of(text, now=NOW)
    assert (found and f"{found:%Y-%m-%d %H:%M}") == expected


@pytest.mark.parametrize(("text", "expected"), load("follow_ups"), ids=_id)
def test_follow_ups(text: str, expected: str | None) -> None:
    before, _, asked = text.partition(" >> ")
    messages = [Message("someone", each) for each in listed(before, " / ")]
    assert fill_references(asked, messages) == expected


@pytest.mark.parametrize("zone", [UTC, timezone(timedelta(hours=-5)), ZoneInfo("Asia/Tokyo")], ids=str)
def test_days_begin_in_the_zone_of_now(zone: timezone | ZoneInfo) -> None:
    found = find_time("yesterday", now=NOW.astimezone(zone))
    assert found and found.start and found.end
    assert (found.start.hour, found.start.utcoffset()) == (0, NOW.astimezone(zone).utcoffset())
    assert found.end - found.start == timedelta(days=1)


@given(st.text(max_size=100), st.datetimes(timezones=st.just(UTC)))
def test_a_time_is_found_only_where_one_is_mentioned(text: str, now: datetime) -> None:
    assert find_time(text, now=now) is None or mentions_time(text)


PHRASES = (
    "last week|next month|in March|on Monday|9999 years ago|3 days ago|since 2100|before 1600|between May and June"
)


@given(st.sampled_from(PHRASES.split("|")), st.datetimes(timezones=st.just(UTC)))
def test_a_range_never_ends_before_it_starts(phrase: str, now: datetime) -> None:
    found = find_time(phrase, now=now)
    assert found is None or found.start is None or found.end is None or found.start < found.end
