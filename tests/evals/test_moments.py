"""Times as data sets write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.evals.moments import read_moment

READ = {
    "2026-03-01": (2026, 3, 1),
    "2026-03-01T14:30:05Z": (2026, 3, 1, 14, 30, 5),
    "2026-03-01T14:30+02:00": (2026, 3, 1, 12, 30),
    "1:56 pm on 8 May, 2023": (2023, 5, 8, 13, 56),
    "12:05 am on 1 January, 2024": (2024, 1, 1, 0, 5),
    "2023/05/20 (Sat) 02:21": (2023, 5, 20, 2, 21),
    "2023/05/20": (2023, 5, 20),
    "8 May 2023": (2023, 5, 8),
    "May 8, 2023": (2023, 5, 8),
    "Monday, May 8th, 2023 at 14:30": (2023, 5, 8, 14, 30),
    "Sep 3, 2023 4:15 PM": (2023, 9, 3, 16, 15),
    "March-15-2024": (2024, 3, 15),
    "March 2024": (2024, 3, 1),
    "1999": (1999, 1, 1),
}


@pytest.mark.parametrize("text", READ)
def test_a_time_is_read(text: str) -> None:
    assert read_moment(text) == datetime(*READ[text], tzinfo=UTC)  # type: ignore[arg-type]


def test_seconds_since_1970_are_a_time() -> None:
    assert read_moment(86_400) == datetime(1970, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("given", ["", "soon", "31 February 2023", "session 4", None, True, [], 1e30, float("nan")])
def test_what_is_no_time_is_none(given: Any) -> None:
    assert read_moment(given) is None
