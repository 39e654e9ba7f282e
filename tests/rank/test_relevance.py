from __future__ import annotations

import pytest

from recollect.rank.relevance import highest_score, named, strength
from recollect.records import Filters, PutMemory, Term
from recollect.store.sqlite import SqliteStore
from recollect.testing.corpus import TEXTS, make_memories, make_memory


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


def test_a_name_counts_in_any_of_its_spellings_as_a_whole_word() -> None:
    memory = make_memory(0, title="", body="Bitcoin view: a solution for us.", author=None)
    assert named(["BTC"], memory) == -1
    assert named(["BTC"], memory, spellings=[("BTC", "Bitcoin")]) == 1
    assert named(["SOL"], memory, spellings=[("SOL", "Solana")]) == -1, "the beginning of a word is not a name"
    assert named(["USA"], memory, spellings=[("USA", "US")]) == -1, "a short form is often a word when written small"
    assert named(["bitcoin", "Ana"], memory) == 0
    assert named([], memory) == 0
