"""Sources and embedders that do what the test says: real implementations of the ports, with given behaviour."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from recollect.models.hashing import HashingEmbedder
from recollect.offload import run_in_thread
from recollect.ports import Clock, Embedder, Source, TextKind
from recollect.records import Vector
from recollect.settings import Settings
from recollect.steps.search import Means
from recollect.values import Abilities, Hit, Lookup, Reply

Behaviour = Callable[[Lookup], Awaitable[Any]]


class ScriptedSource:
    """Answers each lookup as told, and remembers what it was asked."""

    def __init__(self, name: str, behave: Behaviour, *, semantic: bool = False) -> None:
        self._name = name
        self._behave = behave
        self._semantic = semantic
        self.asked: list[Lookup] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(semantic=self._semantic)

    async def search(self, lookup: Lookup) -> Reply:
        self.asked.append(lookup)
        reply: Reply = await self._behave(lookup)
        return reply

    async def close(self) -> None:
        """Nothing is open."""


class ScriptedEmbedder(HashingEmbedder):
    """The hashing embedder, with something done before each batch."""

    def __init__(self, before: Callable[[], Awaitable[None]], *, note: str | None = None) -> None:
        super().__init__()
        self.note = note
        self._before = before
        self.batches: list[list[str]] = []

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        self.batches.append(list(texts))
        await self._before()
        return await super().embed(texts, kind=kind)


def giving(*hits: Hit, notes: tuple[str, ...] = ()) -> Behaviour:
    async def behave(lookup: Lookup) -> Reply:
        return Reply(hits, notes)

    return behave


def returning(anything: Any) -> Behaviour:
    async def behave(lookup: Lookup) -> Any:
        return anything

    return behave


def raising(error: BaseException) -> Behaviour:
    async def behave(lookup: Lookup) -> Reply:
        raise error

    return behave


def after(clock: Clock, seconds: float, *hits: Hit) -> Behaviour:
    """Answers when so much time has passed on the clock."""

    async def behave(lookup: Lookup) -> Reply:
        await clock.sleep(seconds)
        return Reply(hits)

    return behave


def hanging() -> Behaviour:
    async def behave(lookup: Lookup) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("never")

    return behave


def hanging_in_a_thread(released: threading.Event) -> Behaviour:
    """Blocks a worker thread until the test lets it go."""

    async def behave(lookup: Lookup) -> Reply:
        await run_in_thread(released.wait, 60)
        return Reply(())

    return behave


async def at_once() -> None:
    """No delay."""


def means(*sources: Source, clock: Clock, embedder: Embedder | None = None, **changes: Any) -> Means:
    by_name = {source.name: source for source in sources}
    return Means(by_name, embedder or HashingEmbedder(), clock, Settings(**changes))
