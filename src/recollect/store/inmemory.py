"""The reference store: plain dictionaries and plain arithmetic, nothing on disk, every answer worked out anew.

It says what the real store must answer (`tests/store/test_congruence.py` compares them) and serves tests and
examples. Only the analysis of text and the rounding of vectors are shared with the real one.
"""

from __future__ import annotations

import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import log
from typing import assert_never

from recollect.errors import EmbedderMismatch, InvalidInput, NotFound, WriteConflict
from recollect.records import (
    AdoptEmbedder,
    Applied,
    Entity,
    EraseLink,
    EraseMemory,
    Filters,
    Lag,
    Lifecycle,
    Link,
    Match,
    Memory,
    Once,
    PutEntity,
    PutLink,
    PutMemory,
    PutVector,
    SpaceStats,
    Term,
    Touch,
    Vector,
    Write,
    check_space,
)
from recollect.store.halves import from_halves, to_halves
from recollect.store.rows import entity_of, entity_row, link_of, link_row, memory_of, memory_row
from recollect.store.terms import MAX_TERMS, analyze, query_terms
from recollect.store.writing import begins_a_space

K1 = 1.2  # how soon repeating a term stops helping
B = 0.75  # how much a long text is held against it


@dataclass(frozen=True, slots=True)
class Held:
    """A memory with what is derived from it: its terms, and its vector in half precision."""

    memory: Memory
    terms: Mapping[str, int]
    vector: bytes | None = None


@dataclass(slots=True)
class Contents:
    """One space. `memories` keeps the order of insertion, which is the order of re-embedding."""

    memories: dict[str, Held] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    once: dict[str, Once] = field(default_factory=dict)
    embedder: str | None = None
    dimensions: int | None = None
    position: int = 0
    vectors_left_out: int = 0

    def copy(self) -> Contents:
        """The same contents, to be changed and thrown away when a write fails."""
        return replace(
            self,
            memories=dict(self.memories),
            links=dict(self.links),
            entities=dict(self.entities),
            once=dict(self.once),
            vectors_left_out=0,
        )


class InMemoryStore:
    """All spaces in one dictionary. Thread-safe; gone when the process ends."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._spaces: dict[str, Contents] = {}
        self._lock = threading.RLock()

    # --- records ---------------------------------------------------------------------------------

    def read(self, space: str, ids: Sequence[str]) -> list[Memory]:
        held = self._contents(space).memories
        return [held[id].memory for id in ids if id in held]

    def browse(self, space: str, filters: Filters, *, limit: int, after: str | None = None) -> list[Memory]:
        contents = self._contents(space)
        if after is not None and after not in contents.memories and space in self._spaces:
            raise NotFound(f"no memory {after!r} to continue after; start again without it")
        found = sorted((held.memory for held in self._passing(contents, filters)), key=_age, reverse=True)
        if after is not None and after in contents.memories:
            last = _age(contents.memories[after].memory)
            found = [memory for memory in found if _age(memory) < last]
        return found[: max(limit, 0)]

    def same_content(self, space: str, content_hash: str) -> list[Memory]:
        passing = [held.memory for held in self._passing(self._contents(space), Filters())]
        alike = [memory for memory in passing if memory.content_hash == content_hash]
        return sorted(alike, key=lambda memory: memory.id)

    def links(self, space: str, ids: Sequence[str]) -> list[Link]:
        links, wanted = self._contents(space).links, set(ids)
        return [links[key] for key in sorted(links) if wanted & set(key[:2])]

    def apply(self, space: str, writes: Sequence[Write], *, once: Once | None = None) -> Applied:
        with self._lock:
            if check_space(space) not in self._spaces and not begins_a_space(writes, once):
                raise NotFound(f"no space {space!r}; it comes to be with its first memory")
            contents = self._spaces.get(space, Contents()).copy()
            repeated = contents.once.get(once.key) if once else None
            if repeated and once and repeated.fingerprint != once.fingerprint:
                raise WriteConflict(f"idempotency key {once.key!r} was used for another request; use a new key")
            if repeated:
                return Applied(contents.position, repeated=repeated.answer)
            if once:
                contents.once[once.key] = once
            for write in writes:
                _apply(contents, write, space=space)
            self._spaces[space] = contents
            return Applied(contents.position, vectors_left_out=contents.vectors_left_out)

    # --- index -----------------------------------------------------------------------------------

    def match(self, space: str, text: str, *, filters: Filters, limit: int) -> tuple[list[Match], list[Term]]:
        contents = self._contents(space)
        if space not in self._spaces:
            return [], []
        terms = _weighed(contents, query_terms(text))
        average = sum(sum(held.terms.values()) for held in contents.memories.values()) / (len(contents.memories) or 1)
        scores = {
            held.memory.id: sum(term.idf * _saturation(held.terms, term.text, average=average) for term in terms)
            for held in self._passing(contents, filters)
        }
        return _best([Match(id, score) for id, score in scores.items() if score > 0], limit), terms

    def nearest(self, space: str, vector: Vector, *, filters: Filters, limit: int) -> list[Match]:
        contents = self._comparable(space, vector)
        query = _floats(vector.data)
        passing = [held for held in self._passing(contents, filters) if held.vector is not None]
        return _best([Match(held.memory.id, _cosine(held, query)) for held in passing], limit)

    def cosines(self, space: str, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        memories = self._comparable(space, vector).memories
        query = _floats(vector.data)
        return {id: _cosine(memories[id], query) for id in ids if id in memories and memories[id].vector is not None}

    def catch_up(self, space: str) -> None:
        """Nothing is derived here."""

    def _comparable(self, space: str, vector: Vector) -> Contents:
        contents = self._contents(space)
        if contents.embedder not in (None, vector.identity):
            raise EmbedderMismatch(
                f"space {space!r} holds vectors of {contents.embedder!r}, the question was embedded by "
                f"{vector.identity!r}; run 'recollect reindex', or set the embedder back"
            )
        if contents.dimensions is not None:
            _check_dimensions(contents, vector)
        return contents

    def lag(self, space: str) -> list[Lag]:
        position = self._contents(space).position
        names = ("lexical", "vectors") if space in self._spaces else ()
        return [Lag(name, position, position) for name in names]

    def rebuild(self, space: str) -> None:
        self._existing(space)  # nothing is derived ahead of a search, so there is nothing to rebuild

    # --- spaces ----------------------------------------------------------------------------------

    def names(self) -> list[str]:
        return sorted(self._spaces)

    def drop(self, space: str) -> bool:
        with self._lock:
            return self._spaces.pop(check_space(space), None) is not None

    def stats(self, space: str) -> SpaceStats:
        contents = self._existing(space)
        lifecycles = Counter(held.memory.lifecycle for held in contents.memories.values())
        return SpaceStats(
            memories=len(contents.memories),
            by_lifecycle={each.value: lifecycles[each] for each in Lifecycle},
            links=len(contents.links),
            entities=len(contents.entities),
            vectors=sum(held.vector is not None for held in contents.memories.values()),
            embedder=contents.embedder,
            bytes_on_disk=0,
        )

    def close(self) -> None:
        """Nothing is open."""

    # --- upkeep ----------------------------------------------------------------------------------

    def entities(self, space: str) -> list[Entity]:
        found = self._contents(space).entities
        return [found[id] for id in sorted(found)]

    def vectors(self, space: str, ids: Sequence[str]) -> list[Vector | None]:
        contents = self._contents(space)
        halves = [held.vector if (held := contents.memories.get(id)) else None for id in ids]
        return [None if each is None else Vector(str(contents.embedder), from_halves(each)) for each in halves]

    def unembedded(self, space: str, identity: str, *, limit: int) -> list[Memory]:
        contents = self._contents(space)
        held_by_other = contents.embedder not in (None, identity)
        found = [held.memory for held in contents.memories.values() if held_by_other or held.vector is None]
        return found[: max(limit, 0)]

    def check(self, space: str) -> list[str]:
        contents = self._contents(space)
        ends = {end for from_id, to_id, _ in contents.links for end in (from_id, to_id)}
        return [f"broken reference to {end!r}" for end in sorted(ends) if not _exists(contents, end)]

    # --- contents --------------------------------------------------------------------------------

    def _contents(self, space: str) -> Contents:
        """The space as the last write left it; a missing one reads as empty."""
        return self._spaces.get(check_space(space), Contents())

    def _existing(self, space: str) -> Contents:
        if check_space(space) not in self._spaces:
            raise NotFound(f"no space {space!r}; known: {', '.join(self.names()) or 'none'}")
        return self._spaces[space]

    def _passing(self, contents: Contents, filters: Filters) -> Iterator[Held]:
        now = self._now()
        return (held for held in contents.memories.values() if filters.passes(held.memory, now=now))


# --- writing -------------------------------------------------------------------------------------


def _apply(contents: Contents, write: Write, *, space: str) -> None:
    match write:
        case PutMemory():
            _put(contents, write, space=space)
        case PutVector(id, vector):
            held = _held(contents, id)
            if _fits(contents, vector):
                _keep(contents, replace(held, vector=to_halves(vector.data)))
                contents.position += 1
        case Touch(id, at, stability):
            held = _held(contents, id)
            count = held.memory.access_count + 1
            touched = replace(held.memory, access_count=count, last_access=at, stability_days=stability)
            _keep(contents, replace(held, memory=_as_stored(touched, space=space)))
        case EraseMemory(id):
            _held(contents, id)
            del contents.memories[id]
            contents.links = {key: link for key, link in contents.links.items() if id not in key[:2]}
            contents.position += 1
        case PutLink(link):
            for end in (link.from_id, link.to_id):
                if not _exists(contents, end):
                    raise NotFound(f"no memory or entity {end!r} to link; add it first")
            contents.links[link.from_id, link.to_id, link.relation] = link_of(link_row(link))
        case EraseLink(from_id, to_id, relation):
            if contents.links.pop((from_id, to_id, relation), None) is None:
                raise NotFound(f"no link {relation!r} from {from_id!r} to {to_id!r}")
        case PutEntity(entity):
            contents.entities[entity.id] = entity_of(entity_row(entity))
        case AdoptEmbedder(identity):
            _adopt(contents, identity)
        case _:
            assert_never(write)


def _put(contents: Contents, put: PutMemory, *, space: str) -> None:
    memory, known = put.memory, contents.memories.get(put.memory.id)
    if put.expected is not None and known is None:
        raise NotFound(f"no memory {memory.id!r} to replace; it was erased meanwhile")
    if put.expected is not None and known and known.memory.updated_at != put.expected:
        raise WriteConflict(f"memory {memory.id!r} was changed meanwhile; read it again and repeat the change")
    if put.vector:
        vector = to_halves(put.vector.data) if _fits(contents, put.vector) else None
    else:  # a memory that was read and put back keeps its vector; one with a new text has none yet
        vector = known.vector if known and memory.embedded_by is not None else None
    text = "\n".join(each for each in (memory.author, memory.title, memory.body) if each)
    _keep(contents, Held(_as_stored(memory, space=space), terms=Counter(analyze(text)), vector=vector))
    contents.position += 1


def _keep(contents: Contents, held: Held) -> None:
    embedded_by = contents.embedder if held.vector is not None else None
    contents.memories[held.memory.id] = replace(held, memory=replace(held.memory, embedded_by=embedded_by))


def _fits(contents: Contents, vector: Vector) -> bool:
    """Whether the space's vectors are of this embedder; the first vector decides."""
    if contents.embedder is None:
        contents.embedder = vector.identity
    if vector.identity != contents.embedder:
        contents.vectors_left_out += 1
        return False
    if contents.dimensions is None:
        contents.dimensions = vector.dimensions
    _check_dimensions(contents, vector)
    return True


def _check_dimensions(contents: Contents, vector: Vector) -> None:
    if vector.dimensions != contents.dimensions:
        raise InvalidInput(
            f"a vector of {vector.identity!r} has {vector.dimensions} dimensions, not {contents.dimensions}",
            field="vector",
        )


def _adopt(contents: Contents, identity: str) -> None:
    if contents.embedder == identity:
        return
    contents.embedder, contents.dimensions = identity, None
    for held in list(contents.memories.values()):
        _keep(contents, replace(held, vector=None))
    contents.position += 1


def _held(contents: Contents, id: str) -> Held:
    if id not in contents.memories:
        raise NotFound(f"no memory {id!r} in this space")
    return contents.memories[id]


def _exists(contents: Contents, id: str) -> bool:
    return id in contents.memories or id in contents.entities


def _as_stored(memory: Memory, *, space: str) -> Memory:
    """What a memory reads as after a round trip: moments in UTC, metadata as JSON knows it."""
    return memory_of((*memory_row(memory), memory.embedded_by), space=space, embedder=memory.embedded_by)


# --- scoring -------------------------------------------------------------------------------------


def _weighed(contents: Contents, terms: Sequence[str]) -> list[Term]:
    documents = len(contents.memories)
    weighed = [
        Term(term, _idf(count := sum(term in held.terms for held in contents.memories.values()), documents), count)
        for term in terms
    ]
    if len(weighed) > MAX_TERMS:
        weighed = sorted(weighed, key=lambda term: (-term.idf, term.text))[:MAX_TERMS]
    return weighed


def _idf(count: int, documents: int) -> float:
    return log(1 + (documents - count + 0.5) / (count + 0.5))


def _saturation(terms: Mapping[str, int], term: str, *, average: float) -> float:
    """BM25's share of a term's idf (Robertson and Zaragoza 2009, with the length of the text beside the average)."""
    count = terms.get(term, 0)
    if not count:
        return 0.0
    return count * (K1 + 1) / (count + K1 * (1 - B + B * sum(terms.values()) / average))


def _cosine(held: Held, query: Sequence[float]) -> float:
    assert held.vector is not None
    return round(_dot(_floats(from_halves(held.vector)), query), 9)


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(one * other for one, other in zip(left, right, strict=True))


def _floats(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def _age(memory: Memory) -> tuple[datetime, str]:
    return memory.created_at, memory.id


def _best(matches: list[Match], limit: int) -> list[Match]:
    return sorted(matches, key=lambda match: (-match.source_score, match.id))[: max(limit, 0)]
