"""From settings to the parts they name: the store, the embedder and the sources, for `engine.py` to put together."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from recollect.models.catalog import load_embedder
from recollect.models.fallback import FallbackEmbedder
from recollect.ports import Clock, Embedder, Source, Store
from recollect.settings import Settings
from recollect.sources.catalog import load_source

EMBEDDER_OPTIONS = {
    "minilm": ("folder", "cache", "offline", "precision"),
    "openai": ("base_url", "model", "api_key", "dimensions"),
}


def make_store(settings: Settings, clock: Clock) -> Store:
    """The store of these settings."""
    # Loaded here and not above: it brings numpy and tantivy, which `import recollect` must not.
    made: Store = import_module("recollect.store.sqlite").SqliteStore(
        settings.store.path, now=clock.now, settings=settings.store
    )
    return made


def make_embedder(settings: Settings, progress: Callable[[str, int, int | None], None] | None) -> Embedder:
    """The embedder of these settings, with its stand-in where one is wanted."""
    name = settings.embedder.name
    options = {option: getattr(settings.embedder, option) for option in EMBEDDER_OPTIONS.get(name, ())}
    options = {option: value for option, value in options.items() if value is not None}
    if name == "minilm" and progress is not None:
        options["progress"] = progress
    chosen = load_embedder(name, options)
    if name == "minilm" and settings.embedder.fallback:
        return FallbackEmbedder(chosen, load_embedder("static", {}))
    return chosen


def make_sources(settings: Settings, store: Store, clock: Clock) -> list[Source]:
    """The sources of these settings, over this store."""
    wanted = {"memory": settings.enable_memory, "messages": settings.enable_messages}
    return [load_source(name, store, settings=settings, now=clock.now) for name, on in wanted.items() if on]
