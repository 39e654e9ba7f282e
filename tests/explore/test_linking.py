from __future__ import annotations

import pytest

from recollect.explore.linking import link
from recollect.explore.scope import find_scope
from recollect.graph.inmemory import InMemoryKnowledge

from .graphs import SPACE, code_graph, film_graph


@pytest.fixture(scope="module")
def films() -> InMemoryKnowledge:
    return film_graph()


@pytest.fixture(scope="module")
def code() -> InMemoryKnowledge:
    return code_graph()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("who directed Harbour Lights", "Harbour Lights"),
        ("who directed harbour lights", "Harbour Lights"),
        ("who directed the film HARBOUR LIGHTS?", "Harbour Lights"),
        ('who directed "Salt Road"', "Salt Road"),
        ("who is the writer of Salt Road", "Salt Road"),
        ("who directed The", "The"),
        ("which films did Ana Torres direct", "Ana Torres"),
    ],
)
def test_the_name_is_found(films: InMemoryKnowledge, question: str, expected: str) -> None:
    assert link(question, films, space=SPACE)[0].nodes[0].name == expected


@pytest.mark.parametrize("question", ["who directed the film", "the weather", "who is the writer"])
def test_an_everyday_word_is_hardly_a_name(films: InMemoryKnowledge, question: str) -> None:
    assert all(each.belief <= 0.1 for each in link(question, films, space=SPACE))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what calls load_orders", "load_orders"),
        ("what calls load orders", "load_orders"),
        ("what calls payment gateway", "PaymentGateway"),
        ("what calls service.OrderService", "OrderService"),
        ("what calls `PaymentAdapter`", "PaymentAdapter"),
        ("what calls PaymentGatway", "PaymentGateway"),
    ],
)
def test_code_names_are_found_however_written(code: InMemoryKnowledge, question: str, expected: str) -> None:
    assert link(question, code, space=SPACE)[0].nodes[0].name == expected


def test_a_guess_is_believed_less_than_a_name(code: InMemoryKnowledge) -> None:
    exact, joined, guessed = (
        link(text, code, space=SPACE)[0].belief for text in ("PaymentGateway", "payment gateway", "PaymentGatway")
    )
    assert exact > joined > guessed > 0


def test_names_do_not_overlap(code: InMemoryKnowledge) -> None:
    links = link("How does OrderService connect to PaymentGateway?", code, space=SPACE)
    assert {each.nodes[0].name for each in links if each.belief > 0.5} == {"OrderService", "PaymentGateway"}


def test_the_scope_is_where_it_is_defined_and_spoken_of(code: InMemoryKnowledge) -> None:
    links = link("what is load_orders?", code, space=SPACE)
    scope = find_scope(links, code, space=SPACE)
    assert scope.projects == {"shop"} and scope.paths == {"orders/service.py", "payments/adapter.py"}
    assert scope.entities == (links[0].nodes[0].id,)


def test_nothing_named_means_no_scope(code: InMemoryKnowledge) -> None:
    assert not find_scope(link("what is for lunch", code, space=SPACE), code, space=SPACE)
