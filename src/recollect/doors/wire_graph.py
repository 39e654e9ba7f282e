"""Entities, what is said of them, and what cannot both hold, as plain dictionaries for JSON."""

from __future__ import annotations

from recollect.doors.wire_stored import Json, memory, number
from recollect.knowledge import Connection, Node, Statement
from recollect.values import Dispute, Resolved


def node(value: Node) -> Json:
    """A named thing, and where it is defined."""
    return {
        "id": value.id,
        "key": value.key,
        "name": value.name,
        "kind": value.kind,
        "project": value.project,
        "detail": value.detail,
        "aliases": list(value.aliases),
        "places": [{"path": path, "line": line} for path, line in value.places],
    }


def statement(value: Statement) -> Json:
    """One fact, with the place that says it."""
    return {
        "subject": value.subject,
        "relation": value.relation,
        "object": value.object,
        "weight": number(value.weight),
        "project": value.project,
        "path": value.path,
        "line": value.line,
        "sentence": value.sentence,
        "memory": value.memory,
    }


def connection(value: Connection) -> Json:
    """One path between two entities."""
    return {
        "nodes": list(value.nodes),
        "statements": [statement(each) for each in value.statements],
        "cost": number(value.cost),
    }


def dispute(value: Dispute) -> Json:
    """Two current memories that contradict each other; `cursor` leads on behind it."""
    return {
        "newer": memory(value.newer),
        "older": memory(value.older),
        "kind": value.kind.value,
        "reason": value.reason,
        "trace_id": value.trace_id,
        "cursor": value.cursor,
    }


def resolved(value: Resolved) -> Json:
    """What a resolution left."""
    return {"how": value.how.value, "current": list(value.current), "superseded": list(value.superseded)}
