"""A Recollect elsewhere as a source: a real service in this process, over a store filled beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import InvalidInput, Recollect, Unavailable
from recollect.client import Client
from recollect.doors.http.app import make_app
from recollect.doors.http.keys import KeyRing
from recollect.models.hashing import HashingEmbedder
from recollect.records import Memory
from recollect.settings import RemoteSettings, Settings
from recollect.sources.catalog import load_source, source_names
from recollect.sources.remote import FOUND_BY, RemoteSource
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock
from recollect.testing.corpus import SPACE, make_memory
from recollect.testing.source_contract import MakeSource, SourceContract
from recollect.values import Lookup, VerdictKind
from recollect.wiring import make_sources

from .test_contract import fill

ADDRESS = "http://localhost"
Serve = Callable[..., RemoteSource]


@pytest.fixture
def serve(make_store: Callable[[], SqliteStore], clock: FakeClock, tmp_path: Path) -> Serve:
    """A source over a service that holds these memories."""

    def serve(memories: Sequence[Memory] = (), *, api_key: str | None = None, **options: Any) -> RemoteSource:
        store = make_store()
        fill(store, memories)
        settings = Settings(enable_messages=False, enable_graph=False, enable_vector=False)
        sources = make_sources(settings, store, clock)
        engine = Recollect(settings, store=store, embedder=HashingEmbedder(), sources=sources, clock=clock)
        app = make_app(engine, keys=options.pop("keys", None) or KeyRing(tmp_path))
        client = Client(ADDRESS, api_key=api_key, transport=httpx.ASGITransport(app))
        return RemoteSource.over(client, **options)

    return serve


class TestRemoteSource(SourceContract):
    @pytest.fixture
    def make_source(self, serve: Serve) -> MakeSource:
        return serve


def find(source: RemoteSource, text: str, **fields: Any) -> Any:
    given = {"space": SPACE, "source": source.name, "limit": 10, **fields}
    return asyncio.run(source.search(Lookup(text, **given)))


def test_a_hit_says_who_found_it_there(serve: Serve) -> None:
    (hit, *_) = find(serve([make_memory(0)]), "BTC thesis").hits
    assert hit.source == "remote"
    assert hit.memory.metadata[FOUND_BY] == "memory"
    assert hit.explanation.what == "remote, found there by memory"


def test_another_space_there_is_answered_as_the_one_asked_here(serve: Serve) -> None:
    source = serve([make_memory(0, space="team"), make_memory(1)], space="team")
    assert [hit.memory.space for hit in find(source, "BTC thesis").hits] == [SPACE]
    assert "memory-0001" not in [hit.memory.id for hit in find(source, "SOL trade closed at 182").hits]


def test_what_is_found_by_a_bare_name_is_judged_by_what_is_asked(serve: Serve) -> None:
    source = serve([make_memory(0), make_memory(5)])
    bare = {hit.memory.id: hit.relevance for hit in find(source, "BTC").hits}
    asked = {hit.memory.id: hit.relevance for hit in find(source, "BTC", about="Where do penguins sleep?").hits}
    assert max(bare.values()) > 0.2
    assert max(asked.values(), default=0.0) < max(bare.values())


def test_a_key_that_may_not_read_there_fails(serve: Serve, tmp_path: Path) -> None:
    keys = KeyRing(tmp_path / "keys")
    key = keys.create(label="", spaces=("elsewhere",), rights=("read",))[1]
    with pytest.raises(InvalidInput, match="may not read"):
        find(serve([make_memory(0)], keys=keys, api_key=key), "BTC thesis")


def test_nobody_there_is_a_failure_of_the_source_and_the_rest_answers(tmp_path: Path) -> None:
    async def ask() -> Any:
        dead = RemoteSource.at("http://127.0.0.1:9")  # the discard port: nobody listens
        with pytest.raises(Unavailable, match="cannot be reached"):
            await dead.search(Lookup("harbour", SPACE, "remote", 5))
        async with Recollect.open(tmp_path, embedder="hashing", environment={}, sources=[dead]) as memory:
            await memory.remember("The harbour plan is due in March 2027.")
            return await memory.retrieve("When is the harbour plan due?")

    answer = asyncio.run(ask())
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert any("'remote' failed: Unavailable" in note for note in answer.degraded)


def test_it_is_off_until_an_address_is_set(store: SqliteStore) -> None:
    def names(**remote: Any) -> list[str]:
        settings = Settings(remote=RemoteSettings(**remote))
        return [source.name for source in make_sources(settings, store, FakeClock())]

    assert "remote" in source_names()
    assert "remote" not in names()
    assert "remote" in names(base_url=ADDRESS)
    with pytest.raises(InvalidInput, match=r"set remote\.base_url"):
        load_source("remote", store, settings=Settings(), now=FakeClock().now)
    assert "key-42" not in repr(Settings(remote=RemoteSettings(api_key="key-42")))
