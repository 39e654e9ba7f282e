from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from recollect.errors import InvalidInput, Refused
from recollect.ingest.gate import check_draft, check_relation, check_text
from recollect.records import Draft
from recollect.settings import WriteSettings
from recollect.testing.clock import START
from recollect.testing.corpus import TEXTS

DEFAULTS = WriteSettings()

REFUSED = {
    "empty": ("", "empty"),
    "white space": (" \n\t\u00a0", "empty"),
    "too short": ("a1", "too_short"),
    "too short in white space": ("  ab  ", "too_short"),
    "too long": ("word " * 40_001, "too_long"),
    "signs": ("?!… --- ***", "no_words"),
    "emoji": ("👍👍👍", "no_words"),
    "half a character": ("half \ud83d of a pair", "half_character"),
    "one letter": ("a" * 50, "repeated"),
    "one digit": ("0" * 50, "repeated"),
    "hello": ("hello", "pleasantry"),
    "thanks": ("Thanks a lot!", "pleasantry"),
    "ok": ("OK.", "pleasantry"),
    "okay": ("Okay...", "pleasantry"),
    "you're welcome": ("You're welcome!", "pleasantry"),
    "keyboard": ("xkcdqwrtz plmnbvghj wrtzpsdf", "gibberish"),
    "hash": ("sdkfjhskdjfh kjshdfkjh skdjhfksjd", "gibberish"),
}

ACCEPTED = {
    "sentence": "The rent is due on Friday.",
    "ticker": "BTC",
    "short fact": "Ana: tea",
    "number": "4,200",
    "telephone number": "+41 44 555 12 12",
    "price": "SOL 182.50",
    "date": "2026-01-05",
    "German": "Grüße aus Zürich, das Treffen beginnt um neun.",
    "Japanese": "東京に行った",
    "Chinese": "会议改到星期四",
    "Russian": "Встреча перенесена на четверг",
    "Arabic": "اجتماع الفريق يوم الأحد",
    "Thai": "ประชุมวันพฤหัสบดี",
    "Korean": "회의는 목요일입니다",
    "Polish consonants": "Chrząszcz brzmi w trzcinie w Szczebrzeszynie",
    "Welsh": "Llanfairpwllgwyngyll is a village on Anglesey",
    "Python": "def f(x):\n    return [y ** 2 for y in x if y % 2]",
    "SQL": "select t.id, t.px from trds t where t.qty > 0 group by t.id",
    "camel case": "getUserName returns strng",
    "path": "/usr/local/lib/python3.11/site-packages",
    "address": "https://example.com/a/b?c=d&e=f",
    "JSON": '{"k": 1, "v": [2, 3]}',
    "abbreviations": "HTTP, TLS, DNS and SSH are on the MTBF list",
    "sentence with thanks": "Thanks to Ana the invoice was paid",
    "hello in a sentence": "hello world is the first program",
    "emoji in a sentence": "The launch went well 🎉",
    "a row of dashes in a text": "Title\n----------------------------\nThe text below the line says something",
    "null character": "a\x00b is a test of the parser",
    "longest allowed": "word " * 39_999 + "end",
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_not_worth_remembering(text: str, reason: str) -> None:
    with pytest.raises(Refused) as raised:
        check_text(text, settings=DEFAULTS)
    assert raised.value.reason == reason
    assert raised.value.field == "body"


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_worth_remembering(text: str) -> None:
    check_text(text, settings=DEFAULTS)


@pytest.mark.parametrize("text", [body for _, _, body in TEXTS])
def test_the_whole_corpus_is_worth_remembering(text: str) -> None:
    check_text(text, settings=DEFAULTS)


def test_the_limits_are_settings() -> None:
    check_text("ab", settings=WriteSettings(min_characters=1))
    with pytest.raises(Refused, match="over 5 characters"):
        check_text("abcdef", settings=WriteSettings(max_characters=5))


NAIVE = datetime(2030, 1, 1)  # noqa: DTZ001 - the mistake under test
BAD_FIELDS: dict[str, tuple[str, Any]] = {
    "body is no text": ("body", 5),
    "body is missing": ("body", None),
    "body is bytes": ("body", b"text"),
    "title is no text": ("title", 5),
    "title is missing": ("title", None),
    "title is too long": ("title", "x" * 1_001),
    "half a character in the title": ("title", "\ud83d"),
    "kind is empty": ("kind", ""),
    "kind is missing": ("kind", None),
    "trust is missing": ("trust", None),
    "summary is no text": ("summary", 5),
    "project is no text": ("project", ["p"]),
    "author is no text": ("author", 5),
    "source is no text": ("source_uri", 5),
    "position is no text": ("source_position", 5),
    "event time is text": ("event_time", "2030-01-01"),
    "event time has no zone": ("event_time", NAIVE),
    "start has no zone": ("valid_from", NAIVE),
    "end is a number": ("valid_to", 5),
    "tags are one text": ("tags", "work"),
    "tags are a number": ("tags", 5),
    "tags are missing": ("tags", None),
    "an empty tag": ("tags", ("work", "")),
    "a tag that is no text": ("tags", ("work", 5)),
    "too many tags": ("tags", tuple(f"t{n}" for n in range(101))),
    "too long a tag": ("tags", ("x" * 1_001,)),
    "clusters are one text": ("clusters", "c"),
    "metadata is text": ("metadata", "abc"),
    "metadata is missing": ("metadata", None),
    "metadata is a list": ("metadata", [1]),
    "metadata JSON cannot hold": ("metadata", {"a": object()}),
    "metadata without a number": ("metadata", {"a": float("nan")}),
    "a set in metadata": ("metadata", {"a": {1, 2}}),
    "half a character in metadata": ("metadata", {"a": "\ud83d"}),
}


@pytest.mark.parametrize(("field", "value"), BAD_FIELDS.values(), ids=BAD_FIELDS)
def test_a_bad_field_is_named(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        check_draft(Draft(**{"body": "The rent is due.", field: value}), settings=DEFAULTS)
    assert raised.value.field == field


def test_an_interval_that_ends_before_it_begins_is_refused() -> None:
    draft = Draft(body="The rent is due.", valid_from=START, valid_to=START - timedelta(days=1))
    with pytest.raises(InvalidInput, match="swap them"):
        check_draft(draft, settings=DEFAULTS)


def test_something_that_is_no_draft_is_refused() -> None:
    with pytest.raises(InvalidInput, match="expected a Draft, not str"):
        check_draft("The rent is due.", settings=DEFAULTS)  # type: ignore[arg-type]


def test_a_full_draft_passes() -> None:
    check_draft(
        Draft(
            body="The rent is due.", title="Rent", kind="fact", summary="rent", event_time=START, valid_from=START,
            valid_to=START + timedelta(days=1), project="p", source_uri="file:///a", source_position="1", author="Ana",
            trust="web", tags=("a", "b"), clusters=("c",), metadata={"a": [1, {"b": None}]},
        ),
        settings=DEFAULTS,
    )  # fmt: skip


@pytest.mark.parametrize("relation", ["relates_to", "a", "part_of2", "x" * 64])
def test_relations_that_may_be_used(relation: str) -> None:
    assert check_relation(relation) == relation


@pytest.mark.parametrize(
    "relation", ["", "Relates", "relates to", "2nd", "_x", "x" * 65, "relates_to\n", "ü", None, 5], ids=repr
)
def test_relations_that_may_not(relation: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        check_relation(relation)
    assert raised.value.field == "relation"
