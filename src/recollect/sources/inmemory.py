"""The reference source: a list of memories searched by shared words. For tests, examples and back-end authors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from recollect.records import Memory
from recollect.values import Abilities, Explanation, Hit, Lookup, Reply

WORD = re.compile(r"\w+")


def _now() -> datetime:
    return datetime.now(UTC)


class InMemorySource:
    """Memories of any number of spaces, in a list; relevance is the share of the lookup's words a memory holds."""

    def __init__(
        self, memories: Iterable[Memory] = (), *, name: str = "list", now: Callable[[], datetime] = _now
    ) -> None:
        self._memories = list(memories)
        self._name = name
        self._now = now

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=False, cooperative=True)

    async def search(self, lookup: Lookup) -> Reply:
        now = self._now()
        wanted, asked = _words(lookup.text), _words(lookup.about or lookup.text)
        held = [
            (memory, _words(f"{memory.title} {memory.body}"))
            for memory in self._memories
            if memory.space == lookup.space and lookup.filters.passes(memory, now=now)
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
