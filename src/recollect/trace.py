"""Recording what happens to a question: a span per step, in it the decisions with their reason codes, and counters.

The recorder is the one thing steps share that is not a value; `finish` turns it into one (`values.Trace`). A watcher,
where there is one, is told as things happen. Texts of memories never go in, only ids, numbers and the lookups' words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from types import MappingProxyType
from typing import TypeAlias

from recollect.values import Decision, Happening, Span, Trace

Number: TypeAlias = float | int | str
Watcher: TypeAlias = Callable[[Happening], None]


_watcher: ContextVar[Watcher | None] = ContextVar("recollect_watcher", default=None)


@contextmanager
def watching(watch: Watcher) -> Iterator[None]:
    """Inside this block `watch` is told what happens to the questions asked in it, as it happens.

    It is called on the loop the question runs on, so it must be quick and must not raise.
    """
    token = _watcher.set(watch)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> Watcher | None:
    """Who watches here, if anybody."""
    return _watcher.get()


class Recorder:
    """Spans, decisions and counters of one call."""

    def __init__(
        self, id: str, *, started_at: datetime, monotonic: Callable[[], float], watch: Watcher | None = None
    ) -> None:
        self._id = id
        self._started_at = started_at
        self._monotonic = monotonic
        self._zero = monotonic()
        self._watch = watch
        self._spans: list[Span] = []
        self._decisions: list[Decision] = []
        self._inside: list[Span] = []
        self._counters: dict[str, Number] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One step of the path; what is decided inside belongs to it."""
        before, self._decisions, self._inside = (self._decisions, self._inside), [], []
        began = self._monotonic()
        self._tell("begins", name, began)
        try:
            yield
        finally:
            took = self._monotonic() - began
            self._spans.append(Span(name, took, tuple(self._decisions), began - self._zero, tuple(self._inside)))
            self._decisions, self._inside = before
            self._tell("ends", name, began + took)

    def decide(self, what: str, because: str, **numbers: Number) -> None:
        """One decision: what was done, the reason code, and the numbers behind it."""
        self._decisions.append(Decision(what, because, MappingProxyType(numbers)))
        if self._watch:
            self._tell("decides", what, self._monotonic(), because=because, **numbers)

    def ran(self, name: str, *, began: float, seconds: float, because: str, **numbers: Number) -> None:
        """Something that ran inside the step, from the moment `began`: a span of its own with one decision."""
        decision = Decision(name, because, MappingProxyType(numbers))
        self._inside.append(Span(name, seconds, (decision,), began - self._zero))
        if self._watch:
            self._tell("ran", name, began + seconds, because=because, seconds=seconds, **numbers)

    def count(self, **amounts: float | int) -> None:
        """Add to counters of the whole call."""
        for name, amount in amounts.items():
            so_far = self._counters.get(name, 0)
            assert not isinstance(so_far, str), name
            self._counters[name] = so_far + amount

    def note(self, **values: Number) -> None:
        """Set counters of the whole call."""
        self._counters |= values

    def finish(self) -> Trace:
        """The trace so far, as a value."""
        return Trace(self._id, self._started_at, tuple(self._spans), MappingProxyType(dict(self._counters)))

    def _tell(self, what: str, name: str, at: float, **numbers: Number) -> None:
        if self._watch:
            self._watch(Happening(what, name, at - self._zero, MappingProxyType(numbers)))
