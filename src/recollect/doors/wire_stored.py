"""What is stored, as plain dictionaries for JSON, and how numbers and moments are written; re-exported by `wire.py`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.records import Link, Memory, SpaceStats

Json = dict[str, Any]

DIGITS = 6


def moment(value: datetime | None) -> str | None:
    """A moment as ISO-8601, or nothing."""
    return value.isoformat() if value else None


def number(value: float) -> float:
    """A number short enough to read.

    >>> number(0.1234567)
    0.123457
    """
    return round(float(value), DIGITS)


def optional(value: float | None) -> float | None:
    """A number, or nothing."""
    return None if value is None else number(value)


def numbers(values: Mapping[str, float | int | str]) -> Json:
    """Numbers and words by name."""
    return {name: number(value) if isinstance(value, float) else value for name, value in values.items()}


def memory(value: Memory) -> Json:
    """Everything about one stored memory but its vector."""
    return {
        "id": value.id,
        "space": value.space,
        "title": value.title,
        "text": value.body,
        "kind": value.kind,
        "summary": value.summary,
        "created_at": moment(value.created_at),
        "updated_at": moment(value.updated_at),
        "event_time": moment(value.event_time),
        "valid_from": moment(value.valid_from),
        "valid_to": moment(value.valid_to),
        "lifecycle": value.lifecycle.value,
        "project": value.project,
        "author": value.author,
        "trust": value.trust,
        "tags": list(value.tags),
        "clusters": list(value.clusters),
        "source_uri": value.source_uri,
        "source_position": value.source_position,
        "metadata": dict(value.metadata),
        "access_count": value.access_count,
        "last_access": moment(value.last_access),
        "stability_days": optional(value.stability_days),
        "embedded_by": value.embedded_by,
        "content_hash": value.content_hash,
        "favour": number(value.favour),
        "favour_at": moment(value.favour_at),
    }


def link(value: Link) -> Json:
    """One edge."""
    return {
        "from_id": value.from_id,
        "to_id": value.to_id,
        "relation": value.relation,
        "weight": number(value.weight),
        "learned": number(value.learned),
        "learned_at": moment(value.learned_at),
        "evidence": value.evidence,
        "created_at": moment(value.created_at),
        "valid_from": moment(value.valid_from),
        "valid_to": moment(value.valid_to),
    }


def stats(value: SpaceStats, *, space: str) -> Json:
    """Counts for one space."""
    return {
        "space": space,
        "memories": value.memories,
        "by_lifecycle": dict(sorted(value.by_lifecycle.items())),
        "links": value.links,
        "entities": value.entities,
        "vectors": value.vectors,
        "embedder": value.embedder,
        "bytes_on_disk": value.bytes_on_disk,
    }


def found(value: Memory) -> Json:
    """The fields of a memory that hits and evidence share."""
    return {
        "id": value.id,
        "title": value.title,
        "text": value.body,
        "kind": value.kind,
        "created_at": moment(value.created_at),
        "event_time": moment(value.event_time),
        "lifecycle": value.lifecycle.value,
        "project": value.project,
        "author": value.author,
        "trust": value.trust,
        "tags": list(value.tags),
        "source_uri": value.source_uri,
        "superseded": value.valid_to is not None,
        "space": value.space,
        "updated_at": moment(value.updated_at),
        "valid_from": moment(value.valid_from),
        "valid_to": moment(value.valid_to),
        "clusters": list(value.clusters),
        "source_position": value.source_position,
    }
