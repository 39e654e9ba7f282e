"""LlamaIndex: Recollect as a retriever, and any LlamaIndex retriever as a source. Needs the extra `llamaindex`.

Takes questions, gives nodes whose score is their relevance. As for LangChain, what comes with a verdict below `least`
is not given. Of a node's metadata a model is shown the title and the citation; the rest is for the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from recollect.adapters.calling import awaited, blocked
from recollect.adapters.pieces import about, pieces_of
from recollect.adapters.sources import CallableSource
from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput, MissingExtra
from recollect.records import Filters
from recollect.values import Answer, Evidence, VerdictKind

try:
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode
except ImportError as missing:
    raise MissingExtra("the LlamaIndex adapter", extra="llamaindex") from missing

SHOWN = frozenset({"title", "citation"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How questions are asked, and from which verdict on nodes are given."""

    space: str = DEFAULT_SPACE
    filters: Filters | None = None
    recipe: str | None = None
    deadline: float | None = None
    limit: int | None = None
    least: VerdictKind = VerdictKind.PARTIAL

    def manner(self) -> dict[str, Any]:
        """What `retrieve` is given beside the question."""
        return {"space": self.space, "filters": self.filters, "recipe": self.recipe, "deadline": self.deadline}


class RecollectRetriever(BaseRetriever):  # type: ignore[misc,unused-ignore]
    """Nodes for a question, best first: `RecollectRetriever(memory, space="work")`.

    `memory` is a `Recollect`, a `BlockingRecollect` or a client of a service; keywords are the fields of `Asking`.
    """

    def __init__(self, memory: Any, **asking: Any) -> None:
        super().__init__()
        self._memory = memory
        self._asking = Asking(**asking)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(blocked(self._memory.retrieve, query_bundle.query_str, **self._asking.manner()))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(await awaited(self._memory.retrieve, query_bundle.query_str, **self._asking.manner()))

    def _nodes(self, answer: Answer) -> list[NodeWithScore]:
        pieces = pieces_of(answer, least=self._asking.least, limit=self._asking.limit)
        return [_node(piece, answer) for piece in pieces]


def _node(piece: Evidence, answer: Answer) -> NodeWithScore:
    known = about(piece, answer)
    hidden = sorted(known.keys() - SHOWN)
    node = TextNode(
        id_=piece.memory.id,
        text=piece.memory.body,
        metadata=known,
        excluded_llm_metadata_keys=hidden,
        excluded_embed_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=piece.relevance)


def retriever_source(retriever: BaseRetriever, *, name: str, **options: Any) -> CallableSource:
    """A LlamaIndex retriever as a source of Recollect; `options` are those of `CallableSource`."""
    if not isinstance(retriever, BaseRetriever):
        raise InvalidInput(f"retriever is {type(retriever).__name__}; give a LlamaIndex retriever", field="retriever")

    async def ask(text: str) -> list[dict[str, Any]]:
        return [_item(found) for found in await retriever.aretrieve(text)]

    return CallableSource(ask, name=name, **options)


def _item(found: NodeWithScore) -> dict[str, Any]:
    known = found.node.metadata
    return {
        "id": found.node.node_id,
        "body": found.node.get_content(metadata_mode=MetadataMode.NONE),
        "title": known.get("title"),
        "source_uri": known.get("file_path"),
        "score": found.score,
        "metadata": known,
    }
