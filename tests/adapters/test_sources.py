"""A stranger's search as a source: the contract, what it may give, what it may not do, and how relevant it is."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from recollect import BlockingRecollect, Filters, InvalidInput, Recollect, TimeRange
from recollect.adapters.sources import CallableSource
from recollect.ports import Source
from recollect.records import Memory
from recollect.testing.corpus import make_memory
from recollect.testing.source_contract import OTHER_SPACE, SPACE, MakeSource, SourceContract
from recollect.values import Abilities, Explanation, Hit, Lookup, VerdictKind

from .conftest import OPENED

WORD = re.compile(r"\w+")
QUESTION = "Who keeps the lighthouse of Vila Nova?"
KEEPER = "Ines keeps the lighthouse of Vila Nova since 2011."
FERRY = "The ferry to the island leaves at nine in the morning."


def finds(memories: Sequence[Memory]) -> Callable[[str], list[dict[str, Any]]]:
    """A search like many: shared words, scores on a scale of its own."""

    def ask(text: str) -> list[dict[str, Any]]:
        wanted = set(WORD.findall(text.lower()))
        scored = [
            (17.5 * len(wanted & set(WORD.findall(f"{each.title} {each.body}".lower()))), each) for each in memories
        ]
        found = sorted((pair for pair in scored if pair[0]), key=lambda pair: (-pair[0], pair[1].id))
        return [
            {"id": each.id, "title": each.title, "text": each.body, "score": score, "space": each.space}
            for score, each in found
        ]

    return ask


def lookup(text: str = QUESTION, **fields: Any) -> Lookup:
    return Lookup(text, **{"space": SPACE, "source": "own", "limit": 10, **fields})


def found(source: Source, text: str = QUESTION, **fields: Any) -> list[Hit]:
    return list(asyncio.run(source.search(lookup(text, **fields))).hits)


class TestBlockingFunction(SourceContract):
    @pytest.fixture
    def make_source(self) -> MakeSource:
        return lambda memories: CallableSource(finds(memories), name="own", spaces=(SPACE, OTHER_SPACE))


class TestCoroutine(SourceContract):
    @pytest.fixture
    def make_source(self) -> MakeSource:
        def make(memories: Sequence[Memory]) -> Source:
            ask = finds(memories)

            async def later(text: str) -> list[dict[str, Any]]:
                await asyncio.sleep(0)
                return ask(text)

            return CallableSource(later, name="own", spaces=(SPACE, OTHER_SPACE))

        return make


class TestWithChances(SourceContract):
    @pytest.fixture
    def make_source(self) -> MakeSource:
        def chance(score: float) -> float:
            return score / (score + 50)

        return lambda memories: CallableSource(finds(memories), name="own", spaces=(SPACE, OTHER_SPACE), chance=chance)


# --- what it may give --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "item",
    [
        KEEPER,
        {"text": KEEPER},
        {"body": KEEPER, "id": 7, "title": "Keeper", "score": 3, "unknown": {"x": 1}},
        {"content": KEEPER, "url": "https://example.org/keeper", "created_at": "2020-01-01T00:00:00+00:00"},
        make_memory(0, body=KEEPER),
        Hit(make_memory(0, body=KEEPER), "elsewhere", 1.0, 0.9, Explanation(1.0, "known")),
    ],
    ids=["text", "table", "more of it", "other names", "memory", "hit"],
)
def test_texts_tables_memories_and_hits_become_hits(item: Any) -> None:
    (hit,) = found(CallableSource(lambda text: [item], name="own"))
    assert (hit.source, hit.memory.body, hit.memory.space) == ("own", KEEPER, SPACE)
    assert 0 < hit.relevance <= 1


def test_a_table_says_what_it_knows() -> None:
    table = {
        "id": "k1", "text": KEEPER, "title": "Keeper", "url": "https://example.org/k", "author": "Ana", "kind": "note",
        "tags": ["sea"], "event_time": datetime(2020, 5, 1, tzinfo=UTC), "stars": 5, "odd": {1, 2} - {2},
    }  # fmt: skip
    (hit,) = found(CallableSource(lambda text: [table], name="own", trust="web"))
    memory = hit.memory
    assert (memory.id, memory.title, memory.source_uri) == ("own:k1", "Keeper", "https://example.org/k")
    assert (memory.author, memory.kind, memory.tags, memory.trust) == ("Ana", "note", ("sea",), "web")
    assert memory.event_time == datetime(2020, 5, 1, tzinfo=UTC)
    assert dict(memory.metadata) == {"stars": 5, "odd": "{1}"}


def test_its_ids_cannot_be_taken_for_those_of_stored_memories() -> None:
    (hit,) = found(CallableSource(lambda text: [{"id": "memory-0000", "text": KEEPER}], name="own"))
    assert hit.memory.id == "own:memory-0000"


@pytest.mark.parametrize("given", [None, KEEPER, {"text": KEEPER}, 7, [7], [None], [["nested"]]], ids=repr)
def test_anything_else_is_a_failure_and_never_an_empty_reply(given: Any) -> None:
    with pytest.raises(TypeError, match="give"):
        found(CallableSource(lambda text: given, name="own"))


def test_a_list_that_never_ends_is_cut() -> None:
    endless = CallableSource(lambda text: (f"{KEEPER} {number}" for number in count()), name="own")
    assert len(found(endless)) == 10


def test_texts_without_words_are_left_out_and_half_characters_mended() -> None:
    hits = found(CallableSource(lambda text: ["", " \n", KEEPER + "\ud800"], name="own"))
    assert [hit.memory.body for hit in hits] == [KEEPER + "?"]


@pytest.mark.parametrize(
    "wrong", [{"ask": 7}, {"name": ""}, {"name": 3}, {"spaces": "default"}], ids=lambda wrong: str(next(iter(wrong)))
)
def test_a_source_that_cannot_be_is_refused_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        CallableSource(**{"ask": list, "name": "own", **wrong})


# --- what may be seen --------------------------------------------------------------------------------


def test_it_is_open_to_the_default_space_unless_others_are_named() -> None:
    def ask(text: str) -> list[str]:
        return [KEEPER]

    assert found(CallableSource(ask, name="own"), space="default")
    assert not found(CallableSource(ask, name="own"), space="work")
    assert not found(CallableSource(ask, name="own", spaces=["work"]), space="default")
    assert found(CallableSource(ask, name="own", spaces=["work"]), space="work")
    assert found(CallableSource(ask, name="own", spaces=None), space="whatever")


def test_a_function_may_be_given_the_whole_lookup() -> None:
    asked: list[Lookup] = []

    def ask(lookup: Lookup) -> list[str]:
        asked.append(lookup)
        return [KEEPER]

    source = CallableSource.of_lookups(ask, name="own", spaces=None)
    assert found(source, space="work", limit=3)
    assert (asked[0].space, asked[0].limit, asked[0].text) == ("work", 3, QUESTION)


def test_filters_hold_for_what_it_says_of_itself() -> None:
    old, new = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    items = [
        {"text": f"{KEEPER} old", "created_at": old, "kind": "note"},
        {"text": f"{KEEPER} new", "created_at": new, "kind": "note"},
        {"text": f"{KEEPER} undated"},
    ]
    source = CallableSource(lambda text: items, name="own")
    since = Filters(time=TimeRange(start=new - timedelta(days=1)))
    assert [hit.memory.body for hit in found(source, filters=since)] == [f"{KEEPER} new"]
    assert len(found(source, filters=Filters(kinds=frozenset({"note"})))) == 2
    assert [hit.memory.body for hit in found(source, filters=Filters(as_of=old + timedelta(days=1)))] == [
        f"{KEEPER} old"
    ]


# --- how relevant ------------------------------------------------------------------------------------


def relevances(*items: Any, **options: Any) -> dict[str, float]:
    source = CallableSource(lambda text: list(items), name="own", **options)
    return {hit.memory.body: hit.relevance for hit in found(source)}


def test_what_answers_is_far_above_what_is_about_something_else() -> None:
    assert relevances(KEEPER)[KEEPER] > 0.7
    assert relevances(FERRY)[FERRY] < 0.3
    both = relevances(FERRY, KEEPER)
    assert both[KEEPER] > 0.7
    assert both[KEEPER] > 2 * both[FERRY]


def test_of_two_that_say_the_same_the_one_that_came_first_stands_higher() -> None:
    other = KEEPER.replace("Ines", "Marta")
    one_way, other_way = relevances(KEEPER, other), relevances(other, KEEPER)
    assert one_way[KEEPER] > one_way[other]
    assert other_way[other] > other_way[KEEPER]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9, -1e9])
def test_a_score_whose_scale_nobody_knows_changes_nothing(scale: float) -> None:
    scored = relevances({"text": KEEPER, "score": scale}, {"text": FERRY, "score": 2 * scale})
    assert scored == relevances(KEEPER, FERRY)


def test_a_score_the_caller_can_read_is_read() -> None:
    items = [{"text": FERRY, "score": 0.9}, {"text": KEEPER, "score": 0.2}, {"text": "unscored ferry"}]
    read = relevances(*items, chance=lambda score: score)
    assert (read[FERRY], read[KEEPER]) == (0.9, 0.2)
    assert read["unscored ferry"] < 0.3
    assert set(relevances({"text": KEEPER, "score": 40}, chance=lambda score: score).values()) == {1.0}


# --- inside retrieve ---------------------------------------------------------------------------------


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., BlockingRecollect]]:
    made: list[BlockingRecollect] = []

    def make(*sources: Any, **settings: Any) -> BlockingRecollect:
        made.append(BlockingRecollect.open(tmp_path / "own", sources=sources, **OPENED, **settings))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_it_is_searched_beside_what_is_stored(opened: Callable[..., BlockingRecollect]) -> None:
    memory = opened(CallableSource(lambda text: [KEEPER], name="own"))
    memory.remember("The lighthouse of Vila Nova was built in 1899.")
    answer = memory.retrieve("Who keeps the lighthouse of Vila Nova, and when was it built?")
    assert answer.verdict is VerdictKind.ANSWERABLE
    assert {source for piece in answer.evidence for source in piece.sources} >= {"own", "memory"}


def test_a_question_about_something_else_stays_unanswered(opened: Callable[..., BlockingRecollect]) -> None:
    memory = opened(CallableSource(lambda text: [KEEPER, FERRY], name="own"))
    assert memory.retrieve("What does the yoga teacher charge per hour?").verdict is VerdictKind.NONE


@pytest.mark.parametrize("colour", ["blocking", "awaiting"])
def test_one_that_hangs_is_left_behind_at_the_deadline(opened: Callable[..., BlockingRecollect], colour: str) -> None:
    never = threading.Event()

    def blocks(text: str) -> list[str]:
        never.wait()
        return []

    async def awaits(text: str) -> list[str]:
        await asyncio.Event().wait()
        return []

    memory = opened(CallableSource(blocks if colour == "blocking" else awaits, name="own"))
    memory.remember(KEEPER)
    answer = memory.retrieve(QUESTION, deadline=2)
    assert [piece.memory.body for piece in answer.evidence] == [KEEPER]
    assert any("'own' timed out" in note for note in answer.degraded)
    again = memory.retrieve(QUESTION, deadline=2)
    assert any("'own'" in note for note in again.degraded)
    never.set()


@pytest.mark.parametrize(
    "broken", [lambda text: 1 / 0, lambda text: None, lambda text: [{"created_at": 3, "text": "x"}]]
)
def test_one_that_fails_is_named_and_the_others_go_on(
    opened: Callable[..., BlockingRecollect], broken: Callable[[str], Any]
) -> None:
    memory = opened(CallableSource(broken, name="own"))
    memory.remember(KEEPER)
    answer = memory.retrieve(QUESTION)
    assert [piece.memory.body for piece in answer.evidence] == [KEEPER]
    assert any("'own' failed" in note for note in answer.degraded)


def test_two_sources_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("memory", "own"):
        twins = [CallableSource(list, name=name), CallableSource(list, name=name)]
        with pytest.raises(InvalidInput, match=f"two sources are called {name!r}"):
            Recollect.open(tmp_path, environment={}, embedder="static", sources=twins)


def test_a_registered_source_is_opened_by_its_name(tmp_path: Path) -> None:
    settings = {**OPENED, "enable_memory": False}
    with BlockingRecollect.open(tmp_path, sources=["memory"], **settings) as memory:
        memory.remember(KEEPER)
        assert memory.retrieve(QUESTION).evidence[0].sources[0] == "memory"
    with pytest.raises(InvalidInput, match="no source is called 'nowhere'"):
        Recollect.open(tmp_path, sources=["nowhere"], **settings)


def test_any_source_may_be_added(opened: Callable[..., BlockingRecollect]) -> None:
    class Shelf:
        name = "shelf"
        abilities = Abilities(filters=False)

        async def search(self, lookup: Lookup) -> Any:
            own = CallableSource(lambda text: [KEEPER], name="shelf")
            return await own.search(replace(lookup, source="shelf"))

        async def close(self) -> None: ...

    assert opened(Shelf()).retrieve(QUESTION).evidence[0].sources == ("shelf",)
