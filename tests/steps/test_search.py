from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from recollect.clock import SystemClock
from recollect.errors import InvalidInput, Unavailable
from recollect.records import Filters, Vector
from recollect.steps.search import Means, search, search_plainly
from recollect.testing.clock import FakeClock
from recollect.trace import Recorder
from recollect.values import Failed, Findings, Found, Lookup, Plan, Reply, Scope, TimedOut

from .build import hit, lookup, recorder
from .scripted import (
    ScriptedEmbedder,
    ScriptedSource,
    after,
    at_once,
    giving,
    hanging,
    hanging_in_a_thread,
    means,
    raising,
    returning,
)

PROMPTLY = 5.0  # seconds: far above what is needed, far below what the stragglers sleep


def run(given: Means, *lookups: Lookup, deadline: float = 3.0, trace: Recorder | None = None) -> Findings:
    async def searching() -> Findings:
        until = given.clock.monotonic() + deadline
        return await search(Plan(1, lookups), means=given, deadline=until, trace=trace or recorder())

    return asyncio.run(searching())


def run_with_time(given: Means, *lookups: Lookup, clock: FakeClock, deadline: float = 3.0) -> Findings:
    """The same, while the clock moves on by itself in small steps whenever nothing else happens."""

    async def searching() -> Findings:
        work = search(Plan(1, lookups), means=given, deadline=clock.monotonic() + deadline, trace=recorder())
        task = asyncio.ensure_future(work)
        while not task.done():
            await asyncio.sleep(0.002)  # worker threads live in real time
            await clock.advance(0.1)
        return await task

    return asyncio.run(searching())


def kinds(found: Findings) -> list[str]:
    return [type(outcome).__name__ for outcome in found.outcomes]


# --- what comes back -----------------------------------------------------------------------------


def test_outcomes_stand_in_plan_order_whoever_was_first(clock: FakeClock) -> None:
    slow = ScriptedSource("slow", after(clock, 0.5, hit("a")))
    quick = ScriptedSource("quick", giving(hit("b")))
    broken = ScriptedSource("broken", raising(OSError("gone")))
    lookups = [lookup(source=name, part=part) for part in (0, 1) for name in ("slow", "broken", "quick")]
    found = run_with_time(means(slow, quick, broken, clock=clock), *lookups, clock=clock)
    assert [outcome.lookup for outcome in found.outcomes] == lookups
    assert kinds(found) == ["Found", "Failed", "Found"] * 2


def test_an_empty_reply_is_found_and_not_failed(clock: FakeClock) -> None:
    found = run(means(ScriptedSource("list", giving()), clock=clock), lookup())
    assert kinds(found) == ["Found"]
    assert found.degraded == ()


def test_no_lookups_give_no_outcomes(clock: FakeClock) -> None:
    assert run(means(clock=clock)) == Findings(1, ())


def test_notes_of_a_source_are_passed_on_once(clock: FakeClock) -> None:
    source = ScriptedSource("list", giving(hit("a"), notes=("half the shelf is missing",)))
    found = run(means(source, clock=clock), lookup(), lookup(part=1))
    assert found.degraded == ("half the shelf is missing",)


# --- sources that fail ---------------------------------------------------------------------------

FAILURES = {
    "raises": (raising(RuntimeError("the shelf fell")), "RuntimeError: the shelf fell"),
    "raises one of ours": (raising(Unavailable("no network")), "Unavailable: no network"),
    "is cancelled from inside": (raising(asyncio.CancelledError("own work")), "CancelledError: own work"),
    "refuses something of its own": (raising(InvalidInput("odd", field="vector")), "InvalidInput: odd"),
    "raises TimeoutError": (raising(TimeoutError("slow")), "TimeoutError: slow"),
    "returns nothing": (returning(None), "TypeError: expected a Reply, got NoneType"),
    "returns a list": (returning([hit("a")]), "TypeError: expected a Reply, got list"),
    "returns hits that are none": (returning(Reply(("a",))), "TypeError: expected hits, got str"),
    "returns no hits at all": (returning(Reply(None)), "TypeError: 'NoneType' object is not iterable"),
    "returns a relevance over one": (
        returning(Reply((hit("a", 7.0),))),
        "ValueError: relevance of 'a' is 7.0, not within 0 and 1",
    ),
    "returns no number": (
        returning(Reply((hit("a", float("nan")),))),
        "ValueError: relevance of 'a' is nan, not within 0 and 1",
    ),
}


@pytest.mark.parametrize(("behave", "error"), FAILURES.values(), ids=FAILURES)
def test_a_source_that_fails_is_reported_and_the_others_go_on(behave: Any, error: str, clock: FakeClock) -> None:
    given = means(ScriptedSource("bad", behave), ScriptedSource("good", giving(hit("a"))), clock=clock)
    found = run(given, lookup(source="bad"), lookup(source="good"))
    assert found.outcomes[0] == Failed(lookup(source="bad"), error, 0.0)
    assert isinstance(found.outcomes[1], Found)
    assert found.degraded == (f"source 'bad' failed: {error}",)


def test_leaving_the_program_is_not_swallowed(clock: FakeClock) -> None:
    with pytest.raises(SystemExit):
        run(means(ScriptedSource("list", raising(SystemExit(3))), clock=clock), lookup())


class Leaving(BaseException):
    """Not an Exception: nobody may turn it into a value."""


def test_what_is_no_ordinary_error_propagates(clock: FakeClock) -> None:
    with pytest.raises(Leaving):
        run(means(ScriptedSource("list", raising(Leaving())), clock=clock), lookup())


def test_a_source_that_finds_fault_with_a_lookup_has_failed(clock: FakeClock) -> None:
    # What the caller gives is checked before any source is asked (tests/test_engine.py, "retrieve: bad space").
    fault = InvalidInput("no space can be called that", field="space")
    found = run(means(ScriptedSource("list", raising(fault)), clock=clock), lookup())
    assert kinds(found) == ["Failed"]


# --- the deadline --------------------------------------------------------------------------------


def test_what_is_back_before_the_deadline_is_found(clock: FakeClock) -> None:
    found = run_with_time(
        means(ScriptedSource("list", after(clock, 0.9, hit("a"))), clock=clock), lookup(), clock=clock, deadline=1.0
    )
    assert kinds(found) == ["Found"]


def test_what_is_not_back_at_the_deadline_timed_out(clock: FakeClock) -> None:
    late = ScriptedSource("late", after(clock, 5.0, hit("a")))
    quick = ScriptedSource("quick", giving(hit("b")))
    given = means(late, quick, clock=clock)
    found = run_with_time(given, lookup(source="late"), lookup(source="quick"), clock=clock, deadline=1.0)
    assert kinds(found) == ["TimedOut", "Found"]
    assert found.degraded == ("source 'late' timed out",)


def test_the_search_ends_at_the_deadline_and_not_later(clock: FakeClock) -> None:
    run_with_time(means(ScriptedSource("list", hanging()), clock=clock), lookup(), clock=clock, deadline=1.0)
    assert clock.monotonic() == pytest.approx(1.0, abs=0.25)


def test_one_lookup_has_its_own_limit_below_the_deadline(clock: FakeClock) -> None:
    given = means(ScriptedSource("list", hanging()), clock=clock, lookup_timeout=0.5)
    found = run_with_time(given, lookup(), clock=clock, deadline=100.0)
    assert kinds(found) == ["TimedOut"]
    assert clock.monotonic() == pytest.approx(0.5, abs=0.25)


def test_all_lookups_wait_at_the_same_time(clock: FakeClock) -> None:
    sources = [ScriptedSource(f"s{number}", after(clock, 0.5, hit("a"))) for number in range(10)]
    found = run_with_time(means(*sources, clock=clock), *(lookup(source=s.name) for s in sources), clock=clock)
    assert kinds(found) == ["Found"] * 10
    assert clock.monotonic() == pytest.approx(0.5, abs=0.25)


def test_a_deadline_that_has_passed_still_takes_what_is_there_at_once(clock: FakeClock) -> None:
    given = means(ScriptedSource("quick", giving(hit("a"))), ScriptedSource("slow", hanging()), clock=clock)
    found = run(given, lookup(source="quick"), lookup(source="slow"), deadline=0.0)
    assert kinds(found) == ["Found", "TimedOut"]


def test_an_abandoned_source_is_cancelled(clock: FakeClock) -> None:
    cancelled = []

    async def behave(lookup: Lookup) -> Reply:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(lookup.text)
            raise
        raise AssertionError("never")

    run_with_time(means(ScriptedSource("list", behave), clock=clock), lookup("abc"), clock=clock, deadline=0.5)
    assert cancelled == ["abc"]


def test_nobody_waits_for_a_thread_that_hangs() -> None:
    released = threading.Event()
    given = means(ScriptedSource("stuck", hanging_in_a_thread(released)), clock=SystemClock())
    began = time.monotonic()
    try:
        found = run(given, lookup(source="stuck"), deadline=0.1)
        assert kinds(found) == ["TimedOut"]
        assert time.monotonic() - began < PROMPTLY, "the loop waited for the thread when it closed"
        assert not released.is_set()
    finally:
        released.set()


def test_a_source_that_fails_while_it_is_abandoned_disturbs_nobody(clock: FakeClock) -> None:
    async def behave(lookup: Lookup) -> Reply:
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError("fell over while leaving")

    found = run_with_time(means(ScriptedSource("list", behave), clock=clock), lookup(), clock=clock, deadline=0.5)
    assert kinds(found) == ["TimedOut"]


def test_cancelling_the_search_cancels_its_sources(clock: FakeClock) -> None:
    cancelled = []

    async def behave(lookup: Lookup) -> Reply:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        raise AssertionError("never")

    async def main() -> None:
        given = means(ScriptedSource("list", behave), clock=clock)
        task = asyncio.ensure_future(search(Plan(1, (lookup(),)), means=given, deadline=9.0, trace=recorder()))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    asyncio.run(main())
    assert cancelled == [True]


def test_the_outcome_of_each_lookup_is_in_the_trace(clock: FakeClock) -> None:
    trace = recorder()
    sources = [
        ScriptedSource("full", giving(hit("a"))),
        ScriptedSource("empty", giving()),
        ScriptedSource("broken", raising(OSError("gone"))),
        ScriptedSource("stuck", hanging()),
    ]
    with trace.step("search"):
        run(means(*sources, clock=clock), *(lookup(source=s.name) for s in sources), deadline=0.0, trace=trace)
    decisions = trace.finish().spans[0].decisions
    assert [(each.because, each.numbers["source"]) for each in decisions] == [
        ("found", "full"),
        ("empty", "empty"),
        ("failed", "broken"),
        ("timed_out", "stuck"),
    ]


# --- embedding -----------------------------------------------------------------------------------


def semantic(clock: FakeClock, before: Callable[[], Awaitable[None]], **more: Any) -> tuple[Means, ScriptedSource]:
    source = ScriptedSource("list", giving(hit("a")), semantic=True)
    return means(source, clock=clock, embedder=ScriptedEmbedder(before, **more)), source


def test_all_texts_are_embedded_in_one_batch_without_repeats(clock: FakeClock) -> None:
    embedder = ScriptedEmbedder(at_once)
    source = ScriptedSource("list", giving(), semantic=True)
    run(means(source, clock=clock, embedder=embedder), lookup("two"), lookup("one"), lookup("two", part=1))
    assert embedder.batches == [["one", "two"]]
    assert all(each.vector is not None and each.vector.identity == embedder.identity for each in source.asked)


def test_sources_that_know_no_meaning_cost_no_embedding(clock: FakeClock) -> None:
    embedder = ScriptedEmbedder(at_once)
    run(means(ScriptedSource("list", giving()), clock=clock, embedder=embedder), lookup())
    assert embedder.batches == []


def test_a_vector_that_is_given_is_kept(clock: FakeClock) -> None:
    given, source = semantic(clock, at_once)
    own = Vector("mine", b"\0\0\x80\x3f")
    run(given, lookup(vector=own))
    assert source.asked[0].vector == own


@pytest.mark.parametrize(
    "error",
    [Unavailable("no weights"), RuntimeError("out of memory"), OSError("reset")],
    ids=lambda e: type(e).__name__,
)
def test_embedding_that_fails_leaves_keyword_search_with_a_note(error: Exception, clock: FakeClock) -> None:
    async def fail() -> None:
        raise error

    given, source = semantic(clock, fail)
    found = run(given, lookup())
    assert found.degraded == (f"embedding failed: keyword search only ({error})",)
    assert kinds(found) == ["Found"]
    assert source.asked[0].vector is None


def test_an_embedder_that_leaves_the_program_is_not_stopped(clock: FakeClock) -> None:
    async def leave() -> None:
        raise Leaving

    given, _ = semantic(clock, leave)
    with pytest.raises(Leaving):
        run(given, lookup())


def test_embedding_that_hangs_leaves_time_for_keyword_search(clock: FakeClock) -> None:
    given, source = semantic(clock, asyncio.Event().wait)
    found = run_with_time(given, lookup(), clock=clock, deadline=1.0)
    assert found.degraded == ("embedding timed out: keyword search only",)
    assert kinds(found) == ["Found"]
    assert source.asked[0].vector is None
    assert clock.monotonic() < 1.0


def test_a_slow_source_still_answers_after_embedding_that_hangs(clock: FakeClock) -> None:
    source = ScriptedSource("list", after(clock, 0.7, hit("a")), semantic=True)
    given = means(source, clock=clock, embedder=ScriptedEmbedder(asyncio.Event().wait))
    assert kinds(run_with_time(given, lookup(), clock=clock, deadline=3.0)) == ["Found"]


def test_an_embedder_says_when_it_is_a_stand_in(clock: FakeClock) -> None:
    given, _ = semantic(clock, at_once, note="static embedder")
    assert run(given, lookup()).degraded == ("static embedder",)


# --- plain search --------------------------------------------------------------------------------

SCOPE = Scope("default", Filters(), 3)


def test_plain_search_fuses_the_ranks_of_its_sources(clock: FakeClock) -> None:
    one = ScriptedSource("one", giving(hit("a"), hit("b")))
    two = ScriptedSource("two", giving(hit("b"), hit("c")))
    result = asyncio.run(search_plainly("text", scope=SCOPE, means=means(one, two, clock=clock)))
    assert [each.memory.id for each in result.hits] == ["b", "a", "c"]


def test_plain_search_respects_its_limit(clock: FakeClock) -> None:
    source = ScriptedSource("list", giving(*(hit(f"{n}") for n in range(9))))
    assert len(asyncio.run(search_plainly("text", scope=SCOPE, means=means(source, clock=clock))).hits) == 3


def test_plain_search_says_what_failed(clock: FakeClock) -> None:
    given = means(
        ScriptedSource("bad", raising(OSError("gone"))), ScriptedSource("good", giving(hit("a"))), clock=clock
    )
    result = asyncio.run(search_plainly("text", scope=SCOPE, means=given))
    assert [each.memory.id for each in result.hits] == ["a"]
    assert result.degraded == ("source 'bad' failed: OSError: gone",)


def test_timed_out_lookups_say_how_long_was_waited(clock: FakeClock) -> None:
    found = run_with_time(means(ScriptedSource("list", hanging()), clock=clock), lookup(), clock=clock, deadline=1.0)
    (outcome,) = found.outcomes
    assert isinstance(outcome, TimedOut)
    assert outcome.seconds == pytest.approx(1.0, abs=0.25)
