"""Drafts to stored memories: gate, hash, embed, compare with what is there, write in one transaction.

Blocking work happens in one hop to a worker thread; the vectors are made before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any

from recollect.errors import EmbedderMismatch, InvalidInput, NotFound
from recollect.ids import Entropy, new_id
from recollect.ingest.gate import check_field, check_interval
from recollect.ports import Store
from recollect.rank.identity import content_hash, details_agree
from recollect.records import (
    Draft,
    Filters,
    Lifecycle,
    Link,
    Memory,
    Once,
    PutLink,
    PutMemory,
    Vector,
    Write,
    utc,
)
from recollect.settings import WriteSettings
from recollect.values import Fate, Remembered

NEIGHBOURS = 5
LINK_FIELDS = ("weight", "evidence", "valid_from", "valid_to")


@dataclass(frozen=True, slots=True)
class Desk:
    """What writing works with."""

    store: Store
    settings: WriteSettings
    now: Callable[[], datetime]
    entropy: Entropy


def embedding_text(memory: Memory | Draft) -> str:
    """What an embedder sees of a memory."""
    return f"{memory.title}\n{memory.body}" if memory.title else memory.body


def make_draft(**fields: Any) -> Draft:
    """The draft of these fields; an unknown one is refused."""
    for unknown in sorted(fields.keys() - set(draft_fields())):
        raise InvalidInput(f"unknown field {unknown!r}; known fields: {', '.join(draft_fields())}", field=unknown)
    draft = Draft(**fields)
    return replace(draft, tags=_as_tuple(draft.tags), clusters=_as_tuple(draft.clusters))


def _as_tuple(labels: Any) -> Any:
    """Lists and sets are as good as tuples; anything else is left for the gate to name."""
    if isinstance(labels, set | frozenset):
        return tuple(sorted(labels, key=str))
    return tuple(labels) if isinstance(labels, list) else labels


def make_memory(draft: Draft, *, space: str, now: datetime, entropy: Entropy) -> Memory:
    """The memory a draft becomes."""
    return Memory(
        id=new_id(now, entropy=entropy),
        space=space,
        kind=draft.kind,
        title=draft.title.strip(),
        body=draft.body,
        summary=draft.summary,
        created_at=now,
        updated_at=now,
        content_hash=content_hash(draft.title, draft.body),
        event_time=utc(draft.event_time) if draft.event_time else None,
        valid_from=utc(draft.valid_from) if draft.valid_from else None,
        valid_to=utc(draft.valid_to) if draft.valid_to else None,
        project=draft.project,
        source_uri=draft.source_uri,
        source_position=draft.source_position,
        author=draft.author,
        trust=draft.trust,
        tags=tuple(dict.fromkeys(draft.tags)),
        clusters=tuple(dict.fromkeys(draft.clusters)),
        metadata=draft.metadata,
    )


def make_link(from_id: str, to_id: str, relation: str, *, now: datetime, fields: Mapping[str, Any]) -> Link:
    """The link a caller asked for, its fields checked."""
    for unknown in sorted(fields.keys() - set(LINK_FIELDS)):
        raise InvalidInput(f"unknown field {unknown!r}; known fields: {', '.join(LINK_FIELDS)}", field=unknown)
    link = Link(from_id, to_id, relation, now, **fields)
    check_interval(link.valid_from, link.valid_to)
    return check_link(link)


def check_link(link: Link) -> Link:
    """The link, if it may be stored; its interval may be closed before it began."""
    if isinstance(link.weight, bool) or not isinstance(link.weight, int | float) or not 0 <= link.weight <= 1:
        raise InvalidInput(f"weight is {link.weight!r}; give 0 to 1", field="weight")
    if link.evidence is not None:
        check_field("evidence", link.evidence, most=None)
    if link.from_id == link.to_id:
        raise InvalidInput(f"to_id is {link.to_id!r}, which cannot be linked to itself; name two ends", field="to_id")
    return link


def store_draft(draft: Draft, *, space: str, vector: Vector | None, key: str | None, desk: Desk) -> Remembered:
    """Store one checked draft unless the same is there already; link it to what is nearly the same."""
    memory = make_memory(draft, space=space, now=desk.now(), entropy=desk.entropy)
    twin, similar, notes = _compare(memory, vector, desk=desk)
    if twin is not None:
        answered = desk.store.apply(space, [], once=_once(key, draft, answer=twin)) if key else None
        repeated = answered and answered.repeated
        return Remembered(repeated or twin, Fate.REPEATED if repeated else Fate.DUPLICATE, similar, notes)
    links = [PutLink(Link(memory.id, id, "similar_to", memory.created_at, weight=cosine)) for id, cosine in similar]
    writes: list[Write] = [PutMemory(memory, vector), *links]
    applied = desk.store.apply(space, writes, once=_once(key, draft, answer=memory.id) if key else None)
    if applied.repeated:
        return Remembered(applied.repeated, Fate.REPEATED)
    if applied.vectors_left_out:
        notes += ("stored without a vector: the space's vectors are of another embedder; run 'recollect reindex'",)
    return Remembered(memory.id, Fate.STORED, similar, tuple(dict.fromkeys(notes)))


def _compare(
    memory: Memory, vector: Vector | None, *, desk: Desk
) -> tuple[str | None, tuple[tuple[str, float], ...], tuple[str, ...]]:
    """The id of the same thing if it is stored, the ids of similar ones, and what could not be compared."""
    for other in desk.store.same_content(memory.space, memory.content_hash):
        if _same_occasion(other, memory):
            return other.id, (), ()
    if vector is None:
        return None, (), ()
    try:
        near = desk.store.nearest(memory.space, vector, filters=Filters(), limit=NEIGHBOURS)
    except EmbedderMismatch:
        return None, (), ("not compared with what is stored: its vectors are of another embedder",)
    near = [match for match in near if match.source_score >= desk.settings.similar_cosine]
    stored = {other.id: other for other in desk.store.read(memory.space, [match.id for match in near])}
    for match in near:
        near_one = stored.get(match.id)
        if near_one is None or match.source_score < desk.settings.same_cosine:
            continue
        if _same_occasion(near_one, memory) and details_agree(_text(near_one), _text(memory)):
            return match.id, ((match.id, match.source_score),), ()
    return None, tuple((match.id, min(1.0, match.source_score)) for match in near), ()


def _same_occasion(one: Memory, other: Memory) -> bool:
    """Whether two texts that say the same are one memory: said by somebody else, or at another time, they are two."""
    pairs = [(one.author, other.author), (one.event_time, other.event_time), (one.project, other.project)]
    return one.kind == other.kind and not any(this and that and this != that for this, that in pairs)


def revised(memory: Memory, changes: dict[str, Any], *, now: datetime) -> Memory:
    """The memory with some fields changed; a changed text loses its old vector."""
    changed = replace(memory, **changes, updated_at=max(now, memory.updated_at))
    hashed = content_hash(changed.title, changed.body)
    return changed if hashed == memory.content_hash else replace(changed, content_hash=hashed, embedded_by=None)


def supersede_writes(old: Memory, new: Memory, *, vector: Vector | None) -> list[Write]:
    """Close the old memory's interval, store the new one, and link them."""
    closed = replace(old, valid_to=new.created_at, updated_at=new.created_at)
    begun = new if new.valid_from else replace(new, valid_from=new.created_at)
    return [
        PutMemory(closed, expected=old.updated_at),
        PutMemory(begun, vector),
        PutLink(Link(new.id, old.id, "supersedes", new.created_at, weight=1.0)),
    ]


def read_one(store: Store, space: str, id: str) -> Memory:
    """The memory, or NotFound."""
    found = store.read(space, [id])
    if not found:
        raise NotFound(f"no memory {id!r} in space {space!r}")
    return found[0]


def with_lifecycle(memory: Memory, lifecycle: Lifecycle, *, now: datetime) -> PutMemory:
    """The write that gives a memory another lifecycle."""
    return PutMemory(replace(memory, lifecycle=lifecycle, updated_at=now), expected=memory.updated_at)


def draft_fields() -> Sequence[str]:
    """The names a caller may give."""
    return [each.name for each in fields(Draft)]


def _once(key: str, draft: Draft, *, answer: str) -> Once:
    content = json.dumps(
        {**asdict(replace(draft, metadata={})), "metadata": dict(draft.metadata)}, sort_keys=True, default=str
    )
    return Once(key, hashlib.sha256(content.encode()).hexdigest(), answer)


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.body}"
