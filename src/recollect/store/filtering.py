"""What filters let through: as SQL conditions, for browsing, and of a single memory, for the reference store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from recollect.records import Filters, TimeAxis, TimeRange
from recollect.store.rows import to_micros

Condition = tuple[str, list[Any]]
FITS = "fits_a_path"
PLACES = "select distinct source_uri as uri from memories where source_uri is not null"  # each is matched once


def add_functions(db: sqlite3.Connection) -> None:
    """Teach a connection what the conditions call."""
    db.create_function(FITS, 2, _fits, deterministic=True)


def _fits(uri: str, packed: str) -> bool:
    return _unpacked(packed).passes_path(uri)


@lru_cache(maxsize=64)
def _unpacked(packed: str) -> Filters:
    return Filters(paths=frozenset(json.loads(packed)))


def _packed(paths: frozenset[str]) -> str:
    return json.dumps(sorted(paths))


def conditions(filters: Filters, *, now: datetime) -> Condition:
    """One SQL expression over `memories m`, and its parameters."""
    parts: list[Condition] = [_among("m.lifecycle", [each.value for each in filters.lifecycles])]
    for column, wanted in (
        ("id", filters.ids),
        ("kind", filters.kinds),
        ("project", filters.projects),
        ("trust", filters.trusts),
    ):
        if wanted:
            parts.append(_among(f"m.{column}", wanted))
    if filters.paths:
        parts.append((f"m.source_uri in (select uri from ({PLACES}) where {FITS}(uri, ?))", [_packed(filters.paths)]))
    if filters.without_kinds:
        sql, values = _among("m.kind", filters.without_kinds)
        parts.append((f"not {sql}", values))
    if not filters.superseded:
        parts.append(_validity(filters, now=now))
    if filters.time:
        parts.append(_time(filters.time))
    for tag in sorted(filters.tags):
        parts.append(_labelled("tag", [tag]))
    if filters.clusters:
        parts.append(_labelled("cluster", filters.clusters))
    return " and ".join(f"({sql})" for sql, _ in parts), [value for _, values in parts for value in values]


def _among(column: str, wanted: Iterable[str]) -> Condition:
    values = sorted(wanted)
    return f"{column} in ({', '.join('?' * len(values))})", list(values)


def _validity(filters: Filters, *, now: datetime) -> Condition:
    moment = to_micros(filters.as_of or now)
    begins = "m.valid_from" if filters.as_of is None else "coalesce(m.valid_from, m.event_time, m.created_at)"
    return f"(m.valid_to is null or m.valid_to > ?) and ({begins} is null or {begins} <= ?)", [moment, moment]


def _time(range: TimeRange) -> Condition:
    columns = {
        TimeAxis.EVENT: ["m.event_time"],
        TimeAxis.STORED: ["m.created_at"],
        TimeAxis.ANY: ["m.event_time", "m.created_at"],
    }[range.axis]
    sql, values = [], []
    for column in columns:
        bounds = [f"{column} is not null"]
        for operator, moment in ((">=", range.start), ("<", range.end)):
            if moment is not None:
                bounds.append(f"{column} {operator} ?")
                values.append(to_micros(moment))
        sql.append(f"({' and '.join(bounds)})")
    return " or ".join(sql), values


def _labelled(sort: str, labels: Iterable[str]) -> Condition:
    condition, values = _among("label", labels)
    return f"m.row in (select row from labels where sort = ? and {condition})", [sort, *values]
