"""LangGraph's store on a real Recollect: held against the library's own in-memory store, and used by a real graph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from recollect import BlockingRecollect, InvalidInput, Recollect
from recollect.adapters.langgraph import RecollectStore
from recollect.graph.inmemory import InMemoryKnowledge
from recollect.models.hashing import HashingEmbedder
from recollect.settings import Settings
from recollect.store.inmemory import InMemoryStore as Shelf
from recollect.testing.clock import FakeClock
from recollect.wiring import make_sources

from .conftest import OPENED

ANA, BEN = ("users", "ana"), ("users", "ben")


def make_engine() -> Recollect:
    clock, settings = FakeClock(), Settings()
    shelf = Shelf(now=clock.now)
    sources = make_sources(settings, shelf, clock)
    knowledge = InMemoryKnowledge()
    return Recollect(
        settings, store=shelf, embedder=HashingEmbedder(), sources=sources, knowledge=knowledge, clock=clock
    )


@pytest.fixture
def store(recollect: Recollect) -> RecollectStore:
    return RecollectStore(recollect)


def keys_of(items: list[Any]) -> set[tuple[tuple[str, ...], str]]:
    return {(item.namespace, item.key) for item in items}


# --- one thing after another -----------------------------------------------------------------------


def test_what_is_put_is_there_whole(store: RecollectStore) -> None:
    value = {"text": "Ana likes tea", "stars": 4, "more": {"seen": [1, None, True]}}
    store.put(ANA, "one", value)
    item = store.get(ANA, "one")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "one", ANA)
    assert item.created_at.tzinfo is not None
    assert store.get(ANA, "two") is None
    assert store.get(BEN, "one") is None


def test_putting_again_replaces_and_keeps_when_it_was_made(store: RecollectStore) -> None:
    store.put(ANA, "one", {"text": "Ana likes tea"})
    before = store.get(ANA, "one")
    store.put(ANA, "one", {"text": "Ana likes coffee"})
    after = store.get(ANA, "one")
    assert before and after
    assert after.value == {"text": "Ana likes coffee"}
    assert after.created_at == before.created_at
    assert len(store.search(ANA)) == 1
    assert [item.value["text"] for item in store.search(ANA, query="tea coffee")] == ["Ana likes coffee"]


def test_equal_values_under_two_keys_stay_two_items(store: RecollectStore) -> None:
    for key in ("one", "two"):
        store.put(ANA, key, {"text": "Ana likes tea"})
    assert keys_of(store.search(ANA)) == {(ANA, "one"), (ANA, "two")}
    assert keys_of(store.search(ANA, query="tea")) == {(ANA, "one"), (ANA, "two")}


@pytest.mark.parametrize("value", [{}, {"x": 1}, {"text": "hi"}, {"text": "…"}, {"k": "xkcdqwrtz plmnbvghj wrtzpsdf"}])
def test_what_no_memory_may_say_is_kept_all_the_same(store: RecollectStore, value: dict[str, Any]) -> None:
    store.put(ANA, "one", value)
    item = store.get(ANA, "one")
    assert item and item.value == value
    assert keys_of(store.search(ANA)) == {(ANA, "one")}


def test_a_value_changed_by_its_reader_stays_as_it_was_stored(store: RecollectStore) -> None:
    store.put(ANA, "one", {"list": [1]})
    item = store.get(ANA, "one")
    assert item
    item.value["list"].append(2)
    again = store.get(ANA, "one")
    assert again and again.value == {"list": [1]}


def test_deleting_erases_it_and_what_is_not_there_can_be_deleted(store: RecollectStore) -> None:
    store.put(ANA, "one", {"text": "Ana likes tea"})
    store.delete(ANA, "one")
    store.delete(ANA, "one")
    assert store.get(ANA, "one") is None
    assert store.search(ANA, query="tea") == []
    assert store.list_namespaces() == []
    store.put(ANA, "one", {"text": "Ana likes tea again"})
    assert store.get(ANA, "one") is not None


def test_an_archived_item_is_gone_until_it_is_put_again(store: RecollectStore, recollect: Recollect) -> None:
    store.put(ANA, "one", {"text": "Ana likes tea"})
    (memory,) = asyncio.run(recollect.browse(space="langgraph:users.ana"))
    asyncio.run(recollect.archive(memory.id, space=memory.space))
    assert store.get(ANA, "one") is None
    store.put(ANA, "one", {"text": "Ana likes coffee"})
    assert len(store.search(ANA)) == 1


def test_a_time_to_live_is_refused(store: RecollectStore) -> None:
    with pytest.raises(NotImplementedError):
        store.put(ANA, "one", {"text": "soon gone"}, ttl=5)
    with pytest.raises(NotImplementedError):
        store.batch([PutOp(ANA, "one", {"text": "soon gone"}, ttl=5)])
    assert store.get(ANA, "one") is None


def test_what_json_cannot_hold_is_refused(store: RecollectStore) -> None:
    with pytest.raises(InvalidInput):
        store.put(ANA, "one", {"text": "a set", "set": {1, 2}})
    assert store.get(ANA, "one") is None


# --- searching -------------------------------------------------------------------------------------


@pytest.fixture
def filled(store: RecollectStore) -> RecollectStore:
    store.put(ANA, "tea", {"text": "Ana drinks green tea in the morning", "stars": 4, "kind": "drink"})
    store.put(ANA, "boat", {"text": "Ana rows a small boat on the river", "stars": 2, "kind": "sport"})
    store.put((*ANA, "work"), "report", {"text": "Ana wants the report as a table", "stars": 5, "kind": "work"})
    store.put(BEN, "tea", {"text": "Ben drinks black tea at night", "stars": 1, "kind": "drink"})
    return store


def test_a_query_finds_what_it_asks_for_first(filled: RecollectStore) -> None:
    found = filled.search(ANA, query="What tea does Ana drink?")
    assert found[0].key == "tea"
    scores = [item.score for item in found]
    assert all(score is not None and 0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


def test_a_prefix_sees_what_is_below_it_and_nothing_else(filled: RecollectStore) -> None:
    filled.put(("users", "anabel"), "tea", {"text": "Anabel drinks tea"})
    below = {(ANA, "tea"), (ANA, "boat"), ((*ANA, "work"), "report")}
    assert keys_of(filled.search(ANA)) == below
    assert keys_of(filled.search(ANA, query="tea")) <= below
    assert keys_of(filled.search((*ANA, "work"), query="Ana report")) == {((*ANA, "work"), "report")}
    assert len(filled.search(("users",))) == 5
    assert {BEN, ANA, ("users", "anabel")} <= {each.namespace for each in filled.search((), query="drinks tea")}
    assert filled.search(("user",)) == []


def test_filters_hold_before_the_limit(filled: RecollectStore) -> None:
    assert keys_of(filled.search(("users",), filter={"kind": "drink"})) == {(ANA, "tea"), (BEN, "tea")}
    assert keys_of(filled.search(("users",), filter={"stars": {"$gte": 2, "$lt": 5}})) == {(ANA, "tea"), (ANA, "boat")}
    found = filled.search(ANA, query="green tea in the morning", filter={"kind": "sport"}, limit=1)
    assert keys_of(found) == {(ANA, "boat")}
    assert filled.search(ANA, query="tea", filter={"kind": "music"}) == []
    with pytest.raises(ValueError, match="unknown operator"):
        filled.search(ANA, filter={"stars": {"$near": 3}})


@pytest.mark.parametrize("query", [None, "Ana tea boat report"])
def test_pages_add_up(filled: RecollectStore, query: str | None) -> None:
    whole = filled.search(("users",), query=query, limit=10)
    pages = [filled.search(("users",), query=query, limit=1, offset=place) for place in range(len(whole) + 1)]
    assert [item for page in pages for item in page] == whole
    assert filled.search(("users",), query=query, limit=0) == []


def test_a_query_takes_any_limit_and_offset_and_looks_at_the_best_thousand(filled: RecollectStore) -> None:
    assert len(filled.search(("users",), query="Ana tea boat report", limit=5_000)) == 4
    assert filled.search(("users",), query="Ana tea boat report", offset=10**6) == []


def test_what_is_not_to_be_indexed_is_kept_and_not_found(store: RecollectStore) -> None:
    store.put(ANA, "secret", {"text": "the zebra crossing"}, index=False)
    store.put(ANA, "part", {"title": "zebra", "body": "marmalade"}, index=["title"])
    assert keys_of(store.search(ANA, query="zebra")) == {(ANA, "part")}
    assert keys_of(store.search(ANA)) == {(ANA, "secret"), (ANA, "part")}
    (memory,) = [item for item in store.search(ANA, query="marmalade zebra") if item.key == "part"]
    assert memory.value == {"title": "zebra", "body": "marmalade"}


def test_fields_say_what_is_searched(recollect: Recollect) -> None:
    store = RecollectStore(recollect, fields=["notes[*].text"])
    store.put(ANA, "one", {"notes": [{"text": "a zebra"}, {"text": "a heron"}], "other": "marmalade jar"})
    (memory,) = asyncio.run(recollect.browse(space="langgraph:users.ana"))
    assert memory.body == "a zebra\na heron"


# --- apart -----------------------------------------------------------------------------------------


def test_two_stores_of_one_memory_see_nothing_of_each_other(recollect: Recollect) -> None:
    one, other = RecollectStore(recollect), RecollectStore(recollect, space="other")
    one.put(ANA, "tea", {"text": "Ana drinks tea"})
    other.put(BEN, "tea", {"text": "Ben drinks tea"})
    assert keys_of(one.search((), query="drinks tea")) == keys_of(one.search(())) == {(ANA, "tea")}
    assert other.list_namespaces() == [BEN]
    with pytest.raises(InvalidInput):
        RecollectStore(recollect, space="langgraph:users")


def test_a_memory_that_is_no_item_is_no_item(store: RecollectStore, recollect: Recollect) -> None:
    store.put(ANA, "tea", {"text": "Ana drinks tea"})
    asyncio.run(recollect.remember("Tea is harvested in May", space="langgraph:users.ana", clusters=("users.ana",)))
    assert keys_of(store.search(ANA, query="tea")) == keys_of(store.search(ANA)) == {(ANA, "tea")}


def test_namespaces_that_are_written_alike_are_told_apart(store: RecollectStore) -> None:
    deep = ("users", "ana")
    pairs = [((*deep, "a"), "b..c"), ((*deep, "a", "b"), "c"), ((*deep, "a/b"), "c"), ((*deep, "a"), "b/c")]
    for number, (namespace, key) in enumerate(pairs):
        store.put(namespace, key, {"number": number})
    for number, (namespace, key) in enumerate(pairs):
        item = store.get(namespace, key)
        assert item and item.value == {"number": number}


@pytest.mark.parametrize("namespace", [("a.b",), ("",), ("a", 7), ("a\n",), "ab", ()])
def test_a_label_that_could_mean_another_namespace_is_refused_in_a_batch_too(
    store: RecollectStore, namespace: Any
) -> None:
    with pytest.raises(ValueError):
        store.batch([PutOp(namespace, "key", {"text": "something"})])


def test_a_batch_that_is_refused_does_nothing(store: RecollectStore) -> None:
    with pytest.raises(ValueError):
        store.batch([PutOp(ANA, "one", {"text": "Ana likes tea"}), GetOp(("a.b",), "key")])
    assert store.get(ANA, "one") is None


# --- as the library's own store does it --------------------------------------------------------------

LABELS = st.sampled_from(["a", "b", "ab", "a b", "ä", "A", "a/b", ":", "*x"])
NAMESPACES = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
KEYS = st.sampled_from(["1", "2", "k/1", "..", "Ключ"])
VALUES = st.fixed_dictionaries(
    {"kind": st.sampled_from(["note", "task"]), "stars": st.integers(0, 5)},
    optional={"text": st.sampled_from(["tea in the morning", "a small boat", ""]), "deep": st.just({"x": [1, 2]})},
)
FILTERS = st.sampled_from(
    [None, {"kind": "note"}, {"stars": {"$gte": 2}}, {"stars": {"$ne": 3}, "kind": "task"}, {"deep": {"x": [1, 2]}}]
)
PATHS = st.lists(st.one_of(LABELS, st.just("*")), min_size=1, max_size=2).map(tuple)
CONDITIONS = st.tuples(st.sampled_from(["prefix", "suffix"]), PATHS).map(lambda each: MatchCondition(*each))
OPS: st.SearchStrategy[Op] = st.one_of(
    st.tuples(NAMESPACES, KEYS, VALUES).map(lambda each: PutOp(*each)),
    st.tuples(NAMESPACES, KEYS, st.none()).map(lambda each: PutOp(*each)),
    st.tuples(NAMESPACES, KEYS).map(lambda each: GetOp(*each)),
    st.tuples(st.lists(LABELS, max_size=2).map(tuple), FILTERS).map(lambda each: SearchOp(*each, limit=100)),
    st.tuples(st.lists(CONDITIONS, max_size=2).map(tuple), st.sampled_from([None, 1, 2])).map(
        lambda each: ListNamespacesOp(*each)
    ),
)


def plain(result: Any) -> Any:
    """A result without what may differ: when it was put, and in which order items come."""
    if isinstance(result, Item):
        return (result.namespace, result.key, result.value)
    if isinstance(result, list) and result and isinstance(result[0], Item):
        return sorted(map(plain, result), key=repr)
    return result


def asked_of(theirs: InMemoryStore, op: Op) -> Any:
    """What the library's store says, of a copy that holds its items alone: it goes on listing what is empty."""
    copy = InMemoryStore()
    for item in theirs.search((), limit=1_000):
        copy.put(item.namespace, item.key, item.value)
    return None if isinstance(op, PutOp) else copy.batch([op])[0]


@examples(max_examples=25)
@given(st.lists(st.lists(OPS, max_size=6), max_size=6))
def test_it_does_what_the_librarys_own_store_does(batches: list[list[Op]]) -> None:
    ours, theirs = RecollectStore(make_engine()), InMemoryStore()
    for batch in batches:
        wanted = [asked_of(theirs, op) for op in batch]
        theirs.batch(batch)
        assert [plain(each) for each in ours.batch(batch)] == [plain(each) for each in wanted]
    assert plain(ours.search((), limit=1_000)) == plain(theirs.search((), limit=1_000))


# --- both colours, at once, and in a graph -----------------------------------------------------------


def test_it_works_on_the_blocking_facade_and_from_a_running_loop(blocking: BlockingRecollect) -> None:
    store = RecollectStore(blocking)

    async def both() -> list[Any]:
        await store.aput(ANA, "tea", {"text": "Ana drinks tea"})
        store.put(ANA, "boat", {"text": "Ana rows a boat"})
        return [await store.aget(ANA, "tea"), store.get(ANA, "boat"), *await store.asearch(ANA, query="boat")]

    assert all(item is not None for item in asyncio.run(both()))
    assert store.list_namespaces(prefix=("users",)) == [ANA]


def test_putting_one_key_many_times_at_once_leaves_one_item(store: RecollectStore) -> None:
    async def at_once() -> None:
        await asyncio.gather(*(store.aput(ANA, "one", {"text": f"number {n} of the tries"}) for n in range(8)))

    asyncio.run(at_once())
    (item,) = store.search(ANA)
    assert item.value["text"].startswith("number")
    found = store.get(ANA, "one")
    assert found and found.value == item.value


def test_many_who_put_the_same_key_at_once_all_get_through(made_on_disk: Callable[[], BlockingRecollect]) -> None:
    store = RecollectStore(made_on_disk())
    values = [{"text": f"Writer number {number} was here today"} for number in range(12)]
    with ThreadPoolExecutor(len(values)) as pool:
        list(pool.map(lambda value: store.put(ANA, "one", value), values))
    (item,) = store.search(ANA)
    assert item.value in values


class State(TypedDict):
    user: str
    said: str
    reply: str


def make_graph(store: BaseStore) -> Any:
    def note(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        runtime.store.put(("memories", state["user"]), state["said"][:20], {"text": state["said"]})
        return {}

    async def reply(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        found = await runtime.store.asearch(("memories", state["user"]), query=state["said"], limit=3)
        return {"reply": " | ".join(item.value["text"] for item in found)}

    builder = StateGraph(State)
    builder.add_node("reply", reply)
    builder.add_node("note", note)
    builder.add_edge(START, "reply")
    builder.add_edge("reply", "note")
    builder.add_edge("note", END)
    return builder.compile(store=store)


@pytest.fixture
def made_on_disk(tmp_path: Path) -> Iterator[Callable[[], BlockingRecollect]]:
    opened: list[BlockingRecollect] = []

    def make() -> BlockingRecollect:
        opened.append(BlockingRecollect.open(tmp_path / "graph", **OPENED))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def test_a_graph_remembers_across_runs_and_for_one_user_only(made_on_disk: Callable[[], BlockingRecollect]) -> None:
    first = made_on_disk()

    async def say(graph: Any, user: str, said: str) -> str:
        return str((await graph.ainvoke({"user": user, "said": said, "reply": ""}))["reply"])

    graph = make_graph(RecollectStore(first))
    asyncio.run(say(graph, "ana", "My sister Marta lives in Porto."))
    asyncio.run(say(graph, "ben", "My brother lives in Lisbon."))
    first.close()
    again = make_graph(RecollectStore(made_on_disk()))
    assert asyncio.run(say(again, "ana", "Where does my sister live?")) == "My sister Marta lives in Porto."
    assert asyncio.run(say(again, "cleo", "Where does my sister live?")) == ""
