"""Embedders by name: a table of our own, and the entry points other packages register.

A class is imported only when it is asked for. Its keyword arguments are its options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, cast

from recollect.errors import InvalidInput, UnknownName
from recollect.ports import Embedder

GROUP = "recollect.embedders"
BUILT_IN: Mapping[str, str] = {
    "minilm": "recollect.models.minilm:MiniLM",
    "static": "recollect.models.static:StaticEmbedder",
    "hashing": "recollect.models.hashing:HashingEmbedder",
    "openai": "recollect.models.openai:OpenAIEmbedder",
}


def embedder_names() -> list[str]:
    """Every name that can be asked for."""
    return sorted({*BUILT_IN, *(entry.name for entry in entry_points(group=GROUP))})


def load_embedder(name: str, options: Mapping[str, Any]) -> Embedder:
    """The embedder of that name, made with these options."""
    make = _find(name)
    parameters = inspect.signature(make).parameters.values()
    known = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
    if len(known) == len(parameters):  # else it takes any option and checks them itself
        for option in sorted(options.keys() - set(known)):
            message = f"embedder {name!r} has no option {option!r}; known: {', '.join(known) or 'none'}"
            raise InvalidInput(message, field=option)
    for each in parameters:
        if each.name in known and each.default is each.empty and each.name not in options:
            raise InvalidInput(f"embedder {name!r} needs the option {each.name!r}", field=each.name)
    return make(**options)


def _find(name: str) -> Callable[..., Embedder]:
    if name in BUILT_IN:
        module, attribute = BUILT_IN[name].split(":")
        return cast("Callable[..., Embedder]", getattr(import_module(module), attribute))
    for entry in entry_points(group=GROUP, name=name):
        return cast("Callable[..., Embedder]", entry.load())
    known = ", ".join(embedder_names())
    raise UnknownName(f"no embedder is called {name!r}; known: {known}", field="embedder")
