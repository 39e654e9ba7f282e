"""What prose states of the things it names; each line of the case table is one test."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language import phrases
from recollect.language.clauses import Clause, clauses_in, subject_of
from recollect.language.marked import DATE, LONGEST_SENTENCE, NAME, mark, sentences

from .loading import listed, load


def _id(value: object) -> str:
    return str(value)[:60]


def told(clause: Clause) -> str:
    return f"{clause.subject} | {clause.relation} | {clause.object}"


@pytest.mark.parametrize(("text", "expected"), load("clauses"), ids=_id)
def test_clauses(text: str, expected: str | None) -> None:
    assert sorted(map(told, clauses_in(mark(text)))) == sorted(listed(expected, " / "))


def test_the_table_has_cases_for_and_against() -> None:
    expected = [right for _, right in load("clauses")]
    assert min(sum(each is None for each in expected), sum(each is not None for each in expected)) >= 15


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("They met Ana Ortiz at the University of Porto.", ("Ana Ortiz", "University of Porto")),
        ("Yesterday it rained.", ()),
        ("American films are long.", ()),
        ("The German painter Otto Lang left.", ("Otto Lang",)),
        ('She wrote "The Blue Boat" there.', ("The Blue Boat",)),
        ("See [[harbour plan|the plan]].", ("harbour plan",)),
        ("We saw the 1920 Summer Olympics.", ("1920 Summer Olympics",)),
        ("In the First War they fought.", ("First War",)),
        ("Mr. J. R. Low left with Dr. Ana Ortiz.", ("J. R. Low", "Ana Ortiz")),
        ("He saw O'Neill and Jean-Luc Bé.", ("O'Neill", "Jean-Luc Bé")),
    ],
)
def test_names_are_marked(text: str, names: tuple[str, ...]) -> None:
    assert mark(text).names == names


def test_a_word_at_the_start_is_a_name_only_where_that_is_known() -> None:
    assert mark("Germany left.").names == ()
    assert mark("Germany left.", knows={"Germany"}.__contains__).names == ("Germany",)
    assert mark("Germany left.", title="Germany").names == ("Germany",)


def test_the_title_is_one_name_whatever_it_is_made_of() -> None:
    marked = mark("Bad, Good and Ugly is a film by Ana Ortiz.", title="Bad, Good and Ugly")
    assert subject_of(marked) == "Bad, Good and Ugly"
    assert "film_by" in {each.relation for each in clauses_in(marked)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.\n\nThree", [("One.", 1), ("Two.", 1), ("Three", 3)]),
        ("It goes\non. Then", [("It goes on.", 1), ("Then", 2)]),
        ("# Title\n- one\n- two", [("Title", 1), ("one", 2), ("two", 3)]),
        ("Mr. Low met J. R. Rowe. He left.", [("Mr. Low met J. R. Rowe.", 1), ("He left.", 1)]),
        ("", []),
    ],
)
def test_sentences_have_their_lines(text: str, expected: list[tuple[str, int]]) -> None:
    assert [tuple(each) for each in sentences(text)] == expected


def test_every_table_of_words_is_in_small_letters_and_none_is_empty() -> None:
    for words in (phrases.VAGUE, phrases.PLACES, phrases.PEOPLE, phrases.TWO_WORDS, phrases.UNTRUE, phrases.SAYING):
        assert words and all(word and word == word.lower().strip() for word in words)


@pytest.mark.parametrize(
    "text", ["Ana Ortiz and " * 60, "of the " * 200, "Ana, " * 150, "was born in " * 60, "( " * 300]
)
def test_text_made_to_be_slow_is_read_all_the_same(text: str) -> None:
    assert clauses_in(mark(text)) == clauses_in(mark(text))


WORDS = st.sampled_from(
    'Ana Ortiz Port Alder Westmark is was a the capital of film directed by and , . in 1998 founded born ( ) " '
    "also known as starring which not".split(" ")
)


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=25).map(" ".join)))
def test_any_text_can_be_read_and_ends_are_names_in_it(text: str) -> None:
    marked = mark(text)
    assert len(marked.text) <= max(LONGEST_SENTENCE, len(text))
    for clause in clauses_in(marked):
        assert clause.subject in marked.names and clause.relation and clause.object
        assert clause.relation == clause.relation.lower() and " " not in clause.relation
        assert clause.relation == "is_a" or clause.object in (*marked.names, *marked.dates)


def test_marks_are_of_two_sorts() -> None:
    assert NAME[1:-1] != DATE[1:-1]
