"""One line of an export -> the write it stands for, checked as the library's own writes are.

Whatever could not be read, listed and exported again is refused with the line and the field. What the gate thinks of
a text is left out: files are read in without it, and what is in a store can always be read in again.
"""

from __future__ import annotations

import base64
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import datetime
from math import hypot
from operator import itemgetter
from reprlib import repr as shortened
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from recollect.errors import EmbedderMismatch, InvalidInput
from recollect.ingest.gate import check_field, check_fields, check_labels, check_metadata, check_new_id, check_relation
from recollect.ingest.write import check_link
from recollect.ports import Store
from recollect.records import Entity, Filters, Lifecycle, Link, Memory, PutEntity, PutLink, PutMemory, Vector, utc
from recollect.settings import WriteSettings

LARGEST = sys.float_info.max  # infinity lies above it, and what is not a number is never below it
MOST_COUNTED = 2**53  # from here on a number of JSON may be read as its neighbour
LONGEST_PATH = 4_096  # of a file that was read in
ROUNDING = 0.02  # how far from one the length of a vector may be that was kept in half precision
TIMES = {"created_at", "updated_at", "event_time", "valid_from", "valid_to", "last_access", "learned_at", "favour_at"}
TUPLES = {"tags", "clusters", "aliases"}
FLOATS = (float, float | None)
# The least and the most of numbers that have bounds.
BOUNDS = {
    "favour": (-1.0, 1.0),
    "learned": (0.0, 1.0),
    "access_count": (0, MOST_COUNTED),
    "stability_days": (0.0, LARGEST),
}


class Imported(NamedTuple):
    """A record of an export: the number of its line, its sort, and what writes it."""

    number: int
    sort: str
    write: PutMemory | PutEntity | PutLink


def imported(sort: str, record: dict[str, Any], *, space: str, number: int, settings: WriteSettings) -> Imported:
    """The write one record stands for."""
    with _on_line(number):
        match sort:
            case "memory":
                return Imported(number, sort, _memory(record, space=space, settings=settings))
            case "entity":
                return Imported(number, sort, PutEntity(_entity(record)))
            case "link":
                return Imported(number, sort, PutLink(_link(record)))
        raise InvalidInput(f"it has the unknown type {shortened(sort)}", field="type")


def check_together(records: Sequence[Imported], *, store: Store, space: str) -> None:
    """What no line can say alone: the ends of a link are there before it, and vectors are all of one length."""
    known: set[str] = set()
    sought: dict[str, tuple[int, str]] = {}
    seen: dict[str, int] = {}
    for number, _, write in records:
        match write:
            case PutLink(link):
                for field, end in (("from_id", link.from_id), ("to_id", link.to_id)):
                    if end not in known:
                        sought.setdefault(end, (number, field))
                continue
            case PutMemory(memory, vector):
                known.add(memory.id)
                if vector is not None:
                    with _on_line(number):
                        _check_dimensions(vector, seen=seen, store=store, space=space)
            case PutEntity(entity):
                known.add(entity.id)
    if not sought:
        return
    stored = {each.id for each in store.read(space, list(sought))} | {each.id for each in store.entities(space)}
    for end, (number, field) in sought.items():
        if end not in stored:
            message = f"line {number}: {field} {end!r} is no memory or entity; put it on a line before the link"
            raise InvalidInput(message, field=f"line {number}")


@contextmanager
def _on_line(number: int) -> Iterator[None]:
    """Names the line of whatever is wrong."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"line {number}: {error}", field=f"line {number}") from error


# --- the three sorts -------------------------------------------------------------------------------


def _memory(record: dict[str, Any], *, space: str, settings: WriteSettings) -> PutMemory:
    vector = _vector(record.pop("vector", None))
    memory = replace(Memory(space=space, **_typed(record, Memory)), embedded_by=None)  # its vector says that
    check_new_id("id", memory.id)
    check_field("body", memory.body, most=settings.max_characters)
    if not memory.body.strip():
        raise InvalidInput("body is empty; give it something to remember", field="body")
    check_fields(memory, settings=settings, longest_uri=LONGEST_PATH)
    check_field("content_hash", memory.content_hash)
    return PutMemory(memory, vector)


def _entity(record: dict[str, Any]) -> Entity:
    entity = Entity(**_typed(record, Entity))
    check_new_id("id", entity.id)
    for name in ("name", "kind"):
        check_field(name, getattr(entity, name))
        if not getattr(entity, name).strip():
            raise InvalidInput(f"{name} is empty; give it one", field=name)
    if entity.project is not None:
        check_field("project", entity.project)
    check_labels("aliases", entity.aliases)
    check_metadata(entity.metadata)
    return entity


def _link(record: dict[str, Any]) -> Link:
    link = Link(**_typed(record, Link))
    check_new_id("from_id", link.from_id)
    check_new_id("to_id", link.to_id)
    check_relation(link.relation)
    return check_link(link)


# --- vectors ---------------------------------------------------------------------------------------


def _vector(encoded: Any) -> Vector | None:
    """The vector, if it is one: of somebody with a name, of numbers, and of length one."""
    if encoded is None:
        return None
    if not isinstance(encoded, dict) or encoded.keys() != {"identity", "data"}:
        raise InvalidInput("vector needs an identity and data, and nothing else", field="vector")
    identity, data = encoded["identity"], encoded["data"]
    if not isinstance(identity, str) or not isinstance(data, str) or not identity:
        raise InvalidInput("vector needs an identity and data that are texts", field="vector")
    check_field("vector", identity)
    try:
        packed = base64.b64decode(data, validate=True)
        length = hypot(*struct.unpack(f"<{len(packed) // 4}f", packed))
    except (ValueError, struct.error) as error:
        raise InvalidInput(f"vector cannot be read ({error}); give float32 values in base64", field="vector") from error
    if not abs(length - 1) <= ROUNDING:
        raise InvalidInput(f"vector has the length {length:g}, not one", field="vector")
    return Vector(identity, packed)


def _check_dimensions(vector: Vector, *, seen: dict[str, int], store: Store, space: str) -> None:
    if vector.identity not in seen:
        seen[vector.identity] = vector.dimensions
        try:
            store.nearest(space, vector, filters=Filters(), limit=1)  # refuses what cannot be compared
        except EmbedderMismatch:  # then it is left out
            return
        except InvalidInput as error:
            raise InvalidInput(f"vector does not fit those of the space: {error}", field="vector") from error
    if vector.dimensions != seen[vector.identity]:
        before = seen[vector.identity]
        raise InvalidInput(f"vector has {vector.dimensions} dimensions, those before it {before}", field="vector")


# --- fields ----------------------------------------------------------------------------------------


def _typed(record: dict[str, Any], kind: type) -> dict[str, Any]:
    """The fields of a record as the value has them: moments in UTC, tuples, names of lifecycles; all of their types."""
    hints = get_type_hints(kind)
    known = {each.name for each in fields(kind)} - {"space"}
    for unknown in sorted(record.keys() - known):
        raise InvalidInput(f"unknown field {shortened(unknown)}", field=unknown)
    typed = {name: _from_json(name, value) for name, value in record.items()}
    for name, value in sorted(typed.items(), key=itemgetter(0)):
        if not _is_a(value, hints[name]):
            raise InvalidInput(f"{name} cannot be {shortened(value)}", field=name)
        if name in BOUNDS and value is not None:
            least, most = BOUNDS[name]
            if not least <= value <= most:
                raise InvalidInput(f"{name} is {shortened(value)}; give {least:g} to {most:g}", field=name)
        if isinstance(value, int) and hints[name] in FLOATS:
            typed[name] = float(value)  # a store takes whole numbers only so far
    return typed


def _from_json(name: str, value: Any) -> Any:
    if name in TIMES and isinstance(value, str):
        try:
            return utc(datetime.fromisoformat(value))
        except ValueError as error:
            raise InvalidInput(f"{name} is no moment: {error}", field=name) from error
    if name in TUPLES and isinstance(value, list):
        return tuple(value)
    if name == "lifecycle" and isinstance(value, str) and value in set(Lifecycle):
        return Lifecycle(value)
    return value


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of a type as the records spell it: a class, `X | None`, a tuple of texts, or a mapping."""
    if get_origin(hint) is UnionType:
        return any(_is_a(value, each) for each in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
    return isinstance(value, get_origin(hint) or hint)
