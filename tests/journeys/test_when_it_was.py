"""A conversation is remembered as it was said; asked when something was, the answer gives the date."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect import BlockingRecollect, Draft, VerdictKind

FIRST = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)  # a Monday
SECOND = datetime(2023, 7, 15, 13, 51, tzinfo=UTC)  # a Saturday
TURNS = (
    (FIRST, "Melanie", "Hey Caroline, good to see you! What's up with you?"),
    (FIRST, "Caroline", "I went to a support group yesterday and it was so powerful."),
    (FIRST, "Melanie", "I painted a lake sunrise last year, it hangs in the hall."),
    (FIRST, "Caroline", "We're thinking about a charity race next month."),
    (SECOND, "Melanie", "Last Friday I took the kids to a pottery workshop."),
    (SECOND, "Caroline", "The adoption agency was founded on 4 March 2001."),
    (SECOND, "Melanie", "The dog may need a bath, he sleeps on the porch every day."),
)
ASKED = {
    "When did Caroline go to the support group?": "so powerful.” (yesterday: 2023-05-07)",
    "When did Melanie paint a lake sunrise?": "it hangs in the hall.” (last year: 2022)",
    "When is the charity race?": "charity race next month.” (next month: 2023-06)",
    "When did Melanie take the kids to the pottery workshop?": "pottery workshop.” (Last Friday: 2023-07-14)",
    "When was the adoption agency founded?": "founded on 4 March 2001.” [",
    "Where does the dog sleep?": "on the porch every day.” [",
}


@pytest.fixture(scope="module")
def recollect(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BlockingRecollect]:
    folder: Path = tmp_path_factory.mktemp("conversation")
    with BlockingRecollect.open(folder, embedder="static", environment={}) as opened:
        opened.remember_many(
            [Draft(body=text, kind="message", author=author, event_time=moment) for moment, author, text in TURNS]
        )
        yield opened


@pytest.mark.parametrize(("question", "expected"), ASKED.items(), ids=ASKED)
def test_the_answer_gives_the_date(recollect: BlockingRecollect, question: str, expected: str) -> None:
    answer = recollect.retrieve(question, deadline=30)
    assert answer.verdict is not VerdictKind.NONE
    assert expected in answer.text.splitlines()[0]


def test_a_turn_that_tells_of_the_time_asked_for_is_said_to_match_it(recollect: BlockingRecollect) -> None:
    times = {}
    for asked in ("7 May 2023", "9 May 2023"):
        answer = recollect.retrieve(f"Which support group did Caroline go to on {asked}?", deadline=30)
        (told,) = [piece for piece in answer.evidence if "support group" in piece.memory.body]
        times[asked] = [detail.what for detail in told.explanation.details if detail.what.startswith("time ")]
    assert times == {"7 May 2023": ["time 1.000"], "9 May 2023": ["time 0.000"]}
