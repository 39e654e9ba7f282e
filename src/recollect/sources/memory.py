"""The memory and messages sources: what was remembered, found by words, by meaning and over links.

Takes a lookup; gives hits with a score of six signals, a relevance and both explained. Decides which matches
activation spreads from, which linked memories enter unmatched, and the order. Messages are the same search over one
kind: the messages source owns it while it is on. What to make of the hits is left to the path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from recollect.errors import EmbedderMismatch
from recollect.language.mentions import mentioned
from recollect.offload import run_together
from recollect.ports import Store
from recollect.rank.fuse import Places, explain_places, fuse_places
from recollect.rank.ordering import Clues, codeness, coverage, length, ordering_chance, shipped_weights
from recollect.rank.relevance import Signals, chance, highest_score, named, relevance, strength, through_links
from recollect.rank.signals import Sighting, measure, score, score_alone, weights_for
from recollect.rank.spread import Activation, spread
from recollect.readings import remembered
from recollect.records import Filters, Link, Match, Memory, Term, Ties
from recollect.settings import Settings
from recollect.values import Abilities, Explanation, Hit, Later, Lookup, Reply, Shown

MEMORY = "memory"
MESSAGES = "messages"
MESSAGE_KINDS = frozenset({"message"})
READ_PER_PLACE = 4  # linked ids read at once for each memory that may enter: some are hidden, some off the question
UNREACHED = Activation()
_names_in = remembered(mentioned)
NOT_RANKED = Explanation(0.0, "fused rank (found through links alone)")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class _Arms:
    """What the two searches brought."""

    keyword: dict[str, float]
    semantic: dict[str, float]
    highest: float
    terms: Sequence[Term]
    notes: tuple[str, ...]


class _Judged(NamedTuple):
    """One memory beside the question: what was seen of it, its relevance by itself, and where it stands."""

    memory: Memory
    seen: Signals
    own: float
    order: float


class _Look(NamedTuple):
    """What all hits of one lookup are ordered by: the best of both lists, the places in them, and the words."""

    best_keyword: float
    best_cosine: float
    keyword_places: Mapping[str, int]
    semantic_places: Mapping[str, int]
    terms: Sequence[Term]
    weights: Mapping[str, float]

    @classmethod
    def of(cls, arms: _Arms, cosines: Mapping[str, float]) -> _Look:
        return cls(
            max(arms.keyword.values(), default=0.0),
            max(cosines.values(), default=0.0),
            {id: place for place, id in enumerate(arms.keyword, start=1)},
            {id: place for place, id in enumerate(arms.semantic, start=1)},
            arms.terms,
            shipped_weights()["with_vectors" if cosines else "keyword_only"],
        )

    def order(self, memory: Memory, seen: Signals, bm25: float) -> float:
        """Where a memory stands beside the others, 0..1."""
        text = f"{memory.author or ''}\n{memory.title}\n{memory.body}".lower()
        cosine = seen.cosine or 0.0
        keyword_place, semantic_place = self.keyword_places.get(memory.id), self.semantic_places.get(memory.id)
        clues = Clues(
            cosine,
            seen.strength,
            seen.named,
            bm25 / self.best_keyword if self.best_keyword else 0.0,
            cosine / self.best_cosine if self.best_cosine > 0 else 0.0,
            1 / keyword_place if keyword_place else 0.0,
            1 / semantic_place if semantic_place else 0.0,
            coverage(self.terms, text),
            length(text),
            codeness(memory),
        )
        return ordering_chance(clues, self.weights)


class _Links(NamedTuple):
    """What links say: the activation of each id, and how many links point to it, where there are any."""

    activations: Mapping[str, Activation]
    inbound: Mapping[str, int]


class MemorySource:
    """Hybrid search over a store with spreading activation.

    With `only`, it searches memories of these kinds and no others. Messages are left to their own source while that
    is on.
    """

    def __init__(
        self,
        store: Store,
        *,
        settings: Settings | None = None,
        now: Callable[[], datetime] = _now,
        name: str = MEMORY,
        only: frozenset[str] = frozenset(),
    ) -> None:
        self._store = store
        self._settings = settings or Settings()
        self._now = now
        self._name = name
        self._only = only
        self._without = MESSAGE_KINDS - only if self._settings.enable_messages else frozenset[str]()

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
        arms = self._ask(lookup)
        fused = dict(fuse_places({"keyword": list(arms.keyword), "semantic": list(arms.semantic)}, limit=lookup.limit))
        memories = self._store.read(lookup.space, list(fused))
        if lookup.about and memories:  # found by other words: judged by the part's own
            lookup = replace(lookup, text=lookup.about, vector=lookup.about_vector)
            arms = self._ask(lookup, only=frozenset(memory.id for memory in memories))
        now = self._now()
        matched = self._judge(lookup, arms, memories)
        links = self._spread(lookup.space, matched, now=now)
        unmatched = self._unmatched(lookup, arms, links, matched=fused, now=now)
        found = _most_relevant([*matched, *unmatched], links, limit=lookup.limit)
        links = self._counted(lookup.space, links, unmatched)
        return Reply(self._hits(lookup.space, found, fused, arms=arms, links=links, now=now), arms.notes)

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

    def _ask(self, lookup: Lookup, *, only: frozenset[str] = frozenset()) -> _Arms:
        filters = replace(lookup.filters, ids=only) if only else lookup.filters
        matches, terms = self._store.match(lookup.space, lookup.text, filters=filters, limit=lookup.limit)
        near: list[Match] = []
        notes: tuple[str, ...] = ()
        if lookup.vector is not None:
            try:
                near = self._store.nearest(lookup.space, lookup.vector, filters=filters, limit=lookup.limit)
            except EmbedderMismatch as error:
                notes = (f"keyword search only: {error}",)
        return _Arms(_by_id(matches), _by_id(near), highest_score(terms), terms, notes)

    def _judge(self, lookup: Lookup, arms: _Arms, memories: Sequence[Memory]) -> list[_Judged]:
        """Each memory beside the question, links apart; those the words alone found are compared by meaning now."""
        cosines = arms.semantic
        missing = [memory.id for memory in memories if memory.id not in cosines]
        if lookup.vector is not None and cosines and missing:
            cosines = cosines | self._store.cosines(lookup.space, lookup.vector, missing)
        judged = []
        look = _Look.of(arms, cosines)
        for memory in memories:
            cosine, bm25 = cosines.get(memory.id), arms.keyword.get(memory.id, 0.0)
            names = named(lookup.names, memory, spellings=lookup.spellings)
            seen = Signals(cosine, strength(bm25, highest=arms.highest), names)
            judged.append(_Judged(memory, seen, chance(seen), look.order(memory, seen, bm25)))
        return judged

    # --- over links ------------------------------------------------------------------------------

    def _spread(self, space: str, matched: Sequence[_Judged], *, now: datetime) -> _Links:
        """Activation from the matches that would pass the gate; of the others, only what their links state."""
        gate = self._settings.quality_threshold
        seeds = {each.memory.id: each.own if each.own >= gate else 0.0 for each in matched}
        inbound: dict[str, int] = {}

        named = self._mentions(space, matched, now=now)

        def ask(ids: Sequence[str]) -> Mapping[str, Ties]:
            found = self._store.ties(space, ids, most=self._settings.spread.links_per_memory)
            inbound.update((id, ties.inbound) for id, ties in found.items())
            return _with_mentions(found, named, ids) if named else found

        activations = spread(seeds, ask, settings=self._settings.spread, learning=self._settings.learning, now=now)
        return _Links(activations, inbound)

    def _mentions(self, space: str, matched: Sequence[_Judged], *, now: datetime) -> dict[str, list[Link]]:
        """Links nobody stored: from the best matches to the memories whose titles they name.

        A title that several memories have names none of them: they share the weight.
        """
        settings = self._settings
        most, gate = settings.spread.read_for_names, settings.quality_threshold
        best = sorted((each for each in matched if each.own >= gate), key=lambda each: (-each.own, each.memory.id))
        names = {each.memory.id: _names_in(each.memory.body) for each in best[:most]}
        titled = self._store.titled(space, sorted({name for found in names.values() for name in found}))
        links: dict[str, list[Link]] = {}
        for id, found in names.items() if titled else ():
            weights: dict[str, float] = {}
            for ids in (titled[name] for name in found if name in titled):
                for other in ids:
                    weights[other] = max(weights.get(other, 0.0), settings.spread.mention_weight / len(ids))
            links[id] = [
                Link(id, other, "mentions", now, weight=share) for other, share in weights.items() if other != id
            ]
        return links

    def _unmatched(
        self, lookup: Lookup, arms: _Arms, links: _Links, *, matched: Mapping[str, Places], now: datetime
    ) -> list[_Judged]:
        """Linked memories that the search did not find: of those reached most, the most relevant that may be seen."""
        places = self._settings.spread.unmatched
        reached = {id: each.received for id, each in links.activations.items() if each.best > 0 and id not in matched}
        if not reached or not places:
            return []
        wanted = sorted(reached, key=lambda id: (-reached[id], id))
        visible: list[Memory] = []
        for start in range(0, len(wanted), READ_PER_PLACE * places):  # entities and hidden memories take up no place
            read = self._store.read(lookup.space, wanted[start : start + READ_PER_PLACE * places])
            visible += [memory for memory in read if lookup.filters.passes(memory, now=now)]
            if len(visible) >= places:
                break
        return _most_relevant(self._judge(lookup, arms, visible), links, limit=places)

    def _counted(self, space: str, links: _Links, unmatched: Sequence[_Judged]) -> _Links:
        """The same, with how many links point to those the last hop reached, whose own were not asked for."""
        late = [each.memory.id for each in unmatched if each.memory.id not in links.inbound]
        if not late:
            return links
        counts = self._store.ties(space, late, most=0)
        return links._replace(inbound={**links.inbound, **{id: ties.inbound for id, ties in counts.items()}})

    # --- hits ------------------------------------------------------------------------------------

    def _hits(
        self,
        space: str,
        found: Sequence[_Judged],
        fused: Mapping[str, Places],
        *,
        arms: _Arms,
        links: _Links,
        now: datetime,
    ) -> tuple[Hit, ...]:
        """Most relevant first, ties by id.

        Not by the score: it also prefers what is new, used or much linked, each kind by weights of its own, which says
        nothing about what was asked. It is there to explain, and for whoever wants that order.
        """
        vectors = self._store.vectors(space, [each.memory.id for each in found])
        settings, gate = self._settings, self._settings.quality_threshold
        hits = []
        for (memory, seen, own, order), vector in zip(found, vectors, strict=True):
            bm25, reached = arms.keyword.get(memory.id, 0.0), links.activations.get(memory.id, UNREACHED)
            inbound = links.inbound.get(memory.id, 0)
            sighting = Sighting(seen.cosine, seen.strength, bm25, reached.received, inbound)
            total, merits = score_alone(memory, sighting, settings=settings, now=now)
            story = _Story(self._name, memory, seen, sighting, reached.best, fused.get(memory.id, ()))
            hits.append(
                Hit(
                    memory,
                    self._name,
                    total,
                    1 - (1 - own) * (1 - reached.best) if reached.best > 0 else own,
                    Later(_told, (story, settings, now)),
                    vector,
                    reached.reached_by if own < gate else (),
                    reached.contradicts,
                    reached.supersedes,
                    1 - (1 - order) * (1 - reached.best),
                    merits,
                )
            )
        return tuple(sorted(hits, key=lambda hit: (-hit.stands, hit.memory.id)))


class _Story(NamedTuple):
    """What the reasons for a hit are told from."""

    source: str
    memory: Memory
    seen: Signals
    sighting: Sighting
    best: float
    places: Places


def _told(story: _Story, settings: Settings, now: datetime) -> Shown:
    """The six signals that make the score, and beside them what makes the relevance and the places in both lists."""
    signals = measure(story.memory, story.sighting, settings=settings, now=now)
    total = score(signals, weights_for(story.memory.kind, settings.signals))
    _, odds = through_links(*relevance(story.seen), best=story.best)
    ranks = explain_places(story.places) if story.places else NOT_RANKED
    details = (total, odds, ranks, Explanation(story.sighting.bm25, "keyword score (BM25)"))
    return Shown(Explanation(total.value, f"{story.source} search", details), signals)


def messages_source(
    store: Store, *, settings: Settings | None = None, now: Callable[[], datetime] = _now
) -> MemorySource:
    """The messages of conversations: the same search over that kind alone."""
    return MemorySource(store, settings=settings, now=now, name=MESSAGES, only=MESSAGE_KINDS)


def _most_relevant(found: list[_Judged], links: _Links, *, limit: int) -> list[_Judged]:
    """The most relevant of them, links included; where there are no more than that, all as they come."""
    if len(found) <= limit:
        return found

    def irrelevance(each: _Judged) -> tuple[float, str]:
        best = links.activations.get(each.memory.id, UNREACHED).best
        return (1 - each.order) * (1 - best), each.memory.id

    return sorted(found, key=irrelevance)[:limit]


def _with_mentions(found: Mapping[str, Ties], named: Mapping[str, list[Link]], ids: Sequence[str]) -> dict[str, Ties]:
    """The stored links and those that names make; a name counts once where somebody has linked the two already."""
    ties = dict(found)
    for id in ids:
        if id in named:
            links, inbound, outbound = ties.get(id, Ties((), 0, 0))
            linked = {link.to_id for link in links} | {link.from_id for link in links}
            new = [link for link in named[id] if link.to_id not in linked]
            ties[id] = Ties((*links, *new), inbound, outbound + len(new))
    return ties


def _by_id(matches: Sequence[Match]) -> dict[str, float]:
    return {match.id: match.source_score for match in matches}
