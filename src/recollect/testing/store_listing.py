"""What every store must list: the links of one relation, and the clusters with their counts."""

from __future__ import annotations

from recollect.ports import Store
from recollect.records import Filters, Lifecycle, Link, PutLink
from recollect.testing.store_cases import DAY, EVERYTHING, SPACE, THEN, memory, put


class ListingContract:
    """Whole lists."""

    def test_the_links_of_one_relation_come_in_order(self, store: Store) -> None:
        put(store, *(memory(id) for id in "abc"))
        ends = [("c", "a", "contradicts"), ("a", "b", "contradicts"), ("a", "c", "relates_to")]
        store.apply(SPACE, [PutLink(Link(*each, THEN)) for each in ends])
        assert [(link.from_id, link.to_id) for link in store.related(SPACE, "contradicts")] == [("a", "b"), ("c", "a")]
        assert store.related(SPACE, "causes") == []
        assert store.related("elsewhere", "contradicts") == []

    def test_clusters_count_what_passes_by_name(self, store: Store) -> None:
        put(
            store,
            memory("a", clusters=("zoo", "ant", "zoo"), tags=("tag",)),
            memory("b", clusters=("zoo",)),
            memory("c", clusters=("zoo", "old"), valid_to=THEN + DAY),
            memory("d", clusters=("zoo",), lifecycle=Lifecycle.ARCHIVED),
            memory("e"),
        )
        assert store.clusters(SPACE, Filters()) == {"ant": 1, "zoo": 2}
        assert list(store.clusters(SPACE, EVERYTHING).items()) == [("ant", 1), ("old", 1), ("zoo", 4)]
        assert store.clusters("elsewhere", Filters()) == {}
