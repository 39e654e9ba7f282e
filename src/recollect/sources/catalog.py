"""Sources by name: our own table and the entry points other packages register. Loaded when asked for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from importlib.metadata import entry_points

from recollect.errors import UnknownName
from recollect.ports import Source, Store
from recollect.settings import Settings

GROUP = "recollect.sources"
BUILT_IN = {
    "memory": "recollect.sources.memory:MemorySource",
    "messages": "recollect.sources.memory:messages_source",
}


def source_names() -> list[str]:
    """Every name that can be asked for."""
    return sorted({*BUILT_IN, *(entry.name for entry in entry_points(group=GROUP))})


def load_source(name: str, store: Store, *, settings: Settings, now: Callable[[], datetime]) -> Source:
    """The source of that name over this store. One from another package is given the store and nothing else."""
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        made: Source = getattr(import_module(module), attribute)(store, settings=settings, now=now)
        return made
    for entry in entry_points(group=GROUP, name=name):
        plugged: Source = entry.load()(store)
        return plugged
    raise UnknownName(f"no source is called {name!r}; known: {', '.join(source_names())}", field="source")
