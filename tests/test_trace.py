from __future__ import annotations

import pytest

from recollect.testing.clock import START, FakeClock
from recollect.trace import Recorder, watcher, watching
from recollect.values import Happening


def test_spans_stand_in_the_order_they_ended(trace: Recorder) -> None:
    for name in ("understand", "plan"):
        with trace.step(name):
            pass
    assert [span.name for span in trace.finish().spans] == ["understand", "plan"]


def test_a_span_takes_as_long_as_the_clock_says(trace: Recorder, clock: FakeClock) -> None:
    with trace.step("search"):
        clock.jump(1.5)
    clock.jump(9)
    with trace.step("judge"):
        clock.jump(0.25)
    finished = trace.finish()
    assert [span.seconds for span in finished.spans] == [1.5, 0.25]
    assert finished.seconds == 1.75


def test_decisions_belong_to_the_step_they_were_made_in(trace: Recorder) -> None:
    with trace.step("understand"):
        trace.decide("keep whole", "one_part", parts=1)
    with trace.step("plan"):
        trace.decide("look up", "every_part_every_source")
    first, second = trace.finish().spans
    assert [(each.what, each.because, dict(each.numbers)) for each in first.decisions] == [
        ("keep whole", "one_part", {"parts": 1})
    ]
    assert [each.what for each in second.decisions] == ["look up"]


def test_a_step_inside_a_step_keeps_its_decisions_apart(trace: Recorder) -> None:
    with trace.step("outer"):
        trace.decide("before", "x")
        with trace.step("inner"):
            trace.decide("inside", "x")
        trace.decide("after", "x")
    inner, outer = trace.finish().spans
    assert [each.what for each in inner.decisions] == ["inside"]
    assert [each.what for each in outer.decisions] == ["before", "after"]


def test_a_step_that_raises_is_recorded_all_the_same(trace: Recorder) -> None:
    with pytest.raises(RuntimeError), trace.step("search"):
        trace.decide("began", "x")
        raise RuntimeError
    (span,) = trace.finish().spans
    assert (span.name, len(span.decisions)) == ("search", 1)


def test_a_finished_trace_does_not_change(trace: Recorder) -> None:
    with trace.step("one"):
        pass
    finished = trace.finish()
    with trace.step("two"):
        pass
    assert len(finished.spans) == 1


def test_the_trace_says_when_it_began(trace: Recorder, clock: FakeClock) -> None:
    clock.jump(60)
    assert (trace.finish().id, trace.finish().started_at) == ("trace", START)


def test_numbers_cannot_be_changed(trace: Recorder) -> None:
    with trace.step("one"):
        trace.decide("x", "y", n=1)
    with pytest.raises(TypeError):
        trace.finish().spans[0].decisions[0].numbers["n"] = 2  # type: ignore[index]


def test_what_ran_inside_a_step_has_its_own_span(trace: Recorder, clock: FakeClock) -> None:
    with trace.step("search"):
        clock.jump(2)
        trace.ran("lookup memory", began=clock.monotonic() - 1.5, seconds=1.5, because="found", hits=3)
    (span,) = trace.finish().spans
    (inside,) = span.inside
    assert (inside.name, inside.began, inside.seconds) == ("lookup memory", 0.5, 1.5)
    assert [(each.because, dict(each.numbers)) for each in inside.decisions] == [("found", {"hits": 3})]


def test_a_step_inside_a_step_keeps_what_ran_in_it_apart(trace: Recorder) -> None:
    with trace.step("outer"):
        trace.ran("first", began=0, seconds=0, because="x")
        with trace.step("inner"):
            trace.ran("second", began=0, seconds=0, because="x")
        trace.ran("third", began=0, seconds=0, because="x")
    inner, outer = trace.finish().spans
    assert [[each.name for each in span.inside] for span in (inner, outer)] == [["second"], ["first", "third"]]


def test_a_span_says_when_it_began(trace: Recorder, clock: FakeClock) -> None:
    clock.jump(3)
    with trace.step("search"):
        clock.jump(1)
    assert trace.finish().spans[0].began == 3


def test_counters_add_up_and_notes_are_set(trace: Recorder) -> None:
    trace.count(hits=2, failed=1)
    trace.count(hits=3)
    trace.note(stop="enough")
    assert dict(trace.finish().counters) == {"hits": 5, "failed": 1, "stop": "enough"}


def test_a_watcher_is_told_as_it_happens(clock: FakeClock) -> None:
    told: list[Happening] = []
    trace = Recorder("trace", started_at=START, monotonic=clock.monotonic, watch=told.append)
    with trace.step("search"):
        began = clock.monotonic()
        clock.jump(1)
        trace.ran("lookup memory", began=began, seconds=1, because="found", hits=3)
        trace.decide("go on", "weak_parts", round=1)
    assert [(each.what, each.name, each.at) for each in told] == [
        ("begins", "search", 0.0),
        ("ran", "lookup memory", 1.0),
        ("decides", "go on", 1.0),
        ("ends", "search", 1.0),
    ]
    assert told[1].numbers["hits"] == 3


def test_watching_is_for_the_block_and_whoever_was_watching_before_goes_on_after() -> None:
    assert watcher() is None
    told: list[Happening] = []
    others: list[Happening] = []
    with watching(told.append):
        with watching(others.append):
            inner = watcher()
        outer = watcher()
    assert (inner, outer, watcher()) == (others.append, told.append, None)
