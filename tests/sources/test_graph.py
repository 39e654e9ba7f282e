from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.graph.inmemory import InMemoryKnowledge
from recollect.graph.sqlite import SqliteKnowledge
from recollect.knowledge import FileMark, Named, Reading, Said, Triple, kept_of
from recollect.ports import Source
from recollect.records import Filters, Memory, PutMemory
from recollect.settings import Settings
from recollect.sources.graph import GraphSource
from recollect.store.inmemory import InMemoryStore
from recollect.testing.clock import START
from recollect.testing.source_contract import MakeSource, SourceContract
from recollect.values import Hit, Lookup, Reply

from ..explore.graphs import SPACE, code_graph, film_graph

GATE = Settings().quality_threshold


def ask(knowledge: InMemoryKnowledge, text: str, **fields: Any) -> Reply:
    source = GraphSource(knowledge=knowledge, now=lambda: START)
    return source.search_now(Lookup(text, **{"space": SPACE, "source": "graph", "limit": 20, **fields}))


@pytest.fixture(scope="module")
def films() -> InMemoryKnowledge:
    return film_graph()


@pytest.fixture(scope="module")
def code() -> InMemoryKnowledge:
    return code_graph()


class TestContract(SourceContract):
    @pytest.fixture
    def make_source(self, tmp_path: Path) -> MakeSource:
        def make(memories: Sequence[Memory]) -> Source:
            store = InMemoryStore(now=lambda: START)
            knowledge = SqliteKnowledge(tmp_path / str(len(memories)), settings=Settings().store)
            for space in sorted({memory.space for memory in memories}):
                mine = [memory for memory in memories if memory.space == space]
                store.apply(space, [PutMemory(memory) for memory in mine])
                words = [
                    (word, memory) for memory in mine for word in re.findall(r"\w+", f"{memory.title} {memory.body}")
                ]
                knowledge.state(space, "words", [Triple(word, "stands_in", m.id, memory=m.id) for word, m in words])
                knowledge.settle(space)
            return GraphSource(store, knowledge=knowledge, now=lambda: START)

        return make


def first(reply: Reply) -> Hit:
    return reply.hits[0]


def test_the_answer_comes_first_with_all_its_names(films: InMemoryKnowledge) -> None:
    hit = first(ask(films, "what films did Ana Torres direct"))
    assert hit.memory.kind == "answer" and hit.memory.title == "Ana Torres"
    assert hit.memory.metadata["answers"] == ("Harbour Lights", "Salt Road")
    assert hit.memory.metadata["count"] == 2 and hit.memory.metadata["relation"] == "directed_by"
    assert hit.relevance >= 0.8


def test_a_statement_is_told_with_file_and_line(code: InMemoryKnowledge) -> None:
    hits = ask(code, "What does OrderService call?").hits
    assert hits[0].memory.body == "OrderService calls PaymentAdapter (orders/service.py:12)"
    said = next(hit.memory for hit in hits if hit.memory.kind == "statement")
    assert (said.project, said.source_uri, said.source_position) == ("shop", "orders/service.py", "12")


def test_many_are_counted_in_words(code: InMemoryKnowledge) -> None:
    assert first(ask(code, "What calls load_orders?")).memory.body == "2 call load_orders: print_report, CardAdapter"


def test_a_name_alone_stays_below_the_gate(code: InMemoryKnowledge) -> None:
    hits = ask(code, "Is the weather nice for OrderService").hits
    assert hits and all(hit.relevance < GATE for hit in hits)


def test_what_nobody_calls_has_no_answer_and_nothing_passes_the_gate(code: InMemoryKnowledge) -> None:
    hits = ask(code, "What calls print_report?").hits
    assert all(hit.relevance < GATE for hit in hits)
    assert all(hit.memory.kind != "answer" for hit in hits)


@pytest.mark.parametrize("text", ["How is the soup today?", "", "who directed Bright Nowhere"])
def test_where_no_entity_is_named_there_is_nothing(films: InMemoryKnowledge, text: str) -> None:
    reply = ask(films, text)
    assert all(hit.relevance < GATE for hit in reply.hits) and not reply.narrowing


def test_what_something_is_is_answered_by_its_definition(code: InMemoryKnowledge) -> None:
    hit = first(ask(code, "What is OrderService?"))
    assert hit.memory.kind == "entity" and hit.memory.body == "OrderService is a class in shop (orders/service.py:3)"
    assert hit.relevance >= 0.5


def test_two_names_are_connected_by_their_path(code: InMemoryKnowledge) -> None:
    reply = ask(code, "How does OrderService connect to PaymentGateway?")
    hit = first(reply)
    assert hit.memory.kind == "path"
    assert hit.memory.metadata["answers"] == ("OrderService", "PaymentAdapter", "PaymentGateway")
    assert "orders/service.py:12" in hit.memory.body and "payments/adapter.py:9" in hit.memory.body
    assert reply.narrowing.projects == {"shop"}
    assert {"orders/service.py", "payments/adapter.py"} <= reply.narrowing.paths


def test_projects_outside_the_filter_are_not_heard(code: InMemoryKnowledge) -> None:
    crm = Filters(projects=frozenset({"crm"}))
    assert all(hit.memory.project in ("crm", None) for hit in ask(code, "what is customers", filters=crm).hits)
    assert not any(hit.memory.kind == "answer" for hit in ask(code, "What calls load_orders?", filters=crm).hits)


def test_a_statement_a_memory_makes_is_shown_as_that_memory() -> None:
    store, knowledge = InMemoryStore(now=lambda: START), InMemoryKnowledge()
    memory = Memory("m-1", SPACE, "fact", "", "Ana Torres lives in Porto.", START, START, "hash")
    store.apply(SPACE, [PutMemory(memory)])
    knowledge.state(SPACE, "prose", [Triple("Ana Torres", "lives_in", "Porto", memory="m-1")])
    knowledge.settle(SPACE)
    source = GraphSource(store, knowledge=knowledge, now=lambda: START)
    hits = source.search_now(Lookup("Where does Ana Torres live?", SPACE, "graph", 5)).hits
    assert hits[0].memory.metadata["answers"] == ("Porto",)
    assert hits[1].memory == memory


def test_ids_do_not_change_between_graphs() -> None:
    one, other = (ask(film_graph(), "who directed Salt Road").hits for _ in range(2))
    assert [hit.memory.id for hit in one] == [hit.memory.id for hit in other]
    assert all(hit.memory.id.startswith("graph:") for hit in one)


def test_which_projects_use_a_thing_is_not_about_what_is_called_like_it() -> None:
    graph = InMemoryKnowledge()
    backend = Named("py:net.backend.TrioBackend", "TrioBackend", "class", 1, 9)
    run = Named("py:net.backend.TrioBackend.run", "run", "method", 2, 5)
    said = [
        Said("py:net.backend.TrioBackend", "contains", "py:net.backend.TrioBackend.run", 2),
        Said("py:net.backend", "imports", "py:trio", 1),
    ]
    for project, path, entities, statements in (
        ("net", "net/backend.py", (backend, run), said),
        ("web", "web/app.py", (), [Said("py:web.app", "imports", "py:trio", 1)]),
    ):
        reading = Reading(project, path, FileMark("d", 1, 1), "python", (), entities, tuple(statements))
        graph.put(SPACE, [kept_of(reading)])
    graph.settle(SPACE)
    hit = first(ask(graph, "Which projects use trio?"))
    assert hit.memory.kind == "answer"
    assert hit.memory.metadata["projects"] == ("net", "web")


def test_a_whole_name_means_no_longer_one_that_ends_in_it() -> None:
    graph = InMemoryKnowledge()
    for project, prefix in (("yarl", "yarl"), ("tool", "tool._vendor.yarl")):
        entities = (Named(f"py:{prefix}.url.URL", "URL", "class", 1), Named(f"py:{prefix}.use", "use", "function", 9))
        said = (Said(f"py:{prefix}.use", "calls", f"py:{prefix}.url.URL", 10),)
        reading = Reading(project, f"{prefix}.py", FileMark("d", 1, 1), "python", (), entities, said)
        graph.put(SPACE, [kept_of(reading)])
    graph.settle(SPACE)
    assert first(ask(graph, "What calls yarl.url.URL?")).memory.metadata["entities"] == ("yarl::py:yarl.use",)
    assert set(first(ask(graph, "What calls url.URL?")).memory.metadata["entities"]) == {
        "yarl::py:yarl.use",
        "tool::py:tool._vendor.yarl.use",
    }


def test_the_word_a_question_begins_with_is_not_a_name() -> None:
    graph = InMemoryKnowledge()
    entities = (Named("py:shop.which", "which", "function", 1), Named("py:shop.find", "find", "function", 5))
    said = (Said("py:shop.which", "uses", "py:os.access", 2), Said("py:shop.find", "calls", "py:shop.which", 6))
    graph.put(SPACE, [kept_of(Reading("shop", "shop.py", FileMark("d", 1, 1), "python", (), entities, said))])
    graph.settle(SPACE)
    assert ask(graph, "Which projects use keyring?").hits == ()
    assert first(ask(graph, "What calls which?")).memory.metadata["answers"] == ("find",)
