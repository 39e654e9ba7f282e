"""A store searched by words, by meaning and over links: what the memory, messages, vector and local sources share.

Takes a lookup; gives hits with a score of six signals, a relevance and both explained. Decides which matches
activation spreads from, which linked memories enter unmatched, and the order. Which kinds are searched is the source's
business; what to make of the hits is left to the path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from recollect.candidates import Arms, Candidate, Lineup
from recollect.errors import EmbedderMismatch
from recollect.lineup import Looking
from recollect.offload import run_together
from recollect.ports import Knowledge, Store
from recollect.rank.clues import as_written
from recollect.rank.fuse import Places, explain_places, fuse_places
from recollect.rank.model import Model, shipped_model
from recollect.rank.reasons import through_links
from recollect.rank.relevance import highest_score
from recollect.rank.signals import Sighting, measure, score, score_alone, weights_for
from recollect.rank.spread import Activation, spread
from recollect.records import Filters, Match, Memory, Ties
from recollect.settings import Settings
from recollect.values import Abilities, Explanation, Hit, Later, Lookup, Reply, Shown

READ_PER_PLACE = 4  # linked ids read at once for each memory that may enter: some are hidden, some off the question
WORDS_PER_PLACE = 2  # keyword scores asked for: those of neighbours and of what is named count too
UNREACHED = Activation()
NOT_RANKED = Explanation(0.0, "fused rank (found through links alone)")


def system_now() -> datetime:
    """The moment, for whoever was given no clock."""
    return datetime.now(UTC)


class _Links(NamedTuple):
    """What links say: the activation of each id, and how many links point to it, where there are any."""

    activations: Mapping[str, Activation]
    inbound: Mapping[str, int]


class _Searched(NamedTuple):
    """One lookup before links: both arms, the places in them, and the lineup with whoever lined it up."""

    arms: Arms
    fused: Mapping[str, Places]
    looking: Looking
    lineup: Lineup


class _Judged(NamedTuple):
    """A candidate with its relevance, links apart."""

    candidate: Candidate
    relevance: float

    @property
    def id(self) -> str:
        return self.candidate.memory.id


class Kinds(NamedTuple):
    """What a source searches: with `only`, memories of these kinds and no others; never those in `without`."""

    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()


ALL_KINDS = Kinds()


class Hybrid:
    """Hybrid search over a store with spreading activation: a source over whatever a store holds."""

    def __init__(
        self,
        store: Store,
        *,
        name: str,
        settings: Settings | None = None,
        now: Callable[[], datetime] = system_now,
        kinds: Kinds = ALL_KINDS,
        model: Model | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        self._store = store
        self._knowledge = knowledge
        self._settings = settings or Settings()
        self._now = now
        self._name = name
        self._only = kinds.only
        self._without = kinds.without - kinds.only
        self._model = model

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=True, cooperative=True)

    async def search(self, lookup: Lookup) -> Reply:
        return await run_together(self._store, self.search_now, lookup)

    async def close(self) -> None:
        """The store is closed by whoever opened it."""

    def search_now(self, lookup: Lookup) -> Reply:
        """The same, blocking."""
        filters = self._narrowed(lookup.filters)
        if lookup.limit <= 0 or filters is None:
            return Reply(())
        lookup = replace(lookup, filters=filters)
        now = self._now()
        searched = self._lined_up(lookup, now=now)
        lineup = searched.lineup
        if not lineup.candidates:
            return Reply((), searched.arms.notes)
        matched = [_Judged(each, lineup.relevance(each)) for each in lineup.candidates.values()]
        links = self._spread(lookup.space, matched, now=now)
        unmatched = self._unmatched(lookup, searched, links, now=now)
        found = _most_relevant([*matched, *unmatched], links, limit=lookup.limit)
        links = self._counted(lookup.space, links, found)
        hits = self._hits(lookup.space, found, searched, links=links, now=now)
        return Reply(hits, searched.arms.notes)

    def line_up(self, lookup: Lookup) -> Lineup:
        """What a lookup brings before links, with all its clues: for whoever fits or looks into the model."""
        filters = self._narrowed(lookup.filters) or lookup.filters
        return self._lined_up(replace(lookup, filters=filters), now=self._now()).lineup

    def _lined_up(self, lookup: Lookup, *, now: datetime) -> _Searched:
        arms = self._ask(lookup)
        lists = {"keyword": list(arms.keyword)[: lookup.limit], "semantic": list(arms.semantic)[: lookup.limit]}
        fused = dict(fuse_places(lists, limit=lookup.limit))
        memories = self._store.read(lookup.space, list(fused)) if fused else []
        if lookup.about and memories:  # found by other words: judged by the part's own
            lookup = replace(lookup, text=lookup.about, vector=lookup.about_vector)
            arms = self._ask(lookup, only=frozenset(memory.id for memory in memories))
        model = self._model or shipped_model()
        weights = model.with_vectors if arms.semantic else model.keyword_only

        def passes(memory: Memory) -> bool:
            return lookup.filters.passes(memory, now=now)

        known = self._knowledge if self._knowledge is not None and self._knowledge.holds(lookup.space) else None
        looking = Looking(self._store, lookup, arms, weights=weights, passes=passes, knowledge=known)
        lineup = looking.line_up(memories, read_for_names=self._settings.spread.read_for_names)
        return _Searched(arms, fused, looking, lineup)

    def _narrowed(self, filters: Filters) -> Filters | None:
        """The filters within what this source searches; None where nothing can pass them."""
        kinds = filters.kinds or self._only
        if self._only:
            kinds &= self._only
        without = filters.without_kinds | self._without
        if (filters.kinds or self._only) and kinds <= without:
            return None
        if kinds == filters.kinds and without == filters.without_kinds:
            return filters
        return replace(filters, kinds=kinds, without_kinds=without)

    # --- by words and by meaning -----------------------------------------------------------------

    def _ask(self, lookup: Lookup, *, only: frozenset[str] = frozenset()) -> Arms:
        filters = replace(lookup.filters, ids=only) if only else lookup.filters
        most = WORDS_PER_PLACE * lookup.limit
        matches, terms = self._store.match(lookup.space, lookup.text, filters=filters, limit=most)
        near: list[Match] = []
        notes: tuple[str, ...] = ()
        if lookup.vector is not None:
            try:
                near = self._store.nearest(lookup.space, lookup.vector, filters=filters, limit=lookup.limit)
            except EmbedderMismatch as error:
                notes = (f"keyword search only: {error}",)
        return Arms(_by_id(matches), _by_id(near), highest_score(terms), as_written(terms, lookup.text), notes)

    # --- over links ------------------------------------------------------------------------------

    def _spread(self, space: str, matched: Sequence[_Judged], *, now: datetime) -> _Links:
        """Activation from the matches that would pass the gate; of the others, only what their links state."""
        gate = self._settings.quality_threshold
        seeds = {each.id: each.relevance if each.relevance >= gate else 0.0 for each in matched}
        inbound: dict[str, int] = {}

        def ask(ids: Sequence[str]) -> Mapping[str, Ties]:
            found = self._store.ties(space, ids, most=self._settings.spread.links_per_memory)
            inbound.update((id, ties.inbound) for id, ties in found.items())
            return found

        activations = spread(seeds, ask, settings=self._settings.spread, learning=self._settings.learning, now=now)
        return _Links(activations, inbound)

    def _unmatched(self, lookup: Lookup, searched: _Searched, links: _Links, *, now: datetime) -> list[_Judged]:
        """Linked memories that the search did not find: of those reached most, the most relevant that may be seen."""
        lineup = searched.lineup
        places, known = self._settings.spread.unmatched, lineup.candidates
        reached = {id: each.received for id, each in links.activations.items() if each.best > 0 and id not in known}
        if not reached or not places:
            return []
        wanted = sorted(reached, key=lambda id: (-reached[id], id))
        visible: list[Memory] = []
        for start in range(0, len(wanted), READ_PER_PLACE * places):  # entities and hidden memories take up no place
            read = self._store.read(lookup.space, wanted[start : start + READ_PER_PLACE * places])
            visible += [memory for memory in read if lookup.filters.passes(memory, now=now)]
            if len(visible) >= places:
                break
        judged = [_Judged(each, lineup.relevance(each)) for each in searched.looking.add(lineup, visible)]
        return _most_relevant(judged, links, limit=places)

    def _counted(self, space: str, links: _Links, found: Sequence[_Judged]) -> _Links:
        """The same, with how many links point to those whose own were not asked for."""
        late = [each.id for each in found if each.id not in links.inbound and each.id in links.activations]
        if not late:
            return links
        counts = self._store.ties(space, late, most=0)
        return links._replace(inbound={**links.inbound, **{id: ties.inbound for id, ties in counts.items()}})

    # --- hits ------------------------------------------------------------------------------------

    def _hits(
        self,
        space: str,
        found: Sequence[_Judged],
        searched: _Searched,
        *,
        links: _Links,
        now: datetime,
    ) -> tuple[Hit, ...]:
        """Most relevant first, ties by id.

        Not by the score: it also prefers what is new, used or much linked, each kind by weights of its own, which says
        nothing about what was asked. It is there to explain, and for whoever wants that order.
        """
        arms, fused, _, lineup = searched
        vectors = self._store.vectors(space, [each.id for each in found])
        settings, gate = self._settings, self._settings.quality_threshold
        hits = []
        for (candidate, own), vector in zip(found, vectors, strict=True):
            memory, clues = candidate.memory, candidate.clues
            bm25, reached = arms.keyword.get(memory.id, 0.0), links.activations.get(memory.id, UNREACHED)
            cosine = clues.cosine if arms.semantic else None
            sighting = Sighting(cosine, clues.strength, bm25, reached.received, links.inbound.get(memory.id, 0))
            total, merits = score_alone(memory, sighting, settings=settings, now=now)
            story = _Story(self._name, candidate, lineup, sighting, reached.best, fused.get(memory.id, ()))
            ways = reached.reached_by if own < gate else ()
            hits.append(
                Hit(
                    memory,
                    self._name,
                    total,
                    through_links(own, best=reached.best),
                    Later(_told, (story, settings, now)),
                    vector,
                    ways or (candidate.named_by if memory.id not in fused else ()),
                    reached.contradicts,
                    reached.supersedes,
                    merits,
                    coexists=reached.coexists,
                )
            )
        return tuple(sorted(hits, key=lambda hit: (-hit.relevance, hit.memory.id)))


class _Story(NamedTuple):
    """What the reasons for a hit are told from."""

    source: str
    candidate: Candidate
    lineup: Lineup
    sighting: Sighting
    best: float
    places: Places


def _told(story: _Story, settings: Settings, now: datetime) -> Shown:
    """The six signals that make the score, and beside them what makes the relevance and the places in both lists."""
    memory = story.candidate.memory
    signals = measure(memory, story.sighting, settings=settings, now=now)
    total = score(signals, weights_for(memory.kind, settings.signals))
    why = story.lineup.explain(story.candidate, links=story.best)
    ranks = explain_places(story.places) if story.places else NOT_RANKED
    details = (total, why, ranks, Explanation(story.sighting.bm25, "keyword score (BM25)"))
    return Shown(Explanation(total.value, f"{story.source} search", details), signals)


def _most_relevant(found: list[_Judged], links: _Links, *, limit: int) -> list[_Judged]:
    """The most relevant of them, links included; where there are no more than that, all as they come."""
    if len(found) <= limit:
        return found

    def irrelevance(each: _Judged) -> tuple[float, str]:
        best = links.activations.get(each.id, UNREACHED).best
        return (1 - each.relevance) * (1 - best), each.id

    return sorted(found, key=irrelevance)[:limit]


def _by_id(matches: Sequence[Match]) -> dict[str, float]:
    return {match.id: match.source_score for match in matches}
