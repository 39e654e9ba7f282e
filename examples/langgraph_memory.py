"""A LangGraph graph with long-term memory: what one run was told, a later one knows, and only for the same user."""

import tempfile
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from recollect import BlockingRecollect
from recollect.adapters.langgraph import RecollectStore


class State(TypedDict):
    user: str
    said: str
    reply: str


def recall(state: State, runtime: Runtime[None]) -> dict[str, str]:
    assert runtime.store is not None
    found = runtime.store.search(("memories", state["user"]), query=state["said"], limit=1)
    return {"reply": found[0].value["text"] if found else "You never told me."}


def remember(state: State, runtime: Runtime[None]) -> dict[str, str]:
    assert runtime.store is not None
    if not state["said"].endswith("?"):
        runtime.store.put(("memories", state["user"]), state["said"], {"text": state["said"]})
    return {}


def make_graph(store: RecollectStore) -> Any:
    builder = StateGraph(State)
    builder.add_node("recall", recall)
    builder.add_node("remember", remember)
    builder.add_edge(START, "recall")
    builder.add_edge("recall", "remember")
    builder.add_edge("remember", END)
    return builder.compile(store=store)


with tempfile.TemporaryDirectory() as folder, BlockingRecollect.open(folder) as memory:
    graph = make_graph(RecollectStore(memory))
    graph.invoke({"user": "ana", "said": "My sister Marta lives in Porto.", "reply": ""})
    for user in ("ana", "ben"):
        print(user, "->", graph.invoke({"user": user, "said": "Where does my sister live?", "reply": ""})["reply"])
