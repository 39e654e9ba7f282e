"""Words for the fields of replies: every field of every reply says what it means and in which unit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

When = Annotated[str | None, Field(examples=["2026-03-01T14:30:00+00:00"])]
Share = Annotated[float, Field(ge=0, le=1)]


def says(what: str, **more: Any) -> Any:
    """A field that is always there, and what it means."""
    return Field(description=what, **more)


def one_of(words: Iterable[str]) -> str:
    """A description that lists the words.

    >>> one_of(["a", "b"])
    'One of: a, b.'
    """
    return f"One of: {', '.join(words)}."
