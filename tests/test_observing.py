"""Observers are told of every call, once, after it; they can neither hold it up nor hurt it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from recollect import NotFound, Recollect, Refused
from recollect.models.hashing import HashingEmbedder
from recollect.observing import NOT_TOLD, unobserved
from recollect.settings import Settings
from recollect.store.inmemory import InMemoryStore
from recollect.sync import verbs
from recollect.testing.clock import FakeClock
from recollect.values import Answer, Operation, Reply

from .steps.scripted import ScriptedSource, giving

RENT = "The rent of the office is 4,200 euros a month."
PATIENCE = 120.0  # seconds that no test waits: what it waits for happens long before
HELD_UP = 60.0  # what a call would take if it waited for its observer


class Notes:
    """An observer that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[Operation] = []

    def observed(self, operation: Operation) -> None:
        self.told.append(operation)

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.told]


class Breaking:
    """An observer that always fails."""

    def observed(self, operation: Operation) -> None:
        raise ZeroDivisionError(operation.name)


@pytest.fixture(autouse=True)
def settling_takes_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.verbs.wired.SETTLING_SECONDS", PATIENCE)


@pytest.fixture
def notes() -> Notes:
    return Notes()


def run(engine: Recollect, *calls: Callable[[Recollect], Any]) -> list[Any]:
    async def all_of_them() -> list[Any]:
        found = [await call(engine) for call in calls]
        await engine.settle()
        return found

    return asyncio.run(all_of_them())


def test_every_call_is_told_in_order_with_what_it_was_given_and_gave(recollect: Recollect, notes: Notes) -> None:
    engine = recollect.observed_by(notes)
    remembered, answer = run(engine, lambda e: e.remember(RENT, space="home"), lambda e: e.retrieve("the rent?"))
    first, second = notes.told
    assert (first.name, first.space, first.given["body"], first.result) == ("remember", "home", RENT, remembered)
    assert (second.name, second.space, second.result, second.answer) == ("retrieve", "default", answer, answer)
    assert second.trace is not None and second.trace == answer.trace
    assert (first.error, first.trace, first.answer) == ("", None, None)


def test_a_verb_that_uses_another_one_is_told_once(recollect: Recollect, notes: Notes) -> None:
    run(recollect.observed_by(notes), lambda e: e.remember(RENT), lambda e: e.remember_many([]), lambda e: e.traces())
    assert notes.names == ["remember", "remember_many", "traces"]


def test_the_verbs_that_ask_tell_their_answer_and_a_search_its_trace(recollect: Recollect, notes: Notes) -> None:
    engine = recollect.observed_by(notes)
    _, recalled, context, _ = run(
        engine,
        lambda e: e.remember(RENT),
        lambda e: e.recall("the rent?"),
        lambda e: e.retrieve_context("the rent?"),
        lambda e: e.search("rent"),
    )
    _, recall, block, search = notes.told
    assert isinstance(recall.answer, Answer) and recall.answer.trace.id == recalled.trace_id
    assert isinstance(block.answer, Answer) and block.answer.trace.id == context.trace_id
    assert search.trace is not None and [span.name for span in search.trace.spans] == ["search"]
    assert [span.name for span in search.trace.spans[0].inside][:1] == ["lookup memory"]


def test_what_a_call_raised_is_told_by_type_and_the_caller_gets_it(recollect: Recollect, notes: Notes) -> None:
    engine = recollect.observed_by(notes)
    with pytest.raises(Refused):
        run(engine, lambda e: e.remember(" "))
    with pytest.raises(NotFound):
        run(engine, lambda e: e.get("nobody"))
    run(engine)
    assert [(each.error, each.reason) for each in notes.told] == [("Refused", "empty"), ("NotFound", "")]


def test_a_call_that_was_cancelled_is_told_too(clock: FakeClock, notes: Notes) -> None:
    started = asyncio.Event()

    async def hang(_: object) -> Reply:
        started.set()
        await asyncio.Event().wait()
        raise AssertionError

    class Cooperative(ScriptedSource):
        @property
        def abilities(self) -> Any:
            return type(super().abilities)(cooperative=True)

    engine = Recollect(
        Settings(),
        store=InMemoryStore(now=clock.now),
        embedder=HashingEmbedder(),
        sources=[Cooperative("slow", hang)],
        clock=clock,
    ).observed_by(notes)

    async def cancel() -> None:
        call = asyncio.ensure_future(engine.retrieve("the rent?"))
        await started.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await engine.settle()

    asyncio.run(cancel())
    assert [(each.name, each.error) for each in notes.told] == [("retrieve", "CancelledError")]


def test_an_observer_that_raises_hurts_neither_the_call_nor_the_next_observer(
    recollect: Recollect, notes: Notes
) -> None:
    engine = recollect.observed_by(Breaking(), notes)
    run(engine, lambda e: e.remember(RENT), lambda e: e.spaces())
    assert notes.names == ["remember", "spaces"]
    (health,) = [each for each in run(engine, lambda e: e.doctor())[0] if each.what == "observers"]
    assert (health.ok, health.seen) == (False, "Breaking: ZeroDivisionError: spaces")


def test_a_slow_observer_does_not_hold_up_the_call(recollect: Recollect) -> None:
    gate, passed = threading.Event(), list[bool]()

    class Slow:
        def observed(self, operation: Operation) -> None:
            passed.append(gate.wait(HELD_UP))

    engine = recollect.observed_by(Slow())
    asyncio.run(engine.remember(RENT))  # would wait for the gate in vain: nobody has opened it yet
    assert passed == []
    gate.set()
    run(engine)
    assert passed == [True]


def test_without_observers_the_verbs_are_the_plain_ones(recollect: Recollect, notes: Notes) -> None:
    def shells(engine: Recollect) -> set[str]:
        return verbs().keys() & vars(engine).keys()

    assert shells(recollect.observed_by()) == set()
    assert shells(recollect.observed_by(notes)) == verbs().keys() - NOT_TOLD


def test_observers_may_come_one_after_the_other(recollect: Recollect, notes: Notes) -> None:
    later = Notes()
    engine = recollect.observed_by(notes)
    run(engine, lambda e: e.spaces())
    run(engine.observed_by(later), lambda e: e.remember(RENT))
    assert (notes.names, later.names) == (["spaces", "remember"], ["remember"])


def test_observers_are_told_within_the_context_of_the_caller(recollect: Recollect) -> None:
    request: ContextVar[str] = ContextVar("request", default="")
    seen: list[str] = []

    class Reading:
        def observed(self, operation: Operation) -> None:
            seen.append(request.get())

    engine = recollect.observed_by(Reading())

    async def two_requests() -> None:
        async def ask(name: str) -> None:
            request.set(name)
            await engine.spaces()

        await asyncio.gather(ask("one"), ask("two"))
        await engine.settle()

    asyncio.run(two_requests())
    assert sorted(seen) == ["one", "two"]


def test_an_engine_that_is_a_source_of_another_is_told_of_its_own_calls(
    make_recollect: Callable[..., Recollect], make_store: Callable[..., Any], clock: FakeClock
) -> None:
    inner_notes, outer_notes = Notes(), Notes()
    inner = make_recollect(make_store("inner")).observed_by(inner_notes)

    async def ask_inner(lookup: Any) -> Reply:
        await inner.search(lookup.text)
        return await giving()(lookup)  # type: ignore[no-any-return]

    outer = Recollect(
        Settings(),
        store=make_store("outer"),
        embedder=HashingEmbedder(),
        sources=[ScriptedSource("inner", ask_inner)],
        clock=clock,
    ).observed_by(outer_notes)
    run(outer, lambda e: e.search("rent"))
    run(inner)
    assert (outer_notes.names, inner_notes.names) == (["search"], ["search"])


def test_following_files_tells_every_ingest(recollect: Recollect, notes: Notes, tmp_path: Path) -> None:
    (tmp_path / "rent.md").write_text(RENT)
    follow = recollect.observed_by(notes).follow(tmp_path, project="home", on_ingested=lambda done: False)
    run(recollect, lambda e: follow)
    assert notes.names == ["ingest"]


def test_inside_the_block_nobody_is_told(recollect: Recollect, notes: Notes) -> None:
    async def quietly(engine: Recollect) -> None:
        with unobserved():
            await engine.spaces()
        await engine.remember(RENT)

    run(recollect.observed_by(notes), quietly)
    assert notes.names == ["remember"]


def test_opening_takes_observers_and_the_blocking_facade_tells_them_too(tmp_path: Path, notes: Notes) -> None:
    from recollect import BlockingRecollect

    with BlockingRecollect.open(tmp_path, embedder="hashing", observers=[notes]) as memory:
        memory.remember(RENT)
        memory.retrieve("the rent?")
    assert notes.names == ["remember", "retrieve"], "closing waits until they are told"
