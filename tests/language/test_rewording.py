"""Other words for a question: the thesaurus, statement forms, content words, key terms and fallback queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.content import content_words, is_content, words_of
from recollect.language.entities import find_entities
from recollect.language.fallbacks import Fallback, cut_at_word, fallback_queries
from recollect.language.forms import as_statement
from recollect.language.keyterms import LOOKED_AT, key_terms
from recollect.language.related import GROUPS, TABLE, related
from recollect.questions import Message, Part
from recollect.values import Origin

from .loading import listed, load


def _id(value: object) -> str:
    return str(value)[:60]


def part(text: str) -> Part:
    return Part(0, text, find_entities(text))


def queries(text: str, **around: object) -> list[Fallback]:
    return fallback_queries(part(text), **{"goal": text, **around})  # type: ignore[arg-type]


def texts(found: list[Fallback], origin: Origin) -> list[str]:
    return [each.text for each in found if each.origin is origin]


# --- the thesaurus ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "expected"), load("related"), ids=_id)
def test_related(word: str, expected: str | None) -> None:
    found = related(word)
    assert set(listed(expected)) <= set(found)
    assert bool(found) is (expected is not None)


def test_the_thesaurus_has_many_groups_each_of_different_words() -> None:
    groups = [each.split() for each in GROUPS.split("|")]
    assert len(groups) >= 150
    assert all(len(group) == len(set(group)) >= 2 for group in groups)
    assert len({frozenset(group) for group in groups}) == len(groups), "a group stands twice"
    assert all(word.islower() for group in groups for word in group)


def test_to_be_related_goes_both_ways_and_never_to_itself() -> None:
    for word, others in TABLE.items():
        assert word not in others
        assert all(word in TABLE[other] for other in others)


# --- content words and statement forms --------------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), load("forms"), ids=_id)
def test_forms(text: str, expected: str | None) -> None:
    assert as_statement(text) == expected


def test_words_keep_code_tickers_and_owners_apart() -> None:
    assert words_of("Ana’s $SOL stop-loss in src/order_book.py isn't C++") == [
        "Ana", "$SOL", "stop-loss", "in", "src/order_book.py", "isn't", "C++",
    ]  # fmt: skip


@given(st.text(max_size=80))
def test_content_words_are_words_of_the_text_once_each(text: str) -> None:
    found = content_words(text)
    assert len({word.lower() for word in found}) == len(found)
    assert all(is_content(word) and word in words_of(text) for word in found)


# --- key terms --------------------------------------------------------------------------------------


def test_key_terms_are_names_then_frequent_words_in_order() -> None:
    text = "The pump failed at sea. A pump is a pump, and the valve froze. Later Ana Silva mended the valve in Porto."
    assert key_terms(text, most=4) == "Ana Silva Porto pump valve"


def test_names_leave_room_for_what_is_said_of_them() -> None:
    names = " and ".join(f"the Harbour{letter}" for letter in "ABCDEFGHIJ")
    terms = key_terms(f"we saw {names}. dredging dredging dredging", most=6).split()
    assert "dredging" in terms
    assert len(terms) == 6


def test_key_terms_look_at_the_beginning_only() -> None:
    text = "harbour " + "the " * LOOKED_AT + "regatta"
    assert key_terms(text) == "harbour"
    assert key_terms("the of and") == ""


# --- fallback queries -------------------------------------------------------------------------------

ORDINARY = [
    "When did Ana join Acme?",
    "What is the gate code for the boat shed?",
    "How did my last SOL trade go?",
    "Who runs the Porto office?",
    "Where does Ben keep the spare key?",
    "How much did the new boiler cost last winter?",
    "What database does the billing service use?",
    "Which doctor prescribed the blood pressure pills?",
    "Why did we cancel the contract with the supplier?",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_question_has_six_to_twelve_queries_of_several_origins(text: str) -> None:
    found = queries(text)
    assert 6 <= len(found) <= 12
    assert len({each.origin for each in found}) >= 4


@pytest.mark.parametrize("text", ORDINARY)
def test_the_first_queries_have_different_origins(text: str) -> None:
    first = [each.origin for each in queries(text)[:4]]
    assert len(set(first)) == len(first)


def test_each_origin_says_what_it_promises() -> None:
    found = queries("When did Ana Silva join the Porto office?")
    assert texts(found, Origin.FORM) == ["Ana Silva joined the Porto office"]
    assert texts(found, Origin.ENTITY)[0] == "Ana Silva"
    assert "Ana Silva start Porto office" in texts(found, Origin.RELATED)
    assert "Porto office" in texts(found, Origin.NOUN_PHRASE)
    assert "join the Porto office" in texts(found, Origin.PHRASE)
    assert not texts(found, Origin.GOAL)


def test_the_goal_is_tried_where_it_differs_from_the_part() -> None:
    goal = "What is my BTC thesis and how did the SOL trade go?"
    assert texts(queries("my BTC thesis", goal=goal), Origin.GOAL) == [goal]
    assert not texts(queries("my BTC thesis", goal="My BTC thesis?"), Origin.GOAL)


def test_words_that_several_found_texts_share_are_added() -> None:
    seen = ["The pump has a worn impeller", "Impeller ordered for the boat pump", "The impeller came in May"]
    found = texts(queries("Why does the pump fail?", seen=seen), Origin.COOCCURRING)
    assert found[0].endswith(" impeller")
    assert not any("ordered" in each.lower() or "worn" in each for each in found), "one text alone proves nothing"
    assert not any(each.lower().count("pump") > 1 for each in found)


def test_one_found_text_adds_nothing() -> None:
    assert not texts(queries("Why does the pump fail?", seen=["pump impeller impeller impeller"]), Origin.COOCCURRING)


def test_names_of_recent_messages_are_added_newest_first() -> None:
    said = [Message("me", "We met at Old Harbour"), Message("me", "Then Jump Trading called")]
    found = texts(queries("What were the fees?", messages=said), Origin.MESSAGE)
    assert found == ["fees Jump Trading", "fees Old Harbour"]


def test_messages_without_names_give_their_words() -> None:
    found = texts(
        queries("What were the fees?", messages=[Message("me", "about the mooring contract")]), Origin.MESSAGE
    )
    assert found == ["fees mooring contract"]


@pytest.mark.parametrize("text", ["the of", "?", "how", ""])
def test_a_text_without_content_has_no_queries(text: str) -> None:
    assert queries(text) == []


def test_queries_are_cut_at_a_word() -> None:
    assert cut_at_word("the old boat in the harbour", 12) == "the old boat"
    assert cut_at_word("the old boat", 12) == "the old boat"
    assert all(len(each.text) <= 20 for each in queries(ORDINARY[1], longest=20))


TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(
        st.sampled_from("When did Ana join the Porto office SOL trade go my last key code ? and 2024 it's".split()),
        max_size=14,
    ).map(" ".join),
)


@given(TEXTS, TEXTS, st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=4), st.integers(0, 15), st.integers(1, 140))
def test_queries_are_few_short_different_and_always_the_same(
    text: str, goal: str, said: list[str], seen: list[str], most: int, longest: int
) -> None:
    messages = [Message("me", each) for each in said]
    found, again = (
        fallback_queries(part(text), goal=goal, messages=messages, seen=seen, most=most, longest=longest)
        for _ in range(2)
    )
    assert found == again
    assert len(found) <= most
    assert all(0 < len(each.text) <= longest for each in found)
    said_by_each = [frozenset(word.lower() for word in content_words(each.text)) for each in found]
    assert all(said_by_each)
    assert len(set(said_by_each)) == len(found)
    assert text.strip().lower() not in {each.text.lower() for each in found}
