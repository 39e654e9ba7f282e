"""What the reference store holds of one space, and how each write changes it: plain dictionaries, written out.

A write that fails raises in the middle: the caller works on a copy and throws it away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple, assert_never

from recollect.errors import InvalidInput, NotFound, WriteConflict
from recollect.records import (
    LEARNED_RELATION,
    AdoptEmbedder,
    Entity,
    EraseLink,
    EraseMemory,
    Favour,
    Link,
    Memory,
    Once,
    PutEntity,
    PutLink,
    PutMemory,
    PutVector,
    Strengthen,
    Touch,
    TraceRecord,
    Unlearn,
    Vector,
    Write,
)
from recollect.store.halves import to_halves
from recollect.store.learning import after, later, new_link
from recollect.store.rows import entity_of, entity_row, link_of, link_row, memory_of, memory_row
from recollect.store.terms import analyze


@dataclass(frozen=True, slots=True)
class Held:
    """A memory with what is derived from it: its terms, and its vector in half precision."""

    memory: Memory
    terms: Mapping[str, int]
    vector: bytes | None = None


class Mark(NamedTuple):
    """The mark a memory had when it was shown, and when that was."""

    mark: str
    at: datetime


@dataclass(slots=True)
class Contents:
    """One space. `memories` keeps the order of insertion, which is the order of re-embedding."""

    memories: dict[str, Held] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    entities: dict[str, Entity] = field(default_factory=dict)
    once: dict[str, Once] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    traces: dict[str, TraceRecord] = field(default_factory=dict)
    shown: dict[tuple[str, str], Mark] = field(default_factory=dict)
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
            erased=set(self.erased),
            traces=dict(self.traces),
            shown=dict(self.shown),
            vectors_left_out=0,
        )

    def gone(self, ids: Iterable[str]) -> set[str]:
        """Those of these memories that were erased and are not there again."""
        return {id for id in ids if id in self.erased and id not in self.memories}


def apply_write(contents: Contents, write: Write, *, space: str) -> None:
    """Change the contents as the write says."""
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
            _erase(contents, id)
            contents.position += 1
        case PutLink(link):
            for end in (link.from_id, link.to_id):
                if not exists(contents, end):
                    raise NotFound(f"no memory or entity {end!r} to link; add it first")
            _put_link(contents, link)
        case EraseLink(from_id, to_id, relation):
            if contents.links.pop((from_id, to_id, relation), None) is None:
                raise NotFound(f"no link {relation!r} from {from_id!r} to {to_id!r}")
        case PutEntity(entity):
            contents.entities[entity.id] = entity_of(entity_row(entity))
        case AdoptEmbedder(identity):
            _adopt(contents, identity)
        case Strengthen():
            _strengthen(contents, write)
        case Favour(id):
            if id in contents.memories:
                _favour(contents, write, space=space)
        case Unlearn():
            _unlearn(contents)
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


def _erase(contents: Contents, id: str) -> None:
    del contents.memories[id]
    contents.links = {key: link for key, link in contents.links.items() if id not in key[:2]}
    contents.erased.add(id)
    contents.traces = {each.id: each for each in contents.traces.values() if id not in each.touched}
    contents.shown = {key: mark for key, mark in contents.shown.items() if key[1] != id}


def _strengthen(contents: Contents, write: Strengthen) -> None:
    ends = {write.one, write.other}
    if len(ends) == 1:
        return
    between = [key for key in contents.links if set(key[:2]) == ends]
    for key in between:
        link = contents.links[key]
        learned = after(write, held=link.learned, since=link.learned_at, least=0.0)
        _put_link(contents, replace(link, learned=learned, learned_at=later(write.at, link.learned_at)))
    if not between and write.amount > 0 and all(exists(contents, end) for end in ends):
        _put_link(contents, new_link(write))


def _favour(contents: Contents, write: Favour, *, space: str) -> None:
    held = contents.memories[write.id]
    since = held.memory.favour_at
    favour = after(write, held=held.memory.favour, since=since, least=-write.most)
    taught = replace(held.memory, favour=favour, favour_at=later(write.at, since))
    _keep(contents, replace(held, memory=_as_stored(taught, space=space)))


def _unlearn(contents: Contents) -> None:
    contents.links = {
        key: replace(link, learned=0.0, learned_at=None)
        for key, link in contents.links.items()
        if link.weight != 0 or link.relation != LEARNED_RELATION
    }
    for held in list(contents.memories.values()):
        _keep(contents, replace(held, memory=replace(held.memory, favour=0.0, favour_at=None)))


def _put_link(contents: Contents, link: Link) -> None:
    contents.links[link.from_id, link.to_id, link.relation] = link_of(link_row(link))


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
    check_dimensions(contents, vector)
    return True


def check_dimensions(contents: Contents, vector: Vector) -> None:
    """Raise where a vector is not as long as those of the space."""
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


def exists(contents: Contents, id: str) -> bool:
    """Whether a memory or an entity has this id."""
    return id in contents.memories or id in contents.entities


def _as_stored(memory: Memory, *, space: str) -> Memory:
    """What a memory reads as after a round trip: moments in UTC, metadata as JSON knows it."""
    return memory_of((*memory_row(memory), memory.embedded_by), space=space, embedder=memory.embedded_by)
