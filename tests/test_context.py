"""The block for an agent's prompt: only what is good, nothing for small talk, and not the same thing twice."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from recollect import InvalidInput, Recollect
from recollect.ports import Store
from recollect.values import VerdictKind

KEY = "The server room key hangs behind the reception desk."
CAT = "The office cat is called Minka and sleeps on the printer."
QUESTION = "Where is the server room key?"


@pytest.fixture
def run(store: Store, make_recollect: Callable[..., Recollect]) -> Callable[..., Any]:
    def running(act: Callable[[Recollect], Awaitable[Any]], **changes: Any) -> Any:
        async def main() -> Any:
            recollect = make_recollect(store, **changes)
            for text in (KEY, CAT):
                await recollect.remember(text)
            return await act(recollect)

        return asyncio.run(main())

    return running


def test_it_holds_the_good_evidence_and_is_true(run: Callable[..., Any]) -> None:
    context = run(lambda recollect: recollect.retrieve_context(QUESTION))
    assert context
    assert KEY in context.text and CAT not in context.text
    assert (len(context.memories), context.reason, context.verdict) == (1, "", VerdictKind.ANSWERABLE)


@pytest.mark.parametrize(
    ("message", "reason"), [("ok thanks", "trivial"), ("What is the melting point of tungsten?", "nothing_relevant")]
)
def test_where_there_is_nothing_it_is_false_and_says_why(run: Callable[..., Any], message: str, reason: str) -> None:
    context = run(lambda recollect: recollect.retrieve_context(message))
    assert not context
    assert (context.text, context.memories, context.reason) == ("", (), reason)


def test_within_a_session_nothing_is_given_twice(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        first = await recollect.retrieve_context(QUESTION, session="s")
        again = await recollect.retrieve_context(QUESTION, session="s")
        assert first and not again
        assert again.reason == "already_shown"
        assert again.already_shown == first.memories
        assert again.verdict is VerdictKind.ANSWERABLE, "it is known, only not said again"
        assert await recollect.retrieve_context(QUESTION, session="another")
        assert await recollect.retrieve_context(QUESTION)
        assert (await recollect.recall(QUESTION)).memories, "asked for, it is given"

    run(act)


def test_what_changed_is_given_again(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        first = await recollect.retrieve_context(QUESTION, session="s")
        await recollect.update(first.memories[0], body="The server room key is now with Ana.")
        again = await recollect.retrieve_context(QUESTION, session="s")
        assert "with Ana" in again.text

    run(act)


def test_a_session_is_of_its_space(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        await recollect.remember(KEY, space="elsewhere")
        assert await recollect.retrieve_context(QUESTION, session="s")
        assert await recollect.retrieve_context(QUESTION, session="s", space="elsewhere")

    run(act)


def test_the_budget_is_kept(run: Callable[..., Any]) -> None:
    assert not run(lambda recollect: recollect.retrieve_context(QUESTION, max_tokens=0))
    assert run(lambda recollect: recollect.retrieve_context(QUESTION, max_tokens=200))


def test_a_forgotten_memory_leaves_no_mark_in_a_session(run: Callable[..., Any]) -> None:
    async def act(recollect: Recollect) -> None:
        first = await recollect.retrieve_context(QUESTION, session="s")
        await recollect.forget(*first.memories)
        assert recollect._store.shown("default", "s") == {}

    run(act)


@pytest.mark.parametrize("session", ["", "x" * 201, 7])
def test_a_session_has_a_short_name(run: Callable[..., Any], session: Any) -> None:
    with pytest.raises(InvalidInput, match="session"):
        run(lambda recollect: recollect.retrieve_context(QUESTION, session=session))
