from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.settings import Settings
from recollect.steps.merge import merge
from recollect.trace import Recorder
from recollect.values import Evidence, Failed, Findings, Found, TimedOut

from .build import findings, found, hit, judged, lookup, recorder

GATE = Settings().quality_threshold

# A few ids, a few texts and a few scores, so that repeats and ties are common.
relevances = st.sampled_from([0.0, 0.1, GATE, 0.35, 0.5, 0.9, 1.0]) | st.floats(0, 1)
hits = st.builds(
    lambda id, text, relevance, source: hit(id, relevance, source=source, body=f"text {text}", content_hash=f"h{text}"),
    st.sampled_from("abcdefgh"),
    st.sampled_from("123456"),
    relevances,
    st.sampled_from(["memory", "list"]),
)
outcomes = st.builds(
    lambda hits, part, text: Found(lookup(text, part=part), tuple(hits), 0.0),
    st.lists(hits, max_size=6),
    st.integers(0, 2),
    st.sampled_from(["what", "why"]),
)
rounds = st.lists(st.lists(outcomes, max_size=4), max_size=3)
caps = st.integers(0, 6)


def merged(given: list[list[Found]], **changes: float) -> tuple[Evidence, ...]:
    all_rounds = [Findings(number, tuple(each)) for number, each in enumerate(given, start=1)]
    return merge(all_rounds, judgement=judged(1, 1, 1), settings=Settings(**changes), trace=recorder())


def sightings(given: list[list[Found]]) -> list[tuple[int, Found, object]]:
    return [(number, outcome, each) for number, row in enumerate(given, 1) for outcome in row for each in outcome.hits]


# --- properties ----------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(rounds, st.randoms(use_true_random=False))
def test_order_of_outcomes_and_hits_does_not_matter(given: list[list[Found]], random: object) -> None:
    shuffled = []
    for row in given:
        row = [Found(each.lookup, tuple(random.sample(each.hits, len(each.hits))), 0.0) for each in row]
        random.shuffle(row)
        shuffled.append(row)
    assert merged(shuffled) == merged(given)


@settings(max_examples=150, deadline=None)
@given(rounds, caps)
def test_nothing_is_invented(given: list[list[Found]], cap: int) -> None:
    seen = sightings(given)
    memories = {each.memory.id for _, _, each in seen}
    for piece in merged(given, max_results=cap):
        assert any(each.memory == piece.memory and each.relevance == piece.relevance for _, _, each in seen)
        assert set(piece.absorbed) <= memories - {piece.memory.id}
        assert set(piece.sources) <= {each.source for _, _, each in seen}
        assert set(piece.rounds) <= {number for number, _, _ in seen}
        assert set(piece.parts) <= {outcome.lookup.part for _, outcome, _ in seen}


@settings(max_examples=150, deadline=None)
@given(rounds, caps)
def test_the_cap_is_respected(given: list[list[Found]], cap: int) -> None:
    assert len(merged(given, max_results=cap)) <= cap


@settings(max_examples=150, deadline=None)
@given(rounds)
def test_every_part_with_a_passing_hit_is_covered(given: list[list[Found]]) -> None:
    passing = {outcome.lookup.part for _, outcome, each in sightings(given) if each.relevance >= GATE}
    covered = {part for piece in merged(given, max_results=3) for part in piece.parts}
    assert covered >= passing


@settings(max_examples=150, deadline=None)
@given(rounds, caps)
def test_evidence_is_ranked_by_score_then_id(given: list[list[Found]], cap: int) -> None:
    pieces = merged(given, max_results=cap)
    order = [(-piece.score, piece.memory.id) for piece in pieces]
    assert order == sorted(order)


@settings(max_examples=150, deadline=None)
@given(rounds, caps)
def test_the_same_thing_comes_once(given: list[list[Found]], cap: int) -> None:
    pieces = merged(given, max_results=cap)
    ids = [id for piece in pieces for id in (piece.memory.id, *piece.absorbed)]
    hashes = [piece.memory.content_hash for piece in pieces]
    assert len(ids) == len(set(ids))
    assert len(hashes) == len(set(hashes))


@settings(max_examples=150, deadline=None)
@given(rounds)
def test_nothing_below_the_gate_is_evidence(given: list[list[Found]]) -> None:
    assert all(piece.relevance >= GATE for piece in merged(given))


@settings(max_examples=100, deadline=None)
@given(rounds)
def test_something_is_returned_if_anything_passed(given: list[list[Found]]) -> None:
    anything = any(each.relevance >= GATE for _, _, each in sightings(given))
    assert bool(merged(given)) == anything


# --- single cases --------------------------------------------------------------------------------


def one_round(*outcomes: object, **changes: float) -> tuple[Evidence, ...]:
    return merge([findings(*outcomes)], judgement=judged(1, 1), settings=Settings(**changes), trace=recorder())


def test_zero_max_results_gives_nothing() -> None:
    assert one_round(found(hit("a", 0.9)), max_results=0) == ()


def test_the_same_text_under_two_ids_becomes_one_and_says_what_it_absorbed() -> None:
    (piece,) = one_round(found(hit("a", 0.5, body="same"), hit("b", 0.9, body="same")))
    assert (piece.memory.id, piece.absorbed, piece.score) == ("b", ("a",), 0.9)


def test_the_same_id_with_two_texts_becomes_one() -> None:
    (piece,) = one_round(found(hit("a", 0.5, body="as it was"), hit("a", 0.9, body="as it is")))
    assert (piece.memory.body, piece.absorbed) == ("as it is", ())


def test_two_versions_of_one_memory_cannot_break_the_cap() -> None:
    versions = found(hit("a", 0.9, body="one"), hit("a", 0.9, body="two"), hit("b", 0.8))
    assert len(one_round(versions, max_results=1)) == 1


def test_sources_without_hashes_are_not_thrown_together() -> None:
    unhashed = [replace(each, memory=replace(each.memory, content_hash="")) for each in (hit("a"), hit("b"))]
    assert len(one_round(found(*unhashed))) == 2


def test_what_two_sources_found_names_both() -> None:
    (piece,) = one_round(found(hit("a", source="memory"), source="memory"), found(hit("a", source="list")))
    assert piece.sources == ("list", "memory")


def test_a_piece_names_the_parts_it_serves_and_not_those_it_hardly_touches() -> None:
    (piece,) = one_round(found(hit("a", 0.9), part=0), found(hit("a", 0.1), part=1))
    assert piece.parts == (0,)


def test_far_below_the_best_is_cut() -> None:
    pieces = one_round(found(hit("a", 0.9), hit("b", 0.37), hit("c", 0.35)))
    assert [piece.memory.id for piece in pieces] == ["a", "b"]


def test_a_part_s_only_hit_is_kept_although_it_is_far_below_the_best() -> None:
    pieces = one_round(found(hit("a", 0.95), part=0), found(hit("b", 0.21), part=1))
    assert [piece.memory.id for piece in pieces] == ["a", "b"]


def test_a_reserved_place_is_not_taken_by_better_hits_of_another_part() -> None:
    many = found(*(hit(f"a{n}", 0.9) for n in range(5)), part=0)
    pieces = one_round(many, found(hit("b", 0.5), part=1), max_results=2)
    assert [piece.memory.id for piece in pieces] == ["a0", "b"]


@pytest.mark.parametrize("lost", [Failed(lookup(), "boom", 0.0), TimedOut(lookup(), 1.0)], ids=["failed", "timed out"])
def test_lookups_that_did_not_come_back_bring_nothing(lost: object) -> None:
    assert [piece.memory.id for piece in one_round(lost, found(hit("a")))] == ["a"]


def test_rounds_are_merged_together() -> None:
    first, second = findings(found(hit("a", 0.5))), findings(found(hit("a", 0.7), hit("b", 0.6)), round=2)
    pieces = merge([first, second], judgement=judged(1), settings=Settings(), trace=recorder())
    assert [(piece.memory.id, piece.score, piece.rounds) for piece in pieces] == [("a", 0.7, (1, 2)), ("b", 0.6, (2,))]


def test_the_numbers_are_in_the_trace(trace: Recorder) -> None:
    with trace.step("merge"):
        outcome = found(hit("a", 0.9), hit("a", 0.9), hit("b", 0.21), hit("c", 0.1))
        merge([findings(outcome)], judgement=judged(1), settings=Settings(), trace=trace)
    merged, cut = trace.finish().spans[0].decisions
    assert dict(merged.numbers) == {"hits": 4, "distinct": 3}
    assert dict(cut.numbers) == {"before": 2, "after": 1}
