"""What every store's journal must do, as tests; part of `store_contract`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import NotFound
from recollect.ports import Store
from recollect.records import EraseMemory, PutMemory, TraceRecord
from recollect.testing.store_cases import DAY, SPACE, THEN, memory, put, raises

MANY = 100
MOST_MARKS = 10_000


def trace_record(id: str, *touched: str, hours: float = 0, **fields: Any) -> TraceRecord:
    """A trace that began some hours after THEN."""
    record = TraceRecord(
        id, THEN + timedelta(hours=hours), f"what about {id}?", "answerable", 0.75, "enough", 0.125,
        payload=f'{{"all": "of {id}"}}', touched=frozenset(touched),
    )  # fmt: skip
    return replace(record, **fields)


def noted(store: Store, *records: TraceRecord, keep: int = MANY) -> None:
    """Note them one by one."""
    for record in records:
        store.note(SPACE, record, keep=keep)


def listed(store: Store, **asked: Any) -> str:
    """The ids of the traces, joined."""
    return "".join(trace.id for trace in store.traces(SPACE, **{"limit": MANY, **asked}))


class JournalContract:
    """Traces and marks: kept per space, bounded, and gone with the memories they speak of."""

    def test_a_trace_is_read_back_whole_and_listed_without_its_payload(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        record = trace_record("t", "a", "b", question="Grüße, 世界 🌍 '\"%_?", payload='{"ü": ["x"]}' * 500)
        noted(store, record)
        assert store.trace(SPACE, "t") == record
        assert store.traces(SPACE, limit=9) == [replace(record, payload="")]
        assert store.trace(SPACE, "other") is None

    def test_a_moment_is_kept_whatever_zone_it_was_given_in(self, store: Store) -> None:
        put(store, memory("a"))
        elsewhere = THEN.astimezone(datetime.strptime("+0530", "%z").tzinfo) + timedelta(microseconds=1)
        noted(store, trace_record("t", started_at=elsewhere))
        found = store.trace(SPACE, "t")
        assert found is not None and found.started_at == elsewhere and found.started_at.utcoffset() == timedelta(0)

    def test_traces_are_listed_newest_first_then_by_id_and_go_on_after_one(self, store: Store) -> None:
        put(store, memory("a"))
        noted(store, *(trace_record(id, hours=hours) for id, hours in (("b", 1), ("d", 2), ("a", 1), ("c", 0))))
        assert listed(store) == "dbac"
        assert (listed(store, limit=2), listed(store, limit=2, before="b"), listed(store, before="c")) == (
            "db", "ac", "",
        )  # fmt: skip
        assert listed(store, limit=0) == listed(store, limit=-1) == ""
        raises(NotFound, lambda: store.traces(SPACE, limit=9, before="missing"))

    def test_a_cursor_into_a_journal_without_a_trace_is_refused(self, store: Store) -> None:
        put(store, memory("a"))
        raises(NotFound, lambda: store.traces(SPACE, limit=9, before="missing"))

    def test_the_newest_are_kept_whatever_order_they_came_in(self, store: Store) -> None:
        put(store, memory("a"))
        noted(store, *(trace_record(id, hours=hours) for id, hours in (("b", 1), ("d", 3), ("a", 0))), keep=2)
        assert listed(store) == "db"
        noted(store, trace_record("c", hours=2), trace_record("0", hours=0), keep=2)
        assert (listed(store), store.trace(SPACE, "b"), store.trace(SPACE, "0")) == ("dc", None, None)
        noted(store, trace_record("e", hours=3), keep=1)
        assert listed(store) == "e", "of two that began at once, the higher id is the newer"

    def test_keeping_none_keeps_none(self, store: Store) -> None:
        put(store, memory("a"))
        noted(store, trace_record("t"), keep=0)
        assert (listed(store), store.trace(SPACE, "t")) == ("", None)
        noted(store, trace_record("t"), trace_record("u"))
        noted(store, trace_record("v"), keep=0)
        assert listed(store) == ""

    def test_a_trace_noted_again_takes_the_place_of_the_first(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        noted(store, trace_record("t", "a"), trace_record("t", "b", hours=1, verdict="none"))
        assert store.trace(SPACE, "t") == trace_record("t", "b", hours=1, verdict="none")
        store.apply(SPACE, [EraseMemory("a")])
        assert listed(store) == "t", "it does not speak of that one any more"

    def test_what_a_session_was_shown_is_told_by_id(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abc"))
        store.show(SPACE, "s", {"b": "1", "a": "1"}, at=THEN)
        store.show(SPACE, "s", {"b": "2"}, at=THEN + DAY)
        store.show(SPACE, "S", {"c": "3"}, at=THEN)
        store.show(SPACE, "s", {}, at=THEN)
        assert list(store.shown(SPACE, "s").items()) == [("a", "1"), ("b", "2")]
        assert (store.shown(SPACE, "S"), store.shown(SPACE, "other")) == ({"c": "3"}, {})

    def test_the_oldest_marks_give_way(self, store: Store) -> None:
        put(store, memory("a"))
        store.show(SPACE, "old", {"b": "1", "a": "1"}, at=THEN)
        store.show(SPACE, "new", {f"{number:05}": "x" for number in range(MOST_MARKS - 1)}, at=THEN + DAY)
        assert store.shown(SPACE, "old") == {"b": "1"}
        store.show(SPACE, "old", {"b": "2"}, at=THEN + 2 * DAY)
        store.show(SPACE, "newer", {"a": "x"}, at=THEN + 2 * DAY)
        assert (store.shown(SPACE, "old"), len(store.shown(SPACE, "new"))) == ({"b": "2"}, MOST_MARKS - 2)
        assert "00000" not in store.shown(SPACE, "new")

    def test_erasing_a_memory_erases_every_trace_and_mark_of_it(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abc"))
        noted(store, trace_record("1", "a"), trace_record("2", "a", "b"), trace_record("3", "b"), trace_record("4"))
        store.show(SPACE, "s", {"a": "1", "b": "1"}, at=THEN)
        store.show(SPACE, "t", {"a": "1"}, at=THEN)
        store.apply(SPACE, [EraseMemory("a")])
        assert (listed(store), store.trace(SPACE, "1"), store.trace(SPACE, "2")) == ("43", None, None)
        assert (store.shown(SPACE, "s"), store.shown(SPACE, "t")) == ({"b": "1"}, {})
        store.apply(SPACE, [EraseMemory("b"), EraseMemory("c")])
        assert (listed(store), store.shown(SPACE, "s")) == ("4", {})

    def test_what_is_noted_after_an_erasure_speaks_of_nothing_erased(self, store: Store) -> None:
        """A question may have been under way meanwhile."""
        put(store, memory("a"), memory("b"))
        store.apply(SPACE, [EraseMemory("a")])
        noted(store, trace_record("1", "a", "b"), trace_record("2", "b"), trace_record("3", "never stored"))
        store.show(SPACE, "s", {"a": "1", "b": "1"}, at=THEN)
        assert (listed(store), store.shown(SPACE, "s")) == ("32", {"b": "1"})
        put(store, memory("a", "another"))
        noted(store, trace_record("4", "a"))
        store.show(SPACE, "s", {"a": "1"}, at=THEN)
        assert (listed(store), store.shown(SPACE, "s")) == ("432", {"a": "1", "b": "1"})

    def test_an_erasure_that_fails_leaves_the_journal_as_it_was(self, store: Store) -> None:
        put(store, memory("a"))
        noted(store, trace_record("t", "a"))
        store.show(SPACE, "s", {"a": "1"}, at=THEN)
        raises(NotFound, lambda: store.apply(SPACE, [EraseMemory("a"), EraseMemory("missing")]))
        assert (listed(store), store.shown(SPACE, "s")) == ("t", {"a": "1"})

    def test_writing_memories_leaves_the_journal_alone(self, store: Store) -> None:
        put(store, memory("a"))
        noted(store, trace_record("t", "a"))
        store.apply(SPACE, [PutMemory(memory("a", "new text")), PutMemory(memory("b"))])
        store.rebuild(SPACE)
        assert (listed(store), store.check(SPACE)) == ("t", [])

    def test_a_missing_space_has_no_journal_and_gets_none(self, store: Store) -> None:
        store.note("x", trace_record("t"), keep=MANY)
        store.show("x", "s", {"a": "1"}, at=THEN)
        assert (store.trace("x", "t"), store.traces("x", limit=9), store.shown("x", "s")) == (None, [], {})
        assert (store.traces("x", limit=9, before="t"), store.names()) == ([], [])

    def test_journals_are_kept_apart_and_dropped_with_their_space(self, store: Store) -> None:
        for space in (SPACE, "other"):
            put(store, memory("a"), space=space)
            store.note(space, trace_record("t", "a", question=space), keep=MANY)
            store.show(space, "s", {"a": space}, at=THEN)
        assert [trace.question for trace in store.traces("other", limit=9)] == ["other"]
        store.apply("other", [EraseMemory("a")])
        assert (listed(store), store.shown(SPACE, "s")) == ("t", {"a": SPACE})
        assert store.drop(SPACE)
        put(store, memory("a"))
        assert (listed(store), store.shown(SPACE, "s")) == ("", {})
