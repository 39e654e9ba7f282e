"""TraceRecord -> what it holds, and in sentences what it says of one memory."""

from __future__ import annotations

import json
from math import nan
from typing import Any

from recollect.errors import StoreError
from recollect.journal.keep import SCHEMA, Told
from recollect.journal.reasons import reasons, standing
from recollect.records import Memory, TraceRecord
from recollect.values import Explained, Explanation


def opened(record: TraceRecord) -> Told:
    """Everything a record holds, its shorthand written out. A damaged one or one of another schema is refused."""
    try:
        told: Told = json.loads(record.payload)
        version = told["version"]
    except (ValueError, KeyError, TypeError) as error:
        message = f"the stored trace {record.id!r} is damaged and cannot be read; memories are not affected"
        raise StoreError(message) from error
    if version != SCHEMA:
        raise StoreError(
            f"trace {record.id!r} has schema {version}, this program reads {SCHEMA}; use the version that wrote it"
        )
    for piece in told["evidence"]:
        piece["signals"] = {name: {"value": value, "raw": raw} for name, (value, raw) in piece["signals"].items()}
        piece["explanation"] = _written_out(piece["explanation"])
    return told


def explain(record: TraceRecord, id: str, *, memory: Memory | None = None) -> Explained:
    """Why a memory stands where it does in a kept answer, or what became of it; `memory` is how it is stored now."""
    told = opened(record)
    piece = next((piece for piece in told["evidence"] if piece["id"] == id), None)
    said = list(reasons(told, id))
    if piece is None and memory is not None:
        said += standing(memory, asked_at=record.started_at)
    return Explained(record.id, id, tuple(said), _grown(piece["explanation"]) if piece else None)


def _written_out(node: list[Any]) -> Told:
    value, what, sums, details = node if len(node) > 2 else (*node, False, ())
    return {"value": value, "what": what, "sums": sums, "details": [_written_out(each) for each in details]}


def _grown(node: Told) -> Explanation:
    """The tree as a value again."""
    value = nan if node["value"] is None else node["value"]
    return Explanation(value, node["what"], tuple(_grown(each) for each in node["details"]), node["sums"])
