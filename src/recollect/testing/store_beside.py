"""What every store must say about the memories beside one, as tests; part of `store_contract`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from recollect.ports import Store
from recollect.records import SITTING, Beside, EraseMemory, Lifecycle, Memory, PutMemory, Touch
from recollect.testing.store_cases import DAY, SPACE, THEN, memory, put

INSTANT = timedelta(microseconds=1)


def turn(id: str, **fields: Any) -> Memory:
    """One message of a conversation."""
    return memory(id, **{"kind": "message", **fields})


class BesideContract:
    """Memories by what was stored right before and right after them."""

    def test_what_was_stored_right_before_and_after_is_beside(self, store: Store) -> None:
        put(store, turn("c"), turn("a"))
        put(store, turn("b"))
        found = store.around(SPACE, ["b", "c", "a", "b"])
        assert found == {"b": Beside("a", None), "c": Beside(None, "a"), "a": Beside("c", "b")}
        assert list(found) == ["b", "c", "a"], "in the order asked for"

    def test_the_order_is_that_of_storing_and_not_that_of_any_date(self, store: Store) -> None:
        hours = timedelta(hours=1)
        put(store, turn("a", created_at=THEN + 3 * hours), turn("b", event_time=THEN - 3 * hours))
        put(store, turn("c", created_at=THEN + 2 * hours), turn("d", created_at=THEN - 2 * hours))
        assert store.around(SPACE, ["b", "c"]) == {"b": Beside("a", "c"), "c": Beside("b", "d")}

    def test_a_memory_that_is_changed_keeps_its_place(self, store: Store) -> None:
        put(store, turn("a"), turn("b"), turn("c"))
        put(store, turn("b", body="other text", updated_at=THEN + DAY))
        store.apply(SPACE, [Touch("a", at=THEN + DAY, stability_days=2.0)])
        assert store.around(SPACE, ["b"]) == {"b": Beside("a", "c")}

    def test_other_kinds_and_projects_between_two_do_not_part_them(self, store: Store) -> None:
        put(
            store, turn("a", project="p"), memory("note", project="p"), turn("other", project="q"), turn("none"),
            turn("b", project="p"), turn("last"),
        )  # fmt: skip
        found = store.around(SPACE, ["a", "b", "none", "other", "note"])
        assert found == {"a": Beside(None, "b"), "b": Beside("a", None), "none": Beside(None, "last")}

    def test_a_sitting_is_twelve_hours_and_not_a_moment_more(self, store: Store) -> None:
        assert timedelta(hours=12) == SITTING
        put(store, turn("a"), turn("b", created_at=THEN + SITTING), turn("c", created_at=THEN + 2 * SITTING + INSTANT))
        assert store.around(SPACE, list("abc")) == {"a": Beside(None, "b"), "b": Beside("a", None)}
        put(store, turn("d", created_at=THEN + SITTING))
        assert store.around(SPACE, ["c", "d"]) == {}, "backwards as well"

    def test_when_it_happened_goes_before_when_it_was_stored(self, store: Store) -> None:
        put(store, turn("a", event_time=THEN - DAY), turn("b"), turn("c", event_time=THEN - DAY))
        assert store.around(SPACE, list("abc")) == {}, "stored at once, told a day apart"
        put(store, turn("d", event_time=THEN - DAY, created_at=THEN + DAY))
        assert store.around(SPACE, ["d"]) == {"d": Beside("c", None)}, "stored a day apart, told at once"

    def test_one_of_another_sitting_is_not_looked_past(self, store: Store) -> None:
        put(store, turn("a"), turn("far", created_at=THEN + DAY), turn("b"))
        assert store.around(SPACE, ["a", "b"]) == {}

    def test_an_erased_neighbour_is_looked_past(self, store: Store) -> None:
        put(store, turn("a"), turn("b"), turn("c"))
        store.apply(SPACE, [EraseMemory("b")])
        assert store.around(SPACE, list("abc")) == {"a": Beside(None, "c"), "c": Beside("a", None)}
        put(store, turn("b"))
        assert store.around(SPACE, ["b"]) == {"b": Beside("c", None)}, "stored again, it is the last"

    def test_a_hidden_neighbour_is_beside_all_the_same(self, store: Store) -> None:
        put(store, turn("a"), turn("b", lifecycle=Lifecycle.ARCHIVED), turn("c", valid_to=THEN))
        assert store.around(SPACE, ["b"]) == {"b": Beside("a", "c")}, "whether it may be seen is for who asked to say"

    def test_unknown_ids_and_those_that_stand_alone_have_none(self, store: Store) -> None:
        put(store, turn("a"), memory("b"))
        assert store.around(SPACE, ["a", "b", "missing", ""]) == store.around(SPACE, []) == {}

    def test_another_space_is_not_looked_at(self, store: Store) -> None:
        put(store, turn("a"))
        put(store, turn("x"), turn("y"), space="elsewhere")
        put(store, turn("b"))
        assert store.around(SPACE, ["a", "x"]) == {"a": Beside(None, "b")}
        assert store.around("elsewhere", ["a", "x"]) == {"x": Beside(None, "y")}
        assert store.around("missing", ["a"]) == {}
        assert store.names() == [SPACE, "elsewhere"], "asking makes no space"

    def test_many_are_asked_for_at_once(self, store: Store) -> None:
        ids = [f"{number:04}" for number in range(1_500)]
        store.apply(SPACE, [PutMemory(turn(id)) for id in ids])
        found = store.around(SPACE, ids)
        assert len(found) == 1_500
        assert (found["0000"], found["0750"], found["1499"]) == (
            Beside(None, "0001"), Beside("0749", "0751"), Beside("1498", None),
        )  # fmt: skip
