"""What names have in common, and the name a memory goes by."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.memories import LONGEST_NAME, goes_by, name_key

BEGINS = {
    "two words": ("Ana Ortiz moved to Porto.", "Ana Ortiz"),
    "with a hyphen and an apostrophe": ("Ana-Maria O’Neill moved to Porto.", "Ana-Maria O’Neill"),
    "with an initial": ("Ana B. Ortiz moved to Porto.", "Ana B. Ortiz"),
    "five words": ("Ana Maria Luisa Ortiz Vega moved to Porto.", "Ana Maria Luisa Ortiz Vega"),
    "capitals beyond Latin-1": ("Łukasz Świątek moved to Porto.", "Łukasz Świątek"),
    "before a word with an accent": ("Ana Ortiz était là.", "Ana Ortiz"),
    "Cyrillic": ("Анна Каренина вышла замуж.", "Анна Каренина"),
    "in capitals": ("ACME LTD moved to Porto.", "ACME LTD"),
}
NONE = {
    "one word": "Yesterday it rained.",
    "small letters": "ana ortiz moved to Porto.",
    "nothing follows": "Ana Ortiz",
    "a sign follows": "Ana Ortiz, a painter, moved to Porto.",
    "a sentence ends within": "Yes. Ana Ortiz moved to Porto.",
    "more capitals follow": "One Two Three Four Five Six seven",
    "more capitals beyond Latin-1 follow": "Ana Ortiz Świątek",
    "a number": "2 Boats left the harbour.",
    "white space before it": " Ana Ortiz moved.",
    "small letters beyond Latin-1": "étienne ünal moved to Porto.",
    "one capital in Cyrillic": "Встреча перенесена на четверг.",
    "a script without capitals": "اجتماع الفريق يوم الأحد صباحا",
    "a script without spaces": "東京の事務所は月曜日に開きます。",
    "nothing": "",
}


@pytest.mark.parametrize(("body", "name"), BEGINS.values(), ids=BEGINS)
def test_an_untitled_memory_goes_by_the_name_it_begins_with(body: str, name: str) -> None:
    assert goes_by("", body) == name


@pytest.mark.parametrize("body", NONE.values(), ids=NONE)
def test_a_text_that_begins_with_no_name_goes_by_none(body: str) -> None:
    assert goes_by("", body) == ""


def test_a_title_goes_before_what_the_text_begins_with_and_a_sentence_is_none() -> None:
    assert goes_by("Plan", "Ana Ortiz moved.") == "Plan"
    assert goes_by("x" * LONGEST_NAME, "") == "x" * LONGEST_NAME
    assert goes_by("x" * (LONGEST_NAME + 1), "Ana Ortiz moved.") == ""


@given(st.text(max_size=200))
def test_the_name_is_the_beginning_of_the_text(body: str) -> None:
    name = goes_by("", body)
    assert body.startswith(name)
    assert not name or all(word[0].isupper() for word in name.split(" "))


@given(st.text(max_size=40))
@example("İzmir (İ)")
@example("ŒUVRE ()")
def test_a_key_is_its_own_key_and_that_of_the_name_in_capitals_and_spaced_out(name: str) -> None:
    key = name_key(name)
    assert name_key(key) == key
    assert name_key(f"  {name}  ") == key


def test_names_are_the_same_however_they_are_written() -> None:
    assert name_key("THE  BLUE-BOAT!") == name_key("The blue boat (a film)") == "the blue boat"
    assert name_key("Große Straße") == name_key("GROSSE STRASSE")
    assert name_key("(x)") == "x" and name_key("?!") == ""
