"""From an empty folder to an answer, and the same answer tomorrow."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect import Answer, Recollect, VerdictKind

TEXTS = (
    "My BTC thesis: ETF inflows outpace new supply until summer, so I stay long.",
    "The last SOL trade was closed at 182 dollars with a gain of eleven percent.",
    "Never add to a losing position on a Friday afternoon.",
    "ETH funding turned negative on two venues this morning.",
    "Ana wants the weekly report as a table, not as prose.",
    "To release, tag the commit, wait for the build and announce it in the channel.",
    "The server room key hangs behind the reception desk.",
    "The rent of the office is 4,200 euros a month.",
    "The office cat is called Minka and sleeps on the printer.",
    "The outage in May began with a full disk on the database host.",
    "Renew certificates thirty days before they expire.",
    "New colleagues get a laptop, a badge and a mentor on their first day.",
    "Trains are booked in second class; flights need approval by the manager.",
    "Jane Austen wrote Pride and Prejudice.",
    "The coffee machine is descaled on the first Monday of each month.",
)
SIMPLE = "Where is the server room key?"
COMPOUND = "What's my BTC thesis and how did my last SOL trade go?"
UNANSWERABLE = "Which vaccinations does one need for a journey to Madagascar?"


def at(folder: Path, visit: Callable[[Recollect], Awaitable[Any]], *, embedder: str = "static") -> Any:
    """One visit: open, do something, close."""

    async def visiting() -> Any:
        async with Recollect.open(folder, embedder=embedder, environment={}) as recollect:
            return await visit(recollect)

    return asyncio.run(visiting())


async def fill(recollect: Recollect) -> None:
    for text in TEXTS:
        await recollect.remember(text)


async def ask_all(recollect: Recollect) -> list[Answer]:
    return [await recollect.retrieve(question, deadline=30) for question in (SIMPLE, COMPOUND, UNANSWERABLE)]


def comparable(answers: list[Answer]) -> list[str]:
    """All of an answer but its trace, which tells the time."""
    return [repr(replace(answer, trace=None)) for answer in answers]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("journey")
    at(made, fill)
    return made


@pytest.fixture(scope="module")
def answers(folder: Path) -> list[Answer]:
    found: list[Answer] = at(folder, ask_all)
    return found


def test_a_simple_question_is_answered(answers: list[Answer]) -> None:
    simple = answers[0]
    assert simple.verdict is VerdictKind.ANSWERABLE
    assert "reception desk" in simple.evidence[0].memory.body
    assert "reception desk" in simple.context


def test_both_halves_of_a_compound_question_are_answered(answers: list[Answer]) -> None:
    compound = answers[1]
    assert [part.text for part in compound.question.parts] == ["What's my BTC thesis", "how did my last SOL trade go?"]
    assert compound.verdict is VerdictKind.ANSWERABLE
    best = {part: next(piece.memory.body for piece in compound.evidence if part in piece.parts) for part in (0, 1)}
    assert "BTC thesis" in best[0] and "SOL trade" in best[1]


def test_what_nobody_said_is_not_answered(answers: list[Answer]) -> None:
    unanswerable = answers[2]
    assert unanswerable.verdict is VerdictKind.NONE
    assert [gap.text for gap in unanswerable.gaps] == [UNANSWERABLE]


def test_every_answer_says_which_embedder_served(answers: list[Answer]) -> None:
    assert all("static embedder" in answer.degraded for answer in answers)


def test_opened_again_it_gives_the_same_answers(folder: Path, answers: list[Answer]) -> None:
    assert comparable(at(folder, ask_all)) == comparable(answers)


def test_under_another_embedder_keyword_search_serves_and_reindex_mends_it(tmp_path: Path) -> None:
    at(tmp_path, fill)

    async def before(recollect: Recollect) -> tuple[Answer, bool]:
        return await recollect.retrieve(SIMPLE, deadline=30), all(line.ok for line in await recollect.doctor())

    answer, sound = at(tmp_path, before, embedder="hashing")
    assert "reception desk" in answer.evidence[0].memory.body, "keyword search does not serve"
    assert any("keyword search only" in note and "reindex" in note for note in answer.degraded)
    assert not sound

    async def mend(recollect: Recollect) -> tuple[int, Answer, bool]:
        done = await recollect.reindex()
        return done, *await before(recollect)

    done, answer, sound = at(tmp_path, mend, embedder="hashing")
    assert done == len(TEXTS)
    assert answer.degraded == ()
    assert "reception desk" in answer.evidence[0].memory.body
    assert sound


def test_what_is_written_under_another_embedder_is_found_by_its_words(tmp_path: Path) -> None:
    at(tmp_path, fill)

    async def write_and_ask(recollect: Recollect) -> tuple[Any, Answer]:
        remembered = await recollect.remember("The zebra lives in enclosure nine.")
        return remembered, await recollect.retrieve("zebra enclosure", deadline=30)

    remembered, answer = at(tmp_path, write_and_ask, embedder="hashing")
    assert any("without a vector" in note for note in remembered.notes)
    assert answer.evidence[0].memory.id == remembered.id
