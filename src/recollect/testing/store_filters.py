"""What every store's filters must do, as tests; part of `store_contract`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from recollect.ports import Store
from recollect.records import Filters, Lifecycle, TimeAxis, TimeRange
from recollect.testing.store_cases import DAY, FAR, SPACE, THEN, ids_of, memory, passing, put, vector


class FiltersContract:
    """Filters mean the same for browsing, matching and nearest."""

    def test_each_filter_on_an_attribute(self, store: Store) -> None:
        put(
            store,
            memory("a", kind="fact", project="p", trust="user", tags=("x", "y"), clusters=("k",)),
            memory("b", kind="note", project="q", trust="web", tags=("x",), clusters=("k", "l")),
            memory("c", kind="note", lifecycle=Lifecycle.WEAK, tags=("Y",)),
            memory("d", kind="rule", lifecycle=Lifecycle.DORMANT, clusters=("m",)),
            memory("e", lifecycle=Lifecycle.ARCHIVED, tags=("x",)),
        )
        cases: list[tuple[dict[str, Any], str]] = [
            ({}, "abcd"),
            ({"kinds": {"note"}}, "bc"), ({"kinds": {"fact", "rule"}}, "ad"), ({"kinds": {"none"}}, ""),
            ({"without_kinds": {"note"}}, "ad"), ({"without_kinds": {"fact", "note", "rule"}}, ""),
            ({"without_kinds": {"none"}}, "abcd"), ({"kinds": {"note", "rule"}, "without_kinds": {"note"}}, "d"),
            ({"kinds": {"note"}, "without_kinds": {"note"}}, ""), ({"without_kinds": {"note"}, "tags": {"x"}}, "a"),
            ({"projects": {"p", "q"}}, "ab"), ({"projects": {"P"}}, ""), ({"trusts": {"web"}}, "b"),
            ({"tags": {"x"}}, "ab"), ({"tags": {"x", "y"}}, "a"), ({"tags": {"z"}}, ""),
            ({"clusters": {"k"}}, "ab"), ({"clusters": {"l", "m"}}, "bd"), ({"clusters": {"x"}}, ""),
            ({"kinds": {"note"}, "tags": {"x"}}, "b"), ({"kinds": {"fact"}, "clusters": {"l"}}, ""),
            ({"lifecycles": {Lifecycle.ACTIVE}}, "ab"), ({"lifecycles": {Lifecycle.ARCHIVED}}, "e"),
            ({"lifecycles": set(Lifecycle), "tags": {"x"}}, "abe"), ({"lifecycles": set()}, ""),
        ]  # fmt: skip
        for given, expected in cases:
            wanted: dict[str, Any] = {name: frozenset(values) for name, values in given.items()}
            filters = Filters(**wanted)
            assert passing(store, filters) == expected, f"{given} let through something else than {expected!r}"

    def test_paths_are_patterns_on_where_a_memory_is_from(self, store: Store) -> None:
        places = {
            "a": "src/app.py", "b": "src/billing/orders.py", "c": "docs/guide.md", "d": "src/billing/api/v1/orders.py",
            "e": "https://example.com/docs/guide.md", "f": "src", "g": "", "h": "src/app.py",
        }  # fmt: skip
        put(store, *(memory(id, source_uri=uri) for id, uri in places.items()), memory("i"))
        cases: list[tuple[set[str], str]] = [
            ({"src/app.py"}, "ah"), ({"app.py"}, ""), ({"SRC/app.py"}, ""), ({"src/*"}, "ah"), ({"*"}, "fg"),
            ({"src/**"}, "abdh"), ({"src/"}, "abdh"), ({"**"}, "abcdefh"), ({"**/orders.py"}, "bd"),
            ({"src/**/orders.py"}, "bd"), ({"src/*/orders.py"}, "b"), ({"src/???.py"}, "ah"), ({"src/??.py"}, ""),
            ({"**/*.md"}, "ce"), ({"**/docs/*"}, "ce"), ({"src/billing/**", "docs/*.md"}, "bcd"), ({"[a-z]*"}, ""),
            ({"**/api/**"}, "d"), ({"src/**/api/**/orders.py"}, "d"), ({""}, "g"), ({"./src/app.py"}, "ah"),
        ]  # fmt: skip
        for paths, expected in cases:
            filters = Filters(paths=frozenset(paths))
            assert passing(store, filters) == expected, f"{paths} let through something else than {expected!r}"
        only = Filters(paths=frozenset({"src/**"}), projects=frozenset({"p"}))
        assert passing(store, only) == ""

    def test_paths_see_what_was_written_since(self, store: Store) -> None:
        below, put_before = Filters(paths=frozenset({"src/**"})), memory("a", source_uri="src/app.py")
        put(store, put_before, memory("b", source_uri="docs/a.md"))
        assert passing(store, below) == "a"
        put(store, memory("b", source_uri="src/a.md"), memory("c", source_uri="src/new.py"))
        assert passing(store, below) == "abc"
        put(store, memory("a", source_uri="lib/app.py"))
        assert passing(store, below) == "bc"

    def test_time_ranges_include_their_start_and_leave_out_their_end(self, store: Store) -> None:
        put(
            store,
            memory("a", created_at=THEN, event_time=THEN - 2 * DAY),
            memory("b", created_at=THEN + DAY),
            memory("c", created_at=THEN + 2 * DAY, event_time=THEN),
        )
        cases: list[tuple[datetime | None, datetime | None, str]] = [
            # from, to, then what passes by event, by storage, by either
            (THEN, THEN + DAY, "c a ac"), (THEN, None, "c abc abc"), (None, THEN, "a - a"),
            (None, THEN + DAY, "ac a ac"), (THEN + DAY, THEN + 2 * DAY, "- b b"), (None, None, "ac abc abc"),
            (THEN + 3 * DAY, None, "- - -"), (THEN - 2 * DAY, THEN - DAY, "a - a"),
        ]  # fmt: skip
        for start, end, expected in cases:
            axes = (TimeAxis.EVENT, TimeAxis.STORED, TimeAxis.ANY)
            got = [passing(store, Filters(time=TimeRange(start, end, axis))) or "-" for axis in axes]
            assert " ".join(got) == expected, f"from {start} to {end}"

    def test_what_is_superseded_is_left_out_unless_asked_for(self, store: Store) -> None:
        put(
            store,
            memory("a", valid_to=THEN + DAY),
            memory("b", valid_from=THEN + DAY),
            memory("c", valid_from=FAR),
            memory("d", valid_to=FAR),
        )
        assert passing(store, Filters()) == "bd"
        assert passing(store, Filters(superseded=True)) == "abcd"

    def test_looking_back_shows_what_held_and_was_known_then(self, store: Store) -> None:
        put(
            store,
            memory("a", valid_to=THEN + DAY),
            memory("b", valid_from=THEN + DAY),
            memory("c", created_at=THEN + 2 * DAY),
            memory("d", created_at=THEN + 2 * DAY, event_time=THEN),
            memory("e", created_at=THEN + 2 * DAY, event_time=THEN, valid_from=THEN + DAY, valid_to=FAR),
        )
        moments = {THEN - DAY: "", THEN: "ad", THEN + DAY: "bde", THEN + 2 * DAY: "bcde", FAR: "bcd"}
        for moment, expected in moments.items():
            assert passing(store, Filters(as_of=moment)) == expected, f"as of {moment}"
        assert passing(store, Filters(as_of=THEN, superseded=True)) == "abcde"

    def test_filters_come_before_the_limit(self, store: Store) -> None:
        many = [memory(f"m{number:03}", "common common", source_uri=f"a/{number}") for number in range(120)]
        put(store, *many, memory("z", "common and rather longer than the others", kind="rare", source_uri="b/1"))
        for only in (Filters(kinds=frozenset({"rare"})), Filters(paths=frozenset({"b/*"}))):
            assert ids_of(store.match(SPACE, "common", filters=only, limit=1)[0]) == ["z"]
            assert ids_of(store.nearest(SPACE, vector(1, 0), filters=only, limit=1)) == ["z"]
            assert ids_of(store.browse(SPACE, only, limit=1)) == ["z"]
