"""TraceRecord -> the contradictions its answer came upon."""

from __future__ import annotations

from recollect.errors import StoreError
from recollect.journal.read import opened
from recollect.records import TraceRecord
from recollect.values import Conflict, ConflictKind, Strategy

NONE_NOTED = '"conflicts":[],'  # as `keep` writes it; most answers come upon none


def noted_conflicts(record: TraceRecord) -> tuple[Conflict, ...]:
    """The contradictions a kept trace speaks of; a trace that cannot be read speaks of none."""
    if NONE_NOTED in record.payload:
        return ()
    try:
        told = opened(record)["conflicts"]
    except StoreError:
        return ()
    return tuple(
        Conflict(
            each["preferred"],
            each["other"],
            each["reason"],
            ConflictKind(each["kind"]),
            Strategy(each["strategy"]),
            each["settled"],
        )
        for each in told
    )
