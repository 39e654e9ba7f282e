"""Clusters: memories in groups by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from recollect import Filters, InvalidInput, NotFound, Recollect
from recollect.testing.clock import FakeClock


def run(work: Awaitable[Any]) -> Any:
    async def main() -> Any:
        return await work

    return asyncio.run(main())


@pytest.fixture
def ids(recollect: Recollect) -> list[str]:
    texts = ("The rent is due on Monday.", "The office has two windows.", "Ana keeps the only key.")
    return [run(recollect.remember(text)).id for text in texts]


def inside(recollect: Recollect, name: str) -> set[str]:
    return {memory.id for memory in run(recollect.browse(filters=Filters(clusters=frozenset({name}))))}


def test_memories_are_put_in_and_taken_out(recollect: Recollect, ids: list[str], clock: FakeClock) -> None:
    assert run(recollect.clusters()) == {}
    clock.jump(60)
    changed = run(recollect.add_to_cluster("office", *ids[:2]))
    assert [(memory.id, memory.clusters) for memory in changed] == [(id, ("office",)) for id in ids[:2]]
    run(recollect.add_to_cluster("home", ids[0]))
    assert run(recollect.clusters()) == {"home": 1, "office": 2}
    assert inside(recollect, "office") == set(ids[:2])
    run(recollect.remove_from_cluster("office", ids[0], ids[2]))
    assert run(recollect.clusters()) == {"home": 1, "office": 1}
    assert inside(recollect, "office") == {ids[1]}


def test_the_same_again_changes_nothing(recollect: Recollect, ids: list[str], clock: FakeClock) -> None:
    run(recollect.add_to_cluster("office", *ids))
    before = run(recollect.export_space())
    clock.jump(60)
    run(recollect.add_to_cluster("office", *ids, *ids))
    run(recollect.remove_from_cluster("nowhere", *ids))
    assert run(recollect.export_space()) == before


def test_the_text_is_not_embedded_anew(recollect: Recollect, ids: list[str]) -> None:
    (memory,) = run(recollect.add_to_cluster("office", ids[0]))
    assert memory.embedded_by is not None
    assert run(recollect.stats()).vectors == 3


def test_what_is_archived_or_superseded_is_not_counted(recollect: Recollect, ids: list[str], clock: FakeClock) -> None:
    run(recollect.add_to_cluster("office", *ids))
    run(recollect.archive(ids[0]))
    clock.jump(60)
    run(recollect.supersede(ids[1], "The office has three windows."))
    assert run(recollect.clusters()) == {"office": 1}
    assert run(recollect.clusters(space="elsewhere")) == {}


def test_one_unknown_memory_changes_none(recollect: Recollect, ids: list[str]) -> None:
    with pytest.raises(NotFound):
        run(recollect.add_to_cluster("office", ids[0], "nobody"))
    assert run(recollect.clusters()) == {}


@pytest.mark.parametrize("name", ["", "x" * 1001, "\ud800", 7])
def test_a_name_that_cannot_be_used_is_refused(recollect: Recollect, ids: list[str], name: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        run(recollect.add_to_cluster(name, ids[0]))
    assert raised.value.field == "cluster"


def test_no_memory_at_all_is_refused(recollect: Recollect) -> None:
    with pytest.raises(InvalidInput) as raised:
        run(recollect.add_to_cluster("office"))
    assert raised.value.field == "ids"


def test_a_memory_is_in_a_hundred_clusters_at_most(recollect: Recollect, ids: list[str]) -> None:
    run(recollect.update(ids[0], clusters=[f"c{number}" for number in range(100)]))
    with pytest.raises(InvalidInput, match="100"):
        run(recollect.add_to_cluster("one too many", ids[0]))
