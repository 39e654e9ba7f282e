from __future__ import annotations

import pytest

from recollect.language.particulars import Told, another_than_asked, particulars

from .loading import load


def instead(question: str, *texts: str) -> str:
    return another_than_asked(question, [Told("", text) for text in texts])


@pytest.mark.parametrize(("row", "other"), load("particulars"))
def test_what_a_text_speaks_of_instead(row: str, other: str | None) -> None:
    question, _, text = row.partition(" / ")
    assert instead(question, text) == (other or "")


def test_the_one_asked_for_may_stand_further_down() -> None:
    texts = ["Invoice 71123 was paid by Ana.", "It rained.", "Invoice 71124 was paid by Ben."]
    assert instead("Who paid invoice 71124?", *texts) == ""
    assert instead("Who paid invoice 71125?", *texts) == "71123"


def test_only_what_stands_first_can_be_another() -> None:
    texts = ["Ana paid everything.", "It rained.", "Invoice 71124 was paid.", "Invoice 71123 was paid."]
    assert instead("Who paid invoice 71125?", *texts) == "71124"
    assert instead("Who paid invoice 71125?", "Ben paid nothing.", *texts[:3]) == ""


def test_a_question_of_no_particular_thing_and_no_texts() -> None:
    assert particulars("") == ()
    assert particulars("Who is the best?") == ()
    assert instead("Who paid invoice 1?") == ""


def test_a_text_about_whose_thing_it_is_need_not_name_the_thing() -> None:
    texts = [Told("Ben Ortiz", "He can be reached by letter."), Told("", "Ana's phone number is 555-0199.")]
    assert another_than_asked("What is Ben's phone number?", texts) == ""
    assert another_than_asked("What is Carl's phone number?", texts) == "Ana"
