"""What callers give, checked before any work: a mistake raises at once and names the field and the remedy."""

from __future__ import annotations

from recollect.errors import InvalidInput
from recollect.ingest.gate import HALF_CHARACTER
from recollect.records import Filters

MOST = 1_000  # items one call returns, at most


def check_ids(*ids: str, field: str = "id") -> None:
    """Ids are texts, none of them empty."""
    for id in ids:
        if not isinstance(id, str) or not id or HALF_CHARACTER.search(id):
            raise InvalidInput(f"{field} is {id!r}; give a text that is not empty", field=field)


def check_filters(filters: Filters | None) -> None:
    """Filters are a Filters value, or left out."""
    if filters is not None and not isinstance(filters, Filters):
        raise InvalidInput(f"filters must be Filters, not {type(filters).__name__}", field="filters")


def check_limit(limit: int) -> None:
    """A limit is a whole number; zero is one."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MOST:
        raise InvalidInput(f"limit is {limit!r}; give a whole number from 0 to {MOST:,}", field="limit")


def check_question(text: str) -> None:
    """A question is text with something in it."""
    if not isinstance(text, str):
        raise InvalidInput(f"the question must be text, not {type(text).__name__}", field="text")
    if not text.strip():
        raise InvalidInput("the question is empty; ask something", field="text")
    if HALF_CHARACTER.search(text):
        raise InvalidInput("the question holds half a character (a lone surrogate); decode it as a whole", field="text")
