"""Who is lined up for a lookup, in which order, and how it is explained: on the real store and on the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from math import log
from typing import Any

import pytest

from recollect.candidates import Lineup
from recollect.lineup import LOOKED_BESIDE, MOST_NAMED, MOST_OF_ONE_NAME
from recollect.models.hashing import hash_text
from recollect.ports import Store
from recollect.rank.model import Model, shipped_model
from recollect.records import SITTING, Filters, Lifecycle, Memory, PutMemory, Vector
from recollect.settings import Settings
from recollect.sources.memory import MemorySource, messages_source
from recollect.store.inmemory import InMemoryStore
from recollect.testing.clock import START, FakeClock
from recollect.testing.corpus import SPACE, make_memories, make_memory
from recollect.testing.source_contract import adds_up
from recollect.values import Hit, Lookup

TOLD = START - timedelta(days=30)
HIDDEN = {
    "archived": {"lifecycle": Lifecycle.ARCHIVED},
    "superseded": {"valid_to": TOLD},
    "not yet": {"valid_from": START + timedelta(days=1)},
    "of another trust": {"trust": "web"},
    "without the tag": {"tags": ("other",)},
}
ONLY = Filters(trusts=frozenset({"user"}), tags=frozenset({"kept"}))


@pytest.fixture(params=["sqlite", "reference"])
def store(request: pytest.FixtureRequest, make_store: Callable[[], Store], clock: FakeClock) -> Store:
    return make_store() if request.param == "sqlite" else InMemoryStore(clock.now)


def embedded(text: str) -> Vector:
    return Vector("hashing-64-v1", hash_text(text, dimensions=64))


def keep(store: Store, *memories: Memory, space: str = SPACE) -> None:
    puts = [PutMemory(each, embedded(f"{each.title}\n{each.body}")) for each in memories]
    store.apply(space, puts)


def text(id: str, body: str, **fields: Any) -> Memory:
    plain = {"kind": "note", "title": "", "project": None, "event_time": None, "lifecycle": Lifecycle.ACTIVE}
    seen = {"trust": "user", "tags": ("kept",), "created_at": TOLD, "updated_at": TOLD}
    return make_memory(0, id=id, body=body, **{**plain, **seen, **fields})


def turn(id: str, body: str, **fields: Any) -> Memory:
    return text(id, body, **{"kind": "message", **fields})


def ask(store: Store, question: str, *, messages: bool = False, **fields: Any) -> tuple[Hit, ...]:
    make = messages_source if messages else MemorySource
    lookup = Lookup(question, **{"space": SPACE, "source": "memory", "limit": 10, "filters": ONLY, **fields})
    return make(store, now=lambda: START).search_now(lookup).hits


def lined_up(
    store: Store, question: str, *, all_kinds: bool = False, model: Model | None = None, **fields: Any
) -> Lineup:
    given = {"space": SPACE, "source": "memory", "limit": 10, "filters": ONLY, "vector": embedded(question)}
    source = MemorySource(store, settings=Settings(enable_messages=not all_kinds), now=lambda: START, model=model)
    return source.line_up(Lookup(question, **{**given, **fields}))


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.memory.id for hit in hits]


# --- beside a match ------------------------------------------------------------------------------

ASKED = "Where did you buy the yellow kayak?"


def talk(**fields: Any) -> list[Memory]:
    """A question and its answer, which share no word that counts; around them, others of the talk."""
    bodies = {
        "t1": "Good morning!", "t2": "Tell me, who sold you that yellow kayak, where did you buy it?",
        "t3": "At Lindgren's, behind the station.", "t4": "Thanks a lot.",
    }  # fmt: skip
    return [turn(id, body, **fields) for id, body in bodies.items()]


def test_the_turns_beside_a_matching_turn_come_in(store: Store) -> None:
    keep(store, *talk())
    assert set(ids(ask(store, ASKED, messages=True))) == {"t1", "t2", "t3"}, "right beside it, and no further"


def test_what_answers_a_question_stands_before_what_was_said_before_it(store: Store) -> None:
    keep(store, *talk())
    relevance = {hit.memory.id: hit.relevance for hit in ask(store, ASKED, messages=True)}
    assert relevance["t3"] > relevance["t1"]


@pytest.mark.parametrize(
    "apart",
    [{"created_at": TOLD + SITTING + timedelta(seconds=1)}, {"event_time": TOLD - SITTING * 2}, {"project": "other"}],
    ids=["stored in another sitting", "told in another sitting", "of another project"],
)
def test_a_turn_of_another_sitting_or_project_does_not(store: Store, apart: dict[str, Any]) -> None:
    one, asked, answer, thanks = talk()
    keep(store, one, asked, replace(answer, **apart), thanks)
    assert "t3" not in ids(ask(store, ASKED, messages=True))


def test_what_is_no_turn_has_no_turns_beside_it(store: Store) -> None:
    keep(store, *talk(kind="note"))
    assert ids(ask(store, ASKED)) == ["t2"]


def test_among_turns_a_note_brings_in_no_other_note(store: Store) -> None:
    """Where one source searches both."""
    keep(store, text("n1", "It rained."), text("n2", "A kayak."), text("n3", "It snowed."), *talk())
    lineup = lined_up(store, ASKED, vector=None, all_kinds=True)
    assert set(lineup.candidates) == {"n2", "t1", "t2", "t3"}
    assert {lineup.candidates["n2"].clues.asks, lineup.candidates["n2"].clues.before_cosine} == {0.0}


def test_only_the_best_matches_are_looked_beside(store: Store) -> None:
    matching = [f"The yellow kayak is at pier {number}." for number in range(LOOKED_BESIDE + 5)]
    for number, body in enumerate(matching):
        keep(store, turn(f"a{number:02}", f"Aha {number}", project=f"p{number}"))
        keep(store, turn(f"b{number:02}", body, project=f"p{number}"))
    found = lined_up(store, "yellow kayak", vector=None, all_kinds=True, limit=50).candidates
    assert sum(id.startswith("a") for id in found) == LOOKED_BESIDE


@pytest.mark.parametrize("fields", HIDDEN.values(), ids=HIDDEN)
def test_a_hidden_turn_does_not_come_in_beside_a_match(store: Store, fields: dict[str, Any]) -> None:
    one, asked, answer, thanks = talk()
    keep(store, one, asked, replace(answer, **fields), thanks)
    assert set(ids(ask(store, ASKED, messages=True))) == {"t1", "t2"}


@pytest.mark.parametrize("fields", HIDDEN.values(), ids=HIDDEN)
def test_nor_does_it_say_anything_for_the_turns_beside_it(store: Store, fields: dict[str, Any]) -> None:
    between = turn("h", ASKED)
    for space, each in (("seen", between), ("hidden", replace(between, **fields))):
        keep(store, turn("a", "A yellow one?"), each, turn("b", "The kayak is at Berg's."), space=space)
    clues = {
        space: {id: each.clues for id, each in lined_up(store, ASKED, all_kinds=True, space=space).candidates.items()}
        for space in ("seen", "hidden")
    }
    assert clues["seen"].keys() == {"a", "h", "b"} and clues["hidden"].keys() == {"a", "b"}
    for name in ("before_cosine", "before_keyword", "asked_keyword"):
        assert getattr(clues["seen"]["b"], name) > 0, "or this would show nothing"
        assert getattr(clues["hidden"]["b"], name) == 0.0
    for name in ("after_cosine", "after_keyword"):
        assert getattr(clues["seen"]["a"], name) > 0
        assert getattr(clues["hidden"]["a"], name) == 0.0


# --- named by a match ----------------------------------------------------------------------------

BUILDER = "Who built the harbour crane?"


def named_by_a_match(**fields: Any) -> list[Memory]:
    builder = text("ana", **{"title": "Ana Ortiz", "body": "A painter from Porto, born in May.", **fields})
    return [text("crane", "The harbour crane was built by Ana Ortiz."), builder, text("rain", "It rained in Oslo.")]


def test_a_memory_whose_title_a_match_names_comes_in(store: Store) -> None:
    keep(store, *named_by_a_match())
    hits = ask(store, BUILDER)
    assert ids(hits) == ["crane", "ana"]
    assert hits[1].reached_by == ("crane",) and hits[0].reached_by == ()


def test_one_that_goes_by_the_name_its_text_begins_with_comes_in_too(store: Store) -> None:
    keep(store, *named_by_a_match(title="", body="Ana Ortiz paints in Porto."))
    assert ids(ask(store, BUILDER)) == ["crane", "ana"]


def naming(store: Store, question: str, *memories: Memory) -> dict[str, float]:
    keep(store, *memories)
    found = lined_up(store, question, vector=None).candidates
    return {id: each.mention.names for id, each in found.items()}


CASTING = "Which film with a pirate has the painter of the harbour mural?"
MURAL = text("ana", "Ana Ortiz painted the harbour mural, as the painter she is.", title="Ana Ortiz")


def test_one_that_names_a_better_match_counts_by_the_words_that_one_lacks(store: Store) -> None:
    film = text("film", "Sea Dogs is a film about a pirate, with Ana Ortiz.", title="Sea Dogs")
    other = text("other", "Calm Sea is a film about a pirate, with Ben Okafor.", title="Calm Sea")
    found = naming(store, CASTING, MURAL, film, other)
    assert found["film"] > 0 and found["other"] == found["ana"] == 0.0


def test_it_does_not_where_it_has_none_of_them_or_the_question_says_the_name_itself(store: Store) -> None:
    empty = text("film", "A mural of the harbour hangs beside one by Ana Ortiz.", title="Sea Dogs")
    assert set(naming(store, "Who is the painter of the harbour mural?", MURAL, empty).values()) == {0.0}
    film = text("film", "Sea Dogs is a film about a pirate, with Ana Ortiz.", title="Sea Dogs")
    assert set(naming(store, f"{CASTING} Ana Ortiz?", MURAL, film).values()) == {0.0}


def test_a_link_in_brackets_names_a_title_in_small_letters(store: Store) -> None:
    keep(store, text("crane", "The harbour crane: see [[steel notes|there]]."), text("steel", "x", title="Steel notes"))
    assert ids(ask(store, BUILDER)) == ["crane", "steel"]


def test_what_nothing_names_does_not_come_in(store: Store) -> None:
    keep(store, *named_by_a_match(title="Ben Okafor"))
    assert ids(ask(store, BUILDER)) == ["crane"]


def test_a_name_that_many_memories_share_names_none(store: Store) -> None:
    crane, builder, rain = named_by_a_match()
    shared = [replace(builder, id=f"ana{number}", body=f"Painter {number}") for number in range(MOST_OF_ONE_NAME)]
    keep(store, crane, rain, *shared)
    assert len(ask(store, BUILDER)) == 1 + MOST_OF_ONE_NAME
    keep(store, replace(builder, id="one more"))
    assert ids(ask(store, BUILDER)) == ["crane"]


def test_a_memory_names_nobody_by_its_own_name(store: Store) -> None:
    keep(store, text("1", "The crane of Ana Ortiz.", title="Ana Ortiz"), text("2", "x", title="Ana Ortiz"))
    assert ids(ask(store, "crane")) == ["1"]


def test_of_many_that_a_match_names_only_some_come_in(store: Store) -> None:
    names = [f"Ana{chr(97 + number)}" for number in range(MOST_NAMED + 5)]
    crane = text("crane", "The harbour crane: " + ", ".join(f"{name} Ortiz" for name in names))
    keep(store, crane, *(text(name, f"Painter of {name}s", title=f"{name} Ortiz") for name in names))
    found = ask(store, "harbour crane", limit=50)
    assert sorted(ids(found)[1:]) == sorted(names[:MOST_NAMED]), "in the order they are named"


@pytest.mark.parametrize("fields", HIDDEN.values(), ids=HIDDEN)
def test_a_hidden_memory_does_not_come_in_because_it_is_named(store: Store, fields: dict[str, Any]) -> None:
    keep(store, *named_by_a_match(**fields))
    assert ids(ask(store, BUILDER)) == ["crane"]


def test_hidden_memories_take_up_no_place_and_share_no_weight(store: Store) -> None:
    names = [f"Ana{chr(97 + number)}" for number in range(MOST_NAMED + 1)]
    crane = text("crane", "The harbour crane: " + ", ".join(f"{name} Ortiz" for name in names))
    people = [text(name, f"Painter of {name}s", title=f"{name} Ortiz") for name in names]
    keep(store, crane, *(replace(each, lifecycle=Lifecycle.ARCHIVED) for each in people[:-1]), people[-1])
    lineup = lined_up(store, "harbour crane", vector=None)
    assert set(lineup.candidates) == {"crane", names[-1]}
    assert lineup.candidates[names[-1]].mention.alone == 1.0


def test_a_message_named_by_a_memory_is_left_to_its_own_source(store: Store) -> None:
    keep(store, *named_by_a_match(kind="message"))
    assert ids(ask(store, BUILDER)) == ["crane"]


# --- isolation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", [None, embedded(BUILDER)], ids=["words", "vectors"])
def test_nothing_of_another_space_comes_in_or_changes_a_number(store: Store, vector: Vector | None) -> None:
    keep(store, named_by_a_match()[0], *talk()[:2])
    questions = {False: BUILDER, True: ASKED}
    before = {
        messages: [(hit.memory.id, hit.relevance) for hit in ask(store, text, messages=messages, vector=vector)]
        for messages, text in questions.items()
    }
    others = [replace(each, space="other") for each in (*named_by_a_match(), *talk())]
    keep(store, *others, space="other")
    for messages, question in questions.items():
        hits = ask(store, question, messages=messages, vector=vector)
        assert [(hit.memory.id, hit.relevance) for hit in hits] == before[messages]
        assert {hit.memory.space for hit in hits} == {SPACE}
    assert "ana" in ids(ask(store, BUILDER, space="other")), "though it is there"


# --- order and relevance -------------------------------------------------------------------------


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "vectors"])
@pytest.mark.parametrize("question", ["Who built The Blue Boat?", "the blue boat", "Who built the Blue Boat of Ana?"])
def test_a_question_that_names_a_title_ranks_it_first(store: Store, question: str, vectors: bool) -> None:
    body = "It was built in Gdynia, of oak."
    keep(
        store, *make_memories(), text("a", body, title="Boat"), text("b", body, title="Boat, The Blue"),
        text("c", body, title="The Blue Boat"), text("d", body, title="The Blue Boat House"), text("e", body),
    )  # fmt: skip
    assert ids(ask(store, question, vector=embedded(question) if vectors else None))[0] == "c"


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "vectors"])
def test_a_question_about_something_else_finds_nothing_relevant(store: Store, vectors: bool) -> None:
    keep(store, *(replace(each, trust="user", tags=("kept",)) for each in make_memories()))
    on, off = "The office cat is called Minka?", "What is the boiling point of molten glacier basalt?"
    relevant = {
        question: [hit.relevance for hit in ask(store, question, vector=embedded(question) if vectors else None)]
        for question in (on, off)
    }
    assert all(0 <= each <= 1 for found in relevant.values() for each in found)
    assert max(relevant[on]) > 0.6
    assert max(relevant[off], default=0.0) < 0.3


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "vectors"])
def test_the_best_is_as_relevant_as_the_list_answers_and_all_stand_in_order(store: Store, vectors: bool) -> None:
    keep(store, *make_memories())
    question = "the rent of the office a month"
    lineup = lined_up(store, question, filters=Filters(), vector=embedded(question) if vectors else None)
    ranked = sorted(lineup.candidates.values(), key=lambda each: -lineup.score(each))
    assert lineup.relevance(ranked[0]) == lineup.answers
    relevances = [lineup.relevance(each) for each in ranked]
    assert relevances == sorted(relevances, reverse=True) and relevances[-1] < lineup.answers


def test_where_nothing_is_found_nothing_is_lined_up(store: Store) -> None:
    assert lined_up(store, "anything").candidates == {}
    keep(store, text("1", "A crane."))
    lineup = lined_up(store, "zebra", vector=None)
    assert (lineup.candidates, lineup.answers) == ({}, 0.0)


def test_vectors_of_another_embedder_leave_the_weights_for_words_alone(store: Store) -> None:
    keep(store, *named_by_a_match())
    foreign = Vector("another", embedded("x").data)
    assert [(hit.memory.id, hit.relevance) for hit in ask(store, BUILDER, vector=foreign)] == [
        (hit.memory.id, hit.relevance) for hit in ask(store, BUILDER)
    ]


def complementing(gain: float) -> Model:
    """The model with another gain for what better ones lack."""
    shipped = shipped_model()
    return Model(replace(shipped.with_vectors, complement=gain), replace(shipped.keyword_only, complement=gain))


TWO_SIDES = "Ana green tea steeped ceramic cups"


def keep_two_sides(store: Store) -> None:
    teas = [text(f"tea{n}", f"Ana has green tea steeped for {n} minutes.") for n in range(2, 6)]
    keep(store, *teas, text("cup", "Ceramic cups keep warm."), *make_memories(20))


def test_a_side_that_better_ones_lack_comes_before_one_more_of_the_same(store: Store) -> None:
    keep_two_sides(store)
    order = {}
    for gain in (0.0, 20.0):
        lineup = lined_up(store, TWO_SIDES, vector=None, names=("Ana",), model=complementing(gain))
        order[gain] = sorted(lineup.candidates, key=lambda id: (-lineup.score(lineup.candidates[id]), id))
    assert order[20.0][:2] == [order[0.0][0], "cup"] != order[0.0][:2]


# --- reasons -------------------------------------------------------------------------------------


@pytest.mark.parametrize("vectors", [False, True], ids=["words", "vectors"])
@pytest.mark.parametrize("question", [BUILDER, "the rent of the office", "green harbour Ana Ortiz painter rent"])
def test_the_explanation_adds_up_to_the_log_odds_of_the_relevance(store: Store, question: str, vectors: bool) -> None:
    keep(store, *named_by_a_match(), *make_memories())
    hits = ask(store, question, filters=Filters(), vector=embedded(question) if vectors else None)
    assert len(hits) > 1
    for hit in hits:
        why = next(each for each in hit.explanation.details if each.what == "log-odds of relevance")
        assert adds_up(hit.explanation)
        assert why.total() == pytest.approx(log(hit.relevance / (1 - hit.relevance)), abs=1e-6)


def test_the_standing_that_is_explained_is_the_score_that_ordered(store: Store) -> None:
    keep_two_sides(store)
    lineup = lined_up(store, TWO_SIDES, vector=None, names=("Ana",), model=complementing(20.0))
    adds = 0
    for each in lineup.candidates.values():
        standing = lineup.explain(each, links=0.0).details[1].details[0]
        assert (standing.what, standing.value) == ("standing in its list", pytest.approx(lineup.score(each)))
        adds += any(detail.what == "what it adds to the better ones" for detail in standing.details)
    assert adds, "or this would show less than it says"


# --- the same every time -------------------------------------------------------------------------


@pytest.mark.parametrize("question", [BUILDER, ASKED, "the rent of the office", "Minka"])
def test_both_stores_line_up_the_same(make_store: Callable[[], Store], clock: FakeClock, question: str) -> None:
    found = []
    for store in (make_store(), InMemoryStore(clock.now)):
        keep(store, *named_by_a_match(), *talk(), *make_memories())
        lineup = lined_up(store, question, all_kinds=True, filters=Filters())
        found.append({id: lineup.relevance(each) for id, each in lineup.candidates.items()})
    assert found[0] == pytest.approx(found[1], abs=1e-4)
    assert found[0].keys() == found[1].keys() != set()


def test_asking_twice_gives_the_same(store: Store) -> None:
    keep(store, *named_by_a_match(), *talk(), *make_memories())
    assert ask(store, BUILDER) == ask(store, BUILDER)
