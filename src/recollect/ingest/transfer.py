"""A whole space as JSON lines and back: memories with their vectors, entities, links. Nothing is lost on the way.

First line: what this is. Then entities, memories newest first, and links last, so that every end of a link is there
before it. What was learned goes along (since version 2); the journal does not, nor the graph of a project: its chunks
are memories and are here, and reading the same files in again makes the graph anew.
"""

from __future__ import annotations

import base64
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from recollect.errors import InvalidInput
from recollect.ports import Store
from recollect.records import (
    Entity,
    Filters,
    Lifecycle,
    Link,
    Memory,
    PutEntity,
    PutLink,
    PutMemory,
    Vector,
    Write,
)

FORMAT = "recollect-export"
VERSION = 2
LARGEST = sys.float_info.max  # infinity lies above it, and what is not a number is never below it
PAGE = 500
BATCH = 1_000
EVERYTHING = Filters(lifecycles=frozenset(Lifecycle), superseded=True)
TIMES = {"created_at", "updated_at", "event_time", "valid_from", "valid_to", "last_access", "learned_at", "favour_at"}
TUPLES = {"tags", "clusters", "aliases"}


def export_lines(store: Store, space: str) -> Iterator[str]:
    """The space, line by line."""
    stats = store.stats(space)
    yield _line("space", {"format": FORMAT, "version": VERSION, "space": space, "memories": stats.memories})
    for entity in store.entities(space):
        yield _line("entity", _plain(entity))
    ids: list[str] = []
    after: str | None = None
    while page := store.browse(space, EVERYTHING, limit=PAGE, after=after):
        after = page[-1].id
        ids += [memory.id for memory in page]
        vectors = store.vectors(space, [memory.id for memory in page])
        for memory, vector in zip(page, vectors, strict=True):
            yield _line("memory", _plain(memory) | ({"vector": _encoded(vector)} if vector else {}))
    for link in _links(store, space, [*ids, *(entity.id for entity in store.entities(space))]):
        yield _line("link", _plain(link))


def import_lines(store: Store, space: str, lines: Iterable[str]) -> dict[str, int]:
    """Write an export into a space, in batches; ids stay, what is there under the same id is replaced.

    The whole export is read and checked first: a bad line anywhere means that nothing is written.
    """
    records = list(_records(lines, space=space))
    for start in range(0, len(records), BATCH):
        store.apply(space, [write for _, write in records[start : start + BATCH]])
    if records:
        store.catch_up(space)  # now and in one go, which gives a faster index than many small additions
    counts = Counter(sort for sort, _ in records)
    return {sort: counts[sort] for sort in ("memory", "entity", "link")}


def _records(lines: Iterable[str], *, space: str) -> Iterator[tuple[str, Write]]:
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    _check_header(*_parsed(next(numbered, (1, ""))[1], number=1))
    for number, line in numbered:
        sort, record = _parsed(line, number=number)
        yield sort, _write(sort, record, space=space, number=number)


def _links(store: Store, space: str, ids: list[str]) -> list[Link]:
    found = {}
    for start in range(0, len(ids), PAGE):
        for link in store.links(space, ids[start : start + PAGE]):
            found[link.from_id, link.to_id, link.relation] = link
    return [found[key] for key in sorted(found)]


def _plain(record: Memory | Entity | Link) -> dict[str, Any]:
    plain = {each.name: getattr(record, each.name) for each in fields(record)}
    if "metadata" in plain:
        plain["metadata"] = dict(plain["metadata"])
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in plain.items()
        if value is not None and name != "space"
    }


def _encoded(vector: Vector) -> dict[str, str]:
    return {"identity": vector.identity, "data": base64.b64encode(vector.data).decode()}


def _line(sort: str, record: dict[str, Any]) -> str:
    return json.dumps({"type": sort, **record}, ensure_ascii=False, sort_keys=True)


def _parsed(line: str, *, number: int) -> tuple[str, dict[str, Any]]:
    try:
        record = json.loads(line)
        return record.pop("type"), record
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise InvalidInput(f"line {number} is not a record of an export: {error}", field=f"line {number}") from error


def _check_header(sort: str, record: dict[str, Any]) -> None:
    if sort != "space" or record.get("format") != FORMAT:
        raise InvalidInput("this is not a recollect export: the first line must say so", field="line 1")
    version = record.get("version")
    if not isinstance(version, int):
        raise InvalidInput(f"the export's version is {version!r}, not a number", field="version")
    if version > VERSION:
        raise InvalidInput(
            f"the export has version {version}, this program reads {VERSION}; upgrade recollect",
            field="version",
        )


def _write(sort: str, record: dict[str, Any], *, space: str, number: int) -> Write:
    encoded = record.pop("vector", None)
    try:
        vector = Vector(encoded["identity"], base64.b64decode(encoded["data"], validate=True)) if encoded else None
        match sort:
            case "memory":
                return PutMemory(Memory(space=space, **_typed(record, Memory)), vector)
            case "entity":
                return PutEntity(Entity(**_typed(record, Entity)))
            case "link":
                return PutLink(Link(**_typed(record, Link)))
    except (TypeError, ValueError, KeyError) as error:
        raise InvalidInput(f"line {number}: {error}", field=f"line {number}") from error
    raise InvalidInput(f"line {number} has the unknown type {sort!r}", field=f"line {number}")


def _typed(record: dict[str, Any], kind: type) -> dict[str, Any]:
    known = {each.name for each in fields(kind)}
    unknown = record.keys() - known
    if unknown:
        raise ValueError(f"unknown field {sorted(unknown)[0]!r}")
    typed = dict(record)
    for name in TIMES & typed.keys():
        typed[name] = datetime.fromisoformat(typed[name])
    for name in TUPLES & typed.keys():
        typed[name] = tuple(typed[name]) if isinstance(typed[name], list) else typed[name]
    if "lifecycle" in typed:
        typed["lifecycle"] = Lifecycle(typed["lifecycle"])
    hints = get_type_hints(kind)
    for name in sorted(typed):
        if not _is_a(typed[name], hints[name]):
            raise ValueError(f"{name!r} cannot be {typed[name]!r}")
    if abs(typed.get("favour", 0.0)) > 1:
        raise ValueError(f"'favour' is {typed['favour']!r}, not within -1 and 1")
    return typed


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as the records spell it: a class, `X | None`, a tuple of texts, or a mapping."""
    if get_origin(hint) is UnionType:
        return any(_is_a(value, each) for each in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    if hint is datetime:
        return isinstance(value, datetime) and value.tzinfo is not None
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
    return isinstance(value, get_origin(hint) or hint)
