"""The LangChain retriever in a real chain, and LangChain retrievers as sources."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from recollect import BlockingRecollect, Filters, InvalidInput, Recollect, VerdictKind
from recollect.adapters.langchain import RecollectRetriever, retriever_source
from recollect.errors import MissingExtra

from .conftest import OPENED

QUESTION = "Who keeps the lighthouse of Vila Nova?"
KEEPER = "Ines keeps the lighthouse of Vila Nova since 2011."
ELSEWHERE = "What does the yoga teacher charge per hour?"


def test_documents_carry_the_verdict_and_where_they_are_from(blocking: BlockingRecollect) -> None:
    best = RecollectRetriever(memory=blocking).invoke(QUESTION)[0]
    answer = blocking.retrieve(QUESTION)
    assert best.page_content == KEEPER
    known = best.metadata
    assert known["verdict"] == answer.verdict == "answerable"
    assert known["confidence"] == pytest.approx(answer.confidence.score)
    assert known["confidence_label"] == answer.confidence.label
    assert known["relevance"] == pytest.approx(answer.evidence[0].relevance)
    assert known["citation"] == f"[memory:{best.id}]"
    assert known["trace_id"] and known["conflicts"] == []
    assert json.loads(json.dumps(known)) == known
    blocking.settle()
    assert blocking.trace(known["trace_id"]).question == QUESTION


def test_both_sides_of_a_conflict_say_so(blocking: BlockingRecollect) -> None:
    for rent in ("4,200", "4,500"):
        blocking.remember(f"The rent of the office is {rent} euros a month.")
    found = RecollectRetriever(memory=blocking).invoke("What is the rent of the office?")
    told = {each.id: each.metadata["conflicts"] for each in found}
    assert any(told.values()), "they contradict each other, or this tests nothing"
    for id, conflicts in told.items():
        for conflict in conflicts:
            assert id in [back["with"] for back in told[conflict["with"]]]


def test_nothing_is_given_where_nothing_answers_unless_told_otherwise(blocking: BlockingRecollect) -> None:
    assert blocking.retrieve(ELSEWHERE).verdict is VerdictKind.NONE
    assert RecollectRetriever(memory=blocking).invoke(ELSEWHERE) == []
    always = RecollectRetriever(memory=blocking, least=VerdictKind.NONE)
    assert len(always.invoke(ELSEWHERE)) == len(blocking.retrieve(ELSEWHERE).evidence)
    half = f"{QUESTION} And what does the yoga teacher charge per hour?"
    assert blocking.retrieve(half).verdict is VerdictKind.PARTIAL
    assert RecollectRetriever(memory=blocking).invoke(half)
    assert RecollectRetriever(memory=blocking, least=VerdictKind.ANSWERABLE).invoke(half) == []


def test_space_filters_and_limit_hold(blocking: BlockingRecollect) -> None:
    blocking.remember("Marta keeps the lighthouse of Vila Nova.", space="work", trust="web")
    other = RecollectRetriever(memory=blocking, space="work")
    assert [each.metadata["space"] for each in other.invoke(QUESTION)] == ["work"]
    told = Filters(trusts=frozenset({"user"}))
    assert RecollectRetriever(memory=blocking, space="work", filters=told).invoke(QUESTION) == []
    assert len(RecollectRetriever(memory=blocking, limit=1).invoke(QUESTION)) == 1


def test_every_way_of_calling_gives_the_same(tmp_path: Path, blocking: BlockingRecollect) -> None:
    async def from_a_loop(memory: Any) -> list[list[str]]:
        retriever = RecollectRetriever(memory=memory)
        ways = [await retriever.ainvoke(QUESTION), retriever.invoke(QUESTION), *await retriever.abatch([QUESTION] * 2)]
        return [[each.page_content for each in found] for found in ways]

    async def awaited() -> list[list[str]]:
        async with Recollect.open(tmp_path / "blocking", **OPENED) as memory:
            return await from_a_loop(memory)

    plain = [each.page_content for each in RecollectRetriever(memory=blocking).invoke(QUESTION)]
    assert asyncio.run(from_a_loop(blocking)) == [plain] * 4
    assert asyncio.run(awaited()) == [plain] * 4


def test_a_chain_puts_what_was_found_before_a_model(blocking: BlockingRecollect) -> None:
    seen: list[str] = []

    def watch(prompt: Any) -> Any:
        seen.append(prompt.to_string())
        return prompt

    def told(documents: list[Document]) -> str:
        return "\n".join(f"{each.page_content} {each.metadata['citation']}" for each in documents) or "(nothing)"

    chain = (
        {"context": RecollectRetriever(memory=blocking) | told, "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("Known: {context}\nQuestion: {question}")
        | RunnableLambda(watch)
        | FakeListChatModel(responses=["Ines."])
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION) == "Ines."
    assert asyncio.run(chain.ainvoke(ELSEWHERE)) == "Ines."
    assert KEEPER in seen[0] and "[memory:" in seen[0]
    assert "Known: (nothing)" in seen[1]
    assert isinstance(FakeListChatModel(responses=["x"]).invoke("x"), AIMessage)


# --- the other way round -----------------------------------------------------------------------------


class Shelf(BaseRetriever):
    """A retriever that only knows how to block."""

    texts: list[str]

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        return [Document(page_content=each, metadata={"source": "shelf", "seen": {1}}) for each in self.texts]


def test_any_retriever_can_be_a_source(tmp_path: Path) -> None:
    vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    vectors.add_documents([Document(id="k", page_content=KEEPER, metadata={"title": "Keeper"})])
    sources = [
        retriever_source(vectors.as_retriever(), name="vectors"),
        retriever_source(Shelf(texts=["The lighthouse of Vila Nova was built in 1899."]), name="shelf"),
    ]
    with BlockingRecollect.open(tmp_path, sources=sources, **OPENED) as memory:
        answer = memory.retrieve("Who keeps the lighthouse of Vila Nova, and when was it built?")
    found = {piece.sources[0]: piece.memory for piece in answer.evidence}
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert (found["vectors"].id, found["vectors"].title) == ("vectors:k", "Keeper")
    assert (found["shelf"].source_uri, dict(found["shelf"].metadata)) == ("shelf", {"source": "shelf", "seen": "{1}"})
    with pytest.raises(InvalidInput, match="LangChain retriever"):
        retriever_source(lambda text: [], name="own")  # type: ignore[arg-type]


# --- without the libraries ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "package"), [("langchain", "langchain_core"), ("llamaindex", "llama_index"), ("langgraph", "langgraph")]
)
def test_a_missing_library_is_named_by_its_extra(module: str, package: str) -> None:
    code = f"import sys; sys.modules[{package!r}] = None; import recollect.adapters.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert MissingExtra.__name__ in done.stderr
    assert f"recollect[{module}]" in done.stderr


def test_own_sources_need_no_library_at_all() -> None:
    missing = "import sys; sys.modules.update(dict.fromkeys(['langchain_core', 'llama_index', 'langgraph']))"
    code = f"{missing}; from recollect.adapters.sources import CallableSource; CallableSource(list, name='own')"
    subprocess.run([sys.executable, "-c", code], check=True)
