"""The forgetting curve: how present a memory still is, from when it was last fetched and how durable its kind is."""

from __future__ import annotations

from datetime import datetime
from math import exp

from recollect.records import Lifecycle, Memory
from recollect.settings import ForgettingSettings

SECONDS_PER_DAY = 86_400.0

# Days until retrievability falls to 1/e without any access. The figures for lesson, thesis, episode, signal and
# procedure come from an earlier agent's memory; the others are placed among them by how long such things hold.
STABILITY_DAYS = {
    "signal": 2.0,
    "message": 14.0,
    "episode": 21.0,
    "thesis": 30.0,
    "fact": 60.0,
    "lesson": 90.0,
    "entity": 180.0,
    "procedure": 180.0,
    "preference": 180.0,
    "document": 365.0,
    "chunk": 365.0,
}
DEFAULT_STABILITY_DAYS = 60.0


def retrievability(memory: Memory, *, now: datetime) -> float:
    """exp(-days since last access / stability), 1 when just fetched."""
    since = memory.last_access or memory.updated_at
    days = max(0.0, (now - since).total_seconds() / SECONDS_PER_DAY)
    return exp(-days / stability(memory))


def stability(memory: Memory) -> float:
    """Days this memory holds: its own if it was ever strengthened, else its kind's."""
    return memory.stability_days or STABILITY_DAYS.get(memory.kind, DEFAULT_STABILITY_DAYS)


def strengthened(memory: Memory, *, settings: ForgettingSettings) -> float:
    """The stability after one more access, never above the cap."""
    return max(stability(memory), min(stability(memory) * settings.growth, settings.cap_days))


def faded(memory: Memory, *, now: datetime, settings: ForgettingSettings) -> Lifecycle:
    """The lifecycle the curve gives now. Archived and superseded memories are never touched."""
    if memory.lifecycle is Lifecycle.ARCHIVED or (memory.valid_to is not None and memory.valid_to <= now):
        return memory.lifecycle
    left = retrievability(memory, now=now)
    if left > settings.active_above:
        return Lifecycle.ACTIVE
    return Lifecycle.WEAK if left > settings.weak_above else Lifecycle.DORMANT
