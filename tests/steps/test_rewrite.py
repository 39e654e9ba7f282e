from __future__ import annotations

import pytest

from recollect.steps.rewrite import rewordings, rewrite
from recollect.steps.understand import find_entities
from recollect.trace import Recorder
from recollect.values import Origin, Part, PartState, Progress, Weak

from .build import SCOPE

REWORDINGS = {
    "what is the": ("What is the SOL plan?", ["SOL plan", "SOL"]),
    "contracted": ("What's my BTC thesis?", ["BTC thesis", "BTC"]),
    "typographic apostrophe": ("What’s my BTC thesis?", ["BTC thesis", "BTC"]),
    "how did my": ("how did my last SOL trade go?", ["last SOL trade go", "SOL"]),
    "tell me about": ("Tell me about the outage in May", ["outage in May"]),
    "could you please": ("Could you please show me the rent?", ["rent"]),
    "remind me of": ("remind me of the server room key", ["server room key"]),
    "is there": ("Is there a parking space?", ["a parking space"]),
    "nothing to strip": ("BTC funding rate", ["BTC"]),
    "only the question mark": ("rent office?", ["rent office"]),
    "capital letters do not make it new": ("RENT", ["RENT"]),
    "word that begins like a question word": ("whatever happened", []),
    "nothing left after stripping": ("what is it?", []),
    "not Latin": ("東京の事務所", []),
}


@pytest.mark.parametrize(("text", "expected"), REWORDINGS.values(), ids=REWORDINGS)
def test_rewordings(text: str, expected: list[str]) -> None:
    assert [text for text, _ in rewordings(Part(0, text, find_entities(text)))] == expected


def weak(*parts: Part, tried: tuple[str, ...] = (), rounds: int = 1) -> Weak:
    return Weak(tuple(PartState(part, 0.1, False) for part in parts), Progress(rounds, tried=frozenset(tried)))


SOL = Part(0, "What is the SOL plan?", ("SOL",))
RENT = Part(1, "What is the rent?")


def test_each_weak_part_gets_its_first_rewording_at_every_source(trace: Recorder) -> None:
    plan = rewrite(weak(SOL, RENT), scope=SCOPE, sources=["memory", "list"], trace=trace)
    assert plan is not None
    assert plan.round == 2
    assert [(each.text, each.part, each.source, each.origin) for each in plan.lookups] == [
        ("SOL plan", 0, "memory", Origin.REWORDED),
        ("SOL plan", 0, "list", Origin.REWORDED),
        ("rent", 1, "memory", Origin.REWORDED),
        ("rent", 1, "list", Origin.REWORDED),
    ]


def test_what_was_tried_is_not_tried_again(trace: Recorder) -> None:
    plan = rewrite(weak(SOL, tried=("SOL plan",), rounds=2), scope=SCOPE, sources=["memory"], trace=trace)
    assert plan is not None
    assert [(each.text, each.origin) for each in plan.lookups] == [("SOL", Origin.ENTITY)]


def test_nothing_left_to_try_gives_no_plan(trace: Recorder) -> None:
    assert rewrite(weak(SOL, tried=("SOL plan", "SOL")), scope=SCOPE, sources=["memory"], trace=trace) is None


def test_a_part_with_nothing_left_is_left_and_the_others_go_on(trace: Recorder) -> None:
    with trace.step("rewrite"):
        plan = rewrite(weak(SOL, RENT, tried=("rent",)), scope=SCOPE, sources=["memory"], trace=trace)
    assert plan is not None
    assert [each.part for each in plan.lookups] == [0]
    assert ("leave part", "nothing_to_try") in [(d.what, d.because) for d in trace.finish().spans[0].decisions]


def test_parts_that_passed_are_not_reworded(trace: Recorder) -> None:
    states = (PartState(SOL, 0.9, True), PartState(RENT, 0.1, False))
    plan = rewrite(Weak(states, Progress(1)), scope=SCOPE, sources=["memory"], trace=trace)
    assert plan is not None
    assert [each.part for each in plan.lookups] == [1]


def test_loops_are_impossible(trace: Recorder) -> None:
    tried: set[str] = set()
    for rounds in range(1, 20):
        plan = rewrite(weak(SOL, RENT, tried=tuple(tried), rounds=rounds), scope=SCOPE, sources=["list"], trace=trace)
        if plan is None:
            break
        assert tried.isdisjoint(each.text for each in plan.lookups)
        tried |= {each.text for each in plan.lookups}
    else:
        pytest.fail("it never ran out of rewordings")
