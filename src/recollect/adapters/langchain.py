"""LangChain: Recollect as a retriever, and any LangChain retriever as a source. Needs the extra `langchain`.

Takes questions, gives documents whose metadata hold the verdict, the citation and the rest. Decides one thing: what
comes with a verdict below `least` is not given at all, since a chain would put it before a model as if it answered.
"""

from __future__ import annotations

from typing import Any

from recollect.adapters.calling import awaited, blocked
from recollect.adapters.pieces import about, pieces_of
from recollect.adapters.sources import CallableSource
from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput, MissingExtra
from recollect.records import Filters
from recollect.values import Answer, VerdictKind

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
except ImportError as missing:
    raise MissingExtra("the LangChain adapter", extra="langchain") from missing


class RecollectRetriever(BaseRetriever):
    """Documents for a question, best first: `RecollectRetriever(memory=memory)`.

    `memory` is a `Recollect`, a `BlockingRecollect` or a client of a service; both ways of calling work with each.
    With a verdict below `least` there are no documents: `VerdictKind.NONE` gives them always, `ANSWERABLE` only where
    every part of the question is answered.
    """

    memory: Any
    space: str = DEFAULT_SPACE
    filters: Filters | None = None
    recipe: str | None = None
    deadline: float | None = None
    limit: int | None = None
    least: VerdictKind = VerdictKind.PARTIAL

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        return self._documents(blocked(self.memory.retrieve, query, **self._manner()))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        return self._documents(await awaited(self.memory.retrieve, query, **self._manner()))

    def _manner(self) -> dict[str, Any]:
        return {"space": self.space, "filters": self.filters, "recipe": self.recipe, "deadline": self.deadline}

    def _documents(self, answer: Answer) -> list[Document]:
        return [
            Document(id=piece.memory.id, page_content=piece.memory.body, metadata=about(piece, answer))
            for piece in pieces_of(answer, least=self.least, limit=self.limit)
        ]


def retriever_source(retriever: BaseRetriever, *, name: str, **options: Any) -> CallableSource:
    """A LangChain retriever as a source of Recollect; `options` are those of `CallableSource`."""
    if not isinstance(retriever, BaseRetriever):
        raise InvalidInput(f"retriever is {type(retriever).__name__}; give a LangChain retriever", field="retriever")

    async def ask(text: str) -> list[dict[str, Any]]:
        return [_item(document) for document in await retriever.ainvoke(text)]

    return CallableSource(ask, name=name, **options)


def _item(document: Document) -> dict[str, Any]:
    """A document as `CallableSource` takes it: what it calls by other names is found in the metadata."""
    known = document.metadata
    return {
        "id": document.id or known.get("id"),
        "body": document.page_content,
        "title": known.get("title"),
        "source_uri": known.get("source"),
        "score": known.get("relevance_score", known.get("score")),
        "metadata": known,
    }
