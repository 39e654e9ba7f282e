"""The whole path with sources that misbehave: what completed comes back in time, and what did not is named."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from recollect.clock import SystemClock
from recollect.ports import Clock, Source
from recollect.recipes import BALANCED, DEEP, Recipe
from recollect.records import Filters
from recollect.retrieve import Request, retrieve
from recollect.steps.answer import Budget
from recollect.steps.search import Means
from recollect.testing.clock import FakeClock
from recollect.trace import Recorder
from recollect.values import Answer, Hit, Scope, Stop, VerdictKind

from .steps.build import hit
from .steps.scripted import ScriptedSource, after, giving, hanging, hanging_in_a_thread, means, raising

GOOD = ScriptedSource("good", giving(hit("a", 0.9)))
DEADLINE = 1.0


async def asked(
    given: Means, *, text: str = "What is the rent?", deadline: float = DEADLINE, recipe: Recipe = BALANCED
) -> Answer:
    clock = given.clock
    trace = Recorder("trace", started_at=clock.now(), monotonic=clock.monotonic)
    scope = Scope("default", Filters(), 10, tuple(given.sources))
    request = Request(text, scope, recipe, clock.monotonic() + deadline, Budget(4_000, len))
    return await retrieve(request, means=given, trace=trace)


def ask(*sources: Source, clock: Clock, text: str = "What is the rent?", **changes: Any) -> Answer:
    return asyncio.run(asked(means(*sources, clock=clock, **changes), text=text))


def ask_while_time_passes(*sources: Source, clock: FakeClock) -> Answer:
    async def main() -> Answer:
        task = asyncio.ensure_future(asked(means(*sources, clock=clock)))
        while not task.done():
            await clock.advance(0.05)
        return await task

    return asyncio.run(main())


def test_a_failing_source_degrades_and_the_others_answer(clock: FakeClock) -> None:
    answer = ask(ScriptedSource("bad", raising(OSError("gone"))), GOOD, clock=clock)
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert answer.degraded == ("source 'bad' failed: OSError: gone",)
    assert answer.confidence.components["reliability"] == 0.5


def test_when_everything_fails_nothing_is_answered_and_all_is_named(clock: FakeClock) -> None:
    sources = [ScriptedSource(name, raising(OSError(name))) for name in ("one", "two")]
    answer = ask(*sources, clock=clock)
    assert (answer.verdict, answer.evidence) == (VerdictKind.NONE, ())
    assert len(answer.degraded) == 2
    assert answer.confidence.components["reliability"] == 0.0


def test_a_hanging_source_costs_no_more_than_the_deadline(clock: FakeClock) -> None:
    answer = ask_while_time_passes(ScriptedSource("stuck", hanging()), clock=clock)
    assert answer.stop is Stop.DEADLINE
    assert answer.degraded == ("source 'stuck' timed out",)
    assert clock.monotonic() <= DEADLINE + 0.1


def test_what_came_in_time_is_answered_although_another_hangs(clock: FakeClock) -> None:
    answer = ask_while_time_passes(GOOD, ScriptedSource("stuck", hanging()), clock=clock)
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert answer.degraded == ("source 'stuck' timed out",)


def test_a_slow_weak_source_does_not_start_a_round_past_the_deadline(clock: FakeClock) -> None:
    slow = ScriptedSource("slow", after(clock, 0.6, hit("a", 0.1)))
    answer = ask_while_time_passes(slow, clock=clock)
    assert answer.stop is Stop.DEADLINE
    assert len(slow.asked) == 2
    assert clock.monotonic() <= DEADLINE + 0.1


def test_it_returns_in_real_time_although_a_thread_hangs() -> None:
    released = threading.Event()
    began = time.monotonic()
    try:
        answer = ask(ScriptedSource("stuck", hanging_in_a_thread(released)), clock=SystemClock())
        assert answer.stop is Stop.DEADLINE
        assert time.monotonic() - began < DEADLINE + 4
    finally:
        released.set()


STOPS: dict[str, tuple[list[Hit], str, Recipe, Stop]] = {
    "enough": ([hit("a", 0.9)], "What is the rent?", BALANCED, Stop.ENOUGH),
    "nothing left to try": ([hit("a", 0.1)], "zeppelin", BALANCED, Stop.NOTHING_TO_TRY),
    "nothing new": ([], "What is the rent?", DEEP, Stop.NO_NOVELTY),
    "no round left": ([], "What is the rent?", BALANCED, Stop.MAX_ROUNDS),
}


@pytest.mark.parametrize(("hits", "text", "recipe", "stop"), STOPS.values(), ids=STOPS)
def test_the_search_says_why_it_stopped(
    hits: list[Hit], text: str, recipe: Recipe, stop: Stop, clock: FakeClock
) -> None:
    given = means(ScriptedSource("s", giving(*hits)), clock=clock)
    assert asyncio.run(asked(given, text=text, recipe=recipe)).stop is stop


def test_a_reworded_lookup_can_save_a_question(clock: FakeClock) -> None:
    async def behave(lookup: Any) -> Any:
        from recollect.values import Reply

        return Reply((hit("a", 0.9),) if lookup.text == "rent" else ())

    source = ScriptedSource("s", behave)
    answer = ask(source, clock=clock)
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert [each.text for each in source.asked] == ["What is the rent?", "rent"]
    assert answer.evidence[0].rounds == (2,)


def test_without_any_source_nothing_is_known(clock: FakeClock) -> None:
    answer = ask(clock=clock)
    assert (answer.verdict, answer.evidence) == (VerdictKind.NONE, ())


def test_the_trace_names_every_step_in_order(clock: FakeClock) -> None:
    names = [span.name for span in ask(GOOD, clock=clock).trace.spans]
    assert names == ["understand", "plan", "search", "judge", "merge", "replace", "reconcile", "weigh", "answer"]


def test_the_trace_holds_no_text_of_a_memory(clock: FakeClock) -> None:
    secret = ScriptedSource("s", giving(hit("a", 0.9, title="Topsecret", body="The passphrase is marmalade")))
    trace = repr(ask(secret, clock=clock).trace)
    assert "marmalade" not in trace and "Topsecret" not in trace
