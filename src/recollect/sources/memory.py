"""The memory and messages sources: what was remembered, found by words, by meaning and over links.

Messages are the same search over one kind. A kind that has a source of its own is left to it while that is on.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.hybrid import Hybrid, Kinds, system_now
from recollect.knowledge import CHUNK
from recollect.ports import Knowledge, Store
from recollect.rank.model import Model
from recollect.settings import Settings

MEMORY = "memory"
MESSAGES = "messages"
MESSAGE_KINDS = frozenset({"message"})
CHUNK_KINDS = frozenset({CHUNK})


class MemorySource(Hybrid):
    """All kinds but those of a source that is on; with `only`, these kinds and no others."""

    def __init__(
        self,
        store: Store,
        *,
        settings: Settings | None = None,
        now: Callable[[], datetime] = system_now,
        name: str = MEMORY,
        only: frozenset[str] = frozenset(),
        model: Model | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        settings = settings or Settings()
        messages = MESSAGE_KINDS if settings.enable_messages else frozenset[str]()
        chunks = CHUNK_KINDS if settings.enable_vector else frozenset[str]()
        kinds = Kinds(only, without=messages | chunks)
        super().__init__(store, name=name, settings=settings, now=now, kinds=kinds, model=model, knowledge=knowledge)


def messages_source(
    store: Store, *, settings: Settings | None = None, now: Callable[[], datetime] = system_now
) -> MemorySource:
    """The messages of conversations: the same search over that kind alone."""
    return MemorySource(store, settings=settings, now=now, name=MESSAGES, only=MESSAGE_KINDS)
