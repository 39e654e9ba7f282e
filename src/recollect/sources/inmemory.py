"""The reference source: a list of memories searched by shared words. For tests, examples and back-end authors."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.records import Filters, Memory
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
        wanted = _words(lookup.text)
        hits = [
            self._hit(memory, len(wanted & _words(f"{memory.title} {memory.body}")) / len(wanted))
            for memory in self._memories
            if wanted and memory.space == lookup.space and _passes(memory, lookup.filters)
        ]
        found = sorted((hit for hit in hits if hit.relevance > 0), key=lambda hit: (-hit.relevance, hit.memory.id))
        return Reply(tuple(found[: max(0, lookup.limit)]))

    async def close(self) -> None:
        self._memories.clear()

    def _hit(self, memory: Memory, share: float) -> Hit:
        return Hit(memory, self._name, share, share, Explanation(share, "share of the words"))


def _words(text: str) -> set[str]:
    return set(WORD.findall(text.lower()))


def _passes(memory: Memory, filters: Filters) -> bool:
    """The filters a list can answer without a clock: all but validity and time."""
    return (
        memory.lifecycle in filters.lifecycles
        and (not filters.kinds or memory.kind in filters.kinds)
        and (not filters.projects or memory.project in filters.projects)
        and (not filters.trusts or memory.trust in filters.trusts)
        and filters.tags <= set(memory.tags)
        and (not filters.clusters or bool(filters.clusters & set(memory.clusters)))
        and (filters.superseded or memory.valid_to is None)
    )
