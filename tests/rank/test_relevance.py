from __future__ import annotations

from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.relevance import Signals, highest_score, named, relevance, strength, through_links
from recollect.records import Filters, PutMemory, Term
from recollect.store.sqlite import SqliteStore
from recollect.testing.corpus import TEXTS, make_memories, make_memory

cosines = st.floats(-1, 1)
strengths = st.floats(0, 1)
signals = st.builds(Signals, st.none() | cosines, strengths)


@settings(max_examples=200, deadline=None)
@given(signals)
def test_relevance_lies_between_zero_and_one(given: Signals) -> None:
    assert 0 <= relevance(given)[0] <= 1


@settings(max_examples=200, deadline=None)
@given(signals)
def test_the_explanation_adds_up_to_the_odds(given: Signals) -> None:
    _, odds = relevance(given)
    assert odds.sums
    assert odds.total() == pytest.approx(odds.value)


@settings(max_examples=200, deadline=None)
@given(st.none() | cosines, strengths, strengths)
def test_more_shared_words_never_lower_it(cosine: float | None, one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert relevance(Signals(cosine, less))[0] <= relevance(Signals(cosine, more))[0]


@settings(max_examples=200, deadline=None)
@given(cosines, cosines, strengths)
def test_a_closer_meaning_never_lowers_it(one: float, other: float, words: float) -> None:
    less, more = sorted((one, other))
    assert relevance(Signals(less, words))[0] <= relevance(Signals(more, words))[0]


@pytest.mark.parametrize("cosine", [None, 0.0, -1.0], ids=["not compared", "unrelated", "opposite"])
def test_nothing_in_common_does_not_pass_the_gate(cosine: float | None) -> None:
    assert relevance(Signals(cosine, 0.0))[0] < 0.2


def test_everything_in_common_is_answerable() -> None:
    assert relevance(Signals(1.0, 1.0))[0] > 0.9


def test_the_explanation_names_a_cosine_only_where_there_was_one() -> None:
    named = [
        detail.what for signals in (Signals(None, 0.5), Signals(0.5, 0.5)) for detail in relevance(signals)[1].details
    ]
    assert sum("cosine" in each for each in named) == 1


def test_strength_without_terms_is_zero() -> None:
    for terms in ([], [Term("the", 0.0)]):
        assert strength(3.0, highest=highest_score(terms)) == 0.0


def test_the_strength_of_a_real_match_lies_between_zero_and_one(store: SqliteStore) -> None:
    store.apply("default", [PutMemory(memory) for memory in make_memories(200)])
    for _, title, body in TEXTS:
        for text in (title, body, f"{body} {body}"):
            matches, terms = store.match("default", text, filters=Filters(), limit=50)
            for match in matches:
                assert 0 <= strength(match.source_score, highest=highest_score(terms)) <= 1, text


def test_words_found_nowhere_do_not_outweigh_those_found_in_a_store_of_one() -> None:
    found, missing = Term("cello", 0.288, 1), Term("play", 1.386, 0)
    assert highest_score([found, missing]) == pytest.approx(2 * highest_score([found]), rel=0.01)


def test_words_found_nowhere_weigh_nearly_their_idf_in_a_large_store() -> None:
    missing = Term("play", 12.2, 0)
    assert highest_score([missing]) > 0.9 * highest_score([missing._replace(occurs=1)])


@settings(max_examples=200, deadline=None)
@given(signals, st.floats(0, 1))
def test_links_raise_it_as_independent_chances_do(given: Signals, best: float) -> None:
    own, odds = relevance(given)
    raised, _ = through_links(own, odds, best=best)
    assert raised == pytest.approx(1 - (1 - own) * (1 - best))
    assert max(own, best) - 1e-12 <= raised <= 1


@settings(max_examples=200, deadline=None)
@given(signals, st.floats(0.001, 0.999))
def test_the_explanation_still_adds_up_through_links(given: Signals, best: float) -> None:
    own, odds = relevance(given)
    raised, why = through_links(own, odds, best=best)
    assert why.total() == why.value
    assert why.details[-1].what == "through links"
    assert why.details[-1].value == pytest.approx(why.value - odds.value)
    assert raised == pytest.approx(1 / (1 + exp(-why.value)))


def test_without_links_nothing_changes() -> None:
    own, odds = relevance(Signals(0.4, 0.3))
    assert through_links(own, odds, best=0.0) == (own, odds)


def test_even_a_certain_link_has_log_odds() -> None:
    own, odds = relevance(Signals(0.4, 0.3))
    raised, why = through_links(own, odds, best=1.0)
    assert raised == 1.0 and why.value > 20


def test_a_name_counts_in_any_of_its_spellings_as_a_whole_word() -> None:
    memory = make_memory(0, title="", body="Bitcoin view: a solution for us.", author=None)
    assert named(["BTC"], memory) == -1
    assert named(["BTC"], memory, spellings=[("BTC", "Bitcoin")]) == 1
    assert named(["SOL"], memory, spellings=[("SOL", "Solana")]) == -1, "the beginning of a word is not a name"
    assert named(["USA"], memory, spellings=[("USA", "US")]) == -1, "a short form is often a word when written small"
    assert named(["bitcoin", "Ana"], memory) == 0
    assert named([], memory) == 0
