"""classify, and messages given to retrieve, on a real engine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect import InvalidInput, Message, Recollect, TimeRange
from recollect.testing.clock import FakeClock

NAIVE = datetime(2030, 1, 1)  # noqa: DTZ001 - the mistake under test


def test_classify_tells_what_the_words_show(recollect: Recollect) -> None:
    now = datetime(2026, 3, 18, 9, tzinfo=UTC)
    question = asyncio.run(recollect.classify("What did Ana say yesterday?", now=now))
    assert question.entities == ("Ana",)
    assert question.time == TimeRange(datetime(2026, 3, 17, tzinfo=UTC), datetime(2026, 3, 18, tzinfo=UTC))


def test_classify_takes_the_engine_clock_where_no_moment_is_given(recollect: Recollect, clock: FakeClock) -> None:
    question = asyncio.run(recollect.classify("What did Ana say today?"))
    assert question.time and question.time.start and question.time.end
    assert question.time.start <= clock.now() < question.time.end


def test_references_to_messages_are_filled(recollect: Recollect) -> None:
    async def ask() -> tuple[str, str | None, list[str]]:
        await recollect.remember("Ana lives in Porto", title="Ana")
        answer = await recollect.retrieve("Where does she live?", messages=[Message("me", "Who is Ana?")])
        return answer.question.text, answer.question.rewritten, [each.memory.title for each in answer.evidence]

    assert asyncio.run(ask()) == ("Where does she live?", "Where does Ana live?", ["Ana"])


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"now": NAIVE}, "now"),
        ({"now": "today"}, "now"),
        ({"messages": "Who is Ana?"}, "messages"),
        ({"messages": ["Who is Ana?"]}, "messages"),
        ({"messages": [Message("me", None)]}, "messages"),  # type: ignore[arg-type]
        ({"messages": 3}, "messages"),
    ],
    ids=str,
)
def test_mistakes_name_their_field(recollect: Recollect, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        asyncio.run(recollect.classify("What did Ana say?", **wrong))
    assert raised.value.field == field
