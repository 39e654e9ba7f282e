"""Sources by name: our own table and the entry points other packages register. Loaded when asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from recollect.errors import UnknownName
from recollect.ports import Embedder, Knowledge, Source, Store
from recollect.settings import Settings

GROUP = "recollect.sources"


class BuiltIn(NamedTuple):
    """Where a source of ours is, and what it takes beside the store, the settings and the clock."""

    where: str
    takes: tuple[str, ...] = ()


BUILT_IN = {
    "memory": BuiltIn("recollect.sources.memory:MemorySource", takes=("knowledge",)),
    "messages": BuiltIn("recollect.sources.memory:messages_source"),
    "local": BuiltIn("recollect.sources.local:LocalSource", takes=("embedder",)),
    "vector": BuiltIn("recollect.sources.vector:VectorSource", takes=("knowledge",)),
    "graph": BuiltIn("recollect.sources.graph:GraphSource", takes=("knowledge",)),
    "remote": BuiltIn("recollect.sources.remote:RemoteSource"),
}


def source_names() -> list[str]:
    """Every name that can be asked for."""
    return sorted({*BUILT_IN, *(entry.name for entry in entry_points(group=GROUP))})


def load_source(
    name: str,
    store: Store,
    *,
    settings: Settings,
    now: Callable[[], datetime],
    embedder: Embedder | None = None,
    knowledge: Knowledge | None = None,
) -> Source:
    """The source of that name over this store. One from another package is given the store and nothing else."""
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].where.split(":")
        offered: dict[str, Any] = {"embedder": embedder, "knowledge": knowledge}
        more = {part: offered[part] for part in BUILT_IN[name].takes}
        made: Source = getattr(import_module(module), attribute)(store, settings=settings, now=now, **more)
        return made
    for entry in entry_points(group=GROUP, name=name):
        plugged: Source = entry.load()(store)
        return plugged
    raise UnknownName(f"no source is called {name!r}; known: {', '.join(source_names())}", field="source")
