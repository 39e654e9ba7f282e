"""Both graphs keep every promise of `ports.Knowledge`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.graph.sqlite import SqliteKnowledge
from recollect.settings import StoreSettings
from recollect.testing.knowledge_contract import KnowledgeContract


class TestInMemoryKnowledge(KnowledgeContract):
    @pytest.fixture
    def graph(self) -> InMemoryKnowledge:
        return InMemoryKnowledge()


class TestSqliteKnowledge(KnowledgeContract):
    @pytest.fixture
    def graph(self, tmp_path: Path) -> Iterator[SqliteKnowledge]:
        graph = SqliteKnowledge(tmp_path, settings=StoreSettings())
        yield graph
        graph.close()


class TestSqliteKnowledgeThatKeepsOneSpaceOpen(KnowledgeContract):
    @pytest.fixture
    def graph(self, tmp_path: Path) -> Iterator[SqliteKnowledge]:
        graph = SqliteKnowledge(tmp_path, settings=StoreSettings(open_spaces=1))
        yield graph
        graph.close()
