"""The reference store: plain dictionaries and plain arithmetic, nothing on disk, every answer worked out anew.

It says what the real store must answer (`tests/store/test_congruence.py` compares them) and serves tests and
examples. Only the analysis of text, the rounding of vectors and the sum of what was learned are shared with the real
one. What it holds, and how writes change it, is in `contents.py`.
"""

from __future__ import annotations

import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import log

from recollect.errors import EmbedderMismatch, NotFound, WriteConflict
from recollect.records import (
    SITTING,
    Applied,
    Beside,
    Entity,
    Filters,
    Lag,
    Lifecycle,
    Link,
    Match,
    Memory,
    Once,
    SpaceStats,
    Term,
    Ties,
    TraceRecord,
    Vector,
    Write,
    check_space,
    utc,
)
from recollect.store.contents import Contents, Held, Mark, apply_write, check_dimensions, exists
from recollect.store.halves import from_halves
from recollect.store.journal import MOST_MARKS
from recollect.store.terms import MAX_TERMS, query_terms
from recollect.store.writing import begins_a_space, title_key

K1 = 1.2  # how soon repeating a term stops helping
B = 0.75  # how much a long text is held against it


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

    def around(self, space: str, ids: Sequence[str]) -> dict[str, Beside]:
        in_order = [held.memory for held in self._contents(space).memories.values()]
        places = {memory.id: place for place, memory in enumerate(in_order)}
        found = {}
        for id in dict.fromkeys(ids):
            if id in places:
                this, place = in_order[places[id]], places[id]
                before = _next_to(this, in_order[:place][::-1])
                after = _next_to(this, in_order[place + 1 :])
                if before or after:
                    found[id] = Beside(before, after)
        return found

    def clusters(self, space: str, filters: Filters) -> dict[str, int]:
        passing = self._passing(self._contents(space), filters)
        counts = Counter(name for held in passing for name in dict.fromkeys(held.memory.clusters))
        return dict(sorted(counts.items()))

    def related(self, space: str, relation: str) -> list[Link]:
        links = self._contents(space).links
        return [links[key] for key in sorted(links) if key[2] == relation]

    def links(self, space: str, ids: Sequence[str]) -> list[Link]:
        links, wanted = self._contents(space).links, set(ids)
        return [links[key] for key in sorted(links) if wanted & set(key[:2])]

    def ties(self, space: str, ids: Sequence[str], *, most: int) -> dict[str, Ties]:
        now = self._now()
        found = {}
        for id in dict.fromkeys(ids):
            links = [link for link in self.links(space, [id]) if _holds(link, now)]
            strongest = sorted(links, key=lambda link: -(link.weight + link.learned))  # stable: then by ends, relation
            inbound = sum(link.to_id == id for link in links)
            outbound = sum(link.from_id == id for link in links)
            if links:
                found[id] = Ties(tuple(strongest[: max(most, 0)]), inbound, outbound)
        return found

    def titled(self, space: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for id, held in sorted(self._contents(space).memories.items()):
            if (key := title_key(held.memory.title, held.memory.body)) and key in names:
                found.setdefault(key, []).append(id)
        return {name: tuple(found[name]) for name in sorted(found)}

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
                apply_write(contents, write, space=space)
            self._spaces[space] = contents
            return Applied(contents.position, vectors_left_out=contents.vectors_left_out)

    # --- index -----------------------------------------------------------------------------------

    def match(self, space: str, text: str, *, filters: Filters, limit: int) -> tuple[list[Match], list[Term]]:
        contents = self._contents(space)
        passing = list(self._passing(contents, filters))
        if not passing:
            return [], []
        terms = _weighed(contents, query_terms(text))
        average = sum(sum(held.terms.values()) for held in contents.memories.values()) / (len(contents.memories) or 1)
        scores = {
            held.memory.id: sum(term.idf * _saturation(held.terms, term.text, average=average) for term in terms)
            for held in passing
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
            check_dimensions(contents, vector)
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
        return [f"broken reference to {end!r}" for end in sorted(ends) if not exists(contents, end)]

    # --- journal ---------------------------------------------------------------------------------

    def note(self, space: str, record: TraceRecord, *, keep: int) -> None:
        with self._lock:
            contents = self._spaces.get(check_space(space))
            if contents is None or (keep > 0 and contents.gone(record.touched)):
                return
            traces = {**contents.traces, record.id: replace(record, started_at=utc(record.started_at))}
            newest = sorted(traces.values(), key=_newest, reverse=True)[: max(keep, 0)]
            self._spaces[space] = replace(contents, traces={each.id: each for each in newest})

    def trace(self, space: str, id: str) -> TraceRecord | None:
        return self._contents(space).traces.get(id)

    def traces(self, space: str, *, limit: int, before: str | None = None) -> list[TraceRecord]:
        traces = self._contents(space).traces
        if before is not None and before not in traces and space in self._spaces:
            raise NotFound(f"no trace {before!r} to continue after; start again without it")
        found = sorted(traces.values(), key=_newest, reverse=True)
        if before is not None and before in traces:
            found = [each for each in found if _newest(each) < _newest(traces[before])]
        return [replace(each, payload="") for each in found[: max(limit, 0)]]

    def shown(self, space: str, session: str) -> dict[str, str]:
        held = self._contents(space).shown
        return {id: held[by, id].mark for by, id in sorted(held) if by == session}

    def show(self, space: str, session: str, marks: Mapping[str, str], *, at: datetime) -> None:
        with self._lock:
            contents = self._spaces.get(check_space(space))
            if contents is None:
                return
            gone = contents.gone(marks)
            added = {(session, id): Mark(mark, utc(at)) for id, mark in marks.items() if id not in gone}
            oldest_first = sorted({**contents.shown, **added}.items(), key=lambda each: (each[1].at, each[0]))
            self._spaces[space] = replace(contents, shown=dict(oldest_first[-MOST_MARKS:]))

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


def _holds(link: Link, now: datetime) -> bool:
    return (link.valid_from is None or link.valid_from <= now) and (link.valid_to is None or link.valid_to > now)


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


def _newest(trace: TraceRecord) -> tuple[datetime, str]:
    return trace.started_at, trace.id


def _best(matches: list[Match], limit: int) -> list[Match]:
    return sorted(matches, key=lambda match: (-match.source_score, match.id))[: max(limit, 0)]


def _next_to(memory: Memory, others: Sequence[Memory]) -> str | None:
    """The first of the others that is of its kind and project, if that is of the same sitting."""
    for other in others:
        if (other.kind, other.project) == (memory.kind, memory.project):
            return other.id if abs(_told(other) - _told(memory)) <= SITTING else None
    return None


def _told(memory: Memory) -> datetime:
    return memory.event_time or memory.created_at
