"""An answer as frameworks take it: pieces of text, each with the table of what is known about it.

Every piece carries what was said of the answer as a whole, since a framework passes pieces on and drops the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from recollect.citations import citation
from recollect.records import Memory
from recollect.values import Answer, Conflict, Evidence, VerdictKind

ORDER = (VerdictKind.NONE, VerdictKind.PARTIAL, VerdictKind.ANSWERABLE)
MOMENTS = ("created_at", "event_time", "valid_from", "valid_to")


def pieces_of(answer: Answer, *, least: VerdictKind, limit: int | None) -> tuple[Evidence, ...]:
    """The evidence of an answer, best first, at most so much; none where its verdict is below `least`."""
    if ORDER.index(answer.verdict) < ORDER.index(least):
        return ()
    return answer.evidence if limit is None else answer.evidence[: max(0, limit)]


def about(piece: Evidence, answer: Answer) -> dict[str, Any]:
    """What is known about one piece and the answer it belongs to, in plain values; what is not known is left out."""
    memory = piece.memory
    found = {
        "id": memory.id,
        "citation": citation(piece),
        "relevance": piece.relevance,
        "verdict": answer.verdict.value,
        "confidence": answer.confidence.score,
        "confidence_label": answer.confidence.label.value,
        "trace_id": answer.trace.id,
        "conflicts": list(_conflicts(memory.id, answer)),
        "degraded": list(answer.degraded),
        "gaps": [gap.text for gap in answer.gaps],
        "sources": list(piece.sources),
        "superseded": piece.superseded,
        "flags": list(piece.flags),
        "snippet": piece.snippet,
        **_stored(memory),
    }
    return {name: value for name, value in found.items() if value is not None}


def _stored(memory: Memory) -> dict[str, Any]:
    moments: dict[str, datetime | None] = {name: getattr(memory, name) for name in MOMENTS}
    return {
        "title": memory.title or None,
        "kind": memory.kind,
        "space": memory.space,
        "project": memory.project,
        "source": memory.source_uri,
        "position": memory.source_position,
        "author": memory.author,
        "trust": memory.trust,
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
        **{name: moment.isoformat() for name, moment in moments.items() if moment is not None},
    }


def _conflicts(id: str, answer: Answer) -> Iterator[dict[str, Any]]:
    for each in answer.conflicts:
        if id in (each.preferred, each.other):
            yield _told(each, id)


def _told(conflict: Conflict, id: str) -> dict[str, Any]:
    """One conflict from this side: with whom, about what, and whether this is the side to go by."""
    return {
        "with": conflict.other if id == conflict.preferred else conflict.preferred,
        "kind": conflict.kind.value,
        "reason": conflict.reason,
        "settled": conflict.settled,
        "preferred": conflict.settled and id == conflict.preferred,
    }
