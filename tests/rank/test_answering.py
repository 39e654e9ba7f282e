from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.answering import READ_FOR_ANSWERS, Signs, signs_of
from recollect.rank.clues import Clues
from recollect.records import Memory, Term
from recollect.testing.corpus import make_memory

from .test_model import clues

HARBOUR, OPENS, CRANE = Term("harbour", 2.0), Term("open", 1.0), Term("crane", 1.0)
TERMS = [HARBOUR, OPENS, CRANE]


def text(body: str, title: str = "") -> Memory:
    return make_memory(1, title=title, body=body)


def signs(*best: Memory, question: str = "", seen: list[Clues] | None = None, turns: bool = False) -> Signs:
    return signs_of(question, best, seen or [Clues()] * len(best), TERMS, turns=turns)


def test_the_best_sentence_is_that_of_the_best_texts() -> None:
    assert signs(text("It rained. The harbour will open.")).sentence == 0.75
    assert signs(text("It rained."), text("The harbour will open at the crane.")).sentence == 1.0
    behind = [text("It rained.")] * READ_FOR_ANSWERS
    assert signs(*behind, text("The harbour will open.")).sentence == 0.0, "no further than the best few are read"


def test_words_of_two_sentences_do_not_make_one() -> None:
    assert signs(text("The harbour. It will open. A crane.")).sentence == 0.5


def test_a_title_is_read_along_with_each_sentence() -> None:
    assert signs(text("It will open.", title="Harbour")).sentence == 0.75
    assert signs(text("", title="Harbour")).sentence == 0.5


def test_words_that_follow_one_another_count_where_they_stand_together() -> None:
    together, apart = "The harbour will open by the crane.", "The harbour " + "x " * 30 + "open " + "x " * 30 + "crane."
    assert signs(text(together)).pairs == 1.0
    assert signs(text(apart)).pairs == 0.0
    assert signs_of("", [text("harbour")], [Clues()], [HARBOUR], turns=False).pairs == 0.0, "one word has no neighbour"


def test_the_rarest_word_that_is_missing_counts() -> None:
    assert signs(text("The harbour will open by the crane.")).missing == 0.0
    assert signs(text("The harbour.")).missing == 0.5
    assert signs(text("The crane.")).missing == 1.0


@pytest.mark.parametrize(
    ("question", "share"),
    [("", 1.0), ("What opened in 1998?", 1.0), ("1998 or 2,500?", 0.5), ("1999", 0.0), ("Which 98?", 0.0)],
)
def test_the_numbers_of_the_question_are_looked_for_in_that_sentence(question: str, share: float) -> None:
    best = text("It was built in 1997. The harbour will open in 1998.")
    assert signs(best, question=question).numbers == share


@pytest.mark.parametrize(
    ("question", "body", "denied"),
    [
        ("Which harbour did not open?", "The harbour will open.", 1.0),
        ("Which harbour didn’t open?", "The harbour will open.", 1.0),
        ("Which non-stop harbour train is there?", "The harbour will open.", 1.0),
        ("which harbour did not open", "The harbour will open.", 1.0),
        ("The harbour did not open.", "The harbour will open.", 0.0),
        ("harbour not open", "The harbour will open.", 0.0),
        ("Why could the harbour not open?", "The harbour had a broken crane.", 0.0),
        ("Which harbour did not open?", "The harbour never opened.", 0.0),
        ("Which harbour will open?", "The harbour will not open.", 0.0),
        ("Who lives at No. 3 of the harbour?", "The harbour will open.", 0.0),
        ("Which harbour did Ana note?", "The harbour will open.", 0.0),
    ],
)
def test_what_is_asked_as_not_so_needs_a_sentence_that_denies(question: str, body: str, denied: float) -> None:
    assert signs(text(body), question=question).denied == denied


def test_the_rest_is_that_of_the_list() -> None:
    seen = [Clues(cosine=0.2, keyword_share=0.6, named=-1.0), Clues(cosine=0.7, keyword_share=1.0, named=0.5)]
    found = signs(text("x"), text("y"), seen=seen, turns=True)
    assert (found.cosine, found.first_keyword, found.named, found.turn) == (0.7, 0.6, 0.5, 1.0)


def test_an_empty_list_shows_nothing() -> None:
    assert signs_of("harbour", [], [], TERMS, turns=False) == Signs()


@given(
    st.lists(clues, min_size=1, max_size=5),
    st.lists(st.text("harbou open crn. 19", max_size=60), min_size=1, max_size=5),
    st.text("19 xnot", max_size=9),
)
def test_signs_stay_within_their_bounds(seen: list[Clues], bodies: list[str], question: str) -> None:
    found = signs(*(text(body) for body in bodies), question=question, seen=seen)
    assert all(0 <= value <= 1 + 1e-9 for name, value in found._asdict().items() if name != "named")
    assert -1 <= found.named <= 1


@given(st.lists(clues, min_size=2, max_size=4), st.floats(0, 1))
def test_standing_apart_from_the_others_is_no_sign(seen: list[Clues], share: float) -> None:
    """The signs are absolute: how the others stand beside the best changes none but where names are met."""
    best = [text("The harbour will open.")]
    worse = [seen[0], *(each._replace(cosine=0.0, keyword_share=share, named=-1.0) for each in seen[1:])]
    one, other = signs_of("", best, worse, TERMS, turns=False), signs_of("", best, seen[:1], TERMS, turns=False)
    assert one._replace(named=0.0) == other._replace(named=0.0)


def test_the_same_texts_give_the_same_signs_whatever_they_are_called() -> None:
    best = [text("The harbour will open."), text("A crane.")]
    renamed = [replace(each, id=f"z{place}") for place, each in enumerate(best)]
    assert signs(*best) == signs(*renamed)


@pytest.mark.parametrize(
    ("question", "body", "another"),
    [
        ("Who paid invoice 71124?", "Invoice 71123 was paid by Ana.", 1.0),
        ("Who paid invoice 71123?", "Invoice 71123 was paid by Ana.", 0.0),
        ("Who paid the invoice?", "Invoice 71123 was paid by Ana.", 0.0),
    ],
)
def test_another_one_of_the_sort_is_a_sign(question: str, body: str, another: float) -> None:
    assert signs(text(body), question=question).another == another


def test_whose_title_it_is_may_be_the_one_asked_for() -> None:
    his, hers = text("He has none.", title="Ben"), text("Ana's phone number is 5.")
    assert signs(his, hers, question="What is Ben's phone number?").another == 0.0


@pytest.mark.parametrize(
    ("question", "bodies", "untold"),
    [
        ("How much does a home visit cost?", ["Home visits are made within twelve miles."], 1.0),
        (
            "How much does a home visit cost?",
            ["Home visits are made within twelve miles.", "A visit is 40 euros."],
            0.0,
        ),
        ("How much does a home visit cost?", ["Home visits are made.", "Ask Ana.", "A visit is 40 euros."], 1.0),
        ("Who makes home visits?", ["Home visits are made within twelve miles."], 0.0),
    ],
    ids=["no price", "the second tells it", "the third is no longer read", "no amount is asked for"],
)
def test_an_amount_that_nobody_tells_is_a_sign(question: str, bodies: list[str], untold: float) -> None:
    assert signs(*map(text, bodies), question=question).untold == untold


def test_how_long_it_took_also_shows_between_the_turns_of_a_conversation() -> None:
    turn = text("We moved in together!")
    question = "How long did they date?"
    assert [signs(turn, question=question, turns=turns).untold for turns in (False, True)] == [1.0, 0.0]
