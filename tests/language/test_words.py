from __future__ import annotations

import pytest

from recollect.language.spellings import spellings
from recollect.language.words import is_fixed, straighten, words_pattern

from .loading import listed, load


@pytest.mark.parametrize(
    "text", ["Terms and Conditions", "do’s and don’ts", "red, white, and blue", "red, white and blue"]
)
def test_fixed_pairs_and_lists_are_known_however_they_are_written(text: str) -> None:
    assert is_fixed(text)


@pytest.mark.parametrize("text", ["BTC and SOL", "terms", "terms and", ""])
def test_other_pairs_are_not_fixed(text: str) -> None:
    assert not is_fixed(text)


def test_straightening_keeps_every_character_in_its_place() -> None:
    text = "Ana’s ‘old’ boatʼs"
    assert len(straighten(text)) == len(text)
    assert straighten(text) == "Ana's 'old' boat's"


@pytest.mark.parametrize("text", ["four", "our-selves", "hour", "ours"])
def test_patterns_match_whole_words_only(text: str) -> None:
    assert not words_pattern("our").search(text)
    assert words_pattern("our").search("on our boat")


@pytest.mark.parametrize(("name", "others"), load("spellings"), ids=lambda each: str(each)[:40])
def test_spellings(name: str, others: str | None) -> None:
    assert spellings(name) == (name, *listed(others))
