from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.explore.paths import PathFinder
from recollect.graph.inmemory import InMemoryKnowledge
from recollect.knowledge import Triple, Way

from .graphs import SPACE, code_graph

NAMES = "abcdefg"
edges = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=12)


def graph(pairs: list[tuple[str, str]]) -> InMemoryKnowledge:
    knowledge = InMemoryKnowledge()
    knowledge.state(SPACE, "pairs", [Triple(one, "touches", other) for one, other in pairs])
    knowledge.settle(SPACE)
    return knowledge


def id_of(knowledge: InMemoryKnowledge, name: str) -> list[str]:
    return [node.id for node in knowledge.named(SPACE, [name.casefold()]).get(name.casefold(), ())]


def lengths(pairs: list[tuple[str, str]], start: str, goal: str, most: int) -> list[int]:
    """The lengths of all paths without repeats, by trying every one."""
    beside: dict[str, set[str]] = {}
    for one, other in pairs:
        if one != other:
            beside.setdefault(one, set()).add(other)
            beside.setdefault(other, set()).add(one)
    found: list[int] = []

    def walk(path: list[str]) -> None:
        if path[-1] == goal:
            found.append(len(path) - 1)
            return
        if len(path) <= most:
            for name in beside.get(path[-1], ()):
                if name not in path:
                    walk([*path, name])

    walk([start])
    return sorted(found)


@settings(max_examples=60, deadline=None)
@given(edges, st.integers(1, 5))
def test_paths_are_those_that_trying_every_one_finds(pairs: list[tuple[str, str]], max_hops: int) -> None:
    knowledge = graph(pairs)
    start, goal = id_of(knowledge, "a"), id_of(knowledge, "b")
    found = (
        PathFinder(knowledge, space=SPACE).between(start, goal, max_hops=max_hops, most=100) if start and goal else []
    )
    assert sorted(len(path.statements) for path in found) == lengths(pairs, "a", "b", max_hops)
    assert [path.cost for path in found] == sorted(path.cost for path in found)
    for path in found:
        assert len(set(path.nodes)) == len(path.nodes)
        for (one, other), said in zip(pairwise(path.nodes), path.statements, strict=True):
            assert {one, other} == {said.subject, said.object}


def test_only_the_best_are_given_and_the_shortest_is_first() -> None:
    knowledge = graph([("a", "c"), ("c", "b"), ("a", "d"), ("d", "e"), ("e", "b"), ("a", "f"), ("f", "b")])
    found = PathFinder(knowledge, space=SPACE).between(id_of(knowledge, "a"), id_of(knowledge, "b"), max_hops=4, most=2)
    assert [len(path.statements) for path in found] == [2, 2]


def test_a_hub_is_gone_around() -> None:
    crowd = [(f"x{n}", "hub") for n in range(200)]
    knowledge = graph([("a", "hub"), ("hub", "b"), ("a", "c"), ("c", "d"), ("d", "b"), *crowd])
    best, other = PathFinder(knowledge, space=SPACE).between(
        id_of(knowledge, "a"), id_of(knowledge, "b"), max_hops=4, most=2
    )
    assert (len(best.statements), len(other.statements)) == (3, 2)


def test_only_the_given_relations_are_followed() -> None:
    knowledge = InMemoryKnowledge()
    knowledge.state(SPACE, "x", [Triple("a", "likes", "b"), Triple("a", "knows", "c"), Triple("c", "knows", "b")])
    knowledge.settle(SPACE)
    finder = PathFinder(knowledge, space=SPACE, relations=frozenset({"knows"}))
    (path,) = finder.between(id_of(knowledge, "a"), id_of(knowledge, "b"), max_hops=4, most=5)
    assert [said.relation for said in path.statements] == ["knows", "knows"]


def test_a_path_over_three_files_has_its_places() -> None:
    knowledge = code_graph()
    ends = [[node.id for node in knowledge.named(SPACE, [name])[name]] for name in ("orderservice", "paymentgateway")]
    (path,) = PathFinder(knowledge, space=SPACE).between(*ends, max_hops=4, most=1)
    assert [(said.path, said.line) for said in path.statements] == [
        ("orders/service.py", 12),
        ("payments/adapter.py", 9),
    ]
    assert knowledge.about(SPACE, ends[0], way=Way.OUT, relations=frozenset({"calls"}))[0] == path.statements[0]
