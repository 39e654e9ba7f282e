"""Identifiers inside a text are found as by one plain pattern, whatever stands around them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from recollect.store.terms import CAMEL_CASE, analyze, camels_in

PLAIN = re.compile(r"\b" + CAMEL_CASE.pattern, re.ASCII)


@given(st.text(alphabet="aZb9Q_ -.éÉ日ǅ\n", max_size=60))
def test_camels_are_those_of_the_plain_pattern(text: str) -> None:
    assert camels_in(text) == PLAIN.findall(text)


def test_code_is_found_by_words_and_words_by_code() -> None:
    assert {"get", "user", "name", "getusernam"} <= set(analyze("x = getUserName()"))
    assert "user" not in analyze("superuser")
