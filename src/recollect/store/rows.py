"""Between stored rows and the values of `records.py`. Times are whole microseconds since 1970, UTC."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from recollect.errors import StoreError
from recollect.records import EMPTY, Entity, Lifecycle, Link, Memory

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAMAGE = (ValueError, TypeError, KeyError, OverflowError, MemoryError)  # what a damaged row may do to its reader

COLUMNS = (
    "id", "kind", "title", "body", "summary", "created_at", "updated_at", "event_time", "valid_from", "valid_to",
    "lifecycle", "project", "source_uri", "source_position", "author", "trust", "tags", "clusters", "metadata",
    "access_count", "last_access", "stability_days", "content_hash", "favour", "favour_at",
)  # fmt: skip
SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True)  # made once: `dumps` makes one for each call
LIFECYCLES = {each.value: each for each in Lifecycle}
MEMORY_COLUMNS = ", ".join(f"m.{name}" for name in COLUMNS)
LINK_COLUMNS = "from_id, to_id, relation, created_at, weight, learned, evidence, valid_from, valid_to, learned_at"
ENTITY_COLUMNS = "id, name, kind, created_at, aliases, project, metadata"


def micros(moment: datetime) -> int:
    """Microseconds since 1970, exactly (no floating point in between).

    >>> micros(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    since = moment - EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def to_micros(moment: datetime | None) -> int | None:
    """The same, where a moment may be missing."""
    return None if moment is None else micros(moment)


def from_micros(micros: int | None) -> datetime | None:
    """The moment, in UTC."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


@contextmanager
def only_sound_rows() -> Iterator[None]:
    """Says that a row is damaged, where reading it fails in whatever way."""
    try:
        yield
    except DAMAGE as error:
        raise _damaged(error) from error


def _damaged(error: BaseException) -> StoreError:
    return StoreError(
        f"a stored row cannot be read ({error}): the file is damaged; restore it from an export or a backup copy"
    )


def memory_row(memory: Memory) -> tuple[Any, ...]:
    """A memory in the order of COLUMNS."""
    return (
        memory.id, memory.kind, memory.title, memory.body, memory.summary,
        micros(memory.created_at), micros(memory.updated_at),
        memory.event_time and micros(memory.event_time),
        memory.valid_from and micros(memory.valid_from),
        memory.valid_to and micros(memory.valid_to),
        memory.lifecycle.value, memory.project, memory.source_uri, memory.source_position, memory.author, memory.trust,
        _array(memory.tags) if memory.tags else "[]", _array(memory.clusters) if memory.clusters else "[]",
        _object(memory.metadata) if memory.metadata else "{}",
        memory.access_count, memory.last_access and micros(memory.last_access), memory.stability_days,
        memory.content_hash, memory.favour, memory.favour_at and micros(memory.favour_at),
    )  # fmt: skip


def memory_of(row: Sequence[Any], *, space: str, embedder: str | None) -> Memory:
    """A memory from COLUMNS, followed by whether the space's embedder has made a vector of it."""
    try:  # not the context manager: it would cost as much as the rest
        return Memory(
            id=row[0], space=space, kind=row[1], title=row[2], body=row[3], summary=row[4],
            created_at=EPOCH + timedelta(microseconds=row[5]), updated_at=EPOCH + timedelta(microseconds=row[6]),
            event_time=from_micros(row[7]), valid_from=from_micros(row[8]), valid_to=from_micros(row[9]),
            lifecycle=LIFECYCLES[row[10]], project=row[11], source_uri=row[12], source_position=row[13],
            author=row[14], trust=row[15], tags=_strings(row[16]), clusters=_strings(row[17]),
            metadata=_mapping(row[18]), access_count=row[19], last_access=from_micros(row[20]),
            stability_days=row[21], content_hash=row[22], favour=row[23],
            favour_at=None if row[24] is None else EPOCH + timedelta(microseconds=row[24]),
            embedded_by=embedder if row[25] else None,
        )  # fmt: skip
    except DAMAGE as error:
        raise _damaged(error) from error


def link_row(link: Link) -> tuple[Any, ...]:
    """A link in the order of LINK_COLUMNS."""
    return (
        link.from_id, link.to_id, link.relation, to_micros(link.created_at), link.weight, link.learned,
        link.evidence, to_micros(link.valid_from), to_micros(link.valid_to), to_micros(link.learned_at),
    )  # fmt: skip


def link_of(row: Sequence[Any]) -> Link:
    """A link from LINK_COLUMNS."""
    try:  # not the context manager, as above
        return Link(
            from_id=row[0], to_id=row[1], relation=row[2], created_at=EPOCH + timedelta(microseconds=row[3]),
            weight=row[4], learned=row[5], evidence=row[6], valid_from=from_micros(row[7]),
            valid_to=from_micros(row[8]), learned_at=from_micros(row[9]),
        )  # fmt: skip
    except DAMAGE as error:
        raise _damaged(error) from error


def entity_row(entity: Entity) -> tuple[Any, ...]:
    """An entity in the order of ENTITY_COLUMNS."""
    return (
        entity.id, entity.name, entity.kind, to_micros(entity.created_at), _array(entity.aliases),
        entity.project, _object(entity.metadata),
    )  # fmt: skip


@only_sound_rows()
def entity_of(row: Sequence[Any]) -> Entity:
    """An entity from ENTITY_COLUMNS."""
    return Entity(
        id=row[0], name=row[1], kind=row[2], created_at=EPOCH + timedelta(microseconds=row[3]),
        aliases=_strings(row[4]), project=row[5], metadata=_mapping(row[6]),
    )  # fmt: skip


def digest_of(id: str) -> bytes:
    """What stands for the id of an erased memory."""
    return hashlib.sha256(id.encode()).digest()[:16]


def _array(values: Sequence[str]) -> str:
    return json.dumps(values, ensure_ascii=False)


def _strings(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _object(values: Mapping[str, Any]) -> str:
    return SORTED.encode(dict(values))


def _mapping(text: str) -> Mapping[str, Any]:
    return EMPTY if text == "{}" else MappingProxyType(json.loads(text))
