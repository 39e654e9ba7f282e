"""Files of triples: `subject|relation|object` or tab-separated lines, or JSON lines with these three fields."""

from __future__ import annotations

import json
from typing import Any

from recollect.knowledge import Triple

SUFFIX = ".triples"
FIELDS = ("subject", "relation", "object")


def are_triples(path: str, text: str) -> bool:
    """Whether a file is one of triples: by its name, or JSON lines that begin with one.

    >>> are_triples("kb.triples", ""), are_triples("a.jsonl", '{"subject": "a", "relation": "b", "object": "c"}')
    (True, True)
    """
    low = path.lower()
    if low.endswith(SUFFIX):
        return True
    return low.endswith((".jsonl", ".ndjson")) and _from_json(text.lstrip().partition("\n")[0]) is not None


def parse_triples(text: str) -> tuple[list[Triple], int]:
    """The triples of a file, and how many lines are none.

    >>> parse_triples("Ana|leads|Billing\\nnothing")
    ([Triple(subject='Ana', relation='leads', object='Billing', sentence='', memory='', weight=1.0)], 1)
    """
    found: list[Triple] = []
    strange = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        triple = _from_json(line) if line.lstrip().startswith("{") else _from_text(line)
        if triple is None:
            strange += 1
        else:
            found.append(triple)
    return found, strange


def _from_text(line: str) -> Triple | None:
    parts = [part.strip() for part in line.split("\t" if "\t" in line else "|")]
    return Triple(parts[0], parts[1], parts[2]) if len(parts) == len(FIELDS) and all(parts) else None


def _from_json(line: str) -> Triple | None:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    ends = [str(record.get(name) or "").strip() for name in FIELDS]
    if not all(ends) or not all(isinstance(record[name], str) for name in FIELDS):
        return None
    weight, sentence = record.get("weight", 1.0), record.get("sentence", "")
    weight = float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else 1.0
    said = sentence if isinstance(sentence, str) else ""
    return Triple(ends[0], ends[1], ends[2], said, weight=weight)
