"""Evidence -> Evidence with contradictions marked on both sides, and the preferred side named.

One rule so far: two memories of one kind under the same title whose numbers, names or negation differ. The one
that happened, or was stored, later is preferred and stands first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations

from recollect.rank.identity import details_agree
from recollect.records import Memory
from recollect.trace import Recorder
from recollect.values import Conflict, Evidence


def reconcile(evidence: Sequence[Evidence], *, trace: Recorder) -> tuple[tuple[Evidence, ...], tuple[Conflict, ...]]:
    """The evidence with both sides of each contradiction marked, and the contradictions."""
    conflicts = tuple(
        _conflict(one.memory, other.memory)
        for one, other in combinations(evidence, 2)
        if _contradict(one.memory, other.memory)
    )
    marks: dict[str, set[str]] = {}
    for conflict in conflicts:
        marks.setdefault(conflict.preferred, set()).add(conflict.other)
        marks.setdefault(conflict.other, set()).add(conflict.preferred)
        trace.decide("prefer", conflict.reason, preferred=conflict.preferred, other=conflict.other)
    marked = [replace(each, contradicted_by=tuple(sorted(marks.get(each.memory.id, ())))) for each in evidence]
    return _preferred_first(marked, conflicts), conflicts


def _contradict(one: Memory, other: Memory) -> bool:
    same_subject = one.title and one.kind == other.kind and one.title.casefold() == other.title.casefold()
    return bool(same_subject) and not details_agree(one.body, other.body)


def _conflict(one: Memory, other: Memory) -> Conflict:
    older, newer = sorted((one, other), key=lambda memory: (_moment(memory), memory.id))
    return Conflict(preferred=newer.id, other=older.id, reason="latest_wins")


def _moment(memory: Memory) -> datetime:
    return memory.event_time or memory.created_at


def _preferred_first(evidence: Sequence[Evidence], conflicts: Sequence[Conflict]) -> tuple[Evidence, ...]:
    """The same pieces; where the other side stands before the preferred one, the two change places."""
    order = [each.memory.id for each in evidence]
    unsettled = True
    while unsettled:  # ends: each change brings two pieces into the order of their moments
        unsettled = False
        for conflict in conflicts:
            first, second = order.index(conflict.preferred), order.index(conflict.other)
            if second < first:
                order[first], order[second] = order[second], order[first]
                unsettled = True
    by_id = {each.memory.id: each for each in evidence}
    return tuple(by_id[id] for id in order)
