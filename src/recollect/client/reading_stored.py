"""What the service tells of stored things -> values: the way back of `doors/wire_stored.py` and its siblings.

Written out field by field like the writing; a test holds the two against each other.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.knowledge import Connection, Ingested, Node, ProjectRead, Statement
from recollect.records import Lifecycle, Link, Memory, SpaceStats
from recollect.values import ConflictKind, Dispute, Fate, Remembered, Resolved, Ruling

Json = dict[str, Any]


def moment(text: str) -> datetime:
    """A moment."""
    return datetime.fromisoformat(text)


def optional_moment(text: str | None) -> datetime | None:
    """A moment, or nothing."""
    return None if text is None else moment(text)


def found(said: Json) -> Memory:
    """A memory as hits and evidence tell it: without summary, metadata, hash and what is known of its use."""
    return Memory(
        id=said["id"],
        space=said["space"],
        kind=said["kind"],
        title=said["title"],
        body=said["text"],
        created_at=moment(said["created_at"]),
        updated_at=moment(said["updated_at"]),
        content_hash="",
        event_time=optional_moment(said["event_time"]),
        valid_from=optional_moment(said["valid_from"]),
        valid_to=optional_moment(said["valid_to"]),
        lifecycle=Lifecycle(said["lifecycle"]),
        project=said["project"],
        source_uri=said["source_uri"],
        source_position=said["source_position"],
        author=said["author"],
        trust=said["trust"],
        tags=tuple(said["tags"]),
        clusters=tuple(said["clusters"]),
    )


def memory(said: Json) -> Memory:
    """One stored memory, whole."""
    return replace(
        found(said),
        content_hash=said["content_hash"],
        summary=said["summary"],
        metadata=said["metadata"],
        access_count=said["access_count"],
        last_access=optional_moment(said["last_access"]),
        stability_days=said["stability_days"],
        embedded_by=said["embedded_by"],
        favour=said["favour"],
        favour_at=optional_moment(said["favour_at"]),
    )


def memories(said: Json) -> list[Memory]:
    """A list of memories."""
    return [memory(each) for each in said["items"]]


def remembered(said: Json) -> Remembered:
    """What became of a text."""
    similar = tuple((each["id"], each["cosine"]) for each in said["similar"])
    return Remembered(said["id"], Fate(said["fate"]), similar, tuple(said["notes"]))


def link(said: Json) -> Link:
    """One edge."""
    return Link(
        from_id=said["from_id"],
        to_id=said["to_id"],
        relation=said["relation"],
        created_at=moment(said["created_at"]),
        weight=said["weight"],
        learned=said["learned"],
        evidence=said["evidence"],
        valid_from=optional_moment(said["valid_from"]),
        valid_to=optional_moment(said["valid_to"]),
        learned_at=optional_moment(said["learned_at"]),
    )


def stats(said: Json) -> SpaceStats:
    """Counts for one space."""
    names = ("memories", "by_lifecycle", "links", "entities", "vectors", "embedder", "bytes_on_disk")
    return SpaceStats(**{name: said[name] for name in names})


# --- the graph, conflicts, projects --------------------------------------------------------------


def node(said: Json) -> Node:
    """A named thing."""
    return Node(
        id=said["id"],
        key=said["key"],
        name=said["name"],
        kind=said["kind"],
        project=said["project"],
        detail=said["detail"],
        aliases=tuple(said["aliases"]),
        places=tuple((place["path"], place["line"]) for place in said["places"]),
    )


def statement(said: Json) -> Statement:
    """One fact, with the place that says it."""
    return Statement(**{name: said[name] for name in Statement.__dataclass_fields__})


def connection(said: Json) -> Connection:
    """One path between two entities."""
    return Connection(tuple(said["nodes"]), tuple(statement(each) for each in said["statements"]), said["cost"])


def dispute(said: Json) -> Dispute:
    """Two current memories that contradict each other."""
    kind = ConflictKind(said["kind"])
    return Dispute(memory(said["newer"]), memory(said["older"]), kind, said["reason"], said["trace_id"])


def resolved(said: Json) -> Resolved:
    """What a resolution left."""
    return Resolved(Ruling(said["how"]), tuple(said["current"]), tuple(said["superseded"]))


def ingested(said: Json) -> Ingested:
    """What one ingest did."""
    skipped = tuple((each["path"], each["reason"]) for each in said["skipped"])
    fields = {name: said[name] for name in Ingested.__dataclass_fields__}
    return Ingested(**{**fields, "skipped": skipped, "notes": tuple(said["notes"])})


def project(said: Json) -> ProjectRead:
    """What is kept of one project."""
    return ProjectRead(**{name: said[name] for name in ProjectRead._fields})
