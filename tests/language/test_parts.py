from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.language.parts import most_distinct, split_parts

from .loading import listed, load


@pytest.mark.parametrize(("text", "expected"), load("parts"), ids=lambda value: str(value)[:60])
def test_parts_are_as_the_table_says(text: str, expected: str | None) -> None:
    assert split_parts(text, most=4) == (listed(expected) or [text])


def test_the_most_distinct_parts_are_kept_in_their_order() -> None:
    text = "Is BTC up? Is BTC up now? Where is the key? Is BTC still up?"
    assert split_parts(text, most=2) == ["Is BTC up", "Where is the key"]


def test_fewer_parts_than_allowed_are_all_kept() -> None:
    assert most_distinct(["a b", "c d"], most=4) == ["a b", "c d"]


@given(st.text(max_size=200), st.integers(1, 6))
def test_any_text_has_between_one_and_most_parts_none_of_them_lost(text: str, most: int) -> None:
    parts = split_parts(text, most=most)
    assert 1 <= len(parts) <= most
    assert parts == [text] or all(len(part) >= 3 for part in parts)
    assert parts == split_parts(text, most=most)
