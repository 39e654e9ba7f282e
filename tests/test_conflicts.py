"""Memories that contradict each other: listed from links and answers, decided for good, never deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from recollect import Filters, InvalidInput, NotFound, Recollect, Refused, WriteConflict
from recollect.records import Memory, TraceRecord
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock
from recollect.values import ConflictKind, Dispute, Resolution, Ruling

QUESTION = "rent of the office euros a month"
MERGED = "The rent of the office is 4,200 euros a month, 4,500 with heating."


def run(work: Awaitable[Any]) -> Any:
    async def main() -> Any:
        return await work

    return asyncio.run(main())


def remember(recollect: Recollect, body: str, **fields: Any) -> str:
    id: str = run(recollect.remember(body, **fields)).id
    return id


def listed(recollect: Recollect, **given: Any) -> list[tuple[str, str]]:
    return [(each.newer.id, each.older.id) for each in run(recollect.conflicts(**given))]


def current(recollect: Recollect) -> set[str]:
    return {memory.id for memory in run(recollect.browse(limit=100))}


def everything(recollect: Recollect) -> list[Memory]:
    memories: list[Memory] = run(recollect.browse(filters=Filters(superseded=True), limit=100))
    return memories


@pytest.fixture
def rents(recollect: Recollect, clock: FakeClock) -> tuple[str, str]:
    """The newer and the older of two that say different things."""
    old = remember(recollect, "The rent of the office is 4,200 euros a month.", title="Rent")
    clock.jump(60)
    new = remember(recollect, "The rent of the office is 4,500 euros a month.", title="Rent")
    clock.jump(60)
    return new, old


@pytest.fixture
def stated(recollect: Recollect, rents: tuple[str, str]) -> tuple[str, str]:
    run(recollect.link(rents[1], rents[0], "contradicts"))
    return rents


# --- listing -------------------------------------------------------------------------------------


def test_a_stated_contradiction_is_listed(recollect: Recollect, stated: tuple[str, str]) -> None:
    (dispute,) = run(recollect.conflicts())
    assert (dispute.newer.id, dispute.older.id) == stated
    assert (dispute.kind, dispute.reason) == (ConflictKind.TEMPORAL, "stated_contradiction")
    assert dispute.trace_id is None


def test_what_an_answer_came_upon_is_listed_with_its_trace(recollect: Recollect, rents: tuple[str, str]) -> None:
    assert listed(recollect) == []
    answer = run(recollect.retrieve(QUESTION))
    (dispute,) = run(recollect.conflicts())
    assert (dispute.newer.id, dispute.older.id) == rents
    (told,) = answer.conflicts
    assert (dispute.kind, dispute.reason, dispute.trace_id) == (told.kind, told.reason, answer.trace.id)


def test_a_pair_is_listed_once_however_often_it_is_said(recollect: Recollect, stated: tuple[str, str]) -> None:
    run(recollect.link(stated[0], stated[1], "contradicts"))
    for _ in range(3):
        run(recollect.retrieve(QUESTION))
    assert listed(recollect) == [stated]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("verb", ["archive", "supersede", "forget"])
def test_only_what_is_current_is_listed(recollect: Recollect, stated: tuple[str, str], verb: str, side: int) -> None:
    more = ("The rent of the office is 5,000 euros a month.",) if verb == "supersede" else ()
    run(recollect.retrieve(QUESTION))
    run(getattr(recollect, verb)(stated[side], *more))
    assert listed(recollect) == []


def test_another_space_is_not_looked_at(recollect: Recollect, stated: tuple[str, str]) -> None:
    assert listed(recollect, space="elsewhere") == []


def several(recollect: Recollect, clock: FakeClock) -> list[Dispute]:
    for number in range(5):
        ids = []
        for amount in (100, 200):
            ids.append(remember(recollect, f"Flat number {number} costs {amount} euros.", kind=f"kind{number}{amount}"))
            clock.jump(60)
        run(recollect.link(ids[0], ids[1], "contradicts"))
    disputes: list[Dispute] = run(recollect.conflicts())
    return disputes


def test_the_newest_comes_first_and_a_cursor_goes_on(recollect: Recollect, clock: FakeClock) -> None:
    whole = several(recollect, clock)
    assert len(whole) == 5
    assert [each.newer.created_at for each in whole] == sorted((e.newer.created_at for e in whole), reverse=True)
    first = run(recollect.conflicts(limit=2))
    rest = run(recollect.conflicts(limit=100, after=first[-1].cursor))
    assert [*first, *rest] == whole
    assert run(recollect.conflicts(limit=0)) == []


def test_the_cursor_may_be_resolved_meanwhile(recollect: Recollect, clock: FakeClock) -> None:
    whole = several(recollect, clock)
    for each in whole[:2]:
        run(recollect.resolve_conflict(each.newer.id, each.older.id, "new_is_current"))
    assert run(recollect.conflicts(after=whole[1].cursor)) == whole[2:]


@pytest.mark.parametrize("after", ["nobody:nothing", "a", "a:b:c", ":", "%00:%ff"])
def test_a_cursor_nobody_gave_is_refused(recollect: Recollect, stated: tuple[str, str], after: str) -> None:
    with pytest.raises(NotFound, match="start again without it"):
        run(recollect.conflicts(after=after))


def test_ids_with_any_character_make_a_cursor(recollect: Recollect, stated: tuple[str, str]) -> None:
    lines = run(recollect.export_space())
    renamed = [line.replace(stated[0], "a:%3A").replace(stated[1], "doc: 1/ü") for line in lines]
    run(recollect.import_space(renamed, space="other"))
    (dispute,) = run(recollect.conflicts(space="other"))
    assert {dispute.newer.id, dispute.older.id} == {"a:%3A", "doc: 1/ü"}
    assert run(recollect.conflicts(space="other", after=dispute.cursor)) == []


@pytest.mark.parametrize("payload", ["", "{", '{"version":99}'])
def test_a_trace_that_cannot_be_read_speaks_of_none(
    recollect: Recollect, store: SqliteStore, clock: FakeClock, stated: tuple[str, str], payload: str
) -> None:
    damaged = TraceRecord("t", clock.now(), "q", "none", 0.0, "enough", 0.1, payload, frozenset(stated))
    store.note("default", damaged, keep=10)
    assert listed(recollect) == [stated]


# --- deciding ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "keeps"), [("new_is_current", 0), ("old_is_current", 1)])
def test_the_other_is_superseded_and_stays(
    recollect: Recollect, stated: tuple[str, str], clock: FakeClock, how: str, keeps: int
) -> None:
    kept, gone = stated[keeps], stated[1 - keeps]
    resolved = run(recollect.resolve_conflict(*stated, how))
    assert (resolved.how, resolved.current, resolved.superseded) == (Ruling(how), (kept,), (gone,))
    assert current(recollect) == {kept}
    (closed,) = [memory for memory in everything(recollect) if memory.id == gone]
    assert closed.valid_to == clock.now()
    assert ("supersedes", kept, gone) in [(e.relation, e.from_id, e.to_id) for e in run(recollect.links(kept))]
    assert listed(recollect) == []


def test_which_of_two_comes_first_in_the_call_does_not_matter(recollect: Recollect, stated: tuple[str, str]) -> None:
    resolved = run(recollect.resolve_conflict(stated[1], stated[0], "new_is_current"))
    assert resolved.current == (stated[0],)


def test_both_kept_are_not_listed_again_and_no_answer_calls_it_a_conflict(
    recollect: Recollect, rents: tuple[str, str]
) -> None:
    assert run(recollect.retrieve(QUESTION)).conflicts
    resolved = run(recollect.resolve_conflict(*rents, "keep_both"))
    assert (resolved.current, resolved.superseded) == (rents, ())
    assert current(recollect) == set(rents)
    answer = run(recollect.retrieve(QUESTION))
    assert not answer.conflicts
    assert {piece.memory.id for piece in answer.evidence} >= set(rents)
    assert listed(recollect) == []
    (link,) = [link for link in run(recollect.links(rents[0])) if link.relation == "coexists_with"]
    assert link.evidence == "resolved as keep_both"


def test_keeping_both_can_be_changed(recollect: Recollect, stated: tuple[str, str]) -> None:
    run(recollect.resolve_conflict(*stated, "keep_both"))
    run(recollect.resolve_conflict(*stated, "new_is_current"))
    assert current(recollect) == {stated[0]}
    assert "coexists_with" not in {link.relation for link in run(recollect.links(stated[0]))}


def test_a_merge_supersedes_both(recollect: Recollect, stated: tuple[str, str]) -> None:
    run(recollect.update(stated[0], tags=["money"], clusters=["office"]))
    run(recollect.update(stated[1], tags=["old"]))
    resolved = run(recollect.resolve_conflict(*stated, "merge", text=MERGED))
    (id,) = resolved.current
    assert resolved.superseded == stated
    assert current(recollect) == {id}
    made = run(recollect.get(id))
    assert (made.body, made.title, made.tags, made.clusters) == (MERGED, "Rent", ("money", "old"), ("office",))
    assert made.embedded_by is not None
    assert {piece.memory.id for piece in run(recollect.retrieve(QUESTION)).evidence} == {id}


@pytest.mark.parametrize("how", list(Ruling))
def test_the_same_again_changes_nothing(recollect: Recollect, stated: tuple[str, str], how: Ruling) -> None:
    text = MERGED if how is Ruling.MERGE else None
    first = run(recollect.resolve_conflict(*stated, how, text=text))
    before = run(recollect.export_space())
    assert run(recollect.resolve_conflict(*reversed(stated), how, text=text)) == first
    assert run(recollect.export_space()) == before


@pytest.mark.parametrize(("then", "text"), [("old_is_current", None), ("keep_both", None), ("merge", MERGED)])
def test_another_decision_after_one_is_a_conflict(
    recollect: Recollect, stated: tuple[str, str], then: str, text: str | None
) -> None:
    run(recollect.resolve_conflict(*stated, "new_is_current"))
    before = run(recollect.export_space())
    with pytest.raises(WriteConflict, match="superseded"):
        run(recollect.resolve_conflict(*stated, then, text=text))
    assert run(recollect.export_space()) == before


def test_another_text_is_another_merge(recollect: Recollect, stated: tuple[str, str]) -> None:
    run(recollect.resolve_conflict(*stated, "merge", text=MERGED))
    with pytest.raises(WriteConflict):
        run(recollect.resolve_conflict(*stated, "merge", text=f"{MERGED} Or so they say."))


# --- many at once, and mistakes ------------------------------------------------------------------


def test_several_are_decided_in_order(recollect: Recollect, clock: FakeClock) -> None:
    whole = several(recollect, clock)
    hows = ["new_is_current", "old_is_current", "keep_both", "merge", "keep_both"]
    texts = [None, None, None, "Flat number 1 costs 100 euros and then 200.", None]
    wanted = [Resolution(e.newer.id, e.older.id, how, text) for e, how, text in zip(whole, hows, texts, strict=True)]
    resolved = run(recollect.resolve_conflicts(wanted))
    assert [each.how.value for each in resolved] == hows
    assert listed(recollect) == []
    before = run(recollect.export_space())
    assert run(recollect.resolve_conflicts(wanted)) == resolved
    assert run(recollect.export_space()) == before


def test_one_may_lose_against_several(recollect: Recollect, clock: FakeClock) -> None:
    ids = []
    for amount in (100, 200, 300):
        ids.append(remember(recollect, f"The flat costs {amount} euros.", kind=f"kind{amount}"))
        clock.jump(60)
    pairs = [(ids[1], ids[0]), (ids[2], ids[0]), (ids[2], ids[1])]
    run(recollect.resolve_conflicts([Resolution(*pair, "new_is_current") for pair in pairs]))
    assert current(recollect) == {ids[2]}


MISTAKES: dict[str, tuple[dict[str, Any], type[Exception], str | None]] = {
    "an unknown way": ({"how": "toss_a_coin"}, InvalidInput, "how"),
    "a merge without text": ({"how": "merge"}, InvalidInput, "text"),
    "text without a merge": ({"text": MERGED}, InvalidInput, "text"),
    "a text not worth keeping": ({"how": "merge", "text": "hi"}, Refused, "body"),
    "a memory with itself": ({"other": "one"}, InvalidInput, "other"),
    "no id": ({"other": ""}, InvalidInput, "other"),
    "a memory nobody knows": ({"other": "nobody"}, NotFound, None),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_anywhere_writes_nothing(recollect: Recollect, stated: tuple[str, str], mistake: str) -> None:
    changes, error, field = MISTAKES[mistake]
    ids = {"one": stated[0], "other": stated[1]}
    given = {**ids, "how": "new_is_current", **changes}
    given["other"] = ids.get(given["other"], given["other"])
    before = run(recollect.export_space())
    good = Resolution(*stated, "new_is_current")
    with pytest.raises(error) as raised:
        run(recollect.resolve_conflicts([good, Resolution(**given)]))
    assert getattr(raised.value, "field", None) == field
    assert run(recollect.export_space()) == before
