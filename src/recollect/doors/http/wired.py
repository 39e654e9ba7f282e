"""What every route works with: the engine and the parts of the service around it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recollect.doors.http.counts import Counts
from recollect.doors.http.keys import KeyRing
from recollect.engine import Recollect
from recollect.errors import InvalidInput
from recollect.settings import Settings

if TYPE_CHECKING:
    from recollect.telemetry.metrics import Metrics


@dataclass(slots=True)
class State:
    """How far the service is: it serves from the start, but is usable only once everything is loaded."""

    usable: bool = False
    problem: str = ""
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wired:
    """The parts of one service. `metrics` count the engine's calls, where the extra for it is installed."""

    engine: Recollect
    settings: Settings
    keys: KeyRing
    state: State = field(default_factory=State)
    counts: Counts = field(default_factory=Counts)
    metrics: Metrics | None = None
    turns: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        # More at once would not be answered sooner: they take turns at the interpreter, and hold up the loop meanwhile.
        object.__setattr__(self, "turns", asyncio.Semaphore(self.settings.service.questions_at_once))

    def deadline(self, seconds: float | None) -> float | None:
        """The deadline asked for, if a request may take so long."""
        most = self.settings.service.request_seconds
        if seconds is not None and seconds > most:
            raise InvalidInput(f"deadline is {seconds:g}; a request may take {most:g} s at most", field="deadline")
        return seconds
