"""The adapters over a client of a service, which has the same verbs: what comes over the wire is enough for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import Recollect
from recollect.adapters.langchain import RecollectRetriever as ChainRetriever
from recollect.adapters.langgraph import RecollectStore
from recollect.adapters.llamaindex import RecollectRetriever as IndexRetriever
from recollect.client import Client
from recollect.doors.http.app import make_app
from recollect.doors.http.keys import KeyRing

from .conftest import OPENED

QUESTION = "Who keeps the lighthouse of Vila Nova?"
KEEPER = "Ines keeps the lighthouse of Vila Nova since 2011."
ANA = ("memories", "ana")

Work = Callable[[Recollect, Client], Awaitable[Any]]


@pytest.fixture
def served(tmp_path: Path) -> Callable[[Work], Any]:
    """Runs work with a library and a client of the service over it."""

    async def run(work: Work) -> Any:
        async with Recollect.open(tmp_path, **OPENED) as library:
            app = make_app(library, keys=KeyRing(tmp_path), monotonic=lambda: 0.0)
            async with Client("http://localhost", transport=httpx.ASGITransport(app)) as client:
                return await work(library, client)

    return lambda work: asyncio.run(run(work))


def test_a_retriever_gives_the_same_over_a_service(served: Callable[[Work], Any]) -> None:
    async def work(library: Recollect, client: Client) -> None:
        await library.remember(KEEPER)
        own, far = [await ChainRetriever(memory=each).ainvoke(QUESTION) for each in (library, client)]
        for document in (*own, *far):
            document.metadata.pop("trace_id")
        assert [each.page_content for each in own] == [KEEPER]
        assert [(each.id, each.metadata["citation"], each.metadata["verdict"]) for each in far] == [
            (each.id, each.metadata["citation"], each.metadata["verdict"]) for each in own
        ]
        nodes = await IndexRetriever(client).aretrieve(QUESTION)
        assert [each.text for each in nodes] == [KEEPER]

    served(work)


def test_a_store_works_over_a_service(served: Callable[[Work], Any]) -> None:
    async def work(library: Recollect, client: Client) -> None:
        far, near = RecollectStore(client), RecollectStore(library)
        await far.aput(ANA, "tea", {"text": "Ana likes green tea", "stars": 3})
        await far.aput(ANA, "tea", {"text": "Ana likes black tea", "stars": 4})
        await far.aput((*ANA, "work"), "report", {"text": "Ana wants a table"})
        assert await far.aget(ANA, "tea") == await near.aget(ANA, "tea")
        for query in (None, "What tea does Ana like?"):
            found = await far.asearch(ANA, query=query, filter={"stars": {"$gt": 3}})
            assert [item.value["text"] for item in found] == ["Ana likes black tea"]
        assert await far.alist_namespaces() == [ANA, (*ANA, "work")]
        await far.adelete(ANA, "tea")
        assert await near.aget(ANA, "tea") is None

    served(work)
