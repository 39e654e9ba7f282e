from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.language.answers import answers_differ
from recollect.language.frames import frame_of
from recollect.language.one_answer import asked_once, expects_one

from .loading import load

QUESTIONS = load("one_answer")
PAIRS = load("answers")


@pytest.mark.parametrize(("question", "sort"), QUESTIONS)
def test_whether_a_question_expects_one_answer_and_of_which_sort(question: str, sort: str | None) -> None:
    asked = asked_once(question)
    assert (asked.sort.value if asked else None) == sort
    assert expects_one(question) is (sort is not None)


def test_there_are_enough_cases_for_and_against() -> None:
    expecting = sum(sort is not None for _, sort in QUESTIONS)
    assert min(expecting, len(QUESTIONS) - expecting) >= 40


@pytest.mark.parametrize(("row", "expected"), PAIRS)
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
def test_whether_two_texts_answer_differently(row: str, expected: str | None, turned: bool) -> None:
    question, *texts = row.split(" / ")
    one, other = map(frame_of, reversed(texts) if turned else texts)
    asked = asked_once(question)
    assert asked and one and other, "a case that says nothing"
    assert answers_differ(asked, one, other) is (expected == "yes")


@pytest.mark.parametrize("text", ["In which school did Ana study?", "in which School did ana study"])
def test_what_only_says_what_is_asked_for_is_known_apart(text: str) -> None:
    asked = asked_once(text)
    assert asked and asked.noun == {"school"} and asked.noun < asked.words


QUESTION = st.sampled_from([question for question, sort in QUESTIONS if sort])
TEXT = st.sampled_from(sorted({text for row, _ in PAIRS for text in row.split(" / ")[1:]}))


@settings(max_examples=300, deadline=None)
@given(QUESTION, TEXT, TEXT)
def test_it_is_the_same_both_ways_and_nothing_differs_from_itself(question: str, one: str, other: str) -> None:
    asked, first, second = asked_once(question), frame_of(one), frame_of(other)
    assert asked and first and second
    assert answers_differ(asked, first, second) is answers_differ(asked, second, first)
    assert not answers_differ(asked, first, first)


@settings(max_examples=300, deadline=None)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from("what who where when which is 's did Ana of the".split())).map(" ".join)
)
def test_any_text_can_be_asked(text: str) -> None:
    assert expects_one(text) in {True, False}
