"""What the doors write, the client reads: read back and written again, every shape is the same to the letter."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.client import reading, reading_stored, reading_traces
from recollect.doors import wire, wire_graph, wire_projects
from recollect.doors.http import events
from recollect.doors.http.routes_ask import searched
from recollect.journal import trace_record
from recollect.knowledge import Connection, Ingested, Node, ProjectRead, Statement
from recollect.records import Link, Memory, SpaceStats
from recollect.values import (
    Answer,
    Context,
    Dispute,
    Explained,
    Happening,
    Hit,
    Question,
    Recalled,
    Remembered,
    Resolved,
    SearchResult,
)

from ..doors import answers
from .strategies import values

FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
Write = Callable[[Any], Any]
SHAPES: dict[type, tuple[Write, Callable[[Any], Any]]] = {
    Memory: (wire.memory, reading_stored.memory),
    Link: (wire.link, reading_stored.link),
    Remembered: (wire.remembered, reading_stored.remembered),
    SpaceStats: (lambda value: wire.stats(value, space="s"), reading_stored.stats),
    Node: (wire_graph.node, reading_stored.node),
    Statement: (wire_graph.statement, reading_stored.statement),
    Connection: (wire_graph.connection, reading_stored.connection),
    Dispute: (wire_graph.dispute, reading_stored.dispute),
    Resolved: (wire_graph.resolved, reading_stored.resolved),
    Ingested: (wire_projects.ingested, reading_stored.ingested),
    ProjectRead: (wire_projects.project, reading_stored.project),
    Hit: (wire.hit, reading.hit),
    Recalled: (wire.recalled, reading.recalled),
    Context: (wire.context, reading.context),
    Explained: (wire.explained, reading.explained),
    Happening: (events.happening, reading.happening),
    Question: (wire.question, reading.question),
    Answer: (lambda value: wire.answer(value, weak_below=0.5), reading.answer),
}
WHOLE = [Memory, Link, Remembered, SpaceStats, Node, Statement, Connection, Dispute, Resolved, Ingested, ProjectRead]


def sent(said: Any) -> Any:
    """As it arrives."""
    return json.loads(json.dumps(said, allow_nan=False))


@pytest.mark.parametrize("cls", SHAPES, ids=lambda cls: cls.__name__)
def test_what_is_read_back_is_written_the_same(cls: type) -> None:
    write, read = SHAPES[cls]

    @FEW
    @given(values(cls))
    def check(value: Any) -> None:
        said = sent(write(value))
        assert sent(write(read(said))) == said

    check()


@pytest.mark.parametrize("cls", WHOLE, ids=lambda cls: cls.__name__)
def test_nothing_is_lost_of_what_is_sent_whole(cls: type) -> None:
    write, read = SHAPES[cls]

    @FEW
    @given(values(cls))
    def check(value: Any) -> None:
        assert read(sent(write(value))) == value

    check()


@FEW
@given(st.lists(values(Hit), max_size=3), st.lists(st.text(max_size=5), max_size=2), values(Question))
def test_a_search_is_read_as_its_route_tells_it(hits: list[Hit], degraded: list[str], question: Question) -> None:
    found = SearchResult(tuple(hits), tuple(degraded))
    again = reading.searched(sent(searched(found, question, seconds=0.1)))
    assert sent(wire.search_result(again)) == sent(wire.search_result(found))


@FEW
@given(values(Answer))
def test_a_kept_trace_is_read_whole(answer: Answer) -> None:
    record = trace_record(answer, space="default")
    said = sent(wire.trace_record(record))
    again = reading_traces.trace_record(said)
    assert sent(wire.trace_record(again)) == said
    assert (again.id, again.started_at, again.touched) == (record.id, record.started_at, record.touched)
    assert sent(wire.trace_line(reading_traces.trace_line(sent(wire.trace_line(record))))) == sent(
        wire.trace_line(record)
    )


def test_an_answer_that_has_everything_is_the_same_in_what_matters() -> None:
    answer = answers.answer()
    again = reading.answer(sent(wire.answer(answer, weak_below=0.5)))
    for name in ("verdict", "conflicts", "gaps", "degraded", "stop", "context", "text", "gains"):
        assert getattr(again, name) == getattr(answer, name)
    assert [state.strong for state in again.parts] == [state.strong for state in answer.parts]
    assert [piece.memory.id for piece in again.evidence] == [piece.memory.id for piece in answer.evidence]
    assert [piece.flags for piece in again.evidence] == [piece.flags for piece in answer.evidence]
    assert [span.name for span in again.trace.spans] == [span.name for span in answer.trace.spans]
    assert again.trace.started_at == answer.trace.started_at
