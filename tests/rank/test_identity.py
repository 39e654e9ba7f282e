from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.rank.identity import content_hash, details_agree
from recollect.testing.corpus import TEXTS

SAME_HASH = {
    "white space": ("The rent  is\n due", "The rent is due"),
    "around it": ("  The rent is due\n", "The rent is due"),
    "Unicode form": (unicodedata.normalize("NFD", "Zürich"), unicodedata.normalize("NFC", "Zürich")),
}
OTHER_HASH = {
    "case": ("the rent", "The rent"),
    "punctuation": ("The rent.", "The rent!"),
    "number": ("The rent is 1", "The rent is 2"),
    "order": ("a b", "b a"),
}


@pytest.mark.parametrize(("one", "other"), SAME_HASH.values(), ids=SAME_HASH)
def test_texts_that_look_the_same_have_one_hash(one: str, other: str) -> None:
    assert content_hash("", one) == content_hash("", other)


@pytest.mark.parametrize(("one", "other"), OTHER_HASH.values(), ids=OTHER_HASH)
def test_texts_that_differ_have_two_hashes(one: str, other: str) -> None:
    assert content_hash("", one) != content_hash("", other)


def test_title_and_body_are_not_run_together() -> None:
    assert content_hash("a", "b c") != content_hash("a b", "c")


def test_every_text_of_the_corpus_has_its_own_hash() -> None:
    assert len({content_hash(title, body) for _, title, body in TEXTS}) == len(TEXTS)


AGREE = {
    "other words": ("The office rent is 4,200", "4,200 is what the office costs"),
    "first word is no name": ("Rent is due", "The rent is due"),
    "both deny": ("It was not paid", "Nobody paid it"),
    "nothing to compare": ("", ""),
}
DISAGREE = {
    "numbers": ("The rent is 4,200", "The rent is 4,500"),
    "one has a number": ("The rent is due", "The rent is due on 5"),
    "dates": ("Due on 2026-01-05", "Due on 2026-01-06"),
    "names": ("We met Ana Weber", "We met Ben Weber"),
    "tickers": ("BTC is up", "ETH is up"),
    "not": ("It was paid", "It was not paid"),
    "contraction": ("It was paid", "It wasn't paid"),
    "typographic contraction": ("It was paid", "It wasn’t paid"),
    "never": ("She drinks tea", "She never drinks tea"),
    "without": ("Tea with milk", "Tea without milk"),
}


@pytest.mark.parametrize(("one", "other"), AGREE.values(), ids=AGREE)
def test_details_agree(one: str, other: str) -> None:
    assert details_agree(one, other)


@pytest.mark.parametrize(("one", "other"), DISAGREE.values(), ids=DISAGREE)
def test_details_differ(one: str, other: str) -> None:
    assert not details_agree(one, other)


@settings(max_examples=100, deadline=None)
@given(st.text(), st.text())
def test_agreement_works_both_ways_and_holds_for_itself(one: str, other: str) -> None:
    assert details_agree(one, other) == details_agree(other, one)
    assert details_agree(one, one)
