"""Which short texts are taken for denials of each other, surely or perhaps."""

from __future__ import annotations

import pytest

from recollect.rank.denial import SHORT, deny_each_other, may_deny_each_other
from recollect.records import Memory
from recollect.testing.corpus import make_memory


def fact(body: str, **fields: str) -> Memory:
    return make_memory(1, **{"kind": "fact", "title": "", "body": body, **fields})


SURE = ("Ana sold the old blue boat to Ben in Porto.", "Ana never sold the old blue boat to Ben in Porto.")
PERHAPS = [
    ("Ana Ortiz is fluent in three languages: English, Spanish, and French.", "Ana Ortiz only speaks English."),
    ("Ana enjoys hiking in the mountains in her free time.", "Ana dislikes hiking and spends her free time kayaking."),
]
NEITHER = [
    ("Ana sold the old blue boat to Ben.", "Ana sold the old blue boat to Ben."),
    ("Ana sold the old blue boat to Ben.", "Carl teaches mathematics in Oslo."),
]


def test_what_surely_denies_also_may() -> None:
    one, other = map(fact, SURE)
    assert deny_each_other(one, other) and may_deny_each_other(one, other)


@pytest.mark.parametrize(("one", "other"), PERHAPS)
def test_what_is_about_the_same_and_differs_may(one: str, other: str) -> None:
    assert not deny_each_other(fact(one), fact(other))
    assert may_deny_each_other(fact(one), fact(other))


@pytest.mark.parametrize(("one", "other"), NEITHER)
def test_the_same_and_something_else_do_not(one: str, other: str) -> None:
    assert not deny_each_other(fact(one), fact(other))
    assert not may_deny_each_other(fact(one), fact(other))


def test_long_texts_and_texts_of_two_kinds_are_not_compared() -> None:
    one, other = PERHAPS[0]
    assert not may_deny_each_other(fact(one), fact(other, kind="note"))
    assert not may_deny_each_other(fact(one), fact(other + " x" * SHORT))
