"""What the service tells of kept traces -> records in the journal's shorthand: the way back of `wire_trace.py`."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from recollect.client.reading_stored import moment
from recollect.journal.keep import SCHEMA
from recollect.records import TraceRecord

Json = dict[str, Any]
OF_THE_LINE = ("id", "started_at", "seconds", "touched")  # beside the payload
KEPT_AS = {"stop_reason": "stop", "rounds": "gains", "steps": "spans"}


def trace_line(said: Json) -> TraceRecord:
    """A kept trace in a list."""
    return TraceRecord(
        id=said["id"],
        started_at=moment(said["started_at"]),
        question=said["question"],
        verdict=said["verdict"],
        confidence=said["confidence"]["score"],
        stop=said["stop_reason"],
        seconds=said["seconds"],
    )


def trace_record(said: Json) -> TraceRecord:
    """A kept trace whole."""
    kept = {KEPT_AS.get(name, name): each for name, each in said.items() if name not in OF_THE_LINE}
    kept["evidence"] = [_piece(each) for each in kept["evidence"]]
    payload = json.dumps({"version": SCHEMA, **kept})
    return replace(trace_line(said), payload=payload, touched=frozenset(said["touched"]))


def _piece(said: Json) -> Json:
    signals = {name: [each["value"], each["raw"]] for name, each in said["signals"].items()}
    return {**said, "signals": signals, "explanation": _shorthand(said["explanation"])}


def _shorthand(node: Json) -> list[Any]:
    """A node of an explanation as the journal keeps it."""
    told = [node["value"], node["what"]]
    if node["details"] or node["sums"]:
        told += [node["sums"], [_shorthand(each) for each in node["details"]]]
    return told
