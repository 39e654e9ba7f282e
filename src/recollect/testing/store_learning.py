"""What every store must do about links and learning, as tests; part of `store_contract`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import NotFound
from recollect.ports import Store
from recollect.records import (
    LEARNED_RELATION,
    Entity,
    EraseMemory,
    Favour,
    Link,
    PutEntity,
    PutLink,
    PutMemory,
    Strengthen,
    Ties,
    Touch,
    Unlearn,
    Write,
)
from recollect.testing.store_cases import DAY, FAR, SPACE, THEN, memory, put, raises

HALF_LIFE = 30.0
MOST_LEARNED = 0.3
MOST_FAVOUR = 0.6


def strengthened(one: str, other: str, amount: float = 0.05, *, at: datetime = THEN) -> Strengthen:
    """Two memories recalled together."""
    return Strengthen(one, other, amount, at, most=MOST_LEARNED, half_life_days=HALF_LIFE)


def favoured(id: str, amount: float = 0.1, *, at: datetime = THEN) -> Favour:
    """A memory that was of use, or was not."""
    return Favour(id, amount, at, most=MOST_FAVOUR, half_life_days=HALF_LIFE)


class TitledContract:
    """Memories by what they are called."""

    def test_a_title_is_found_however_it_is_written(self, store: Store) -> None:
        put(store, memory("b", title="The Blue Boat (1998 film)"), memory("a", title="the blue  boat"), memory("c"))
        assert store.titled(SPACE, ["the blue boat", "blue", ""]) == {"the blue boat": ("a", "b")}

    def test_a_changed_title_is_found_and_the_old_one_is_not(self, store: Store) -> None:
        put(store, memory("a", title="Harbour"))
        put(store, memory("a", title="Port"))
        assert store.titled(SPACE, ["harbour", "port"]) == {"port": ("a",)}

    def test_without_a_title_it_goes_by_the_name_its_text_begins_with(self, store: Store) -> None:
        put(store, memory("a", "Ana Ortiz moved to Porto."), memory("b", "Yesterday it rained."), memory("c", "Ana"))
        put(store, memory("d", "Ana Ortiz left.", title="Harbour"), memory("e", "Żaneta Ćwik is here.", title=""))
        found = store.titled(SPACE, ["ana ortiz", "ana", "yesterday", "harbour", "żaneta ćwik"])
        assert found == {"ana ortiz": ("a",), "harbour": ("d",), "żaneta ćwik": ("e",)}
        put(store, memory("a", "It was Ana Ortiz who moved."))
        assert store.titled(SPACE, ["ana ortiz"]) == {}, "the text that is there now begins with none"

    def test_a_title_as_long_as_a_sentence_names_nothing(self, store: Store) -> None:
        title = "What was said on the first evening by everybody who had come " * 3
        put(store, memory("a", "Ana Ortiz moved.", title=title))
        assert store.titled(SPACE, ["ana ortiz", " ".join(title.lower().split())]) == {}

    def test_an_erased_memory_has_no_title(self, store: Store) -> None:
        put(store, memory("a", title="Harbour"), memory("b", title="Harbour"))
        store.apply(SPACE, [EraseMemory("a")])
        assert store.titled(SPACE, ["harbour"]) == {"harbour": ("b",)}

    def test_another_space_is_not_looked_at(self, store: Store) -> None:
        put(store, memory("a", title="Harbour"))
        assert store.titled("elsewhere", ["harbour"]) == {}
        assert store.titled(SPACE, []) == {}


class TiesContract:
    """The strongest links at each memory."""

    def test_ties_are_the_strongest_each_way_and_all_are_counted(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abcde"))
        links = [
            Link("a", "b", "cites", THEN, weight=0.2, learned=0.3), Link("c", "a", "cites", THEN, weight=0.4),
            Link("a", "d", "cites", THEN, weight=0.9), Link("b", "c", "cites", THEN, weight=0.1),
        ]  # fmt: skip
        store.apply(SPACE, [PutLink(link) for link in links])
        ab, ca, ad, bc = links
        assert store.ties(SPACE, ["a"], most=9) == {"a": Ties((ad, ab, ca), inbound=1, outbound=2)}
        assert store.ties(SPACE, ["a"], most=1) == {"a": Ties((ad,), inbound=1, outbound=2)}
        assert store.ties(SPACE, ["a"], most=0) == {"a": Ties((), inbound=1, outbound=2)}
        found = store.ties(SPACE, ["e", "c", "missing", "b", "c"], most=9)
        assert found == {"c": Ties((ca, bc), 1, 1), "b": Ties((ab, bc), 1, 1)}
        assert list(found) == ["c", "b"], "in the order asked for"
        assert store.ties(SPACE, [], most=9) == store.ties("missing", ["a"], most=9) == {}

    def test_equally_strong_ties_go_by_ends_and_relation(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abcd"))
        ends = [("c", "a", "r"), ("a", "c", "s"), ("a", "c", "r"), ("a", "b", "r"), ("d", "a", "r"), ("a", "a", "r")]
        links = [Link(*each, THEN, weight=0.5) for each in ends]
        store.apply(SPACE, [PutLink(link) for link in links])
        ordered = [(link.from_id, link.to_id, link.relation) for link in store.ties(SPACE, ["a"], most=9)["a"].links]
        assert ordered == sorted(ends), "and a link to itself is there once"
        for most in range(7):
            assert store.ties(SPACE, ["a"], most=most)["a"].links == tuple(sorted(links, key=_key))[:most]
        assert store.ties(SPACE, ["a"], most=1)["a"][1:] == (3, 4), "though it counts both ways"

    def test_only_links_that_hold_now_are_ties(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        spans: dict[str, dict[str, Any]] = {
            "open": {}, "begun": {"valid_from": THEN}, "ends later": {"valid_to": FAR},
            "within": {"valid_from": THEN, "valid_to": FAR}, "over": {"valid_to": THEN},
            "not yet": {"valid_from": FAR}, "past": {"valid_from": THEN - DAY, "valid_to": THEN},
        }  # fmt: skip
        store.apply(SPACE, [PutLink(Link("a", "b", relation, THEN, **span)) for relation, span in spans.items()])
        for id, counts in (("a", (0, 4)), ("b", (4, 0))):
            for most in (1, 9):
                ties = store.ties(SPACE, [id], most=most)[id]
                held = sorted(["open", "begun", "ends later", "within"])
                assert ([link.relation for link in ties.links], ties[1:]) == (held[:most], counts)
        store.apply(SPACE, [PutMemory(memory("c")), PutLink(Link("c", "c", "r", THEN, valid_to=THEN))])
        assert store.ties(SPACE, ["c"], most=9) == {}, "an id whose links are all over has none"

    def test_many_links_at_one_memory_are_cut_and_counted(self, store: Store) -> None:
        leaves = [f"leaf{number:03}" for number in range(300)]
        put(store, memory("hub"), *(memory(id) for id in leaves))
        weights = {id: (number * 7 % 300) / 300 for number, id in enumerate(leaves)}
        links = [
            Link("hub", id, "r", THEN, weight=weight) if place % 3 else Link(id, "hub", "r", THEN, weight=weight)
            for place, (id, weight) in enumerate(weights.items())
        ]
        store.apply(SPACE, [PutLink(link) for link in links])
        found = store.ties(SPACE, ["hub", leaves[1]], most=8)
        assert found["hub"] == Ties(tuple(sorted(links, key=lambda link: (-link.weight, _key(link)))[:8]), 100, 200)
        assert found[leaves[1]] == Ties((links[1],), 1, 0)

    def test_entities_have_ties_too(self, store: Store) -> None:
        put(store, memory("a"))
        about = Link("a", "e", "about", THEN)
        store.apply(SPACE, [PutEntity(Entity("e", "Ada", "person", THEN)), PutLink(about)])
        assert store.ties(SPACE, ["e"], most=3) == {"e": Ties((about,), 1, 0)}


def _key(link: Link) -> tuple[str, str, str]:
    return link.from_id, link.to_id, link.relation


class LearningContract:
    """What is learned is bounded, wears off, stands beside what was stated, and can be undone."""

    def test_memories_recalled_together_become_linked_and_the_link_grows(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        store.apply(SPACE, [strengthened("a", "b")])
        link = Link("a", "b", LEARNED_RELATION, THEN, weight=0.0, learned=0.05, learned_at=THEN)
        assert store.links(SPACE, ["a"]) == [link]
        store.apply(SPACE, [strengthened("b", "a", at=THEN + timedelta(hours=5))])
        assert store.links(SPACE, ["b"]) == [replace(link, learned=0.1, learned_at=THEN + timedelta(hours=5))]

    def test_every_link_between_the_two_is_strengthened_and_no_stated_weight(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abc"))
        ab, ba = Link("a", "b", "cites", THEN, weight=0.7, evidence="why"), Link("b", "a", "refutes", THEN, learned=0.2)
        old, ac = Link("a", "b", "was", THEN, valid_to=THEN + DAY), Link("a", "c", "cites", THEN)
        store.apply(SPACE, [PutLink(link) for link in (ab, ba, old, ac)])
        store.apply(SPACE, [strengthened("a", "b")])
        assert store.links(SPACE, ["a"]) == [
            replace(ab, learned=0.05, learned_at=THEN), replace(old, learned=0.05, learned_at=THEN), ac,
            replace(ba, learned=0.25, learned_at=THEN),
        ]  # fmt: skip

    def test_what_was_learned_wears_off_before_more_is_added(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        store.apply(SPACE, [strengthened("a", "b", 0.2), favoured("a", 0.4)])
        later = THEN + timedelta(days=30, hours=1)
        store.apply(SPACE, [strengthened("a", "b", 0.05, at=later), favoured("a", -0.1, at=later)])
        (link,), (stored,) = store.links(SPACE, ["a"]), store.read(SPACE, ["a"])
        assert (link.learned, link.learned_at, link.created_at) == (0.15, later, THEN)
        assert (stored.favour, stored.favour_at) == (0.1, later)

    def test_what_comes_late_does_not_turn_the_time_back(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        for days in (3, 1):
            at = THEN + days * DAY
            store.apply(SPACE, [strengthened("a", "b", at=at), favoured("a", at=at)])
        (link,), (stored,) = store.links(SPACE, ["a"]), store.read(SPACE, ["a"])
        assert (link.learned, link.learned_at) == (0.1, THEN + 3 * DAY)
        assert (stored.favour, stored.favour_at) == (0.2, THEN + 3 * DAY)

    def test_learning_stays_within_its_bounds(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        for amount, learned, favour in ((0.2, 0.2, 0.2), (0.5, 0.3, 0.6), (-0.1, 0.2, 0.5), (-2, 0, -0.6)):
            store.apply(SPACE, [strengthened("a", "b", amount), favoured("a", amount)])
            (link,), (stored,) = store.links(SPACE, ["a"]), store.read(SPACE, ["a"])
            assert (link.learned, stored.favour) == (learned, favour), f"after {amount}"

    def test_weakening_makes_no_link_and_nothing_links_a_memory_to_itself(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        store.apply(SPACE, [strengthened("a", "b", -0.05), strengthened("a", "b", 0.0), strengthened("a", "a")])
        assert store.links(SPACE, ["a", "b"]) == []
        itself = Link("a", "a", "cites", THEN)
        store.apply(SPACE, [PutLink(itself), strengthened("a", "a")])
        assert store.links(SPACE, ["a"]) == [itself]

    def test_learning_about_what_was_erased_does_nothing_and_spoils_nothing(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abc"))
        store.apply(SPACE, [EraseMemory("c")])
        store.apply(SPACE, [strengthened("a", "c"), strengthened("c", "b"), favoured("c"), strengthened("a", "b")])
        assert [(link.from_id, link.to_id) for link in store.links(SPACE, ["a", "b", "c"])] == [("a", "b")]
        assert store.read(SPACE, ["c"]) == []

    def test_learning_is_no_change_and_begins_no_space(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        head = store.apply(SPACE, []).position
        before = store.read(SPACE, ["a"])[0]
        writes: tuple[Write, ...] = (strengthened("a", "b"), favoured("a"), Unlearn())
        for write in writes:
            assert store.apply(SPACE, [write]).position == head
            raises(NotFound, lambda write=write: store.apply("missing", [write]))  # type: ignore[misc]
        assert (store.names(), store.read(SPACE, ["a"])) == ([SPACE], [before])

    def test_unlearning_undoes_all_that_was_learned_and_nothing_that_was_stated(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abcd"))
        stated = [
            Link("a", "b", "cites", THEN, weight=0.7),
            Link("a", "c", LEARNED_RELATION, THEN, weight=0.4),
            Link("b", "c", "nothing yet", THEN, weight=0.0),
        ]
        store.apply(SPACE, [PutLink(link) for link in stated])
        pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
        store.apply(SPACE, [strengthened(*pair) for pair in pairs])
        store.apply(SPACE, [favoured("a"), favoured("b", -0.2), Touch("a", THEN, 2.0)])
        assert len(store.links(SPACE, list("abcd"))) == 4
        store.apply(SPACE, [Unlearn()])
        assert store.links(SPACE, list("abcd")) == stated
        found = store.read(SPACE, list("abcd"))
        assert [(each.favour, each.favour_at) for each in found] == [(0.0, None)] * 4
        assert found[0].access_count == 1, "counting accesses is not learning"

    def test_a_failing_write_takes_what_was_learned_beside_it_back(self, store: Store) -> None:
        put(store, memory("a"), memory("b"))
        raises(NotFound, lambda: store.apply(SPACE, [strengthened("a", "b"), favoured("a"), EraseMemory("missing")]))
        assert (store.links(SPACE, ["a"]), store.read(SPACE, ["a"])[0].favour) == ([], 0.0)

    def test_favour_stays_when_a_memory_is_read_and_put_back(self, store: Store) -> None:
        put(store, memory("a"))
        store.apply(SPACE, [favoured("a")])
        (stored,) = store.read(SPACE, ["a"])
        store.apply(SPACE, [PutMemory(replace(stored, title="new"))])
        assert store.read(SPACE, ["a"])[0].favour == 0.1
