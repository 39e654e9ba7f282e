from __future__ import annotations

import struct
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from recollect.errors import WriteConflict
from recollect.ingest.write import Desk, store_draft
from recollect.ports import Store
from recollect.records import Draft, Filters, Lifecycle, PutMemory, Vector
from recollect.settings import WriteSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.clock import FakeClock
from recollect.testing.store_contract import vector
from recollect.values import Fate, Remembered

SPACE = "default"
EAST = vector(1.0, 0.0)
CLOSE = vector(0.93, 0.3676)  # cosine .93 to EAST
SAME = vector(0.97, 0.2431)  # cosine .97
NORTH = vector(0.0, 1.0)


@pytest.fixture
def desk(store: SqliteStore, clock: FakeClock) -> Desk:
    return Desk(store, WriteSettings(), clock.now, Random(7).randbytes)


def write(desk: Desk, body: str, at: Vector | None = EAST, *, key: str | None = None, **fields: Any) -> Remembered:
    return store_draft(Draft(body=body, **fields), space=SPACE, vector=at, key=key, desk=desk)


def count(store: Store) -> int:
    return len(store.browse(SPACE, Filters(lifecycles=frozenset(Lifecycle), superseded=True), limit=100))


# --- the same again ------------------------------------------------------------------------------


def test_a_new_text_is_stored_with_its_vector(desk: Desk, store: SqliteStore) -> None:
    stored = write(desk, "The rent is due.")
    assert stored.fate is Fate.STORED
    (memory,) = store.read(SPACE, [stored.id])
    assert (memory.body, memory.embedded_by) == ("The rent is due.", EAST.identity)


@pytest.mark.parametrize("again", ["The rent is due.", "  The rent\n is due. "], ids=["same", "other white space"])
def test_the_same_text_is_a_duplicate_whatever_its_vector(again: str, desk: Desk, store: SqliteStore) -> None:
    first = write(desk, "The rent is due.")
    assert write(desk, again, NORTH) == Remembered(first.id, Fate.DUPLICATE)
    assert count(store) == 1


def test_the_same_body_under_another_title_is_no_duplicate_by_content(desk: Desk, store: SqliteStore) -> None:
    write(desk, "It is due.", title="Rent")
    assert write(desk, "It is due.", NORTH, title="Invoice").fate is Fate.STORED


def test_the_same_text_in_another_space_is_no_duplicate(desk: Desk) -> None:
    write(desk, "The rent is due.")
    elsewhere = store_draft(Draft(body="The rent is due."), space="other", vector=EAST, key=None, desk=desk)
    assert elsewhere.fate is Fate.STORED


MONDAY, TUESDAY = datetime(2026, 3, 2, tzinfo=UTC), datetime(2026, 3, 3, tzinfo=UTC)
OCCASIONS = {
    "another day": ({"event_time": MONDAY}, {"event_time": TUESDAY}, Fate.STORED),
    "another speaker": ({"author": "Ana"}, {"author": "Bob"}, Fate.STORED),
    "another project": ({"project": "crm"}, {"project": "billing"}, Fate.STORED),
    "another kind": ({"kind": "fact"}, {"kind": "message"}, Fate.STORED),
    "the same day and speaker": (
        {"author": "Ana", "event_time": MONDAY},
        {"author": "Ana", "event_time": MONDAY},
        Fate.DUPLICATE,
    ),
    "a day only the first names": ({"event_time": MONDAY}, {}, Fate.DUPLICATE),
}


@pytest.mark.parametrize(("first", "again", "fate"), OCCASIONS.values(), ids=OCCASIONS)
@pytest.mark.parametrize("vector", [EAST, None], ids=["with vector", "by content alone"])
def test_the_same_words_on_another_occasion_are_another_memory(
    first: dict[str, Any], again: dict[str, Any], fate: Fate, vector: Vector | None, desk: Desk
) -> None:
    write(desk, "Went running along the river.", vector, **first)
    assert write(desk, "Went running along the river.", vector, **again).fate is fate


def test_an_occasion_is_recognised_among_several_with_the_same_words(desk: Desk) -> None:
    ids = [write(desk, "Fine by me.", author=author).id for author in ("Ana", "Bob", "Cleo")]
    assert write(desk, "Fine by me.", author="Bob") == Remembered(ids[1], Fate.DUPLICATE)


def test_a_text_that_was_archived_may_be_stored_again(desk: Desk, store: SqliteStore) -> None:
    from dataclasses import replace

    first = write(desk, "The rent is due.")
    (memory,) = store.read(SPACE, [first.id])
    store.apply(SPACE, [PutMemory(replace(memory, lifecycle=Lifecycle.ARCHIVED))])
    assert write(desk, "The rent is due.").fate is Fate.STORED


# --- nearly the same -----------------------------------------------------------------------------


def test_nearly_the_same_is_not_stored_twice(desk: Desk, store: SqliteStore) -> None:
    first = write(desk, "The rent is due.")
    again = write(desk, "The rent falls due.", SAME)
    assert (again.id, again.fate) == (first.id, Fate.DUPLICATE)
    assert again.similar[0][0] == first.id
    assert again.similar[0][1] == pytest.approx(0.97, abs=0.01)
    assert count(store) == 1


def test_similar_is_stored_and_linked(desk: Desk, store: SqliteStore) -> None:
    first = write(desk, "The rent is due.")
    second = write(desk, "The rent falls due soon.", CLOSE)
    assert second.fate is Fate.STORED
    (link,) = store.links(SPACE, [second.id])
    assert (link.from_id, link.to_id, link.relation) == (second.id, first.id, "similar_to")
    assert link.weight == pytest.approx(0.93, abs=0.01)


def test_what_is_far_is_stored_without_links(desk: Desk, store: SqliteStore) -> None:
    write(desk, "The rent is due.")
    assert store.links(SPACE, [write(desk, "Bees dance.", NORTH).id]) == []


DIFFER = {
    "numbers": ("The rent is 4,200 euros.", "The rent is 4,500 euros."),
    "names": ("The landlord is called Ana.", "The landlord is called Ben."),
    "negation": ("The rent was paid.", "The rent was not paid."),
    "tickers": ("We hold BTC.", "We hold ETH."),
}


@pytest.mark.parametrize(("one", "other"), DIFFER.values(), ids=DIFFER)
def test_what_differs_in_a_detail_is_stored_and_linked(one: str, other: str, desk: Desk, store: SqliteStore) -> None:
    first = write(desk, one)
    second = write(desk, other, EAST)
    assert second.fate is Fate.STORED
    assert [link.to_id for link in store.links(SPACE, [second.id])] == [first.id]
    assert count(store) == 2


def test_another_kind_is_not_the_same(desk: Desk) -> None:
    write(desk, "The rent is due.", kind="fact")
    assert write(desk, "The rent falls due.", kind="lesson").fate is Fate.STORED


def test_the_cosines_are_settings(store: SqliteStore, clock: FakeClock) -> None:
    strict = Desk(store, WriteSettings(same_cosine=1.0, similar_cosine=1.0), clock.now, Random(7).randbytes)
    write(strict, "The rent is due.")
    assert write(strict, "The rent falls due.", SAME).similar == ()


def test_without_a_vector_only_the_text_is_compared(desk: Desk) -> None:
    write(desk, "The rent is due.", None)
    assert write(desk, "The rent falls due.", None).fate is Fate.STORED
    assert write(desk, "The rent is due.", None).fate is Fate.DUPLICATE


# --- idempotency keys ----------------------------------------------------------------------------


def test_a_repeated_key_gives_the_first_answer_and_writes_nothing(desk: Desk, store: SqliteStore) -> None:
    first = write(desk, "The rent is due.", key="k")
    again = write(desk, "The rent is due.", key="k")
    assert (again.id, again.fate) == (first.id, Fate.REPEATED)
    assert count(store) == 1


def test_a_repeated_key_holds_although_the_first_text_was_changed_since(desk: Desk, store: SqliteStore) -> None:
    from dataclasses import replace

    first = write(desk, "The rent is due.", key="k")
    (memory,) = store.read(SPACE, [first.id])
    store.apply(SPACE, [PutMemory(replace(memory, body="Other words", content_hash="other", embedded_by=None))])
    again = write(desk, "The rent is due.", NORTH, key="k")
    assert (again.id, again.fate) == (first.id, Fate.REPEATED)
    assert count(store) == 1


CHANGED: dict[str, dict[str, Any]] = {
    "another text": {"body": "The deposit is due."},
    "another title": {"title": "Rent"},
    "another tag": {"tags": ("a",)},
    "other metadata": {"metadata": {"a": 1}},
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_a_key_used_for_something_else_is_a_conflict(change: dict[str, Any], desk: Desk, store: SqliteStore) -> None:
    write(desk, "The rent is due.", key="k")
    with pytest.raises(WriteConflict, match="'k'"):
        write(desk, **{"body": "The rent is due.", "at": NORTH, **change}, key="k")
    assert count(store) == 1


def test_a_key_given_with_a_duplicate_is_remembered(desk: Desk) -> None:
    first = write(desk, "The rent is due.")
    assert write(desk, "The rent is due.", key="k").fate is Fate.DUPLICATE
    again = write(desk, "The rent is due.", key="k")
    assert (again.id, again.fate) == (first.id, Fate.REPEATED)


def test_keys_of_two_spaces_do_not_meet(desk: Desk) -> None:
    write(desk, "The rent is due.", key="k")
    other = store_draft(Draft(body="Something else."), space="other", vector=EAST, key="k", desk=desk)
    assert other.fate is Fate.STORED


# --- another embedder ----------------------------------------------------------------------------


def test_a_vector_of_another_embedder_is_left_out_and_it_is_said(desk: Desk, store: SqliteStore) -> None:
    write(desk, "The rent is due.")
    stored = write(desk, "Bees dance.", Vector("another", struct.pack("<3f", 1, 0, 0)))
    assert stored.fate is Fate.STORED
    assert any("not compared" in note for note in stored.notes)
    assert any("without a vector" in note and "reindex" in note for note in stored.notes)
    assert store.read(SPACE, [stored.id])[0].embedded_by is None


# --- what is kept --------------------------------------------------------------------------------


def test_every_field_of_a_draft_is_kept(desk: Desk, store: SqliteStore, clock: FakeClock) -> None:
    fields: dict[str, Any] = {
        "title": " Rent ", "kind": "fact", "summary": "rent", "event_time": clock.now(), "project": "p",
        "source_uri": "file:///a", "source_position": "1", "author": "Ana", "trust": "web", "tags": ("b", "a", "b"),
        "clusters": ("c",), "metadata": {"a": [1, {"b": None}]},
    }  # fmt: skip
    (memory,) = store.read(SPACE, [write(desk, "The rent is due.", **fields).id])
    expected = {**fields, "title": "Rent", "tags": ("b", "a")}
    assert {name: getattr(memory, name) for name in fields} == expected
    assert (memory.created_at, memory.updated_at) == (clock.now(), clock.now())
