"""The LlamaIndex retriever behind a real query engine, and LlamaIndex retrievers as sources."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from recollect import BlockingRecollect, InvalidInput, Recollect, VerdictKind
from recollect.adapters.llamaindex import RecollectRetriever, retriever_source

from .conftest import OPENED

QUESTION = "Who keeps the lighthouse of Vila Nova?"
KEEPER = "Ines keeps the lighthouse of Vila Nova since 2011."
ELSEWHERE = "What does the yoga teacher charge per hour?"


def test_nodes_are_scored_by_relevance_and_carry_the_rest(blocking: BlockingRecollect) -> None:
    nodes = RecollectRetriever(blocking).retrieve(QUESTION)
    answer = blocking.retrieve(QUESTION)
    assert [each.node.node_id for each in nodes] == [piece.memory.id for piece in answer.evidence]
    assert [each.score for each in nodes] == pytest.approx([piece.relevance for piece in answer.evidence])
    known = nodes[0].node.metadata
    assert nodes[0].text == KEEPER
    assert (known["verdict"], known["citation"]) == ("answerable", f"[memory:{nodes[0].node.node_id}]")
    assert known["trace_id"] and known["confidence"] > 0


def test_a_model_is_shown_the_text_and_its_citation(blocking: BlockingRecollect) -> None:
    node = RecollectRetriever(blocking).retrieve(QUESTION)[0].node
    shown = node.get_content(metadata_mode=MetadataMode.LLM)
    assert KEEPER in shown and "[memory:" in shown
    assert "trace_id" not in shown and "confidence" not in shown


def test_nothing_is_given_where_nothing_answers_unless_told_otherwise(blocking: BlockingRecollect) -> None:
    assert RecollectRetriever(blocking).retrieve(ELSEWHERE) == []
    always = RecollectRetriever(blocking, least=VerdictKind.NONE)
    assert len(always.retrieve(ELSEWHERE)) == len(blocking.retrieve(ELSEWHERE).evidence)


def test_space_and_limit_hold(blocking: BlockingRecollect) -> None:
    assert RecollectRetriever(blocking, space="work").retrieve(QUESTION) == []
    assert len(RecollectRetriever(blocking, limit=1).retrieve(QUESTION)) == 1


def test_every_way_of_calling_gives_the_same(tmp_path: Path, blocking: BlockingRecollect) -> None:
    async def from_a_loop(memory: Any) -> list[list[str]]:
        retriever = RecollectRetriever(memory)
        ways = [await retriever.aretrieve(QUESTION), retriever.retrieve(QueryBundle(QUESTION))]
        return [[each.node.node_id for each in found] for found in ways]

    async def awaited() -> list[list[str]]:
        async with Recollect.open(tmp_path / "blocking", **OPENED) as memory:
            return await from_a_loop(memory)

    plain = [each.node.node_id for each in RecollectRetriever(blocking).retrieve(QUESTION)]
    assert asyncio.run(from_a_loop(blocking)) == [plain] * 2
    assert asyncio.run(awaited()) == [plain] * 2


def test_a_query_engine_puts_what_was_found_before_a_model(blocking: BlockingRecollect) -> None:
    # The library's stand-in for a model says back what it was asked.
    engine = RetrieverQueryEngine.from_args(
        RecollectRetriever(blocking), llm=MockLLM(), response_mode=ResponseMode.COMPACT
    )
    response = engine.query(QUESTION)
    assert KEEPER in str(response) and QUESTION in str(response)
    assert response.source_nodes[0].text == KEEPER
    assert engine.query(ELSEWHERE).source_nodes == []
    assert KEEPER in str(asyncio.run(engine.aquery(QUESTION)))


class Shelf(BaseRetriever):
    """A retriever as their users write them, with scores on a scale of its own."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(id_="k", text=KEEPER, metadata={"file_path": "a.md"}), score=1_234.5)]


def test_any_retriever_can_be_a_source(tmp_path: Path) -> None:
    sources = [retriever_source(Shelf(), name="shelf")]
    with BlockingRecollect.open(tmp_path, sources=sources, **OPENED) as memory:
        answer = memory.retrieve(QUESTION)
    (piece,) = answer.evidence
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert (piece.memory.id, piece.memory.source_uri, piece.sources) == ("shelf:k", "a.md", ("shelf",))
    assert piece.relevance <= 1
    with pytest.raises(InvalidInput, match="LlamaIndex retriever"):
        retriever_source(lambda text: [], name="own")
