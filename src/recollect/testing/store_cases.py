"""Memories, vectors and short forms of lookups for tests of a store."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.errors import RecollectError
from recollect.ports import Store
from recollect.records import Filters, Lifecycle, Memory, PutMemory, Vector

SPACE = "contract"
DAY = timedelta(days=1)
THEN = datetime(2021, 6, 1, 12, tzinfo=UTC)  # long past for any clock
FAR = datetime(2199, 1, 1, tzinfo=UTC)  # still to come for any clock
EMBEDDER = "contract-embedder@1"
EVERYTHING = Filters(lifecycles=frozenset(Lifecycle), superseded=True)


def memory(id: str, body: str = "common text", **fields: Any) -> Memory:
    """A memory with everything a test does not care about filled in."""
    defaults: dict[str, Any] = {"kind": "fact", "title": "", "content_hash": f"hash-{id}"}
    moments = {"created_at": THEN, "updated_at": THEN}
    return Memory(id=id, space=SPACE, body=body, **{**defaults, **moments, **fields})


def vector(*values: float, identity: str = EMBEDDER) -> Vector:
    """The direction of these values, at length one."""
    length = math.sqrt(math.fsum(value * value for value in values))
    return Vector(identity, struct.pack(f"<{len(values)}f", *(value / length for value in values)))


def put(store: Store, *memories: Memory, space: str = SPACE) -> None:
    """Store memories, all with the same vector, so that both kinds of search could find each."""
    store.apply(space, [PutMemory(each, vector(1, 0)) for each in memories])


def ids_of(found: Iterable[Any]) -> list[str]:
    """The ids of memories or matches, in their order."""
    return [each.id for each in found]


def matched(store: Store, text: str, *, filters: Filters | None = None, space: str = SPACE) -> list[str]:
    """The ids `match` finds."""
    return ids_of(store.match(space, text, filters=filters or Filters(), limit=100)[0])


def near(store: Store, *, filters: Filters | None = None, space: str = SPACE) -> list[str]:
    """The ids `nearest` finds."""
    return ids_of(store.nearest(space, vector(1, 0), filters=filters or Filters(), limit=100))


def passing(store: Store, filters: Filters) -> str:
    """The ids that pass, joined, after seeing that all three lookups agree on them."""
    browsed = sorted(ids_of(store.browse(SPACE, filters, limit=100)))
    assert sorted(matched(store, "common", filters=filters)) == browsed, f"match and browse disagree on {filters}"
    assert sorted(near(store, filters=filters)) == browsed, f"nearest and browse disagree on {filters}"
    return "".join(browsed)


def raises(error: type[RecollectError], call: Callable[[], object]) -> RecollectError:
    """The error a call must raise; written out here so that the suite needs no test tool to be imported."""
    try:
        call()
    except error as raised:
        return raised
    raise AssertionError(f"{error.__name__} was not raised")
