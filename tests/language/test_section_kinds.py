from __future__ import annotations

import pytest

from recollect.language.section_kinds import section_kind

from .loading import load


@pytest.mark.parametrize(("row", "expected"), load("section_kinds"))
def test_what_a_section_is(row: str, expected: str | None) -> None:
    path, heading, text = row.split(" / ", 2)
    assert section_kind(path, heading, text.replace("\\n", "\n")).value == expected
