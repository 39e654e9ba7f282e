from __future__ import annotations

import pytest

from recollect.language.asked_for import AskedFor, asked_for, tells

from .loading import load


@pytest.mark.parametrize(("question", "kind"), load("asked_for"))
def test_what_a_question_asks_for(question: str, kind: str | None) -> None:
    assert asked_for(question).value == kind


@pytest.mark.parametrize(("row", "expected"), load("tells"))
def test_whether_a_text_tells_it(row: str, expected: str | None) -> None:
    kind, _, text = row.partition(" / ")
    assert tells(text, AskedFor(kind)) is (expected == "yes")
