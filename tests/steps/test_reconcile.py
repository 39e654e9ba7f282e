from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.settings import Settings
from recollect.steps.reconcile import EVENT_KINDS, reconcile
from recollect.testing.clock import START
from recollect.trace import Recorder
from recollect.values import Conflict, ConflictKind, Evidence, Part, Strategy

from .build import evidence, recorder

TEMPORAL, FACTUAL, SCOPE = ConflictKind.TEMPORAL, ConflictKind.FACTUAL, ConflictKind.SCOPE


ABOUT = ("sources", "contradicts", "supersedes", "absorbed", "parts")


def said(id: str, body: str, relevance: float = 0.8, *, day: float = 0, title: str = "Rent", **fields: Any) -> Evidence:
    about = {name: fields.pop(name) for name in ABOUT if name in fields}
    moment = START + timedelta(days=day)
    fields = {"kind": "fact", "event_time": None, "project": None, **fields}
    return replace(evidence(id, relevance, title=title, body=body, created_at=moment, **fields), **about)


def reconciled(
    *pieces: Evidence, asked: tuple[str, ...] = ("question",), strategy: str = "by_kind", trace: Recorder | None = None
) -> tuple[tuple[Evidence, ...], tuple[Conflict, ...]]:
    parts = [Part(number, text) for number, text in enumerate(asked)]
    return reconcile(pieces, parts=parts, settings=Settings(conflict_strategy=strategy), trace=trace or recorder())


def ids(pieces: tuple[Evidence, ...]) -> list[str]:
    return [piece.memory.id for piece in pieces]


# --- what is a contradiction ---------------------------------------------------------------------

CONTRADICT = {
    "numbers under one title": (
        said("a", "The rent is 4,200 euros", day=1),
        said("b", "The rent is 4,500 euros"),
        "numbers_differ",
    ),
    "names under one title": (
        said("a", "It belongs to Ana Weber", day=1),
        said("b", "It belongs to Ben Weber"),
        "names_differ",
    ),
    "polarity under one title": (
        said("a", "Paid by transfer", day=1),
        said("b", "Not paid by transfer"),
        "polarity_differs",
    ),
    "titles in two cases": (said("a", "It is 1", day=1, title="RENT"), said("b", "It is 2"), "numbers_differ"),
    "one says more under the title": (
        said("a", "The rent rose to 4,500 euros a month", day=1),
        said("b", "The rent: 4,200 euros"),
        "numbers_differ",
    ),
    "statements without a title": (
        said("a", "Ana lives in Porto.", day=1, title=""),
        said("b", "Ana lives in Berlin.", title="", kind="preference"),
        "objects_differ",
    ),
    "the same words, another number": (
        said("a", "The guest network can take 40 devices at once", day=1, title=""),
        said("b", "The guest network can take 25 devices at once", title=""),
        "numbers_differ",
    ),
    "the same words, denied": (
        said("a", "Guests may bring dogs into the garden", day=1, title=""),
        said("b", "Guests may never bring dogs into the garden", title=""),
        "polarity_differs",
    ),
    "a link says so": (
        said("a", "One thing", day=1, title="", contradicts=("b",)),
        said("b", "Another", title=""),
        "stated_contradiction",
    ),
    "a link to what the other stands for": (
        said("a", "One thing", day=1, title="", contradicts=("x",)),
        said("b", "Another", title="", absorbed=("x",)),
        "stated_contradiction",
    ),
    "a link back": (
        said("a", "One thing", day=1, title=""),
        said("b", "Another", title="", contradicts=("a",)),
        "stated_contradiction",
    ),
    "a link says it was superseded": (
        said("a", "One thing", title="", supersedes=("b",)),
        said("b", "Another", title=""),
        "stated_supersession",
    ),
}


@pytest.mark.parametrize(("one", "other", "reason"), CONTRADICT.values(), ids=CONTRADICT)
@pytest.mark.parametrize("turned", [False, True], ids=["", "turned"])
def test_both_sides_of_a_contradiction_are_marked(one: Evidence, other: Evidence, reason: str, turned: bool) -> None:
    pieces, conflicts = reconciled(*((other, one) if turned else (one, other)))
    assert conflicts == (Conflict("a", "b", reason, TEMPORAL, Strategy.LATEST_WINS, settled=True),)
    assert [(piece.memory.id, piece.contradicted_by) for piece in pieces] == [("a", ("b",)), ("b", ("a",))]
    assert [piece.superseded for piece in pieces] == [False, True]


NO_CONFLICT = {
    "other words": (said("a", "The rent is 4,200 euros"), said("b", "4,200 euros is the rent")),
    "another title": (said("a", "It is 4,200"), said("b", "It is 1,900", title="Deposit")),
    "no title": (said("a", "It is 4,200", title=""), said("b", "It is 1,900", title="")),
    "another kind": (said("a", "It is 4,200", kind="fact"), said("b", "It is 1,900", kind="lesson")),
    "another thing under one title": (
        said("a", "The rent of the office is 4,200 euros"),
        said("b", "The rent of the warehouse is 1,900 euros"),
    ),
    "long passages under one title": (
        said("a", "The first 5 chapters speak of rent. " * 20),
        said("b", "The last 9 chapters speak of rent. " * 20),
    ),
    "a number that is a part of the name": (
        said("a", "Invoice 4711 was paid by transfer", title=""),
        said("b", "Invoice 4712 was paid by transfer", title=""),
    ),
    "two years in which it happened": (
        said("a", "Ana climbed the tower in spring 2023", title=""),
        said("b", "Ana climbed the tower in spring 2024", title=""),
    ),
    "other people": (
        said("a", "Ana Weber runs the harbour office", title=""),
        said("b", "Ben Weber never runs the harbour office", title=""),
    ),
    "each speaks of himself": (
        said("a", "I live in Porto.", title="", author="Ana"),
        said("b", "I live in Berlin.", title="", author="Ben"),
    ),
    "a value whose owner stands elsewhere in two passages": (
        said("a", "The average age was 30. " + "Nothing of note happened by the sea. " * 9, title=""),
        said("b", "The average age was 40. " + "Nothing of note happened by the sea. " * 9, title=""),
    ),
    "the same at length of others, under their own titles": (
        said("a", "Ana Silva designed the logo of the new ferry line", title="Ana Silva"),
        said("b", "Rui Costa designed the logo of the new ferry line", title="Rui Costa"),
    ),
    "each says it of himself": (
        said("a", "I sold the old blue boat to Ben in Porto", title="", author="Ana"),
        said("b", "I sold the old blue boat to Carl in Porto", title="", author="Eve"),
    ),
    "a link to somebody else": (said("a", "One thing", contradicts=("z",)), said("b", "Another", supersedes=("y",))),
}


@pytest.mark.parametrize("pair", NO_CONFLICT.values(), ids=NO_CONFLICT)
def test_what_does_not_contradict_is_left_alone(pair: tuple[Evidence, Evidence]) -> None:
    assert reconciled(*pair) == (pair, ())


@pytest.mark.parametrize(("one", "other", "_"), CONTRADICT.values(), ids=CONTRADICT)
@pytest.mark.parametrize("side", [0, 1])
def test_what_somebody_said_may_both_hold_contradicts_nothing(
    one: Evidence, other: Evidence, _: str, side: int
) -> None:
    pair = [one, other]
    pair[side] = replace(pair[side], coexists=(pair[1 - side].memory.id,))
    assert reconciled(*pair) == (tuple(pair), ())


@pytest.mark.parametrize("kind", sorted(EVENT_KINDS))
def test_what_happened_at_another_time_contradicts_nothing(kind: str) -> None:
    pair = said("a", "Sold at 182", kind=kind), said("b", "Sold at 120", kind=kind, day=3)
    assert reconciled(*pair) == (pair, ())


@pytest.mark.parametrize("kind", ["message", "conversation"])
def test_what_is_said_of_a_lasting_thing_is_contradicted_by_what_is_said_later(kind: str) -> None:
    pair = [said(id, f"I live in {town}.", title="", kind=kind, day=day, author="Ana")
            for id, town, day in (("a", "Porto", 0), ("b", "Lisbon", 9))]  # fmt: skip
    assert [(each.preferred, each.reason) for each in reconciled(*pair)[1]] == [("b", "objects_differ")]


def test_what_happened_at_the_same_moment_does() -> None:
    assert reconciled(said("a", "Sold at 182", kind="trade"), said("b", "Sold at 120", kind="trade"))[1]


def test_a_link_between_things_that_happened_still_counts() -> None:
    pair = said("a", "Sold at 182", kind="trade", contradicts=("b",)), said("b", "Held", kind="trade", day=3)
    assert reconciled(*pair)[1]


def test_a_long_text_is_read_where_it_speaks_of_what_was_asked() -> None:
    filler = "Nothing of note happened on that long day by the sea. " * 8
    one, other = (
        said(id, f"{filler}Ana lives in {town}.", title="", day=day)
        for id, town, day in (("a", "Porto", 1), ("b", "Berlin", 0))
    )
    asked = [replace(each, snippets=(each.memory.body.removeprefix(filler),)) for each in (one, other)]
    beside = [
        replace(each, snippets=("Nothing of note happened on that long day by the sea.",)) for each in (one, other)
    ]
    assert [each.reason for each in reconciled(*asked)[1]] == ["objects_differ"]
    assert reconciled(*beside)[1] == ()


# --- two answers to one question -----------------------------------------------------------------

EXPERTISE = "What is the area of expertise of Ana Silva?"
TIDES, VIOLINS = (f"Ana Silva is known for her expertise in {what}" for what in ("tidal power", "old violins"))


def answer(id: str, body: str, relevance: float = 0.8, **fields: Any) -> Evidence:
    return said(id, body, relevance, **{"title": "", **fields})


def test_two_answers_to_a_question_that_expects_one_are_a_conflict() -> None:
    pieces, conflicts = reconciled(answer("a", TIDES, 0.9), answer("b", VIOLINS, 0.5, day=1), asked=(EXPERTISE,))
    assert conflicts == (Conflict("b", "a", "answers_differ", TEMPORAL, Strategy.LATEST_WINS, settled=True),)
    assert [(piece.memory.id, piece.contradicted_by, piece.superseded) for piece in pieces] == [
        ("b", ("a",), False),
        ("a", ("b",), True),
    ]


def test_of_one_moment_the_better_source_answers() -> None:
    pair = answer("a", TIDES), answer("b", VIOLINS, sources=("graph",))
    (conflict,) = reconciled(*pair, asked=(EXPERTISE,))[1]
    assert (conflict.preferred, conflict.kind) == ("b", FACTUAL)


NOT_TWO_ANSWERS = {
    "a question with several": (answer("a", TIDES), answer("b", VIOLINS, day=1), "What is Ana Silva known for?"),
    "far below the best": (answer("a", TIDES, 0.9), answer("b", VIOLINS, 0.2, day=1), EXPERTISE),
    "another kind": (answer("a", TIDES), answer("b", VIOLINS, day=1, kind="lesson"), EXPERTISE),
    "for another part": (answer("a", TIDES), answer("b", VIOLINS, day=1, parts=(1,)), EXPERTISE),
    "one says more": (answer("a", TIDES), answer("b", f"{TIDES} and waves", day=1), EXPERTISE),
    "a passage": (answer("a", TIDES), answer("b", f"{VIOLINS}. " + "It rained by the sea. " * 20, day=1), EXPERTISE),
    "under their own titles": (
        answer("a", "Ana won the harbour cup", title="Ana"),
        answer("b", "Ben won the harbour cup", title="Ben", day=1),
        "Who won the harbour cup?",
    ),
    "each speaks of himself": (
        answer("a", "I first met Ben at a fair in Porto", author="Ana"),
        answer("b", "I first met Ben on a ferry to Rome", author="Eve", day=1),
        "Where did I first meet Ben?",
    ),
}


@pytest.mark.parametrize(("one", "other", "question"), NOT_TWO_ANSWERS.values(), ids=NOT_TWO_ANSWERS)
def test_what_is_no_second_answer(one: Evidence, other: Evidence, question: str) -> None:
    assert reconciled(one, other, asked=(question, EXPERTISE.replace("Ana Silva", "Ben")))[1] == ()


@pytest.mark.parametrize(("kind", "conflicts"), [("fact", 1), ("episode", 0), ("meeting", 0)])
def test_of_two_things_that_happened_apart_both_may_answer(kind: str, conflicts: int) -> None:
    pair = answer("a", "Ana won the harbour cup", kind=kind), answer("b", "Ben won the harbour cup", kind=kind, day=9)
    assert len(reconciled(*pair, asked=("Who won the harbour cup?",))[1]) == conflicts


def test_each_part_is_asked_for_itself() -> None:
    harbour = "Ana Silva is known for her expertise in harbour law"
    pieces = (
        answer("a", TIDES, 0.9, parts=(0,)),
        answer("b", VIOLINS, 0.3, parts=(1,), day=1),
        answer("c", harbour, 0.3, parts=(0, 1), day=2),
    )
    found = reconciled(*pieces, asked=("What does Ana Silva like?", EXPERTISE))[1]
    assert {(each.preferred, each.other) for each in found} == {("c", "b")}


# --- of what kind, and who is preferred ----------------------------------------------------------

KINDS = {
    "a day apart": (said("a", "It is 1"), said("b", "It is 2", day=1), TEMPORAL, Strategy.LATEST_WINS, "b"),
    "hours apart, by two speakers": (
        said("a", "It is 1", author="Ana"),
        said("b", "It is 2", 0.9, day=0.9, author="Ben"),
        FACTUAL,
        Strategy.SOURCE_PRIORITY,
        "b",
    ),
    "minutes apart, by one speaker": (
        said("a", "It is 1", 0.9, author="Ana"),
        said("b", "It is 2", day=0.01, author="Ana"),
        TEMPORAL,
        Strategy.LATEST_WINS,
        "b",
    ),
    "of one moment, by one speaker": (
        said("a", "It is 1", 0.7),
        said("b", "It is 2", 0.9),
        FACTUAL,
        Strategy.SOURCE_PRIORITY,
        "b",
    ),
    "valid from another day": (
        said("a", "It is 1", valid_from=START + timedelta(days=9)),
        said("b", "It is 2"),
        TEMPORAL,
        Strategy.LATEST_WINS,
        "a",
    ),
    "it happened on another day": (
        said("a", "It is 1", event_time=START - timedelta(days=9)),
        said("b", "It is 2"),
        TEMPORAL,
        Strategy.LATEST_WINS,
        "b",
    ),
    "superseded by what is older": (
        said("a", "It is 1", supersedes=("b",)),
        said("b", "It is 2", day=5),
        TEMPORAL,
        Strategy.LATEST_WINS,
        "a",
    ),
    "other projects": (
        said("a", "It is 1", project="desk"),
        said("b", "It is 2", project="office", day=5),
        SCOPE,
        Strategy.INCLUDE_BOTH,
        "a",
    ),
    "one without a project": (
        said("a", "It is 1", project="desk"),
        said("b", "It is 2", day=5),
        TEMPORAL,
        Strategy.LATEST_WINS,
        "b",
    ),
}


@pytest.mark.parametrize(("one", "other", "kind", "strategy", "preferred"), KINDS.values(), ids=KINDS)
def test_kinds(one: Evidence, other: Evidence, kind: ConflictKind, strategy: Strategy, preferred: str) -> None:
    (conflict,) = reconciled(one, other)[1]
    assert (conflict.kind, conflict.strategy, conflict.preferred) == (kind, strategy, preferred)
    assert conflict.settled is (kind is not SCOPE)


PREFERRED = {
    "graph before vector": ({"sources": ("vector",)}, {"sources": ("graph",)}, "b"),
    "vector before local": ({"sources": ("local",)}, {"sources": ("vector",)}, "b"),
    "local before memory": ({"sources": ("memory",)}, {"sources": ("local",)}, "b"),
    "the best of its sources": ({"sources": ("vector",)}, {"sources": ("memory", "graph")}, "b"),
    "then the more trusted": ({"trust": "web"}, {"trust": "user"}, "b"),
    "then the higher": ({"relevance": 0.5}, {"relevance": 0.6}, "b"),
    "source before trust": ({"sources": ("graph",), "trust": "web"}, {"trust": "user"}, "a"),
}


@pytest.mark.parametrize(("one", "other", "preferred"), PREFERRED.values(), ids=PREFERRED)
def test_of_two_facts_the_better_source_is_preferred_and_both_stay(
    one: dict[str, Any], other: dict[str, Any], preferred: str
) -> None:
    pieces, (conflict,) = reconciled(said("a", "It is 1", **one), said("b", "It is 2", **other))
    assert (conflict.preferred, conflict.settled) == (preferred, True)
    assert pieces[0].memory.id == preferred
    assert not any(piece.superseded for piece in pieces)


def test_where_nothing_decides_the_conflict_stays_open() -> None:
    pieces, (conflict,) = reconciled(said("a", "It is 1"), said("b", "It is 2"))
    assert (conflict.kind, conflict.settled) == (FACTUAL, False)
    assert ids(pieces) == ["a", "b"]
    assert all(piece.contradicted_by for piece in pieces)


OLD, NEW = said("a", "It is 1", 0.9, trust="web"), said("b", "It is 2", 0.5, day=5, trust="user")
STRATEGIES = {
    "latest_wins": ("b", True, ["b", "a"], {"a": 0.45, "b": 0.5}),
    "highest_confidence": ("a", True, ["a", "b"], {"a": 0.9, "b": 0.5}),
    "source_priority": ("b", True, ["b", "a"], {"a": 0.9, "b": 0.5}),
    "ask_user": ("a", False, ["a", "b"], {"a": 0.9, "b": 0.5}),
    "include_both": ("a", False, ["a", "b"], {"a": 0.9, "b": 0.5}),
    "by_kind": ("b", True, ["b", "a"], {"a": 0.45, "b": 0.5}),
}


@pytest.mark.parametrize(("strategy", "expected"), STRATEGIES.items(), ids=STRATEGIES)
def test_strategies(strategy: str, expected: tuple[str, bool, list[str], dict[str, float]]) -> None:
    preferred, settled, order, scores = expected
    pieces, (conflict,) = reconciled(OLD, NEW, strategy=strategy)
    assert (conflict.preferred, conflict.settled, ids(pieces)) == (preferred, settled, order)
    assert {piece.memory.id: piece.score for piece in pieces} == scores
    assert conflict.strategy is (Strategy(strategy) if strategy != "by_kind" else Strategy.LATEST_WINS)


def test_latest_wins_of_one_moment_is_open() -> None:
    (conflict,) = reconciled(said("a", "It is 1"), said("b", "It is 2"), strategy="latest_wins")[1]
    assert not conflict.settled


# --- marks and order -----------------------------------------------------------------------------


def test_a_superseded_piece_is_halved_once_and_its_explanation_adds_up() -> None:
    pieces, _ = reconciled(said("a", "It is 1"), said("b", "It is 2", day=1), said("c", "It is 3", day=2))
    assert {piece.memory.id: (piece.score, piece.superseded) for piece in pieces} == {
        "c": (0.8, False),
        "a": (0.4, True),
        "b": (0.4, True),
    }
    assert all(piece.explanation.total() == piece.score for piece in pieces)
    assert all(piece.relevance == 0.8 for piece in pieces), "what it was found for has not changed"


def test_the_later_one_moves_before_the_earlier_one() -> None:
    old, new, between = said("a", "It is 1"), said("b", "It is 2", 0.7, day=1), said("c", "Something", 0.75, title="")
    assert ids(reconciled(old, between, new)[0]) == ["c", "b", "a"]


WALTZ, MARCH = "Ana composed a waltz for the wedding", "Ana composed a march for the parade"


@pytest.mark.parametrize(("strategy", "order"), [("by_kind", "cba"), ("latest_wins", "cba"), ("include_both", "cab")])
def test_of_two_that_may_both_be_the_later_stands_before_the_earlier(strategy: str, order: str) -> None:
    old, new = said("a", WALTZ, 0.8, title=""), said("b", MARCH, 0.5, title="", day=1)
    pieces, conflicts = reconciled(said("c", "Something", 0.9, title=""), old, new, strategy=strategy)
    assert ids(pieces) == list(order)
    assert conflicts == ()
    assert {piece.score for piece in pieces} == {0.9, 0.8, 0.5}, "nothing is taken from what may hold"
    assert not any(piece.superseded or piece.contradicted_by for piece in pieces)


def test_the_later_of_two_comes_right_before_the_earlier() -> None:
    old, new = said("a", WALTZ, 0.9, title=""), said("b", MARCH, 0.3, title="", day=1)
    assert ids(reconciled(old, said("c", "Something", 0.8, title=""), new)[0]) == ["b", "a", "c"]


def test_two_of_one_moment_keep_their_places() -> None:
    assert ids(reconciled(said("a", WALTZ, title=""), said("b", MARCH, title=""))[0]) == ["a", "b"]


def test_three_that_follow_each_other_stand_latest_first() -> None:
    third = said("c", "Ana composed a hymn for the school", 0.4, title="", day=2)
    pair = said("a", WALTZ, 0.9, title=""), said("b", MARCH, 0.5, title="", day=1)
    assert ids(reconciled(*pair, third)[0]) == ["c", "b", "a"]


def test_what_is_put_before_another_is_in_the_trace(trace: Recorder) -> None:
    with trace.step("reconcile"):
        reconciled(said("a", WALTZ, title=""), said("b", MARCH, title="", day=1), trace=trace)
    (decision,) = trace.finish().spans[0].decisions
    assert (decision.what, decision.because, dict(decision.numbers)) == (
        "put before",
        "later_first",
        {"preferred": "b", "other": "a"},
    )


def test_what_nobody_disputes_keeps_its_place() -> None:
    rest = [
        said(f"r{n}", f"Something {word}", 0.7 - n / 10, title="") for n, word in enumerate(("red", "green", "blue"))
    ]
    assert ids(reconciled(*rest)[0]) == ["r0", "r1", "r2"]


@pytest.mark.parametrize("days", list(permutations(range(4))), ids=lambda days: "".join(map(str, days)))
def test_the_preferred_side_stands_first_whatever_the_order(days: tuple[int, ...]) -> None:
    pieces, conflicts = reconciled(*(said(f"m{day}", f"It is {day}", day=day) for day in days))
    order = ids(pieces)
    assert all(order.index(each.preferred) < order.index(each.other) for each in conflicts)
    assert len(conflicts) == 6


def test_preferences_in_a_circle_come_to_an_end() -> None:
    """Of one day, the better source: a before b, b before c. Of two days, the later: c before a."""
    circle = (
        said("a", "It is 1", day=0, sources=("graph",), author="Ana"),
        said("b", "It is 2", day=0.7, sources=("local",), author="Ben"),
        said("c", "It is 3", day=1.4, sources=("memory",), author="Eve"),
    )
    pieces, conflicts = reconciled(*circle)
    assert {(each.preferred, each.other) for each in conflicts} == {("a", "b"), ("b", "c"), ("c", "a")}
    assert sorted(ids(pieces)) == ["a", "b", "c"]


rows = st.tuples(
    st.sampled_from(["Rent", "Deposit", ""]),
    st.integers(0, 3),
    st.floats(0, 4),
    st.sampled_from([0.3, 0.5, 0.8]),
    st.sampled_from(["memory", "graph", "local"]),
    st.sampled_from([None, "desk", "office"]),
    st.sampled_from(["fact", "episode"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(rows, max_size=7), st.sampled_from([each.value for each in Strategy]))
def test_nothing_is_lost_and_every_mark_has_its_counterpart(given: list[Any], strategy: str) -> None:
    pieces = [
        said(f"m{n}", f"It is {number}", relevance, title=title, day=day, sources=(source,), project=project, kind=kind)
        for n, (title, number, day, relevance, source, project, kind) in enumerate(given)
    ]
    marked, conflicts = reconciled(*pieces, strategy=strategy)
    assert sorted(ids(marked)) == sorted(piece.memory.id for piece in pieces)
    marks = {(piece.memory.id, other) for piece in marked for other in piece.contradicted_by}
    stated = {(each.preferred, each.other) for each in conflicts}
    assert marks == stated | {(other, preferred) for preferred, other in stated}
    assert all(piece.explanation.total() == piece.score for piece in marked)
    superseded = {each.other for each in conflicts if each.settled and each.strategy is Strategy.LATEST_WINS}
    assert {piece.memory.id for piece in marked if piece.superseded} == superseded


def test_every_conflict_is_in_the_trace_and_counted(trace: Recorder) -> None:
    with trace.step("reconcile"):
        reconciled(OLD, NEW, said("c", "It is 3", project="x"), said("d", "It is 4", project="y"), trace=trace)
    decisions, counters = trace.finish().spans[0].decisions, trace.finish().counters
    assert len(decisions) == counters["conflicts_detected"] == 6
    assert {each.what for each in decisions} == {"prefer", "leave open"}
    assert counters["conflicts_resolved"] == sum(each.what == "prefer" for each in decisions)
    first = decisions[0]
    assert (first.because, dict(first.numbers)) == (
        "latest_wins",
        {"preferred": "b", "other": "a", "kind": "temporal", "reason": "numbers_differ"},
    )


def test_no_evidence_has_no_conflicts() -> None:
    assert reconciled() == ((), ())
