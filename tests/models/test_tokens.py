"""Counting by words gives what counting the whole text gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.models import tokens
from recollect.models.tokens import TokenCounter
from recollect.readings import forget_readings

WHOLE = tokens._load()
COUNT = TokenCounter()

ODD = [
    "",
    " ",
    "   ",
    "a ",
    "  a",
    "a  b   c  ",
    "one\n\n  two\t three",
    "Mrs. Hoffmann's 3.5 % (net) of https://example.org/a_b?c=d e",
    "日本語 テスト　全角",
    "é ü  🎉 🎉🎉",
    "x▁ y ▁▁z",
    "<s>foo bar</s> baz <unk> end",
    "a" * 500 + " b",
]


def whole(text: str) -> int:
    return len(WHOLE.encode(text, add_special_tokens=False))


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_count_as_a_whole(text: str) -> None:
    assert [COUNT(text), COUNT(f"{text}{text}")] == [whole(text), whole(f"{text}{text}")]


@given(st.text(st.sampled_from("ab e.,\n▁é日<s>/"), max_size=60), st.integers(1, 60))
def test_any_text_counts_as_a_whole(text: str, times: int) -> None:
    long = " ".join([text] * times)
    assert COUNT(long) == whole(long)


def test_the_same_when_words_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "WORDS_KNOWN", 20)
    count = TokenCounter()
    texts = [" ".join(f"word{number * 7 + place}" for place in range(15)) for number in range(9)]
    assert [count(text) for text in texts] == [whole(text) for text in texts]
    assert len(count._words) <= 20


def test_words_are_let_go_of_with_readings() -> None:
    count = TokenCounter()
    count("harbour crane " * 300)
    assert "harbour" in count._words
    forget_readings()
    assert list(count._words) == [tokens.ONLY_SPACE]
    assert count("harbour") == whole("harbour")
