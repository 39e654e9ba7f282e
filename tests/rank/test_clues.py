from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.clues import (
    MOST_SHARE,
    READ,
    Mention,
    Shape,
    TitleMatch,
    as_written,
    best_sentence,
    codeness,
    coverage,
    is_question,
    length,
    mention,
    most_of,
    said_by,
    seed_strengths,
    shape,
    stands_in,
    titles_named,
    wanted,
)
from recollect.records import Memory, Term
from recollect.testing.corpus import make_memory

ASKED = wanted([Term("harbour", 3.0), Term("crane", 1.0)])
terms = st.lists(st.builds(Term, st.text("abc", min_size=1, max_size=3), st.floats(0, 9)), max_size=5)
texts = st.text("abc .", max_size=40)


def titled(id: str, title: str, **fields: Any) -> Memory:
    return make_memory(1, id=id, title=title, **fields)


# --- the list ------------------------------------------------------------------------------------


def test_an_arm_that_brought_nothing_does_not_fall() -> None:
    assert shape([], {}, {}, strongest=0.0) == shape([], {"1": 0.0}, {}, strongest=0.0) == Shape()


def test_the_fall_is_from_the_first_to_the_tenth() -> None:
    words, meanings = {str(place): 10.0 - place for place in range(20)}, {str(place): 0.9 for place in range(30)}
    assert shape(["Ana"], words, meanings, strongest=0.5) == Shape(1.0, 0.9, 0.0, 0.5, 1.0)


def test_arms_agree_by_how_many_of_the_first_ten_both_have() -> None:
    assert shape([], {"1": 2.0, "2": 1.0}, {"2": 0.9, "3": 0.8, "4": 0.7}, strongest=0.1).agreement == 0.5


@given(st.lists(st.floats(0.001, 50), max_size=15).map(lambda found: sorted(found, reverse=True)))
def test_a_falling_arm_falls_by_a_share(scores: list[float]) -> None:
    found = shape([], {str(place): score for place, score in enumerate(scores)}, {}, strongest=0.0)
    assert 0 <= found.keyword_fall <= 1


# --- words of the question -----------------------------------------------------------------------


@given(terms, texts, texts)
def test_coverage_is_a_share_that_only_grows_with_the_text(asked: list[Term], text: str, more: str) -> None:
    covered, both = coverage(wanted(asked), text), coverage(wanted(asked), f"{text} {more}")
    assert 0 <= covered <= both <= 1 + 1e-9


@given(terms, texts)
def test_no_sentence_has_more_of_it_than_the_text(asked: list[Term], body: str) -> None:
    best = best_sentence(wanted(asked), body, body.lower())
    assert 0 <= best <= coverage(wanted(asked), body.lower()) + 1e-9


def test_words_in_two_sentences_are_not_in_one() -> None:
    apart, together = "A crane. The harbour.", "The harbour crane."
    assert best_sentence(ASKED, apart, apart.lower()) == 0.75
    assert best_sentence(ASKED, together, together.lower()) == 1.0


def test_nothing_asked_is_covered_by_nothing() -> None:
    for asked in (wanted([]), wanted([Term("the", 0.0)])):
        assert coverage(asked, "the harbour") == best_sentence(asked, "The harbour.", "the harbour.") == 0.0


def test_of_a_long_text_only_the_beginning_is_read_sentence_by_sentence() -> None:
    body = "A crane stands there. " * (READ // 20) + "The harbour crane."
    assert best_sentence(ASKED, body, body.lower()) == 0.25


def test_terms_of_an_index_are_found_in_texts_as_they_are_written() -> None:
    question = "Which company in the city of Zürich, or Łódź, studies cafés?"
    index = ["compani", "citi", "zurich", "lodz", "studi", "cafe"]
    asked = wanted(as_written([Term(word, 1.0) for word in index], question))
    assert coverage(asked, "a company in a city beside zürich or łódź that makes a study of cafés") == pytest.approx(1)
    assert coverage(asked, "companies, cities, studies") == pytest.approx(0.5)
    assert [word for word, _ in asked] == ["compan", "cit", "zürich", "łódź", "stud", "café"]


@pytest.mark.parametrize(
    ("term", "question", "text"),
    [
        ("ski", "ski", "ski"),
        ("harbour", "the harbour", "harbour"),
        ("citi", "Когда city?", "cit"),
        ("история", "история", "история"),
        ("zurich", "Zurich, naïve", "zurich"),
        ("世界", "世界", "世界"),
    ],
)
def test_other_terms_stay_as_they_are(term: str, question: str, text: str) -> None:
    assert as_written([Term(term, 2.0, 3)], question) == [Term(text, 2.0, 3)]


@given(st.lists(st.text(min_size=1, max_size=6), max_size=4), st.text(max_size=30))
def test_a_term_keeps_its_weight_and_its_place(index: list[str], question: str) -> None:
    before = [Term(text, float(place), place) for place, text in enumerate(index)]
    after = as_written(before, question)
    assert [each[1:] for each in after] == [each[1:] for each in before]
    assert all(each.text for each in after)


# --- what kind of text ---------------------------------------------------------------------------


@given(st.text(max_size=300))
def test_codeness_is_a_share(body: str) -> None:
    assert 0 <= codeness(body) <= 1


def test_code_looks_more_like_code_than_prose_does() -> None:
    code = "def get_user(name): return users[name] if name in users else None\n" * 4
    prose = "The harbour opens at six, and the crane is off. Nobody is there (but for the guard) before seven. " * 4
    assert codeness(code) > 2 * codeness(prose) > 0
    assert codeness("The harbour opens at six.") == codeness("") == 0.0
    assert codeness("Call me (maybe)") < 0.3, "one pair of brackets in a short note says nothing"


def test_a_longer_text_is_longer() -> None:
    assert length("") == length("x") < length("x" * 100) < length("x" * 10_000)
    assert length("x" * 403) == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("body", "asks"),
    [("Where is it?", True), ("Where is it? " + "x" * 60, False), ("Really?! Tell me.", True), ("", False)],
)
def test_a_turn_asks_where_its_end_does(body: str, asks: bool) -> None:
    assert is_question(body) is asks


@pytest.mark.parametrize(
    ("author", "names", "found"),
    [
        ("Ana", ["Ana Ortiz", "Ben"], (1.0, 0.0)), ("ana", ["ANA"], (1.0, 0.0)), ("Cleo", ["Ana", "Ben"], (0.0, 1.0)),
        ("Ana", [], (0.0, 0.0)), ("", ["Ana"], (0.0, 0.0)),
    ],
)  # fmt: skip
def test_who_said_it(author: str, names: list[str], found: tuple[float, float]) -> None:
    assert said_by(author, names) == found


# --- titles --------------------------------------------------------------------------------------


def named(question: str, *titles: str, asked: tuple[Term, ...] = ()) -> dict[str, TitleMatch]:
    memories = [titled(title, title) for title in titles]
    found = titles_named(question, memories, wanted(asked))
    assert found == titles_named(question, memories[::-1], wanted(asked)), "in whatever order they come"
    return found


def test_a_title_is_named_as_whole_words_in_any_case_and_signs() -> None:
    assert set(named("Who built THE blue-boat, and when?", "The Blue Boat")) == {"The Blue Boat"}
    assert named("Who built the blueboats?", "Blue Boat", "Boat", "boats") == {}
    assert named("Who is it?", "", "It", "?!") == {}, "too short, or nothing"


def test_of_two_titles_at_one_place_the_longer_counts() -> None:
    assert set(named("Who built the Blue Boat?", "Boat", "Blue", "Blue Boat", "Boat Blue")) == {"Blue Boat"}
    assert set(named("Was the Blue Boat built by Ana Ortiz?", "Blue Boat", "Ana Ortiz", "Ortiz")) == {
        "Blue Boat", "Ana Ortiz",
    }  # fmt: skip


def test_titles_that_only_overlap_are_both_named() -> None:
    assert set(named("the blue boat house", "Blue Boat", "Boat House")) == {"Blue Boat", "Boat House"}


def test_a_bracketed_ending_that_is_asked_for_is_the_whole_title() -> None:
    titles = ("Blue Boat (film)", "Blue Boat (novel)", "Blue Boat")
    found = named("Who wrote the novel Blue Boat?", *titles)
    assert found == {"Blue Boat (novel)": TitleMatch(1.0, 0.0, 0.0)}


def test_without_its_ending_a_title_is_named_alike_unless_another_is_named_whole() -> None:
    assert named("Who wrote Blue Boat?", "Blue Boat (film)", "Blue Boat (novel)") == {
        "Blue Boat (film)": TitleMatch(0.0, 1.0, 0.0), "Blue Boat (novel)": TitleMatch(0.0, 1.0, 0.0),
    }  # fmt: skip
    assert set(named("Who wrote Blue Boat?", "Blue Boat (film)", "Blue Boat")) == {"Blue Boat"}


def test_the_share_is_how_much_of_the_question_the_title_is() -> None:
    asked = (Term("blue", 1.0), Term("boat", 1.0), Term("built", 3.0))
    assert named("Who built the Blue Boat?", "Blue Boat", asked=asked)["Blue Boat"].share == 0.4
    assert named("the Blue Boat", "Blue Boat", asked=asked[:2])["Blue Boat"].share == MOST_SHARE, "and no more"


def test_two_memories_of_one_title_are_both_named() -> None:
    memories = [titled("1", "Blue Boat"), titled("2", "blue boat")]
    assert set(titles_named("the blue boat", memories, [])) == {"1", "2"}


@given(st.lists(st.text("ab ()", min_size=1, max_size=9), max_size=5), st.text("ab ", max_size=20))
def test_whatever_is_named_is_named_one_way(titles: list[str], question: str) -> None:
    memories = [titled(f"{number}", title) for number, title in enumerate(titles)]
    for match in titles_named(question, memories, []).values():
        assert match.whole + match.alike == 1


# --- mentions ------------------------------------------------------------------------------------


def test_words_count_in_the_sentence_that_names_it_and_close_to_the_name() -> None:
    asked = [("built", 0.5), ("crane", 0.5)]
    body = "A crane stood there. The harbour was built " + "x " * 60 + "by Ana Ortiz and others. It was old."
    found = mention("Ana Ortiz", body, asked, strength=0.5, named=4)
    assert found == Mention(any=0.5, sentence=0.25, close=0.0, alone=0.125)


def test_words_of_the_name_itself_are_not_close_to_it() -> None:
    assert mention("Crane House", "It was Crane House.", [("crane", 1.0)], strength=1.0, named=1).close == 0.0


def test_the_bracketed_ending_of_a_title_is_not_looked_for() -> None:
    found = mention("Blue Boat (1998 film)", "He built Blue Boat.", [("built", 1.0)], strength=1.0, named=1)
    assert found == Mention(any=1.0, sentence=1.0, close=1.0, alone=1.0)


def test_a_name_written_otherwise_still_counts_as_named() -> None:
    found = mention("Ana-Maria Ortiz", "Ana Maria Ortiz built it.", [("built", 1.0)], strength=0.8, named=2)
    assert found == Mention(any=0.8, alone=0.4)


@given(texts, texts, terms, st.floats(0, 1), st.integers(1, 9))
def test_no_mention_says_more_than_it_is_strong(
    title: str, body: str, asked: list[Term], strength: float, count: int
) -> None:
    found = mention(title, body, wanted(asked), strength=strength, named=count)
    assert found.any == strength and found.beside == 0.0
    assert all(0 <= value <= strength + 1e-9 for value in found)


@pytest.mark.parametrize(
    ("name", "low", "there"),
    [
        ("ana", "ana left", True),
        ("ana", "to ana", True),
        ("ana", "(ana)", True),
        ("ana", "anat", False),
        ("x", "", False),
    ],
)
def test_a_name_stands_in_a_text_as_a_whole_word(name: str, low: str, there: bool) -> None:
    assert stands_in(name, low) is there


def test_the_most_is_taken_of_each_by_itself() -> None:
    assert most_of([Mention(1.0, 0.2, 0.0, 0.5), Mention(0.5, 0.4, 0.1, 0.25)]) == Mention(1.0, 0.4, 0.1, 0.5)
    assert most_of([]) == Mention()


# --- seeds ---------------------------------------------------------------------------------------


@given(st.dictionaries(st.text("abc", min_size=1, max_size=2), st.floats(-400, 400), min_size=1))
def test_the_best_leads_and_the_others_follow_by_their_odds(scores: dict[str, float]) -> None:
    found = seed_strengths(scores, {})
    best = max(scores, key=lambda id: scores[id])
    assert found[best] == 1.0
    assert all(0 <= strength <= 1 for strength in found.values())
    for id in scores:
        for other in scores:
            assert scores[id] > scores[other] or found[id] <= found[other]


def test_what_the_question_names_leads_however_it_scores() -> None:
    by_title = {"2": TitleMatch(whole=1.0), "3": TitleMatch(alike=1.0)}
    assert seed_strengths({"1": 9.0, "2": -90.0, "3": -90.0, "4": 8.0}, by_title) == pytest.approx(
        {"1": 1.0, "2": 1.0, "3": 0.5, "4": 0.3679}, abs=1e-4
    )
    assert seed_strengths({}, by_title) == {}
