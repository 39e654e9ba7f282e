"""LlamaIndex over Recollect: nodes with relevance as score and the verdict in their metadata."""

import tempfile

from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

from recollect import BlockingRecollect
from recollect.adapters.llamaindex import RecollectRetriever

with tempfile.TemporaryDirectory() as folder, BlockingRecollect.open(folder) as memory:
    memory.remember("The outage in June began with an expired certificate.")
    memory.remember("Renew certificates thirty days before they expire.")
    engine = RetrieverQueryEngine.from_args(RecollectRetriever(memory), llm=MockLLM())  # stands in for your model
    for node in engine.query("How did the outage in June begin?").source_nodes:
        print(round(node.score or 0.0, 2), node.node.metadata["verdict"], node.text)
