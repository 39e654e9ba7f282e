from __future__ import annotations

import pytest

from recollect.testing.clock import START, FakeClock
from recollect.trace import Recorder


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
