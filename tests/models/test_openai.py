from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from recollect.errors import InvalidInput, Unavailable
from recollect.models.openai import OpenAIEmbedder
from recollect.ports import TextKind
from recollect.records import Vector
from recollect.testing.embedder_contract import numbers

from .servers import EmbeddingServer, answer, black_hole, embedding_server, hang_up, slow, status

KEY = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with embedding_server() as running:
        yield running


def embed(server: EmbeddingServer, texts: Sequence[str], **options: Any) -> list[Vector]:
    embedder = OpenAIEmbedder(model="m", base_url=server.url, api_key=KEY, **options)
    return asyncio.run(embedder.embed(texts, kind=TextKind.DOCUMENT))


def item(place: int, *values: float) -> dict[str, Any]:
    return {"index": place, "embedding": values}


def test_request_carries_model_texts_key_and_dimensions(server: EmbeddingServer) -> None:
    (vector,) = embed(server, ["hello"], dimensions=16)
    assert server.requests == [{"model": "m", "input": ["hello"], "encoding_format": "float", "dimensions": 16}]
    assert server.keys == [f"Bearer {KEY}"]
    assert vector.dimensions == 16
    assert vector.identity == f"openai:{server.url.split('/')[2]}/m/16"


def test_texts_are_sent_in_batches_and_the_vectors_sorted_by_index(server: EmbeddingServer) -> None:
    server.script.append(answer({"data": [item(1, 0, 2), item(0, 5, 0)]}))
    server.script.append(answer({"data": [item(0, -1, 0)]}))
    vectors = embed(server, ["a", "b", "c"], batch_size=2)
    assert [numbers(vector) for vector in vectors] == [(1, 0), (0, 1), (-1, 0)]
    assert [request["input"] for request in server.requests] == [["a", "b"], ["c"]]


def test_empty_and_overlong_texts_are_made_acceptable(server: EmbeddingServer) -> None:
    embed(server, ["", "x" * 100], max_characters=10)
    assert server.requests[0]["input"] == [" ", "x" * 10]


@pytest.mark.parametrize("code", [429, 500, 503])
def test_busy_or_stumbling_server_is_asked_again(server: EmbeddingServer, code: int) -> None:
    server.script.extend([status(code, Retry_After="0"), status(code, Retry_After="0")])
    assert len(embed(server, ["hello"])) == 1
    assert len(server.requests) == 3


def test_retry_after_is_honoured(server: EmbeddingServer) -> None:
    server.script.append(status(429, Retry_After="1"))
    start = time.monotonic()
    embed(server, ["hello"])
    assert time.monotonic() - start >= 1.0


def test_third_failure_is_final(server: EmbeddingServer) -> None:
    server.script.extend([status(500, Retry_After="0")] * 3)
    with pytest.raises(Unavailable, match="answered 500"):
        embed(server, ["hello"])
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (status(401), "answered 401; check the api key"),
        (status(404), "answered 404; check base_url and model"),
        (status(400), "answered 400"),
        (status(302, Location="http://127.0.0.1:1/"), "answered 302"),
        (answer(b"<html>welcome"), "not a list of embeddings"),
        (answer(b"\xff\xfe"), "not a list of embeddings"),
        (answer([]), "not a list of embeddings"),
        (answer({"data": [{"index": 0}]}), "not a list of embeddings"),
        (answer({"data": [{"index": "0", "embedding": [1, 2]}, item(1, 1, 2)]}), "not a list of embeddings"),
        (answer({"data": [item(0, 1, 2)]}), "1 embeddings for 2 texts"),
        (answer({"data": [item(0, 1, 2), item(0, 1, 2)]}), "2 embeddings for 2 texts"),
        (answer({"data": [item(0, 1, 2), item(1, 1, 2, 3)]}), "of 2, 3 dimensions"),
        (answer({"data": [item(0, 1, 2), item(1, 0, 0)]}), "all zero or not finite"),
        (answer({"data": [item(0, 1, 2), item(1, 0, math.nan)]}), "all zero or not finite"),
        (hang_up, "cannot be reached"),
    ],
)
def test_wrong_answer_is_unavailable_and_never_shows_the_key(server: EmbeddingServer, reply: Any, message: str) -> None:
    server.script.append(reply)
    with pytest.raises(Unavailable, match=message) as caught:
        embed(server, ["one", "two"])
    assert len(server.requests) == 1
    assert KEY not in f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"


def test_other_dimension_than_before_is_refused(server: EmbeddingServer) -> None:
    embedder = OpenAIEmbedder(model="m", base_url=server.url)
    asyncio.run(embedder.embed(["one"], kind=TextKind.QUERY))
    server.script.append(answer({"data": [item(0, 1, 2)]}))
    with pytest.raises(Unavailable, match="of 2 dimensions instead of 32"):
        asyncio.run(embedder.embed(["two"], kind=TextKind.QUERY))


def test_slow_server_costs_no_more_than_the_timeout(server: EmbeddingServer) -> None:
    server.script.append(slow(2.0))
    start = time.monotonic()
    with pytest.raises(Unavailable, match=r"no answer in 0\.2 s|timed out"):
        embed(server, ["hello"], timeout_seconds=0.2)
    assert time.monotonic() - start < 1.5


def test_silent_and_absent_servers_are_unavailable() -> None:
    with black_hole() as silent:
        pass  # closed again: nobody listens there now
    embedder = OpenAIEmbedder(model="m", base_url=silent)
    with pytest.raises(Unavailable, match="cannot be reached"):
        asyncio.run(embedder.embed(["hello"], kind=TextKind.QUERY))


def test_key_is_not_in_the_representation() -> None:
    assert KEY not in repr(OpenAIEmbedder(model="m", api_key=KEY))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"base_url": "ftp://host/v1"}, "base_url"),
        ({"base_url": "host/v1"}, "base_url"),
        ({"base_url": "http://me:secret@host/v1"}, "base_url"),
        ({"base_url": "http://host/v1?key=secret"}, "base_url"),
        ({"api_key": "secret\n"}, "api_key"),
        ({"batch_size": 0}, "batch_size"),
    ],
)
def test_unusable_option_is_refused_without_quoting_it(options: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        OpenAIEmbedder(model="m", **options)
    assert caught.value.field == field
    assert "secret" not in str(caught.value)
