from __future__ import annotations

import pytest

from recollect.rank.snippet import LONGEST, best_snippet

CASES = {
    "the sentence with most of the words": ("It rained. The key is here. We left.", "my key here", "The key is here."),
    "the first of several": ("The key is red. The key is blue.", "key", "The key is red."),
    "nothing in common": ("It rained. We left.", "key", "It rained."),
    "lines are sentences too": ("Title\nThe key is here\nend", "key", "The key is here"),
    "one sentence": ("The key is here", "key", "The key is here"),
    "no question": ("The key is here", "", "The key is here"),
    "empty": ("", "key", ""),
}  # fmt: skip


@pytest.mark.parametrize(("body", "question", "expected"), CASES.values(), ids=CASES)
def test_the_sentence_that_shows_why(body: str, question: str, expected: str) -> None:
    assert best_snippet(body, question=question) == expected


@pytest.mark.parametrize("body", ["word " * 500, "x" * 5_000, "東" * 5_000], ids=["words", "one word", "no spaces"])
def test_a_long_sentence_is_cut(body: str) -> None:
    snippet = best_snippet(body, question="word")
    assert len(snippet) <= LONGEST
    assert snippet.endswith("…")
