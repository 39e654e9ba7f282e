"""Requests asked again under one configuration or two, through the public `retrieve`.

Takes requests and ways of asking; gives the reply of each way to each request. Nothing is learned and no trace is kept.
A request is asked at its own moment, else all are asked at the same one, but of what is stored now. What the replies
say of each other is in `replay_compare.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recollect.clock import SystemClock
from recollect.engine import Recollect
from recollect.evals.load import Progress, SetClock
from recollect.evals.replay_requests import Reply, Request
from recollect.evals.run import Download
from recollect.models.tokens import TokenCounter
from recollect.ports import Embedder, Source, Store
from recollect.records import EMPTY, name_key
from recollect.settings import Settings
from recollect.values import Abilities, Answer, Lookup
from recollect.values import Reply as Found
from recollect.wiring import make_embedder, make_knowledge, make_sources, make_store

THEN = "then"  # the column of what stored traces say
BATCH = 500  # memories read at once
SHOWN = 5  # expected things named in a note

Gold = Mapping[str, str]


class Way(NamedTuple):
    """One configuration to ask under, and what its column is called."""

    name: str
    settings: Settings


class Side(NamedTuple):
    """The replies of one configuration, or of the stored traces, in the order of the requests.

    `gold` has for each request the memories that answer it, each with the expected thing it stands for.
    """

    name: str
    replies: tuple[Reply, ...]
    gold: tuple[Gold, ...]
    embedder: str | None = None


class Replayed(NamedTuple):
    """Requests with one side or two; `titles` are names of the memories in the evidence, or what they begin with."""

    requests: tuple[Request, ...]
    sides: tuple[Side, ...]
    titles: Mapping[str, str] = EMPTY
    notes: tuple[str, ...] = ()


class Asking(NamedTuple):
    """Where to ask, who is told how far it is, and when it is for requests that do not say (None: now).

    `own` are sources searched beside those the settings name; they stay open.
    """

    space: str
    progress: Progress
    now: datetime | None = None
    download: Download | None = None
    own: tuple[Source, ...] = ()


class _Open(NamedTuple):
    engine: Recollect
    store: Store
    embedder: Embedder
    clock: SetClock


async def replay(requests: Sequence[Request], ways: Sequence[Way], *, asking: Asking) -> Replayed:
    """Ask all requests under each way, one way after the other. With one way only, stored traces are the other side."""
    asking = asking._replace(now=asking.now or SystemClock().now())
    sides: list[Side] = []
    titles: dict[str, str] = {}
    for way in ways:
        async with _opened(way.settings, asking=asking) as ready:
            side = await _ask_all(requests, way.name, ready, asking)
            sides.append(side)
            if len(ways) == 1 and all(request.then for request in requests):
                then = tuple(request.then for request in requests if request.then)
                sides.insert(0, Side(THEN, then, side.gold))
            titles.update(_titles(sides, ready.store, asking.space))
    return Replayed(tuple(requests), tuple(sides), titles, tuple(_notes(requests, sides)))


class _Lent:
    """A source of somebody else's: searched, but not closed."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @property
    def name(self) -> str:
        return self._source.name

    @property
    def abilities(self) -> Abilities:
        return self._source.abilities

    async def search(self, lookup: Lookup) -> Found:
        return await self._source.search(lookup)

    async def close(self) -> None:
        """Whoever lent it does that."""


@asynccontextmanager
async def _opened(settings: Settings, *, asking: Asking) -> AsyncIterator[_Open]:
    """An engine with the sources any other has, whose wall clock is set for each request and that keeps no traces."""
    clock = SetClock()
    chosen = replace(settings, keep_traces=0)
    store, embedder = make_store(chosen, clock), make_embedder(chosen, asking.download)
    knowledge = make_knowledge(chosen)
    lent = [_Lent(source) for source in asking.own]
    sources = make_sources(chosen, store, clock, embedder=embedder, knowledge=knowledge, own=lent)
    async with Recollect(
        chosen, store=store, embedder=embedder, sources=sources, knowledge=knowledge, clock=clock
    ) as engine:
        await engine.warm()
        yield _Open(engine, store, embedder, clock)


async def _ask_all(requests: Sequence[Request], name: str, ready: _Open, asking: Asking) -> Side:
    await ready.engine.search("warm up", space=asking.space, limit=1)
    replies = []
    count_tokens = TokenCounter()
    for number, request in enumerate(requests, start=1):
        ready.clock.set_now(request.now or asking.now or SystemClock().now())
        answer = await ready.engine.retrieve(request.text, space=asking.space, messages=request.messages)
        replies.append(_reply(answer, tokens=count_tokens(answer.context)))
        asking.progress(f"asking {name}", number, len(requests))
    gold = tuple(_gold(request.expect, ready.store, asking.space) for request in requests)
    return Side(name, tuple(replies), gold, ready.embedder.identity)


def _reply(answer: Answer, *, tokens: int) -> Reply:
    return Reply(
        tuple(piece.memory.id for piece in answer.evidence),
        tuple(dict.fromkeys(id for piece in answer.evidence for id in (piece.memory.id, *piece.absorbed))),
        answer.verdict.value,
        answer.confidence.label.value,
        answer.confidence.score,
        len(answer.gains),
        answer.trace.seconds,
        tuple(id for id, _ in answer.ranking),
        tokens,
        answer.degraded,
    )


def _gold(expect: Sequence[str], store: Store, space: str) -> Gold:
    """The memories expected things name: the one with that id, else all with that title, any of which will do."""
    by_id = {memory.id for memory in store.read(space, list(expect))} if expect else set()
    keys = {name: name_key(name) for name in expect if name not in by_id}
    titled = store.titled(space, sorted(set(keys.values()))) if keys else {}
    found = {id: id for id in expect if id in by_id}
    for name, key in keys.items():
        for id in titled.get(key, ()):
            found.setdefault(id, name)
    return found


def _titles(sides: Sequence[Side], store: Store, space: str) -> Iterator[tuple[str, str]]:
    ids = sorted({id for side in sides for reply in side.replies for id in reply.evidence})
    for start in range(0, len(ids), BATCH):
        for memory in store.read(space, ids[start : start + BATCH]):
            yield memory.id, memory.title or memory.body


def _notes(requests: Sequence[Request], sides: Sequence[Side]) -> Iterator[str]:
    """What whoever reads the figures should know."""
    for side in sides:
        lost = [
            f"{name!r} (request {request.id})"
            for request, gold in zip(requests, side.gold, strict=True)
            for name in request.expect
            if name not in gold.values()
        ]
        if lost and side.name != THEN:
            more = f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else ""
            yield f"{side.name}: expected, but no memory of this space: {', '.join(lost[:SHOWN])}{more}"
        degraded = dict.fromkeys(note for reply in side.replies for note in reply.degraded)
        for note in degraded:
            count = sum(note in reply.degraded for reply in side.replies)
            yield f"{side.name}: {note} ({count} of {len(side.replies)} requests)"
