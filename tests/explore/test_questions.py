from __future__ import annotations

from pathlib import Path

import pytest

from recollect.explore.ask import Asker, Finding
from recollect.graph.inmemory import InMemoryKnowledge
from recollect.knowledge import Triple

from .graphs import SPACE, code_graph, film_graph

CASES = Path(__file__).parent / "cases"


def cases(name: str) -> list[tuple[str, tuple[str, ...]]]:
    lines = (CASES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.partition(" =") for line in lines if line.strip() and not line.startswith("#")]
    return [(text, tuple(name for name in answers.strip().split(", ") if name)) for text, _, answers in rows]


@pytest.fixture(scope="module")
def films() -> InMemoryKnowledge:
    return film_graph()


@pytest.fixture(scope="module")
def code() -> InMemoryKnowledge:
    return code_graph()


def ask(knowledge: InMemoryKnowledge, question: str) -> Finding | None:
    return Asker(knowledge, space=SPACE, max_hops=4, paths=3).ask(question)


def answers(knowledge: InMemoryKnowledge, question: str) -> tuple[str, ...]:
    finding = ask(knowledge, question)
    found = finding.answers.nodes if finding and finding.answers else ()
    return tuple(sorted(node.name for node in knowledge.nodes(SPACE, found)))


@pytest.mark.parametrize(("question", "expected"), cases("films"))
def test_films(films: InMemoryKnowledge, question: str, expected: tuple[str, ...]) -> None:
    assert answers(films, question) == expected


@pytest.mark.parametrize(("question", "expected"), cases("code"))
def test_code(code: InMemoryKnowledge, question: str, expected: tuple[str, ...]) -> None:
    assert answers(code, question) == expected


def test_words_that_nothing_explains_lower_the_belief(films: InMemoryKnowledge) -> None:
    plain, odd = ask(films, "who directed Salt Road"), ask(films, "who directed Salt Road badly enough for penguins")
    assert plain and odd and odd.belief < plain.belief == 1.0


def test_a_film_does_not_share_its_director_with_itself(films: InMemoryKnowledge) -> None:
    assert answers(films, "which films share directors with Salt Road") == ("Harbour Lights",)


def test_relations_no_table_knows_are_asked_by_their_own_names() -> None:
    knowledge = InMemoryKnowledge()
    triples = [Triple("Green Cup", "sponsored_by", "Oak Bank"), Triple("Porto", "sister_harbour", "Bristol")]
    knowledge.state(SPACE, "more", triples)
    knowledge.settle(SPACE)
    assert answers(knowledge, "who sponsors the Green Cup?") == ("Oak Bank",)
    assert answers(knowledge, "what does Oak Bank sponsor?") == ("Green Cup",)
    assert answers(knowledge, "what is the sister harbour of Porto?") == ("Bristol",)
