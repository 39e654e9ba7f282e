"""The memory source: what was remembered, found by words and by meaning, ranks fused, every score explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recollect.errors import EmbedderMismatch
from recollect.offload import run_in_thread
from recollect.ports import Store
from recollect.rank.fuse import fuse_ranks
from recollect.rank.relevance import Signals, highest_score, named, relevance, strength
from recollect.records import Match, Memory
from recollect.values import Abilities, Explanation, Hit, Lookup, Reply

NAME = "memory"


@dataclass(frozen=True, slots=True)
class _Arms:
    """What the two searches brought."""

    keyword: dict[str, float]
    semantic: dict[str, float]
    highest: float
    notes: tuple[str, ...]


class MemorySource:
    """Hybrid search over a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def name(self) -> str:
        return NAME

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=True)

    async def search(self, lookup: Lookup) -> Reply:
        return await run_in_thread(self.search_now, lookup)

    async def close(self) -> None:
        """The store is closed by whoever opened it."""

    def search_now(self, lookup: Lookup) -> Reply:
        """The same, blocking."""
        if lookup.limit <= 0:
            return Reply(())
        arms = self._ask(lookup)
        lists = {"keyword": list(arms.keyword), "semantic": list(arms.semantic)}
        fused = fuse_ranks(lists, limit=lookup.limit)
        memories = {memory.id: memory for memory in self._store.read(lookup.space, [id for id, _ in fused])}
        if lookup.about and memories:  # found by other words: judged by the part's own
            only = replace(lookup.filters, ids=frozenset(memories))
            lookup = replace(lookup, text=lookup.about, vector=lookup.about_vector, filters=only)
            arms = self._ask(lookup)
        cosines = self._cosines(lookup, arms, memories)
        hits = [
            self._hit(memories[id], ranks, lookup=lookup, arms=arms, cosine=cosines.get(id))
            for id, ranks in fused
            if id in memories
        ]
        return Reply(tuple(hits), arms.notes)

    def _ask(self, lookup: Lookup) -> _Arms:
        matches, terms = self._store.match(lookup.space, lookup.text, filters=lookup.filters, limit=lookup.limit)
        near: list[Match] = []
        notes: tuple[str, ...] = ()
        if lookup.vector is not None:
            try:
                near = self._store.nearest(lookup.space, lookup.vector, filters=lookup.filters, limit=lookup.limit)
            except EmbedderMismatch as error:
                notes = (f"keyword search only: {error}",)
        return _Arms(_by_id(matches), _by_id(near), highest_score(terms), notes)

    def _cosines(self, lookup: Lookup, arms: _Arms, memories: Mapping[str, Memory]) -> dict[str, float]:
        """Cosines of all hits: those the keyword search alone found are compared now."""
        cosines = dict(arms.semantic)
        missing = [id for id in memories if id not in cosines]
        if lookup.vector is not None and arms.semantic and missing:
            cosines |= self._store.cosines(lookup.space, lookup.vector, missing)
        return cosines

    def _hit(self, memory: Memory, ranks: Explanation, *, lookup: Lookup, arms: _Arms, cosine: float | None) -> Hit:
        bm25 = arms.keyword.get(memory.id, 0.0)
        signals = Signals(cosine, strength(bm25, highest=arms.highest), named(lookup.names, memory))
        probability, odds = relevance(signals)
        raw = Explanation(bm25, "keyword score (BM25)")
        explanation = Explanation(ranks.value, "memory search", (ranks, odds, raw))
        return Hit(memory, NAME, ranks.value, probability, explanation)


def _by_id(matches: Sequence[Match]) -> dict[str, float]:
    return {match.id: match.source_score for match in matches}
