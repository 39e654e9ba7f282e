"""Of two memories that cannot both hold: what sort of conflict that is, and which of them is the later.

Times, projects and speakers alone; whether they contradict each other at all is in `steps/reconcile.py`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.records import Memory
from recollect.values import ConflictKind

A_WHILE = timedelta(days=1)  # said closer together than this by two, neither is the later state of things


def moment_of(memory: Memory) -> datetime:
    """From when on a memory holds, as far as it says."""
    return memory.valid_from or memory.event_time or memory.created_at


def conflict_kind(one: Memory, other: Memory, *, superseded: bool = False) -> ConflictKind:
    """Of two projects: scope. Of two times, or where one supersedes the other: temporal. Else factual."""
    if one.project and other.project and one.project != other.project:
        return ConflictKind.SCOPE
    apart = abs(moment_of(one) - moment_of(other))
    if superseded or apart >= A_WHILE or (apart and _speaker(one) == _speaker(other)):
        return ConflictKind.TEMPORAL
    return ConflictKind.FACTUAL


def later_first(one: Memory, other: Memory) -> tuple[Memory, Memory]:
    """The two in order of their moments, the later first; of one moment, what was stored later."""

    def lateness(memory: Memory) -> tuple[datetime, datetime, str]:
        return moment_of(memory), memory.created_at, memory.id

    return (one, other) if lateness(one) > lateness(other) else (other, one)


def _speaker(memory: Memory) -> tuple[str | None, ...]:
    """Who says it: whoever says two things one after the other means the later."""
    return memory.author, memory.trust, memory.source_uri
