"""Asking again: requests read, sides compared, bounds broken, and nothing left behind in the store."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect
from recollect.errors import InvalidInput
from recollect.evals.replay import Asking, Replayed, Side, Way, replay
from recollect.evals.replay_compare import Comparison, agreement_at, compare, overlap_at
from recollect.evals.replay_gate import Bound, Sense, broken_bounds, check_bounds, parse_bounds
from recollect.evals.replay_report import as_json
from recollect.evals.replay_requests import Reply, Request, read_requests, traced_requests
from recollect.records import TraceRecord
from recollect.settings import EmbedderSettings, Settings, StoreSettings

from .small import CORPUS, QUERIES

THEN = datetime(2026, 5, 1, tzinfo=UTC)


def reply(*ids: str, verdict: str = "answerable", label: str = "high", **changes: Any) -> Reply:
    fields = {"confidence": 0.8, "rounds": 1, "seconds": 0.01, "ranking": ids, "tokens": 50} | changes
    return Reply(ids, ids, verdict, label, **fields)


def requests(count: int, **fields: Any) -> tuple[Request, ...]:
    return tuple(Request(str(number), f"question {number}", **fields) for number in range(count))


def compared(*sides: Sequence[Reply], asked: tuple[Request, ...] | None = None, gold: Any = None) -> Comparison:
    asked = asked or requests(len(sides[0]))
    answers = gold or tuple({name: name for name in request.expect} for request in asked)
    return compare(Replayed(asked, tuple(Side(f"side {n}", tuple(each), answers) for n, each in enumerate(sides))))


# --- requests ------------------------------------------------------------------------------------


def test_a_line_says_what_is_asked_when_after_what_and_what_is_expected() -> None:
    line = {
        "id": "q", "text": "When does it leave?", "now": "2026-05-01", "expect": ["Ferry", "Ferry"], "answerable": True,
        "messages": ["Is there a ferry?", {"author": "Ben", "text": "There is."}],
    }  # fmt: skip
    (found,) = read_requests([json.dumps(line), ""], name="r.jsonl")
    assert found[:3] == ("q", "When does it leave?", THEN)
    assert [(each.author, each.text) for each in found.messages] == [
        ("user", "Is there a ferry?"),
        ("Ben", "There is."),
    ]
    assert (found.expect, found.answerable, found.then) == (("Ferry",), True, None)


def test_a_request_without_an_id_is_called_by_its_line() -> None:
    assert [each.id for each in read_requests(['{"text": "a"}', "", '{"text": "b"}'], name="r")] == ["1", "3"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["{"], "'r' line 1 is not JSON"),
        (['{"text": "a"}', "[]"], "'r' line 2: this is a list"),
        (["{}"], "text is missing"),
        (['{"text": " "}'], "text is ' '"),
        (['{"text": "a", "txet": 1}'], "unknown key 'txet'; known: id, text"),
        (['{"text": "a", "now": "soon"}'], "now is 'soon'"),
        (['{"text": "a", "expect": "x"}'], "expect is a str; give a list"),
        (['{"text": "a", "answerable": 1}'], "answerable is 1"),
        (['{"text": "a", "answerable": false, "expect": ["x"]}'], "yet answerable is false"),
        (['{"text": "a", "messages": [3.5]}'], "messages holds a float"),
        (['{"text": "a", "id": "x"}', '{"text": "b", "id": "x"}'], "line 2: the id 'x' is there already"),
        ([""], "'r' holds no request"),
    ],
)
def test_what_is_wrong_with_a_line_is_named(lines: list[str], said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_requests(lines, name="r")
    assert said in str(caught.value)


# --- measures ------------------------------------------------------------------------------------


def test_rankings_are_judged_by_what_is_expected() -> None:
    asked = (*requests(1, expect=("a", "b")), Request("x", "not judged"))
    found = compared([reply("c", "a", "b"), reply("q")], [reply("a", "b", "c"), reply("q")], asked=asked)
    before, after = found.figures["nDCG@10"].sides
    assert (found.figures["nDCG@10"].questions, found.over) == (1, "ranking")
    assert before and after and before.value < 1 == after.value
    change = found.figures["nDCG@10"].change
    assert change and change.value == pytest.approx(after.value - before.value)


def test_any_memory_of_an_expected_title_will_do_and_counts_once() -> None:
    asked = requests(1, expect=("Ferry", "Museum"))
    found = compared([reply("f2", "f1", "x")], asked=asked, gold=({"f1": "Ferry", "f2": "Ferry"},))
    (recall,) = found.figures["recall@5"].sides
    assert recall and recall.value == 0.5, "one of two, though two memories of it were found"


def test_a_verdict_is_right_when_it_says_what_the_label_says() -> None:
    asked = (
        *requests(1, expect=("a",)),
        Request("1", "b", answerable=True),
        Request("2", "c", answerable=False),
        Request("3", "d", answerable=False),
        Request("4", "e"),
    )
    said = ["answerable", "partial", "none", "answerable", "none"]
    (right,) = compared([reply(verdict=each) for each in said], asked=asked).figures["verdicts"].sides
    assert right and right.value == 0.5, "of four; the fifth has no label"


def test_without_expectations_there_is_no_recall_and_with_one_side_no_likeness() -> None:
    found = compared([reply("a")])
    assert not {"recall@5", "nDCG@10", "verdicts"} & set(found.figures)
    assert (found.alike, found.label_confusion, found.differences) == ({}, {}, ())


def test_likeness_looks_at_the_first_places_and_their_order() -> None:
    one = [str(number) for number in range(10)]
    assert overlap_at(one, [*one[5:], *one[:5]], 5) == 0.0
    assert overlap_at(one, [*one[5:], *one[:5]], 10) == 1.0
    assert overlap_at(["a"], [], 5) == agreement_at(["a"], [], 10) == 0.0
    assert agreement_at([], [], 10) == 1.0
    top, bottom = ["1", "0", *one[2:]], [*one[:8], "9", "8"]
    assert agreement_at(one, top, 10) < agreement_at(one, bottom, 10) < 1.0


def test_stored_traces_have_no_ranking_so_the_evidence_counts_on_both_sides() -> None:
    asked = requests(1, expect=("a",))
    found = compared([reply("x", ranking=None, tokens=None)], [reply("y", ranking=("a", "y"))], asked=asked)
    assert found.over == "evidence"
    assert [each and each.value for each in found.figures["recall@5"].sides] == [0.0, 0.0]
    tokens = found.figures["tokens"]
    assert (tokens.sides[0], tokens.change) == (None, None)
    assert tokens.sides[1] and tokens.sides[1].value == 50


def test_confusion_has_the_first_side_in_rows() -> None:
    before = [reply(label="low", verdict="none"), reply(label="high"), reply(label="high")]
    after = [reply(label="high", verdict="partial"), reply(label="high"), reply(label="medium")]
    found = compared(before, after)
    assert found.label_confusion == {
        "low": {"low": 0, "medium": 0, "high": 1},
        "medium": {"low": 0, "medium": 0, "high": 0},
        "high": {"low": 0, "medium": 1, "high": 1},
    }
    assert found.verdict_confusion["none"] == {"answerable": 0, "partial": 1, "none": 0}
    assert found.verdicts[0] == {"answerable": 2, "partial": 0, "none": 1}


# --- differences ---------------------------------------------------------------------------------


def test_who_enters_moves_nobody() -> None:
    (found,) = compared([reply("a", "b", "c")], [reply("n", "a", "c", "b")]).differences
    assert (found.entered, found.left) == (("n",), ())
    assert [tuple(each) for each in found.moved] == [("c", 3, 3), ("b", 2, 4)]


def test_only_what_changed_is_listed_most_changed_first() -> None:
    same = reply("a", "b")
    before = [same, same, same, same, same]
    after = [same, reply("a", "b", label="low"), reply("b", "a"), reply("c"), reply("a", "b", verdict="none")]
    found = compared(before, after)
    assert [each.request.id for each in found.differences] == ["4", "3", "2", "1"]
    assert found.changed == 0.8


def test_another_ranking_behind_the_same_evidence_is_no_difference() -> None:
    found = compared([reply("a", ranking=("a", "b"))], [reply("a", ranking=("a", "c"))])
    assert found.differences == ()
    assert found.alike["overlap@5"].value == 0.5


# --- bounds --------------------------------------------------------------------------------------


def test_a_broken_bound_is_named_and_one_just_met_is_not() -> None:
    asked = requests(2, expect=("a",))
    found = compared([reply("a"), reply("b")], [reply("a"), reply("a", label="low")], asked=asked)
    met = [Bound("recall@5", Sense.AT_LEAST, 1.0), Bound("changed", Sense.AT_MOST, 0.5)]
    assert broken_bounds(found, met) == [], "the second side counts"
    broken = [Bound("overlap@5", Sense.AT_LEAST, 0.6), Bound("rounds", Sense.AT_MOST, 0.5)]
    assert broken_bounds(found, [*met, *broken]) == [
        "overlap@5 is 0.5, and should be at least 0.6",
        "rounds is 1, and should be at most 0.5",
    ]


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("recall@5", "no request says what it expects"),
        ("verdicts", "or whether it is answerable"),
        ("overlap@5", "--against"),
        ("changed", "--against"),
    ],
)
def test_a_bound_on_what_will_not_be_measured_is_refused(measure: str, said: str) -> None:
    bounds = [Bound(measure, Sense.AT_LEAST, 0.5)]
    with pytest.raises(InvalidInput) as caught:
        check_bounds(bounds, requests(2), sides=1)
    assert said in str(caught.value)
    check_bounds(bounds, [*requests(2), Request("x", "judged", expect=("a",))], sides=2)


@pytest.mark.parametrize(("text", "said"), [("recall@7=.5", "unknown measure 'recall@7'"), ("rounds", "has no number")])
def test_a_bound_nobody_can_mean_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_bounds([text], Sense.AT_LEAST)
    assert said in str(caught.value)


# --- asking --------------------------------------------------------------------------------------


def settings(folder: Path, **changes: Any) -> Settings:
    return Settings(store=StoreSettings(path=folder), embedder=EmbedderSettings(name="hashing"), **changes)


async def asked_before(folder: Path) -> list[TraceRecord]:
    """A store that was asked each question once; its traces."""
    async with Recollect.open(folder, embedder="hashing", environment={}) as engine:
        for document in CORPUS:
            await engine.remember(document["text"], title=document["title"])
        for query in QUERIES:
            await engine.retrieve(query["text"])
        return [await engine.trace(each.id) for each in await engine.traces()]


def run(folder: Path, given: Sequence[Request], *changes: dict[str, Any]) -> Replayed:
    ways = [Way(f"way {number}", settings(folder, **each)) for number, each in enumerate(changes or ({},))]
    return asyncio.run(replay(given, ways, asking=Asking("default", lambda *_: None, THEN)))


def test_stored_traces_are_compared_with_what_is_answered_now(tmp_path: Path) -> None:
    records = asyncio.run(asked_before(tmp_path))
    given, notes = traced_requests(records)
    assert [each.text for each in given] == [query["text"] for query in QUERIES], "oldest first"
    assert [each.now for each in given] == sorted(record.started_at for record in records)
    found = compare(run(tmp_path, given))
    assert (found.names, notes) == (("then", "way 0"), [])
    assert found.differences == (), "nothing has changed since"
    assert found.verdicts[0] == found.verdicts[1]
    assert all(each.value == 1.0 for each in found.alike.values())


def test_two_configurations_are_compared_with_each_other(tmp_path: Path) -> None:
    given, _ = traced_requests(asyncio.run(asked_before(tmp_path)))
    found = compare(run(tmp_path, given, {}, {"answerable_threshold": 1.0}))
    assert found.names == ("way 0", "way 1")
    assert found.verdicts[0]["answerable"] > 0 == found.verdicts[1]["answerable"]
    assert found.differences


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    records = asyncio.run(asked_before(tmp_path))
    given, _ = traced_requests(records)
    run(tmp_path, given, {}, {"relevance_ratio": 0.0})

    async def after() -> tuple[list[str], list[int]]:
        async with Recollect.open(tmp_path, embedder="hashing", environment={}) as engine:
            memories = await engine.browse()
            return [each.id for each in await engine.traces()], [each.access_count for each in memories]

    ids, accesses = asyncio.run(after())
    assert ids == [record.id for record in sorted(records, key=lambda each: (each.started_at, each.id), reverse=True)]
    assert set(accesses) == {0}


def test_expected_memories_are_named_by_id_or_title_and_lost_ones_are_told(tmp_path: Path) -> None:
    first = asyncio.run(asked_before(tmp_path))[-1]
    best = json.loads(first.payload)["evidence"][0]["id"]
    given = [
        Request("by id", QUERIES[0]["text"], expect=(best,)),
        Request("by title", QUERIES[1]["text"], expect=("FERRY", "Zeppelin")),
    ]
    replayed = run(tmp_path, given)
    (recall,) = compare(replayed).figures["recall@5"].sides
    assert recall and recall.value == 0.75
    assert any("no memory of this space: 'Zeppelin' (request by title)" in note for note in replayed.notes)


def test_the_same_twice_is_the_same(tmp_path: Path) -> None:
    given, _ = traced_requests(asyncio.run(asked_before(tmp_path)))

    def report() -> dict[str, Any]:
        replayed = run(tmp_path, given, {}, {"relevance_ratio": 0.9})
        told = as_json(replayed, compare(replayed), made={}, broken=[])
        told["figures"].pop("p50 ms")
        return json.loads(json.dumps(told))  # type: ignore[no-any-return]

    assert report() == report()


def test_a_trace_that_cannot_be_read_is_left_out_and_told(tmp_path: Path) -> None:
    records = asyncio.run(asked_before(tmp_path))
    damaged = TraceRecord("x", THEN, "what?", "none", 0.0, "enough", 0.1, payload="{")
    given, notes = traced_requests([damaged, *records])
    assert len(given) == len(records)
    assert len(notes) == 1 and "'x' is damaged" in notes[0]
