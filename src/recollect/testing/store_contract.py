"""What every store must do, as tests. Subclass it and supply a pytest fixture called `store`:

    class TestMine(StoreContract):
        @pytest.fixture
        def store(self): return MyStore()

Each test gets a fresh, empty store whose clock stands somewhere between the years 2030 and 2090, or runs.
"""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import EmbedderMismatch, InvalidInput, NotFound, WriteConflict
from recollect.ports import Store
from recollect.records import (
    AdoptEmbedder,
    Entity,
    EraseLink,
    EraseMemory,
    Filters,
    Lifecycle,
    Link,
    Once,
    PutEntity,
    PutLink,
    PutMemory,
    PutVector,
    Touch,
    Write,
)
from recollect.testing.store_beside import BesideContract
from recollect.testing.store_cases import (
    DAY,
    EMBEDDER,
    EVERYTHING,
    FAR,
    SPACE,
    THEN,
    ids_of,
    matched,
    memory,
    near,
    put,
    raises,
    vector,
)
from recollect.testing.store_filters import FiltersContract
from recollect.testing.store_journal import JournalContract
from recollect.testing.store_learning import LearningContract, TiesContract, TitledContract
from recollect.testing.store_listing import ListingContract


class RecordsContract:
    """Reading and writing."""

    def test_what_was_put_is_read_back_whole(self, store: Store) -> None:
        full = memory(
            "a", "Grüße, 世界 🌍 \n\t'\"%_", title="Ünï", summary="s", event_time=THEN - DAY, valid_from=THEN - DAY,
            valid_to=FAR, lifecycle=Lifecycle.WEAK, project="p", source_uri="u", source_position="1", author="Zoë",
            trust="web", tags=("t", "Ü", "t"), clusters=("c",), metadata={"k": [1, {"n": None}], "ä": 0.5},
            access_count=3, last_access=THEN, stability_days=1.5, favour=-0.25, favour_at=THEN + DAY,
        )  # fmt: skip
        store.apply(SPACE, [PutMemory(full)])
        assert store.read(SPACE, ["a"]) == [full]

    def test_reading_keeps_the_order_asked_for_and_leaves_out_what_is_missing(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abc"))
        assert ids_of(store.read(SPACE, ["c", "missing", "a", "c"])) == ["c", "a", "c"]
        assert store.read(SPACE, []) == []

    def test_a_moment_is_kept_whatever_zone_it_was_given_in(self, store: Store) -> None:
        elsewhere = THEN.astimezone(datetime.strptime("+0530", "%z").tzinfo) + timedelta(microseconds=1)
        put(store, memory("a", created_at=elsewhere))
        assert store.read(SPACE, ["a"])[0].created_at == elsewhere

    def test_browsing_is_newest_first_then_by_id_and_goes_on_after_a_cursor(self, store: Store) -> None:
        put(store, memory("b"), memory("a"), memory("c", created_at=THEN - DAY), memory("d", created_at=THEN + DAY))
        assert ids_of(store.browse(SPACE, Filters(), limit=10)) == ["d", "b", "a", "c"]
        assert ids_of(store.browse(SPACE, Filters(), limit=2)) == ["d", "b"]
        assert ids_of(store.browse(SPACE, Filters(), limit=2, after="b")) == ["a", "c"]
        assert store.browse(SPACE, Filters(), limit=2, after="c") == []
        assert store.browse(SPACE, Filters(), limit=0) == []
        raises(NotFound, lambda: store.browse(SPACE, Filters(), limit=2, after="missing"))

    def test_the_cursor_need_not_pass_the_filters_itself(self, store: Store) -> None:
        put(store, memory("a"), memory("b", kind="note"), memory("c"))
        assert ids_of(store.browse(SPACE, Filters(kinds=frozenset({"fact"})), limit=9, after="b")) == ["a"]

    def test_a_failing_write_in_the_middle_leaves_nothing_behind(self, store: Store) -> None:
        put(store, memory("old"))
        head = store.apply(SPACE, []).position
        broken: list[Write] = [
            PutMemory(memory("new"), vector(0, 1)),
            PutEntity(Entity("e", "E", "person", THEN)),
            PutLink(Link("old", "new", "cites", THEN)),
            EraseMemory("old"),
            Touch("missing", at=THEN, stability_days=1),
            PutMemory(memory("later")),
        ]
        raises(NotFound, lambda: store.apply(SPACE, broken, once=Once("key", "f", "answer")))
        assert ids_of(store.browse(SPACE, EVERYTHING, limit=9)) == ["old"]
        assert (store.links(SPACE, ["old"]), store.entities(SPACE)) == ([], [])
        assert (matched(store, "common"), near(store)) == (["old"], ["old"])
        after = store.apply(SPACE, [], once=Once("key", "other", "answer"))
        assert (after.position, after.repeated) == (head, None), "the failed call must not use up its key"

    def test_writes_to_what_is_missing_are_refused(self, store: Store) -> None:
        put(store, memory("a"))
        for write in (
            EraseMemory("x"), Touch("x", THEN, 1.0), PutVector("x", vector(1, 0)), EraseLink("a", "a", "r"),
            PutLink(Link("a", "x", "r", THEN)), PutLink(Link("x", "a", "r", THEN)),
            PutMemory(memory("x"), expected=THEN),
        ):  # fmt: skip
            raises(NotFound, lambda write=write: store.apply(SPACE, [write]))  # type: ignore[misc]

    def test_a_repeated_key_returns_the_first_answer_and_writes_nothing(self, store: Store) -> None:
        first = store.apply(SPACE, [PutMemory(memory("a"))], once=Once("key", "f", "first"))
        again = store.apply(SPACE, [PutMemory(memory("b"))], once=Once("key", "f", "second"))
        assert (first.repeated, again.repeated, again.position) == (None, "first", first.position)
        assert store.read(SPACE, ["b"]) == []

    def test_a_key_reused_for_another_request_is_a_conflict(self, store: Store) -> None:
        store.apply(SPACE, [PutMemory(memory("a"))], once=Once("key", "f", "first"))
        raises(WriteConflict, lambda: store.apply(SPACE, [PutMemory(memory("b"))], once=Once("key", "g", "second")))
        assert store.read(SPACE, ["b"]) == []
        assert store.apply("another space", [], once=Once("key", "g", "x")).repeated is None

    def test_a_replacement_goes_through_only_if_nothing_changed_meanwhile(self, store: Store) -> None:
        put(store, memory("a", "first"))
        second = memory("a", "second", updated_at=THEN + DAY)
        store.apply(SPACE, [PutMemory(second, expected=THEN)])
        raises(WriteConflict, lambda: store.apply(SPACE, [PutMemory(memory("a", "third"), expected=THEN)]))
        assert store.read(SPACE, ["a"])[0].body == "second"

    def test_the_last_of_several_writes_to_one_memory_holds(self, store: Store) -> None:
        writes = [PutMemory(memory(id, body)) for id, body in (("a", "one"), ("b", "two"), ("a", "three"))]
        store.apply(SPACE, writes)
        assert [each.body for each in store.read(SPACE, ["a", "b"])] == ["three", "two"]
        assert (matched(store, "one"), matched(store, "three")) == ([], ["a"])

    def test_touching_counts_and_is_no_change(self, store: Store) -> None:
        put(store, memory("a"))
        head = store.apply(SPACE, []).position
        for days in (1, 2):
            applied = store.apply(SPACE, [Touch("a", at=THEN + days * DAY, stability_days=days)])
            assert applied.position == head
        touched = store.read(SPACE, ["a"])[0]
        assert (touched.access_count, touched.last_access, touched.stability_days) == (2, THEN + 2 * DAY, 2.0)
        assert touched.updated_at == THEN

    def test_the_same_content_is_found_where_it_is_in_force(self, store: Store) -> None:
        put(
            store,
            memory("c", content_hash="h"), memory("b", content_hash="h"), memory("d", content_hash="other"),
            memory("a", content_hash="h", lifecycle=Lifecycle.ARCHIVED), memory("0", content_hash="h", valid_to=THEN),
            memory("e", content_hash="old", valid_to=THEN), memory("f", content_hash="late", valid_to=FAR),
        )  # fmt: skip
        found = {asked: ids_of(store.same_content(SPACE, asked)) for asked in ("h", "other", "old", "late", "none")}
        assert found == {"h": ["b", "c"], "other": ["d"], "old": [], "late": ["f"], "none": []}
        assert store.same_content("missing", "h") == []

    def test_links_are_found_from_both_ends_and_erased_with_either(self, store: Store) -> None:
        put(store, memory("a"), memory("b"), memory("c"))
        person = Entity("e", "Ada", "person", THEN, aliases=("A. L.",), project="p", metadata={"born": 1815})
        ab = Link(
            "a", "b", "cites", THEN, weight=0.25, learned=0.1, evidence="why", valid_from=THEN, valid_to=FAR,
            learned_at=THEN + DAY,
        )  # fmt: skip
        ca, ae = Link("c", "a", "cites", THEN), Link("a", "e", "about", THEN)
        store.apply(SPACE, [PutEntity(person), PutLink(ca), PutLink(ae), PutLink(ab)])
        assert store.links(SPACE, ["a"]) == [ab, ae, ca]
        assert store.links(SPACE, ["b", "e", "missing", "b"]) == [ab, ae]
        store.apply(SPACE, [PutLink(replace(ca, weight=0.75)), EraseLink("a", "e", "about")])
        assert store.links(SPACE, ["c", "a"]) == [ab, replace(ca, weight=0.75)]
        store.apply(SPACE, [EraseMemory("b")])
        assert store.links(SPACE, ["a", "b"]) == [replace(ca, weight=0.75)]
        assert store.entities(SPACE) == [person]


class IndexContract:
    """Searching: fresh, deterministic, and by the space's own statistics."""

    def test_every_write_is_seen_by_the_next_search(self, store: Store) -> None:
        put(store, memory("a", "alpha"))
        assert (matched(store, "alpha"), near(store)) == (["a"], ["a"])
        put(store, memory("a", "beta"), memory("b", "gamma"))
        assert (matched(store, "alpha"), matched(store, "beta gamma"), near(store)) == ([], ["a", "b"], ["a", "b"])
        stored = store.read(SPACE, ["a"])[0]
        store.apply(SPACE, [PutMemory(replace(stored, lifecycle=Lifecycle.ARCHIVED))])
        assert (matched(store, "beta gamma"), near(store)) == (["b"], ["b"])
        archived = Filters(lifecycles=frozenset({Lifecycle.ARCHIVED}))
        assert (matched(store, "beta", filters=archived), near(store, filters=archived)) == (["a"], ["a"])
        store.apply(SPACE, [EraseMemory("b")])
        assert (matched(store, "gamma", filters=EVERYTHING), near(store, filters=EVERYTHING)) == ([], ["a"])
        put(store, memory("b", "delta"))
        assert (matched(store, "gamma delta"), near(store)) == (["b"], ["b"])

    def test_a_rarer_term_and_a_shorter_text_score_higher(self, store: Store) -> None:
        put(store, memory("a", "common rare"), memory("b", "common word"), memory("c", "common word and much else"))
        found, terms = store.match(SPACE, "what is common, rare and absent?", filters=Filters(), limit=9)
        assert ids_of(found) == ["a", "b", "c"]
        assert [term.text for term in terms] == ["common", "rare", "absent"]
        assert terms[0].idf < terms[1].idf < terms[2].idf

    def test_where_no_memory_passes_no_term_is_looked_for(self, store: Store) -> None:
        put(store, memory("a"), memory("b", kind="note"))
        for filters in (Filters(kinds=frozenset({"message"})), Filters(projects=frozenset({"p"}))):
            assert store.match(SPACE, "common", filters=filters, limit=9) == ([], [])
            assert store.nearest(SPACE, vector(1, 0), filters=filters, limit=9) == []
        put(store, memory("c", kind="message"))
        assert matched(store, "common", filters=Filters(kinds=frozenset({"message"}))) == ["c"]
        other, none = vector(1, 0, identity="other"), Filters(kinds=frozenset({"none"}))
        raises(EmbedderMismatch, lambda: store.nearest(SPACE, other, filters=none, limit=9))
        store.apply(SPACE, [EraseMemory(id) for id in "abc"])
        assert store.match(SPACE, "common", filters=Filters(), limit=9) == ([], [])

    def test_author_and_title_are_searched_and_the_summary_is_not(self, store: Store) -> None:
        put(store, memory("a", author="Lovelace", title="Notes", summary="engine"), memory("b", title=""))
        assert [matched(store, word) for word in ("lovelace", "note", "engine")] == [["a"], ["a"], []]

    def test_words_are_found_in_any_script_case_and_form(self, store: Store) -> None:
        put(store, memory("a", "The Café in Zürich serves 世界 and getUserName()"))
        for word in ("cafe", "CAFÉ", "zurich", "serving", "世界", "user", "getUserName"):
            assert matched(store, word) == ["a"], word
        assert matched(store, "") == matched(store, "?!") == []

    def test_a_long_body_is_kept_and_found_whole(self, store: Store) -> None:
        body = " ".join(f"word{number}" for number in range(12_000)) + " lastword"
        assert len(body) > 100_000
        put(store, memory("a", body), memory("b"))
        assert matched(store, "lastword") == matched(store, "word0") == ["a"]
        assert store.read(SPACE, ["a"])[0].body == body

    def test_ties_are_broken_by_id_and_the_limit_cuts_after_that(self, store: Store) -> None:
        for id in ("c", "a", "d", "b"):
            put(store, memory(id))
        for limit in range(5):
            assert ids_of(store.match(SPACE, "common", filters=Filters(), limit=limit)[0]) == list("abcd")[:limit]
            found = store.nearest(SPACE, vector(1, 0), filters=Filters(), limit=limit)
            assert ids_of(found) == list("abcd")[:limit]

    def test_cosine_orders_the_nearest(self, store: Store) -> None:
        places = {"a": (1, 0), "b": (1, 1), "c": (0, 1), "d": (-1, 0)}
        store.apply(SPACE, [PutMemory(memory(id), vector(*place)) for id, place in places.items()])
        found = store.nearest(SPACE, vector(1, 0), filters=Filters(), limit=9)
        assert ids_of(found) == ["a", "b", "c", "d"]
        for match, expected in zip(found, (1, math.sqrt(0.5), 0, -1), strict=True):
            assert math.isclose(match.source_score, expected, abs_tol=1e-3)

    def test_cosines_are_those_of_the_nearest(self, store: Store) -> None:
        places = {"a": (1, 0), "b": (1, 1), "c": (0, 1)}
        store.apply(SPACE, [PutMemory(memory(id), vector(*place)) for id, place in places.items()])
        store.apply(SPACE, [PutMemory(memory("bare"))])
        nearest = dict(store.nearest(SPACE, vector(1, 0), filters=Filters(), limit=9))
        assert store.cosines(SPACE, vector(1, 0), ["a", "c", "bare", "missing", "a"]) == {
            id: nearest[id] for id in ("a", "c")
        }
        assert store.cosines("missing", vector(1, 0), ["a"]) == store.cosines(SPACE, vector(1, 0), []) == {}

    def test_rebuilding_changes_no_result(self, store: Store) -> None:
        put(store, memory("a", "common alpha"), memory("b", "common beta beta"), memory("c", "alpha"))
        before = [store.match(SPACE, text, filters=Filters(), limit=9) for text in ("common beta", "alpha")]
        nearest = store.nearest(SPACE, vector(1, 1), filters=Filters(), limit=9)
        store.rebuild(SPACE)
        assert [store.match(SPACE, text, filters=Filters(), limit=9) for text in ("common beta", "alpha")] == before
        assert store.nearest(SPACE, vector(1, 1), filters=Filters(), limit=9) == nearest

    def test_catching_up_changes_no_result_and_makes_no_space(self, store: Store) -> None:
        put(store, memory("a"))
        for space in (SPACE, SPACE, "missing"):
            store.catch_up(space)
        put(store, memory("b"))
        assert (matched(store, "common"), near(store), store.names()) == (["a", "b"], ["a", "b"], [SPACE])

    def test_nothing_lags_behind_after_a_search(self, store: Store) -> None:
        put(store, memory("a"))
        matched(store, "common")
        near(store)
        assert store.lag(SPACE) and all(lag.behind == 0 for lag in store.lag(SPACE))


class VectorsContract:
    """Vectors compare only within one embedder."""

    def test_the_first_vector_decides_and_others_are_left_out_and_counted(self, store: Store) -> None:
        writes = [PutMemory(memory(id), vector(1, 0, identity=by)) for id, by in zip("abc", "xyx", strict=True)]
        assert store.apply(SPACE, writes).vectors_left_out == 1
        assert [each.embedded_by for each in store.read(SPACE, ["a", "b", "c"])] == ["x", None, "x"]
        assert store.apply(SPACE, [PutVector("a", vector(0, 1, identity="y"))]).vectors_left_out == 1
        assert (store.stats(SPACE).embedder, store.stats(SPACE).vectors) == ("x", 2)
        raises(InvalidInput, lambda: store.apply(SPACE, [PutVector("a", vector(1, 0, 0, identity="x"))]))

    def test_a_question_of_another_embedder_is_an_error_and_keywords_still_serve(self, store: Store) -> None:
        put(store, memory("a"))
        other = vector(1, 0, identity="other")
        error = raises(EmbedderMismatch, lambda: store.nearest(SPACE, other, filters=Filters(), limit=9))
        assert EMBEDDER in str(error) and "other" in str(error)
        raises(InvalidInput, lambda: store.nearest(SPACE, vector(1, 0, 0), filters=Filters(), limit=9))
        assert matched(store, "common") == ["a"]

    def test_adopting_an_embedder_drops_the_vectors_of_every_other(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        store.apply(SPACE, [AdoptEmbedder("new")])
        assert (store.stats(SPACE).embedder, store.stats(SPACE).vectors) == ("new", 0)
        late = store.apply(SPACE, [PutVector("b", vector(1, 0))])
        assert late.vectors_left_out == 1, "a vector of the old embedder must not decide again"
        raises(EmbedderMismatch, lambda: near(store))
        store.apply(SPACE, [PutVector("a", vector(1, 0, 0, identity="new")), AdoptEmbedder("new")])
        asked = vector(1, 0, 0, identity="new")
        assert ids_of(store.nearest(SPACE, asked, filters=Filters(), limit=9)) == ["a"]
        assert ids_of(store.unembedded(SPACE, "new", limit=9)) == ["b"]

    def test_a_memory_without_its_text_s_vector_is_unembedded(self, store: Store) -> None:
        put(store, memory("a"), memory("b"), memory("c"))
        kept = store.read(SPACE, ["a"])[0]
        store.apply(SPACE, [PutMemory(kept), PutMemory(memory("b", "new text"))])
        store.apply(SPACE, [PutMemory(memory("c", "new text"), vector(1, 0, identity="other")), PutMemory(memory("d"))])
        assert near(store) == ["a"]
        assert ids_of(store.unembedded(SPACE, EMBEDDER, limit=9)) == ["b", "c", "d"]
        assert ids_of(store.unembedded(SPACE, EMBEDDER, limit=2)) == ["b", "c"]
        assert ids_of(store.unembedded(SPACE, "other", limit=9)) == ["a", "b", "c", "d"]
        assert store.unembedded(SPACE, EMBEDDER, limit=0) == []

    def test_vectors_come_back_in_the_order_asked_for(self, store: Store) -> None:
        store.apply(SPACE, [PutMemory(memory("a"), vector(3, 4)), PutMemory(memory("b"))])
        found = store.vectors(SPACE, ["b", "a", "missing"])
        assert found[0] is None and found[2] is None and found[1] is not None
        assert found[1].identity == EMBEDDER
        values = struct.unpack("<2f", found[1].data)
        assert all(math.isclose(got, want, abs_tol=1e-3) for got, want in zip(values, (0.6, 0.8), strict=True))


class SpacesContract:
    """Spaces see nothing of each other."""

    def test_spaces_are_kept_apart_down_to_the_scores(self, store: Store) -> None:
        put(store, memory("a", "common alpha"), memory("b", "common"))
        before = store.match(SPACE, "common alpha", filters=Filters(), limit=9)
        put(store, memory("a", "common other"), *(memory(f"{n}", "common alpha") for n in range(20)), space="Contract")
        store.apply("Contract", [AdoptEmbedder("another")])
        assert store.match(SPACE, "common alpha", filters=Filters(), limit=9) == before
        assert (near(store), store.read(SPACE, ["1"])) == (["a", "b"], [])
        assert store.read("Contract", ["a"])[0].body == "common other"
        assert store.read("Contract", ["a"])[0].space == "Contract"

    def test_a_missing_space_reads_as_empty_and_is_not_made_by_reading(self, store: Store) -> None:
        assert (store.read("x", ["a"]), store.browse("x", Filters(), limit=9), store.links("x", ["a"])) == ([], [], [])
        assert store.match("x", "common", filters=Filters(), limit=9) == ([], [])
        assert (near(store, space="x"), store.lag("x"), store.check("x")) == ([], [], [])
        assert (store.entities("x"), store.vectors("x", ["a"]), store.unembedded("x", "e", limit=9)) == ([], [None], [])
        assert (store.drop("x"), store.names()) == (False, [])
        raises(NotFound, lambda: store.stats("x"))
        raises(NotFound, lambda: store.rebuild("x"))

    def test_a_dropped_space_is_gone_and_can_be_begun_again(self, store: Store) -> None:
        put(store, memory("a", "before"), memory("b"))
        put(store, memory("a"), space="other")
        assert store.names() == [SPACE, "other"]
        assert store.drop(SPACE) and not store.drop(SPACE)
        assert (store.names(), matched(store, "before"), near(store)) == (["other"], [], [])
        put(store, memory("a", "after"))
        assert (matched(store, "before after"), near(store), near(store, space="other")) == (["a"], ["a"], ["a"])

    def test_counts_are_those_of_the_space(self, store: Store) -> None:
        put(store, memory("a"), memory("b", lifecycle=Lifecycle.ARCHIVED), memory("c"))
        put(store, memory("z"), space="other")
        entity, link = Entity("e", "E", "person", THEN), Link("a", "e", "about", THEN)
        store.apply(SPACE, [PutEntity(entity), PutLink(link), PutMemory(memory("d"))])
        stats = store.stats(SPACE)
        assert (stats.memories, stats.links, stats.entities, stats.vectors, stats.embedder) == (4, 1, 1, 3, EMBEDDER)
        assert stats.by_lifecycle == {"active": 3, "weak": 0, "dormant": 0, "archived": 1}
        assert store.check(SPACE) == []

    def test_a_name_that_cannot_be_used_is_refused(self, store: Store) -> None:
        for name in ("", "  ", "a\nb", "x" * 201):
            raises(InvalidInput, lambda name=name: store.apply(name, []))  # type: ignore[misc]
            raises(InvalidInput, lambda name=name: store.read(name, ["a"]))  # type: ignore[misc]


class StoreContract(
    RecordsContract,
    FiltersContract,
    TiesContract,
    TitledContract,
    ListingContract,
    BesideContract,
    LearningContract,
    IndexContract,
    VectorsContract,
    SpacesContract,
    JournalContract,
):
    """The whole suite."""
