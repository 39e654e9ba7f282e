"""From settings to the parts they name: store, graph, embedder and sources, for `engine.py` to put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from recollect.errors import InvalidInput
from recollect.models.cached import CachedEmbedder, cache_folder
from recollect.models.catalog import load_embedder
from recollect.models.fallback import FallbackEmbedder
from recollect.ports import Clock, Embedder, Knowledge, Observer, Source, Store, TextKind
from recollect.settings import Settings
from recollect.sources.catalog import BUILT_IN, load_source

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


def make_knowledge(settings: Settings) -> Knowledge:
    """The graph beside the store of these settings."""
    made: Knowledge = import_module("recollect.graph.sqlite").SqliteKnowledge(
        settings.store.path, settings=settings.store
    )
    return made


def make_observers(settings: Settings) -> list[Observer]:
    """Whoever these settings want to be told of every call."""
    if not (settings.telemetry.otel or settings.telemetry.logs):
        return []
    made: list[Observer] = import_module("recollect.telemetry.load").make_observers(settings.telemetry)
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


def make_sources(
    settings: Settings,
    store: Store,
    clock: Clock,
    *,
    embedder: Embedder | None = None,
    knowledge: Knowledge | None = None,
    own: Sequence[Source | str] = (),
) -> list[Source]:
    """The sources of these settings, over this store, then the caller's own: as they are, or by their registered names.

    The files of the project at hand have a store of their own.
    """
    wanted = {
        "memory": settings.enable_memory,
        "messages": settings.enable_messages,
        "local": settings.enable_local and settings.local.root is not None,
        "graph": settings.enable_graph and knowledge is not None,
        "vector": settings.enable_vector,
        "remote": settings.remote.base_url is not None,
    }
    given: dict[str, Any] = {"settings": settings, "now": clock.now, "knowledge": knowledge}
    built_in = [
        load_source(name, _shelf(clock), **given, embedder=_kept(embedder, settings))
        if name == "local"
        else load_source(name, store, **given)
        for name, on in wanted.items()
        if on
    ]
    added = [load_source(each, store, **given) if isinstance(each, str) else each for each in own]
    names = Counter(source.name for source in [*built_in, *added])
    for name in [name for name, times in names.items() if times > 1]:
        raise InvalidInput(f"two sources are called {name!r}; give yours another name", field="sources")
    return [*built_in, *added]


def not_built_in(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Those of the sources that are not ours."""
    return tuple(source for source in sources if source.name not in BUILT_IN)


def _shelf(clock: Clock) -> Store:
    made: Store = import_module("recollect.store.shelf").Shelf(clock.now)
    return made


def _kept(embedder: Embedder | None, settings: Settings) -> Embedder | None:
    """The embedder with what it made of files kept on disk: another process embeds the same ones."""
    if embedder is None:
        return None
    return CachedEmbedder(embedder, cache_folder(settings.embedder.cache), kinds=[TextKind.DOCUMENT])
