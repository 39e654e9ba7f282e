"""The order of one list: what it looks at, and that the shipped weights are there for all of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rank.ordering import Clues, codeness, coverage, length, ordering_chance, shipped_weights
from recollect.records import Term

from ..steps.build import memory

PLAIN = Clues(0.5, 0.3, 0.0, 0.8, 0.9, 0.5, 0.5, 0.6, 0.0, 0.0)
clues = st.builds(Clues, *[st.floats(0, 1) for _ in Clues._fields])


@given(clues)
def test_it_is_a_chance(given: Clues) -> None:
    for weights in shipped_weights().values():
        assert 0 < ordering_chance(given, weights) < 1


@pytest.mark.parametrize("name", ["cosine", "named", "keyword_share", "coverage"])
def test_more_of_what_speaks_for_it_raises_it(name: str) -> None:
    weights = shipped_weights()["with_vectors"]
    more = PLAIN._replace(**{name: getattr(PLAIN, name) + 0.1})
    assert ordering_chance(more, weights) > ordering_chance(PLAIN, weights)


def test_for_code_meaning_counts_more_and_words_less() -> None:
    weights = shipped_weights()["with_vectors"]

    def gain(code: float, **change: float) -> float:
        here = PLAIN._replace(code=code, cosine=0.3, keyword_share=0.3)
        there = here._replace(**change)
        before, after = (ordering_chance(each, weights) for each in (here, there))
        return after / (1 - after) / (before / (1 - before))

    assert gain(1.0, cosine=0.6) > gain(0.0, cosine=0.6)
    assert gain(1.0, keyword_share=0.6) < gain(0.0, keyword_share=0.6)


def test_without_vectors_nothing_is_made_of_meaning() -> None:
    weights = shipped_weights()["keyword_only"]
    assert not {"cosine", "cosine_share", "semantic_place"} & set(weights)


def test_coverage_counts_rare_words_for_more() -> None:
    terms = [Term("harbour", 3.0), Term("crane", 1.0)]
    assert [coverage(terms, text) for text in ("harbour", "crane", "both harbour and crane", "")] == [
        0.75,
        0.25,
        1.0,
        0.0,
    ]
    assert coverage([], "harbour") == 0.0


def test_code_looks_like_code_and_prose_does_not() -> None:
    assert codeness(memory("a", "def f(x):\n    return x[0] + g(y, z=1)\n" * 4)) == 1.0
    assert codeness(memory("a", "We met at the harbour (again).")) <= 0.2
    assert codeness(memory("a", "We met at the harbour.")) == 0.0


def test_length_is_about_zero_for_an_ordinary_text() -> None:
    assert abs(length("x" * 400)) < 0.05
    assert length("x" * 4_000) > length("x" * 400) > length("x" * 40)
