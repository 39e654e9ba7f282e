from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.clock import SystemClock
from recollect.errors import InvalidInput, Unavailable
from recollect.rank.scopes import scoped
from recollect.records import Filters, Vector
from recollect.settings import Settings
from recollect.steps.search import Means, search, search_plainly
from recollect.testing.clock import FakeClock
from recollect.trace import Recorder
from recollect.values import (
    Explanation,
    Failed,
    Findings,
    Found,
    Hit,
    Lookup,
    Narrowing,
    Origin,
    Plan,
    Reply,
    Scope,
    Shown,
    Skipped,
    TimedOut,
)

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


def run_with_time(
    given: Means, *lookups: Lookup, clock: FakeClock, deadline: float = 3.0, trace: Recorder | None = None
) -> Findings:
    """The same, while the clock moves on by itself in small steps whenever nothing else happens."""

    async def searching() -> Findings:
        until = clock.monotonic() + deadline
        work = search(Plan(1, lookups), means=given, deadline=until, trace=trace or recorder())
        task = asyncio.ensure_future(work)
        while not task.done():
            await asyncio.sleep(0.002)  # worker threads live in real time
            await clock.advance(0.1)
        return await task

    return asyncio.run(searching())


def kinds(found: Findings) -> list[str]:
    return [type(outcome).__name__ for outcome in found.outcomes]


def ids(found: Findings) -> list[str]:
    return [hit.memory.id for each in found.outcomes if isinstance(each, Found) for hit in each.hits]


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


def odd(**fields: Any) -> Any:
    """A source that returns a hit with something wrong in it."""
    return returning(Reply((replace(hit("a"), **fields),)))


def endless() -> Iterator[Hit]:
    number = 0
    while True:
        number += 1
        yield hit(f"{number:03}")


class Unspeakable(Exception):
    """An error that cannot even say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


FAILURES = {
    "raises": (raising(RuntimeError("the shelf fell")), "RuntimeError: the shelf fell"),
    "raises one of ours": (raising(Unavailable("no network")), "Unavailable: no network"),
    "is cancelled from inside": (raising(asyncio.CancelledError("own work")), "CancelledError: own work"),
    "refuses something of its own": (raising(InvalidInput("odd", field="vector")), "InvalidInput: odd"),
    "raises TimeoutError": (raising(TimeoutError("slow")), "TimeoutError: slow"),
    "recurses too deep": (raising(RecursionError("deep")), "RecursionError: deep"),
    "has no memory left": (raising(MemoryError("full")), "MemoryError: full"),
    "says it over many lines": (raising(OSError("one\n  two\n")), "OSError: one two"),
    "cannot say what happened": (raising(Unspeakable()), "Unspeakable"),
    "returns nothing": (returning(None), "TypeError: expected a Reply, got NoneType"),
    "returns a list": (returning([hit("a")]), "TypeError: expected a Reply, got list"),
    "returns hits that are none": (returning(Reply(("a",))), "TypeError: expected hits, got str"),
    "returns no hits at all": (returning(Reply(None)), "TypeError: expected hits, got NoneType"),
    "returns a number of hits": (returning(Reply(3)), "TypeError: expected hits, got int"),
    "returns notes that are none": (returning(Reply((), (7,))), "TypeError: expected notes to be texts"),
    "returns one text for notes": (returning(Reply((), "abc")), "TypeError: expected notes to be texts"),
    "returns a relevance over one": (odd(relevance=7.0), "ValueError: relevance of 'a' is 7.0, not within 0 and 1"),
    "returns a relevance below zero": (odd(relevance=-0.1), "ValueError: relevance of 'a' is -0.1, not within 0 and 1"),
    "returns no number": (odd(relevance=math.nan), "ValueError: relevance of 'a' is nan, not within 0 and 1"),
    "returns words for relevance": (odd(relevance="0.5"), "ValueError: relevance of 'a' is '0.5', not within 0 and 1"),
    "returns a truth for relevance": (odd(relevance=True), "ValueError: relevance of 'a' is True, not within 0 and 1"),
    "returns no relevance": (odd(relevance=None), "ValueError: relevance of 'a' is None, not within 0 and 1"),
    "returns an endless score": (odd(source_score=math.inf), "ValueError: source_score of 'a' is inf, not a number"),
    "returns a hit without memory": (odd(memory=None), "TypeError: expected the memory of a hit, got NoneType"),
    "returns a memory without text": (
        odd(memory=replace(hit("a").memory, body=None)),
        "TypeError: expected id, title and body of a memory to be texts",
    ),
    "returns words for an explanation": (odd(reasons="why"), "TypeError: expected the explanation of 'a', got str"),
    "returns a list for a vector": (odd(vector=[0.1]), "TypeError: expected the vector of 'a', got list"),
    "returns numbers for signals": (
        odd(reasons=Shown(Explanation(0.5, "x"), (0.1,))),
        "TypeError: expected the signals of 'a' to be signals",
    ),
    "returns another space's memory": (
        odd(memory=replace(hit("a").memory, space="hers", id="secret")),
        "ValueError: gave a memory of another space than the one asked",
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


def test_nothing_is_sent_once_the_deadline_has_passed(clock: FakeClock) -> None:
    source = ScriptedSource("quick", giving(hit("a")), semantic=True)
    embedder = ScriptedEmbedder(at_once)
    lookups = [lookup("one", source="quick"), lookup("two", source="quick")]
    found = run(means(source, clock=clock, embedder=embedder), *lookups, deadline=0.0)
    assert found.outcomes == tuple(Skipped(each, "deadline") for each in lookups)
    assert found.degraded == ("source 'quick' was not asked: the deadline had passed",)
    assert (source.asked, embedder.batches) == ([], [])


def test_a_source_that_is_not_there_is_skipped_and_the_others_go_on(clock: FakeClock) -> None:
    given = means(ScriptedSource("good", giving(hit("a"))), clock=clock)
    lookups = [lookup(source="gone"), lookup(source="good"), lookup("again", source="gone")]
    found = run(given, *lookups)
    assert kinds(found) == ["Skipped", "Found", "Skipped"]
    assert found.outcomes[0] == Skipped(lookups[0], "no_such_source")
    assert [outcome.lookup for outcome in found.outcomes] == lookups
    assert found.degraded == ("source 'gone' is not there",)


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


def test_the_outcome_of_each_lookup_is_in_the_trace_and_counted(clock: FakeClock) -> None:
    trace = recorder()
    sources = [
        ScriptedSource("full", giving(hit("a"), hit("b"))),
        ScriptedSource("empty", giving()),
        ScriptedSource("broken", raising(OSError("gone"))),
        ScriptedSource("stuck", hanging()),
    ]
    lookups = [lookup(source=name) for name in ("full", "empty", "broken", "stuck", "nowhere")]
    with trace.step("search"):
        run_with_time(means(*sources, clock=clock), *lookups, clock=clock, deadline=0.5, trace=trace)
    inside = trace.finish().spans[0].inside
    assert [(each.name, each.decisions[0].because, each.decisions[0].numbers["hits"]) for each in inside] == [
        ("lookup full", "found", 2),
        ("lookup empty", "empty", 0),
        ("lookup broken", "failed", 0),
        ("lookup stuck", "timed_out", 0),
        ("lookup nowhere", "skipped", 0),
    ]
    assert [each.decisions[0].numbers.get("error") for each in inside] == [None, None, "OSError: gone", None, None]
    assert inside[4].decisions[0].numbers["reason"] == "no_such_source"
    assert inside[3].seconds == pytest.approx(0.5, abs=0.25)
    assert trace.finish().counters == {"queries_executed": 4, "hits": 2, "timed_out": 1, "failed": 1}


def test_what_was_looked_up_is_in_the_trace_but_not_at_any_length(clock: FakeClock) -> None:
    trace = recorder()
    asked = lookup("x" * 500, part=2, origin=Origin.BRIDGE, via="a7", belief=0.5)
    with trace.step("search"):
        run(means(ScriptedSource("list", giving(hit("a"))), clock=clock), asked, trace=trace)
    (decision,) = trace.finish().spans[0].inside[0].decisions
    assert decision.numbers == {
        "source": "list",
        "part": 2,
        "origin": "bridge",
        "text": "x" * 120,
        "via": "a7",
        "hits": 1,
    }


# --- what a source may not do ------------------------------------------------------------------------


def test_a_memory_of_another_space_is_never_let_through_nor_named(clock: FakeClock) -> None:
    leak = replace(hit("b"), memory=replace(hit("b").memory, space="hers", id="secret-id", body="her secret"))
    found = run(means(ScriptedSource("list", giving(hit("a"), leak)), clock=clock), lookup())
    assert kinds(found) == ["Failed"]
    assert not any(word in repr(found) for word in ("secret", "hers"))


def test_more_hits_than_asked_for_are_cut_with_a_note(clock: FakeClock) -> None:
    found = run(means(ScriptedSource("list", giving(*(hit(f"{n}") for n in range(5)))), clock=clock), lookup(limit=3))
    assert ids(found) == ["0", "1", "2"]
    assert found.degraded == ("source 'list' gave more than the 3 hits asked for; the rest is cut",)


def test_as_many_hits_as_asked_for_are_no_reason_for_a_note(clock: FakeClock) -> None:
    found = run(means(ScriptedSource("list", giving(hit("a"), hit("b"))), clock=clock), lookup(limit=2))
    assert (ids(found), found.degraded) == (["a", "b"], ())


def test_a_limit_of_zero_lets_nothing_through(clock: FakeClock) -> None:
    found = run(means(ScriptedSource("list", giving(hit("a"))), clock=clock), lookup(limit=0))
    assert ids(found) == []


def test_hits_without_end_are_read_to_the_limit_only(clock: FakeClock) -> None:
    found = run(means(ScriptedSource("list", returning(Reply(endless()))), clock=clock), lookup(limit=3))
    assert ids(found) == ["001", "002", "003"]


def test_the_same_memory_twice_in_one_reply_counts_once(clock: FakeClock) -> None:
    source = ScriptedSource("list", giving(hit("a", 0.9), hit("b", 0.8), hit("a", 0.1)))
    (outcome,) = run(means(source, clock=clock), lookup()).outcomes
    assert isinstance(outcome, Found)
    assert [(each.memory.id, each.relevance) for each in outcome.hits] == [("a", 0.9), ("b", 0.8)]


@given(st.floats(0, 1), st.floats(0, 1, exclude_max=True))
def test_what_rests_on_a_belief_is_as_relevant_as_both_allow(relevance: float, belief: float) -> None:
    source = ScriptedSource("list", giving(hit("a", relevance)))
    (outcome,) = run(means(source, clock=FakeClock()), lookup(belief=belief, via="b7")).outcomes
    assert isinstance(outcome, Found)
    (only,) = outcome.hits
    assert only.relevance == relevance * belief
    assert only.source_score == relevance, "the source's own score is its own"
    assert only.explanation.value == only.relevance
    assert only.explanation.total() == pytest.approx(only.relevance, abs=1e-12)
    assert "b7" in only.explanation.details[1].what


def test_what_rests_on_nothing_stays_as_it_is(clock: FakeClock) -> None:
    own = hit("a", 0.7)
    (outcome,) = run(means(ScriptedSource("list", giving(own)), clock=clock), lookup()).outcomes
    assert isinstance(outcome, Found)
    assert outcome.hits == (own,)


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
    assert found.degraded == (f"embedding failed: keyword search only ({type(error).__name__}: {error})",)
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


def test_what_a_bridge_rests_on_does_not_confirm_itself(clock: FakeClock) -> None:
    asked = lookup(origin=Origin.BRIDGE, via="a", belief=0.5)
    found = run(means(ScriptedSource("list", giving(hit("a", 0.9), hit("b", 0.8))), clock=clock), asked)
    (outcome,) = found.outcomes
    assert isinstance(outcome, Found)
    assert [(each.memory.id, each.relevance) for each in outcome.hits] == [("b", 0.4)]


# --- scopes ----------------------------------------------------------------------------------------

BILLING = Narrowing(frozenset({"billing"}))


def graph_saying(narrowing: Narrowing, clock: FakeClock, *, seconds: float = 0.0) -> ScriptedSource:
    async def behave(lookup: Lookup) -> Reply:
        if seconds:
            await clock.sleep(seconds)
        return Reply((hit("entity"),), narrowing=narrowing)

    return ScriptedSource("graph", behave)


def scoped_plan(mode: str) -> list[Lookup]:
    return scoped([lookup(source="graph"), lookup(source="vector")], Settings(scope_mode=mode))


def asked_projects(source: ScriptedSource) -> list[set[str]]:
    return [set(each.filters.projects) for each in source.asked]


@pytest.mark.parametrize(
    ("mode", "projects"),
    [("parallel_then_rescope", [set(), {"billing"}]), ("sequential", [{"billing"}]), ("independent", [set()])],
)
def test_the_scope_one_source_finds_narrows_the_search_of_another(
    mode: str, projects: list[set[str]], clock: FakeClock
) -> None:
    vector = ScriptedSource("vector", giving(hit("a", project="billing"), hit("b", project="crm")))
    found = run_with_time(
        means(graph_saying(BILLING, clock, seconds=0.3), vector, clock=clock), *scoped_plan(mode), clock=clock
    )
    assert sorted(asked_projects(vector), key=len) == projects
    assert [outcome.lookup for outcome in found.outcomes] == scoped_plan(mode), "as planned, whatever was narrowed"


def test_outside_the_scope_nothing_is_left_once_it_brought_something(clock: FakeClock) -> None:
    async def within(lookup: Lookup) -> Reply:
        hits = [hit("a", project="billing"), hit("b", project="crm")]
        return Reply(tuple(each for each in hits if lookup.filters.passes(each.memory, now=each.memory.created_at)))

    given = means(graph_saying(BILLING, clock), ScriptedSource("vector", within), clock=clock)
    assert ids(run(given, *scoped_plan("parallel_then_rescope"))) == ["entity", "a", "a"]
    assert ids(run(given, *scoped_plan("independent"))) == ["entity", "a", "b"]


@pytest.mark.parametrize("broken", [True, False])
def test_without_a_scope_the_search_is_unscoped_and_says_so(broken: bool, clock: FakeClock) -> None:
    graph = ScriptedSource("graph", raising(OSError("gone"))) if broken else graph_saying(Narrowing(), clock)
    vector = ScriptedSource("vector", giving(hit("a")))
    trace = recorder()
    with trace.step("search"):
        found = run(means(graph, vector, clock=clock), *scoped_plan("sequential"), trace=trace)
    assert asked_projects(vector) == [set()]
    assert ids(found)[-1] == "a"
    assert ("look unscoped", "empty_scope") in [(each.what, each.because) for each in trace.finish().spans[0].decisions]


def test_in_parallel_an_empty_scope_sends_nothing_twice(clock: FakeClock) -> None:
    vector = ScriptedSource("vector", giving(hit("a")))
    found = run(means(graph_saying(Narrowing(), clock), vector, clock=clock), *scoped_plan("parallel_then_rescope"))
    assert kinds(found) == ["Found", "Found", "Skipped"]
    assert len(vector.asked) == 1
    assert not found.degraded


@pytest.mark.parametrize("mode", ["sequential", "parallel_then_rescope"])
def test_a_source_that_hangs_takes_none_with_it_that_waits_for_its_scope(mode: str, clock: FakeClock) -> None:
    vector = ScriptedSource("vector", giving(hit("a")))
    found = run_with_time(
        means(ScriptedSource("graph", hanging()), vector, clock=clock), *scoped_plan(mode), clock=clock
    )
    assert kinds(found)[:2] == ["TimedOut", "Found"]
    assert ids(found) == ["a"]


def test_a_scope_that_is_none_is_a_failure_of_its_source(clock: FakeClock) -> None:
    source = ScriptedSource("graph", returning(Reply((), narrowing="billing")))  # type: ignore[arg-type]
    (outcome,) = run(means(source, clock=clock), lookup(source="graph")).outcomes
    assert isinstance(outcome, Failed)
    assert "Narrowing" in outcome.error
