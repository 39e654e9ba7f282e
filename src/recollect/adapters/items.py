"""LangGraph's items as memories: which space a namespace means, how an item is kept, and what a filter lets through.

The first two labels of a namespace name a space of its own (`langgraph:users.ana`), which shares nothing with another;
what is below them is told apart by clusters, one for each prefix and, ending in a dot, one for the namespace itself.
An item is a project of its own, so that equal values under two keys stay two memories. Labels hold no dots.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from recollect.errors import InvalidInput
from recollect.records import Memory, check_space

Namespace = tuple[str, ...]

LABELS_OF_A_SPACE = 2
MOST_LABELS = 50
LONGEST_PATH = 900  # characters of namespace and key
KEPT_UNDER = "langgraph"  # in a memory's metadata
UNINDEXED = "unindexed"  # the kind of what is kept and not searched for
NOTHING_TO_SEARCH = "Kept without words to search for."
COMPARED = {
    "$gt": lambda one, other: one > other,
    "$gte": lambda one, other: one >= other,
    "$lt": lambda one, other: one < other,
    "$lte": lambda one, other: one <= other,
}


class Stored(NamedTuple):
    """An item as it was found."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    id: str


def check_labels(namespace: Sequence[str]) -> Namespace:
    """The namespace, if it can be told from every other; whoever calls `batch` was checked by nobody before."""
    if isinstance(namespace, str) or not all(isinstance(label, str) for label in namespace):
        raise InvalidInput(f"namespace {namespace!r} cannot be used; give a tuple of texts", field="namespace")
    if any(not label or "." in label or not label.isprintable() for label in namespace):
        raise InvalidInput(
            f"namespace {tuple(namespace)!r} has a label that is empty or has a dot or a control character in it",
            field="namespace",
        )
    if len(namespace) > MOST_LABELS:
        raise InvalidInput(f"namespace has {len(namespace)} labels; at most {MOST_LABELS}", field="namespace")
    return tuple(namespace)


def space_of(base: str, namespace: Namespace) -> str:
    """The space a namespace lies in.

    >>> space_of("langgraph", ("users", "ana", "notes")), space_of("langgraph", ("users",))
    ('langgraph:users.ana', 'langgraph:users')
    """
    return check_space(f"{base}:{'.'.join(namespace[:LABELS_OF_A_SPACE])}")


def may_hold(space: str, base: str, prefix: Namespace) -> bool:
    """Whether a space may hold something below a prefix.

    >>> [may_hold(name, "g", ("users",)) for name in ("g:users", "g:users.ana", "g:usersx.ana", "h:users")]
    [True, True, False, False]
    """
    begins, _, labels = space.partition(":")
    return begins == base and tuple(labels.split("."))[: len(prefix)] == prefix[:LABELS_OF_A_SPACE]


def path_of(namespace: Namespace, key: str) -> str:
    """Namespace and key in one text, different for different ones."""
    path = f"{'.'.join(namespace)}..{key}"  # labels are not empty and hold no dots: the first two dots end them
    if not isinstance(key, str) or len(path) > LONGEST_PATH:
        raise InvalidInput(f"namespace and key are over {LONGEST_PATH} characters; shorten them", field="key")
    return path


def tag_of(namespace: Namespace, key: str) -> str:
    """The tag an item is found by."""
    return f"item:{sha256(path_of(namespace, key).encode(errors='surrogatepass')).hexdigest()[:32]}"


def clusters_of(namespace: Namespace) -> tuple[str, ...]:
    """One cluster for each prefix, and the one of the namespace itself.

    >>> clusters_of(("users", "ana"))
    ('users', 'users.ana', 'users.ana.')
    """
    prefixes = [".".join(namespace[: count + 1]) for count in range(len(namespace))]
    return (*prefixes, f"{prefixes[-1]}.")


def namespaces_in(clusters: Mapping[str, int]) -> Iterator[Namespace]:
    """The namespaces that hold something, out of the clusters of a space."""
    for name in clusters:
        if name.endswith("."):
            yield tuple(name[:-1].split("."))


def fields_of(namespace: Namespace, key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """What a memory of this item has beside its text."""
    return {
        "project": path_of(namespace, key),
        "trust": "agent",
        "tags": (tag_of(namespace, key),),
        "clusters": clusters_of(namespace),
        "metadata": {KEPT_UNDER: {"namespace": list(namespace), "key": key, "value": dict(value)}},
    }


def stored_of(memory: Memory) -> Stored | None:
    """The item a memory keeps; None for a memory that keeps none."""
    kept = memory.metadata.get(KEPT_UNDER)
    if not isinstance(kept, Mapping):
        return None
    value = json.loads(json.dumps(kept["value"]))  # the caller may change it
    return Stored(tuple(kept["namespace"]), kept["key"], value, memory.created_at, memory.updated_at, memory.id)


def readable(value: Any) -> str:
    """A value as lines of text, names before what they hold.

    >>> readable({"name": "Ana", "likes": ["tea", {"place": "Porto"}]})
    'name: Ana\\nlikes: tea\\nlikes place: Porto'
    """
    return "\n".join(_lines(value, ""))


def _lines(value: Any, name: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _lines(inner, f"{name} {key}".strip())
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _lines(inner, name)
    elif value is not None:
        yield f"{name}: {value}" if name else str(value)


def lets_through(wanted: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    """Whether a value is as a filter wants it: fields equal, or compared by `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`.

    >>> lets_through({"stars": {"$gte": 3}, "kind": "note"}, {"stars": 4, "kind": "note"})
    True
    """
    return all(_fits(value.get(name), each) for name, each in (wanted or {}).items())


def _fits(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compares(value, operator, other) for operator, other in wanted.items())
        return isinstance(value, Mapping) and all(_fits(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        same_length = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same_length and all(_fits(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compares(value: Any, operator: str, other: Any) -> bool:
    if operator == "$eq":
        return bool(value == other)
    if operator == "$ne":
        return bool(value != other)
    if operator not in COMPARED:
        known = ", ".join(["$eq", "$ne", *COMPARED])
        raise InvalidInput(f"filter has the unknown operator {operator!r}; known: {known}", field="filter")
    numbers = isinstance(value, int | float) and isinstance(other, int | float)
    texts = isinstance(value, str) and isinstance(other, str)
    return bool(COMPARED[operator](value, other)) if numbers or texts else False
