"""A table of a stranger's making as a memory: its names for things, its dates, and whatever else it says.

The id is the source's name with the stranger's own id, or else with the text's hash: it must not be taken for the id of
something that is stored here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from recollect.records import Memory, utc

LONGEST_TEXT = 200_000  # characters, as much as a stored memory has
TEXT_NAMES = ("body", "text", "content", "page_content")
PLACE_NAMES = ("source_uri", "url", "uri", "source")
OPTIONAL = ("summary", "project", "source_position", "author")
TAKEN = {*TEXT_NAMES, *PLACE_NAMES, *OPTIONAL, "id", "title", "kind", "trust", "tags", "score", "space"}
TIMES = ("created_at", "event_time", "valid_from", "valid_to")


def memory_of(table: Mapping[str, Any], *, source: str, space: str, trust: str, moment: datetime) -> Memory | None:
    """The memory such a table describes, stored at `moment` where it says nothing else; None where it has no text."""
    body = _text(_first(table, TEXT_NAMES))[:LONGEST_TEXT]
    if not body.strip():
        return None
    title = _text(table.get("title"))
    more: dict[str, Any] = {name: _text(table.get(name)) or None for name in OPTIONAL}
    more |= {name: _moment(table.get(name), name) for name in TIMES}
    created = more.pop("created_at") or moment
    hashed = sha256(f"{title}\n{body}".encode()).hexdigest()[:32]
    return Memory(
        id=f"{source}:{_text(table.get('id')) or hashed}",
        space=space,
        kind=_text(table.get("kind")) or "document",
        title=title,
        body=body,
        created_at=created,
        updated_at=created,
        content_hash=hashed,
        source_uri=_text(_first(table, PLACE_NAMES)) or None,
        trust=_text(table.get("trust")) or trust,
        tags=_tags(table.get("tags")),
        metadata=_rest(table),
        **more,
    )


def _first(table: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((table[name] for name in names if table.get(name)), None)


def _text(value: Any) -> str:
    """A value as text that a file can hold; half a character becomes a question mark.

    >>> _text(7), _text(None), _text("a\\ud800")
    ('7', '', 'a?')
    """
    return "" if value is None else str(value).encode(errors="replace").decode()


def _tags(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple | set | frozenset):
        return ()
    return tuple(sorted(_text(each) for each in value) if isinstance(value, set | frozenset) else map(_text, value))


def _moment(value: Any, name: str) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value and utc(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}; give a datetime with a time zone, or one as ISO text")
    return utc(datetime.fromisoformat(value))


def _rest(table: Mapping[str, Any]) -> dict[str, Any]:
    """What else the table says, as JSON can hold it: an odd value as its text."""
    given = table.get("metadata")
    known = given if isinstance(given, Mapping) else {}
    rest = {name: value for name, value in table.items() if name not in {*TAKEN, *TIMES, "metadata"}}
    return {str(name): _plain(value) for name, value in {**known, **rest}.items() if value is not None}


def _plain(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return _text(value)
