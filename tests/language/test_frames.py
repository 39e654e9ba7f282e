"""Words cut to their stems."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.language.frames import ENDINGS, PAST_OF, stem

STEMS = {
    "photographed": "photograph",
    "photographers": "photograph",
    "speeches": "speak",
    "glass": "glass",
    "tied": "tied",
}


@pytest.mark.parametrize(("word", "expected"), STEMS.items())
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def without_an_ending(word: str) -> str:
    """By the first of all endings, in their order, that leaves enough."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (3 if ending in ("ing", "ed", "es", "s", "e") else 4):
            return word if ending == "s" and word.endswith("ss") else word.removesuffix(ending)
    return word


LETTERS = st.text("abertinsy", min_size=1, max_size=6)


@given(st.builds(str.__add__, LETTERS, st.lists(st.sampled_from(ENDINGS), max_size=3).map("".join)))
@example("nationalists")
def test_an_ending_is_the_first_that_fits(word: str) -> None:
    if word not in PAST_OF:
        assert stem(word) == without_an_ending(without_an_ending(word))
