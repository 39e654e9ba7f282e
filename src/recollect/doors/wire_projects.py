"""Projects and what reading them in did, as plain dictionaries for JSON."""

from __future__ import annotations

from recollect.doors.wire_stored import Json, number
from recollect.knowledge import Ingested, ProjectRead


def ingested(value: Ingested) -> Json:
    """What one ingest did."""
    return {
        "project": value.project,
        "read": value.read,
        "unchanged": value.unchanged,
        "removed": value.removed,
        "skipped": [{"path": path, "reason": reason} for path, reason in value.skipped],
        "chunks": value.chunks,
        "entities": value.entities,
        "statements": value.statements,
        "embedded": value.embedded,
        "notes": list(value.notes),
        "seconds": number(value.seconds),
    }


def project(value: ProjectRead) -> Json:
    """What is kept of one project."""
    return dict(value._asdict())
