"""Answers that do not share a word with the question: reached over links, over names found on the way, and by use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from recollect import Answer, Recollect
from recollect.ports import Store
from recollect.settings import LearningSettings

NOISE = tuple(
    f"Note {number}: the {thing} in room {number} was {done} by the caretaker."
    for number, (thing, done) in enumerate(
        zip(("lamp", "window", "door", "shelf", "radiator", "carpet"), ("mended", "painted") * 3, strict=True)
    )
)


@pytest.fixture
def run(store: Store, make_recollect: Callable[..., Recollect]) -> Callable[..., Any]:
    def running(act: Callable[[Recollect], Awaitable[Any]], **changes: Any) -> Any:
        async def main() -> Any:
            recollect = make_recollect(store, **changes)
            for text in NOISE:
                await recollect.remember(text)
            return await act(recollect)

        return asyncio.run(main())

    return running


def bodies(answer: Answer) -> list[str]:
    return [piece.memory.body for piece in answer.evidence]


def test_a_linked_memory_comes_along_although_it_matches_nothing(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        plan = await recollect.remember("The harbour extension plan was approved.")
        budget = await recollect.remember("Four million, to be paid in two halves.")
        before = await recollect.retrieve("harbour extension plan", deadline=30)
        assert "Four million, to be paid in two halves." not in bodies(before)
        await recollect.link(budget.id, plan.id, "part_of", weight=1.0)
        after = await recollect.retrieve("harbour extension plan", deadline=30)
        (piece,) = [each for each in after.evidence if each.memory.id == budget.id]
        assert plan.id in piece.reached_by
        assert after.evidence[0].memory.id == plan.id, "what matches stands before what hangs on it"

    run(act)


def test_an_archived_neighbour_does_not_come_along(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        plan = await recollect.remember("The harbour extension plan was approved.")
        budget = await recollect.remember("Four million, to be paid in two halves.")
        await recollect.link(budget.id, plan.id, "part_of", weight=1.0)
        await recollect.archive(budget.id)
        answer = await recollect.retrieve("harbour extension plan", deadline=30)
        assert budget.id not in {piece.memory.id for piece in answer.evidence}

    run(act)


def test_links_make_nothing_relevant_of_a_question_about_nothing_stored(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        ids = [(await recollect.remember(f"Ledger entry {number} of the harbour office.")).id for number in range(8)]
        for one in ids:
            for other in ids:
                if one < other:
                    await recollect.link(one, other, "supports", weight=1.0)
        answer = await recollect.retrieve("Which vaccinations does one need for Madagascar?", deadline=30)
        assert answer.verdict == "none"

    run(act)


def test_a_name_found_on_the_way_is_followed(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        await recollect.remember("The lighthouse report was written by Marguerite Oduya.")
        home = await recollect.remember("Marguerite Oduya lives in Tromsø with two cats.")
        answer = await recollect.retrieve(
            "Where does the author of the lighthouse report live?", recipe="deep", deadline=30
        )
        (piece,) = [each for each in answer.evidence if each.memory.id == home.id]
        assert any("bridge" in each for each in piece.lookups)

    run(act, strong_threshold=1.0)


def test_what_was_recalled_together_is_later_found_through_each_other(run: Callable[..., Any]) -> None:
    """The ablation: the same searches with learning on and off."""

    async def act(recollect: Recollect) -> float:
        plan = await recollect.remember("The harbour extension plan was approved by the council.")
        crane = await recollect.remember("The harbour extension plan needs a crane of forty tons.")
        for _ in range(8):
            await recollect.recall("harbour extension plan")
        await recollect.settle()
        result = await recollect.search("harbour council approved")
        graph = {hit.memory.id: dict((s.name, s.value) for s in hit.signals)["graph"] for hit in result.hits}
        assert plan.id in graph
        return graph.get(crane.id, 0.0)

    learned = run(act)
    assert learned > 0


def test_with_learning_off_it_is_not(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        await recollect.remember("The harbour extension plan was approved by the council.")
        await recollect.remember("The harbour extension plan needs a crane of forty tons.")
        for _ in range(8):
            await recollect.recall("harbour extension plan")
        await recollect.settle()
        result = await recollect.search("harbour council approved")
        assert all(dict((s.name, s.value) for s in hit.signals)["graph"] == 0 for hit in result.hits)

    run(act, learning=LearningSettings(enabled=False))


def test_messages_are_searched_and_are_a_source_of_their_own(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        said = await recollect.remember("I moved the standup to nine thirty.", kind="message", author="Ana")
        answer = await recollect.retrieve("When is the standup, according to Ana?", deadline=30)
        (piece,) = [each for each in answer.evidence if each.memory.id == said.id]
        assert piece.sources == ("messages",)
        assert len({each.memory.id for each in answer.evidence}) == len(answer.evidence)

    run(act)
