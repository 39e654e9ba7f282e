"""The reference source: a list of memories searched by shared words. For tests, examples and back-end authors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from recollect.records import Filters, Memory, TimeAxis, TimeRange
from recollect.values import Abilities, Explanation, Hit, Lookup, Reply

WORD = re.compile(r"\w+")


class InMemorySource:
    """Memories of any number of spaces, in a list; relevance is the share of the lookup's words a memory holds."""

    def __init__(self, memories: Iterable[Memory] = (), *, name: str = "list") -> None:
        self._memories = list(memories)
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=False)

    async def search(self, lookup: Lookup) -> Reply:
        wanted, asked = _words(lookup.text), _words(lookup.about or lookup.text)
        held = [
            (memory, _words(f"{memory.title} {memory.body}"))
            for memory in self._memories
            if memory.space == lookup.space and _passes(memory, lookup.filters)
        ]
        hits = [self._hit(memory, len(asked & words) / len(asked)) for memory, words in held if wanted & words]
        found = sorted((hit for hit in hits if hit.relevance > 0), key=lambda hit: (-hit.relevance, hit.memory.id))
        return Reply(tuple(found[: max(0, lookup.limit)]))

    async def close(self) -> None:
        self._memories.clear()

    def _hit(self, memory: Memory, share: float) -> Hit:
        return Hit(memory, self._name, share, share, Explanation(share, "share of the words"))


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def _passes(memory: Memory, filters: Filters) -> bool:
    """Whether a memory may be seen. A list has no clock: whatever has an end counts as superseded, unless `as_of`."""
    return (
        memory.lifecycle in filters.lifecycles
        and (not filters.ids or memory.id in filters.ids)
        and (not filters.kinds or memory.kind in filters.kinds)
        and (not filters.projects or memory.project in filters.projects)
        and (not filters.trusts or memory.trust in filters.trusts)
        and filters.tags <= set(memory.tags)
        and (not filters.clusters or bool(filters.clusters & set(memory.clusters)))
        and (filters.time is None or _is_within(memory, filters.time))
        and (filters.superseded or _holds(memory, as_of=filters.as_of))
    )


def _is_within(memory: Memory, wanted: TimeRange) -> bool:
    moments = {
        TimeAxis.EVENT: (memory.event_time,),
        TimeAxis.STORED: (memory.created_at,),
        TimeAxis.ANY: (memory.event_time, memory.created_at),
    }[wanted.axis]
    return any(
        moment is not None
        and (wanted.start is None or moment >= wanted.start)
        and (wanted.end is None or moment < wanted.end)
        for moment in moments
    )


def _holds(memory: Memory, *, as_of: datetime | None) -> bool:
    if as_of is None:
        return memory.valid_to is None
    begins = memory.valid_from or memory.event_time or memory.created_at
    return begins <= as_of and (memory.valid_to is None or memory.valid_to > as_of)
