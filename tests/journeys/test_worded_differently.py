"""Questions whose answers are stored in other words, among other topics: the promise of the first page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Answer, BlockingRecollect, VerdictKind
from recollect.errors import Unavailable
from recollect.models.minilm import MiniLM

BTC = "Bitcoin view: spot ETF demand absorbs more coins than miners produce, so I remain bullish into Q3."
SOL = "Closed the Solana long at 182 for a gain of eleven percent; exit was two days late."
OTHERS = (
    "Never add to a losing position on a Friday afternoon.",
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
COMPOUND = "What's my BTC thesis and how did my last SOL trade go?"
SPLIT = (
    "Check BTC, also look at ETH funding",
    "BTC and SOL analysis",
    "What's BTC at? Did my SOL trade close?",
    COMPOUND,
)
WHOLE = ("terms and conditions for the SOL desk", "What is research and development spending?")
NEVER_STORED = (
    "Which vaccinations does one need for a journey to Madagascar?",
    "What is the melting point of tungsten?",
    "Who won the chess championship in Reykjavik?",
)


@pytest.fixture(scope="module")
def recollect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingRecollect]:
    try:
        asyncio.run(MiniLM().warm())
    except Unavailable as error:
        pytest.skip(f"OTHER WORDS ARE NOT TESTED HERE, FOR LACK OF MINILM: {error}")
    with BlockingRecollect.open(tmp_path_factory.mktemp("worded"), environment={}) as opened:
        opened.remember(BTC, title="BTC", kind="thesis")
        opened.remember(SOL, title="SOL position", kind="episode")
        for text in OTHERS:
            opened.remember(text)
        opened.warm()
        yield opened


@pytest.fixture(scope="module")
def answer(recollect: BlockingRecollect) -> Answer:
    return recollect.retrieve(COMPOUND, deadline=30)


def test_both_parts_are_covered_by_the_right_memories(answer: Answer) -> None:
    assert len(answer.parts) == 2
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert answer.gaps == ()
    best = [next(piece.memory.body for piece in answer.evidence if part in piece.parts) for part in (0, 1)]
    assert best == [BTC, SOL]


def test_the_two_stand_on_top_and_nothing_of_the_other_topics_is_there(answer: Answer) -> None:
    assert {piece.memory.body for piece in answer.evidence} == {BTC, SOL}


def test_the_answer_in_words_cites_both(answer: Answer) -> None:
    for piece in answer.evidence:
        assert f"[memory:{piece.memory.id}]" in answer.text


@pytest.mark.parametrize("text", SPLIT)
def test_what_must_split(recollect: BlockingRecollect, text: str) -> None:
    assert len(recollect.classify(text).parts) == 2


@pytest.mark.parametrize("text", WHOLE)
def test_what_must_stay_whole(recollect: BlockingRecollect, text: str) -> None:
    assert len(recollect.classify(text).parts) == 1


def test_a_pleasantry_retrieves_nothing(recollect: BlockingRecollect) -> None:
    thanks = recollect.retrieve("ok thanks")
    assert (thanks.verdict, thanks.evidence, thanks.stop) == (VerdictKind.NONE, (), "trivial")


@pytest.mark.parametrize("text", NEVER_STORED)
def test_what_was_never_stored_is_not_answered(recollect: BlockingRecollect, text: str) -> None:
    answer = recollect.retrieve(text, deadline=30)
    assert answer.verdict is VerdictKind.NONE
    assert [gap.text for gap in answer.gaps] == [text]


def test_asked_twice_it_says_the_same(recollect: BlockingRecollect, answer: Answer) -> None:
    again = recollect.retrieve(COMPOUND, deadline=30)
    assert _comparable(again) == _comparable(answer)


def _comparable(answer: Answer) -> list[Any]:
    return [repr(getattr(answer, name)) for name in answer.__dataclass_fields__ if name != "trace"]


def test_the_trace_is_kept_and_explains(recollect: BlockingRecollect, answer: Answer) -> None:
    assert recollect.trace(answer.trace.id).question == COMPOUND
    for piece in answer.evidence:
        explained = recollect.explain(answer.trace.id, piece.memory.id)
        assert explained.sentences
        assert explained.explanation is not None
        assert explained.explanation.value == pytest.approx(piece.score, abs=1e-5)


def test_a_store_elsewhere_knows_nothing_of_it(recollect: BlockingRecollect, tmp_path: Path) -> None:
    answer = recollect.retrieve(COMPOUND, space="elsewhere", deadline=30)
    assert (answer.verdict, answer.evidence) == (VerdictKind.NONE, ())
