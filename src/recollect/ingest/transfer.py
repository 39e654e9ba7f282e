"""A whole space as JSON lines and back: memories with their vectors, entities, links. Nothing is lost on the way.

First line: what this is. Then entities, memories newest first, and links last, so that every end of a link is there
before it. What was learned goes along (since version 2); the journal does not, nor the graph of a project: its chunks
are memories and are here, and reading the same files in again makes the graph anew. What one line may say is checked
in `imported.py`.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.ingest.imported import Imported, check_together, imported
from recollect.ports import Store
from recollect.records import Entity, Filters, Lifecycle, Link, Memory, Vector
from recollect.settings import WriteSettings

FORMAT = "recollect-export"
VERSION = 2
PAGE = 500
BATCH = 1_000
EVERYTHING = Filters(lifecycles=frozenset(Lifecycle), superseded=True)


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


def import_lines(store: Store, space: str, lines: Iterable[str], *, settings: WriteSettings) -> dict[str, int]:
    """Write an export into a space, in batches; ids stay, what is there under the same id is replaced.

    The whole export is read and checked first: a bad line anywhere means that nothing is written.
    """
    records = list(_records(lines, space=space, settings=settings))
    check_together(records, store=store, space=space)
    for start in range(0, len(records), BATCH):
        store.apply(space, [each.write for each in records[start : start + BATCH]])
    if records:
        store.catch_up(space)  # now and in one go, which gives a faster index than many small additions
    counts = Counter(each.sort for each in records)
    return {sort: counts[sort] for sort in ("memory", "entity", "link")}


def _records(lines: Iterable[str], *, space: str, settings: WriteSettings) -> Iterator[Imported]:
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    _check_header(*_parsed(next(numbered, (1, ""))[1], number=1))
    for number, line in numbered:
        sort, record = _parsed(line, number=number)
        yield imported(sort, record, space=space, number=number, settings=settings)


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
