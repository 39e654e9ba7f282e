"""Recording what happens to a question: a span per step, in it the decisions with their reason codes.

The recorder is the one thing steps share that is not a value; `finish` turns it into one (`values.Trace`).
Texts of memories never go in, only ids and numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from types import MappingProxyType

from recollect.values import Decision, Span, Trace


class Recorder:
    """Spans and decisions of one call."""

    def __init__(self, id: str, *, started_at: datetime, monotonic: Callable[[], float]) -> None:
        self._id = id
        self._started_at = started_at
        self._monotonic = monotonic
        self._spans: list[Span] = []
        self._decisions: list[Decision] = []

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One step of the path; what is decided inside belongs to it."""
        before, self._decisions = self._decisions, []
        began = self._monotonic()
        try:
            yield
        finally:
            self._spans.append(Span(name, self._monotonic() - began, tuple(self._decisions)))
            self._decisions = before

    def decide(self, what: str, because: str, **numbers: float | int | str) -> None:
        """One decision: what was done, the reason code, and the numbers behind it."""
        self._decisions.append(Decision(what, because, MappingProxyType(numbers)))

    def finish(self) -> Trace:
        """The trace so far, as a value."""
        return Trace(self._id, self._started_at, tuple(self._spans))
