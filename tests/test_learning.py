"""Learning from use, end to end on a real store: it changes later searches, within bounds, for a while, undoably."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from recollect import InvalidInput, NotFound, Recollect
from recollect.ports import Store
from recollect.records import LEARNED_RELATION, Link
from recollect.settings import LearningSettings
from recollect.testing.clock import FakeClock

PLAN = "The harbour project plan lists three cranes."
CRANE = "Cranes of the harbour project need a permit from the port."
QUESTION = "harbour project cranes"


class House:
    """An engine with two memories that are found together."""

    def __init__(self, recollect: Recollect, clock: FakeClock) -> None:
        self.recollect = recollect
        self.clock = clock
        self.ids: list[str] = []

    async def fill(self, space: str = "default") -> list[str]:
        self.ids = [(await self.recollect.remember(text, space=space)).id for text in (PLAN, CRANE)]
        return self.ids

    async def learned(self, space: str = "default") -> list[Link]:
        await self.recollect.settle()
        return [link for link in await self.recollect.links(self.ids[0], space=space) if link.learned]


@pytest.fixture
def run(store: Store, make_recollect: Callable[..., Recollect], clock: FakeClock) -> Callable[..., Any]:
    def running(act: Callable[[House], Awaitable[Any]], **changes: Any) -> Any:
        async def main() -> Any:
            house = House(make_recollect(store, **changes), clock)
            await house.fill()
            return await act(house)

        return asyncio.run(main())

    return running


def test_recalling_two_together_links_them(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        assert await house.learned() == []
        await house.recollect.recall(QUESTION)
        (link,) = await house.learned()
        assert {link.from_id, link.to_id} == set(house.ids)
        assert (link.relation, link.weight, link.learned) == (LEARNED_RELATION, 0.0, pytest.approx(0.05))

    run(act)


def test_automatic_injection_teaches_less_than_recall(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        await house.recollect.retrieve_context(QUESTION)
        (link,) = await house.learned()
        assert link.learned == pytest.approx(0.03)

    run(act)


def test_retrieve_teaches_nothing(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        await house.recollect.retrieve(QUESTION)
        assert await house.learned() == []

    run(act)


def test_a_stated_link_keeps_its_weight_and_learns_beside_it(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        await house.recollect.link(*house.ids, "supports", weight=0.4)
        await house.recollect.recall(QUESTION)
        (link,) = await house.learned()
        assert (link.relation, link.weight, link.learned) == ("supports", 0.4, pytest.approx(0.05))

    run(act)


def test_it_is_bounded(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        for _ in range(12):
            await house.recollect.recall(QUESTION)
        (link,) = await house.learned()
        assert link.learned == pytest.approx(house.recollect.settings.learning.most)

    run(act)


def test_it_wears_off(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        await house.recollect.recall(QUESTION)
        await house.learned()
        house.clock.set_now(house.clock.now() + timedelta(days=30))
        await house.recollect.recall(QUESTION)
        (link,) = await house.learned()
        assert link.learned == pytest.approx(0.05 / 2 + 0.05), "half of the first lesson is left, and the second"

    run(act)


def test_it_stays_in_its_space(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        here = house.ids
        there = await house.fill("elsewhere")
        await house.recollect.recall(QUESTION, space="elsewhere")
        assert len(await house.learned("elsewhere")) == 1
        house.ids = here
        assert await house.learned() == []
        assert set(here).isdisjoint(there)

    run(act)


def test_all_of_it_can_be_undone(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        await house.recollect.link(*house.ids, "supports", weight=0.4)
        recalled = await house.recollect.recall(QUESTION)
        assert recalled.trace_id
        await house.recollect.feedback(recalled.trace_id, house.ids[0], "used")
        await house.recollect.unlearn()
        assert await house.learned() == []
        (stated,) = await house.recollect.links(house.ids[0])
        assert (stated.weight, stated.learned) == (0.4, 0.0)
        assert (await house.recollect.get(house.ids[0])).favour == 0.0

    run(act)


def test_the_lessons_of_one_answer_can_be_undone_once(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        first = await house.recollect.recall(QUESTION)
        await house.recollect.recall(QUESTION)
        for _ in range(2):
            await house.recollect.unlearn(trace_id=first.trace_id)
        (link,) = await house.learned()
        assert link.learned == pytest.approx(0.05)

    run(act)


def test_switched_off_it_neither_learns_nor_takes_feedback(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        recalled = await house.recollect.recall(QUESTION)
        assert await house.learned() == []
        with pytest.raises(InvalidInput, match="learning is off"):
            await house.recollect.feedback(recalled.trace_id or "", house.ids[0], "used")

    run(act, learning=LearningSettings(enabled=False))


def test_feedback_moves_favour_within_bounds_and_the_same_word_counts_once(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        recalled = await house.recollect.recall(QUESTION)
        trace = recalled.trace_id or ""
        for _ in range(3):
            await house.recollect.feedback(trace, house.ids[0], "wrong")
        assert (await house.recollect.get(house.ids[0])).favour == pytest.approx(-0.3)
        for _ in range(5):
            again = await house.recollect.recall(QUESTION)
            await house.recollect.feedback(again.trace_id or "", house.ids[0], "wrong")
        assert (await house.recollect.get(house.ids[0])).favour == pytest.approx(-0.6)

    run(act)


def test_what_was_wrong_ranks_lower_afterwards(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        recalled = await house.recollect.recall(QUESTION)
        await house.recollect.settle()
        before = (await house.recollect.retrieve(QUESTION)).evidence
        first = before[0].memory.id
        await house.recollect.feedback(recalled.trace_id or "", first, "wrong")
        after = {piece.memory.id: piece.score for piece in (await house.recollect.retrieve(QUESTION)).evidence}
        assert after[first] < before[0].score
        assert after[before[1].memory.id] == before[1].score

    run(act)


def test_feedback_on_what_the_answer_did_not_rest_on_is_refused(run: Callable[..., Any]) -> None:
    async def act(house: House) -> None:
        recalled = await house.recollect.recall(QUESTION)
        with pytest.raises(NotFound, match="did not rest on"):
            await house.recollect.feedback(recalled.trace_id or "", "nobody", "used")
        with pytest.raises(InvalidInput, match="used, not_used, wrong"):
            await house.recollect.feedback(recalled.trace_id or "", house.ids[0], "splendid")

    run(act)
