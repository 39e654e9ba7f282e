"""Every embedder of ours passes the shipped contract."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.models.hashing import HashingEmbedder
from recollect.models.minilm import MiniLM
from recollect.models.openai import OpenAIEmbedder
from recollect.models.static import StaticEmbedder
from recollect.testing.embedder_contract import EmbedderContract

from .servers import embedding_server


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder()


class TestHashing(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> HashingEmbedder:
        return HashingEmbedder()


class TestStatic(EmbedderContract):
    @pytest.fixture
    def embedder(self, static: StaticEmbedder) -> StaticEmbedder:
        return static


@pytest.mark.weights
class TestMiniLM(EmbedderContract):
    @pytest.fixture
    def embedder(self, minilm: MiniLM) -> MiniLM:
        return minilm


class TestOpenAI(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[OpenAIEmbedder]:
        with embedding_server() as server:
            yield OpenAIEmbedder(model="hashed", base_url=server.url, batch_size=2)
