from __future__ import annotations

import pytest

from recollect.language.amounts import Amount, amount_asked, tells_amount

from .loading import load


@pytest.mark.parametrize(("question", "amount"), load("amounts"))
def test_which_amount_is_asked_for(question: str, amount: str | None) -> None:
    assert amount_asked(question) == amount


@pytest.mark.parametrize(("row", "expected"), load("tells_amounts"))
def test_whether_a_text_tells_one(row: str, expected: str | None) -> None:
    amount, _, text = row.partition(" / ")
    assert tells_amount(text, Amount(amount)) is (expected == "yes")
