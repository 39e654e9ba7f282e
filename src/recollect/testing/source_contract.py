"""What every source must do, as tests. Subclass it and supply a pytest fixture called `make_source`:

    class TestMine(SourceContract):
        @pytest.fixture
        def make_source(self): return lambda memories: MySource(memories)

It takes memories (of more than one space, and some archived) and gives a source that holds them. Where lookups
need more than their text, a vector say, override `lookup`. Each test runs its own event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isclose, isfinite
from typing import Any, TypeAlias

from recollect.ports import Source
from recollect.records import Filters, Lifecycle, Memory, TimeAxis, TimeRange
from recollect.testing.corpus import BEGINNING, SPACE, TEXTS, make_memories, make_memory
from recollect.values import Explanation, Hit, Lookup, Reply

MakeSource: TypeAlias = Callable[[Sequence[Memory]], Source]

OTHER_SPACE = "other"
PLENTY = 100
QUESTIONS = (
    "When is the rent of the office due?",
    "BTC thesis",
    "the invoice of the plumber",
    "weekly report as a table",
    "Встреча перенесена",
    "Treffen in Zürich",
)
ODD_LOOKUPS = {
    "signs": "?!… -- \"' ()[]{} + AND OR NOT * ~ ^ :",
    "white space": " \n\t ",
    "empty": "",
    "very long": "the rent of the office " * 4_000,
    "one long word": "x" * 50_000,
    "emoji": "👩‍👩‍👧 🗼",
    "right to left": "اجتماع الفريق",
    "null character": "rent\x00office",
}


def ids_of(hits: Sequence[Hit]) -> list[str]:
    """The ids of hits, in their order."""
    return [hit.memory.id for hit in hits]


def adds_up(explanation: Explanation) -> bool:
    """Whether every node that says so is the sum of its details."""
    summed = sum(detail.value for detail in explanation.details)
    own = not explanation.sums or isclose(summed, explanation.value, abs_tol=1e-9)
    return own and all(adds_up(detail) for detail in explanation.details)


class SourceContract:
    """The suite."""

    def lookup(self, text: str, source: Source, **fields: Any) -> Lookup:
        """A lookup as the search would send it."""
        return Lookup(text, **{"space": SPACE, "limit": PLENTY, "source": source.name, **fields})

    def find(self, source: Source, text: str, **fields: Any) -> tuple[Hit, ...]:
        """The hits for a text, searched from outside any loop."""
        return asyncio.run(source.search(self.lookup(text, source, **fields))).hits

    # --- how many, and in which order ------------------------------------------------------------

    def test_there_is_something_to_find(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for question in QUESTIONS:
            assert self.find(source, question), f"nothing found for {question!r}: the rest would test nothing"

    def test_no_more_hits_than_the_limit(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for limit in (1, 2, 5):
            assert 0 < len(self.find(source, "the office", limit=limit)) <= limit

    def test_zero_limit_gives_nothing(self, make_source: MakeSource) -> None:
        assert self.find(make_source(make_memories()), QUESTIONS[0], limit=0) == ()

    def test_the_most_relevant_comes_first(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for question in QUESTIONS:
            chances = [hit.relevance for hit in self.find(source, question)]
            assert chances == sorted(chances, reverse=True), question

    def test_ties_are_broken_by_id(self, make_source: MakeSource) -> None:
        twins = [make_memory(n, id=f"twin-{n}", title="", body="The same words") for n in (3, 1, 2)]
        hits = self.find(make_source(twins), "same words")
        assert len(hits) == 3
        order = [(-hit.relevance, hit.memory.id) for hit in hits]
        assert order == sorted(order)

    def test_each_memory_comes_once(self, make_source: MakeSource) -> None:
        ids = ids_of(self.find(make_source(make_memories()), "the office key"))
        assert len(ids) == len(set(ids))

    def test_the_same_lookup_gives_the_same_reply(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for question in QUESTIONS:
            assert self.find(source, question) == self.find(source, question)

    # --- what a hit says -------------------------------------------------------------------------

    def test_relevance_lies_between_zero_and_one(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for question in QUESTIONS:
            for hit in self.find(source, question):
                assert 0.0 <= hit.relevance <= 1.0 and 0.0 <= hit.relevance <= 1.0 and isfinite(hit.source_score), hit

    def test_explanations_add_up(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for question in QUESTIONS:
            for hit in self.find(source, question):
                assert adds_up(hit.explanation), hit.explanation
                assert isclose(hit.explanation.total(), hit.explanation.value, abs_tol=1e-9), hit.explanation

    def test_signals_lie_between_zero_and_one(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for question in QUESTIONS:
            for hit in self.find(source, question):
                names = [signal.name for signal in hit.signals]
                assert len(names) == len(set(names)), hit.signals
                assert all(0.0 <= signal.value <= 1.0 and isfinite(signal.raw) for signal in hit.signals), hit.signals

    def test_explanation_explains_the_source_score(self, make_source: MakeSource) -> None:
        for hit in self.find(make_source(make_memories()), QUESTIONS[0]):
            assert isclose(hit.explanation.value, hit.source_score)

    def test_hits_name_their_source(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        assert {hit.source for hit in self.find(source, QUESTIONS[0])} == {source.name}

    # --- what may be seen ------------------------------------------------------------------------

    def test_nothing_of_another_space_is_seen(self, make_source: MakeSource) -> None:
        secret = make_memory(900, space=OTHER_SPACE, title="", body="The passphrase is marmalade")
        source = make_source([make_memory(0), secret])
        assert self.find(source, "passphrase marmalade", space=OTHER_SPACE), "not found where it belongs"
        assert secret.id not in ids_of(self.find(source, "passphrase marmalade"))

    def test_hits_belong_to_the_space_asked_in(self, make_source: MakeSource) -> None:
        here, there = make_memories(), [replace(each, space=OTHER_SPACE) for each in make_memories(10)]
        source = make_source([*here, *there])
        for question in QUESTIONS:
            for space in (SPACE, OTHER_SPACE):
                assert {hit.memory.space for hit in self.find(source, question, space=space)} <= {space}, question

    def test_unknown_space_gives_nothing(self, make_source: MakeSource) -> None:
        assert self.find(make_source(make_memories()), QUESTIONS[0], space="nobody was here") == ()

    def test_archived_memories_are_hidden_unless_asked_for(self, make_source: MakeSource) -> None:
        source = make_source([make_memory(0, lifecycle=Lifecycle.ARCHIVED)])
        if source.abilities.filters:
            assert self.find(source, "BTC thesis") == ()
            asked = Filters(lifecycles=frozenset({Lifecycle.ARCHIVED}))
            assert ids_of(self.find(source, "BTC thesis", filters=asked)) == ["memory-0000"]

    def test_superseded_memories_are_hidden_unless_asked_for(self, make_source: MakeSource) -> None:
        source = make_source([make_memory(0, valid_to=BEGINNING)])
        if source.abilities.filters:
            assert self.find(source, "BTC thesis") == ()
            assert len(self.find(source, "BTC thesis", filters=Filters(superseded=True))) == 1

    def test_filters_are_respected(self, make_source: MakeSource) -> None:
        places = [f"notes/{n}.md" if n % 4 else None for n in range(len(TEXTS))]
        rows = [make_memory(n, title="", body=f"common words {n}", source_uri=uri) for n, uri in enumerate(places)]
        source = make_source(rows)
        if not source.abilities.filters:
            return
        for name, filters, passes in FILTERS:
            expected = {memory.id for memory in rows if passes(memory)}
            assert 0 < len(expected) < len(rows), f"the case {name!r} tests nothing"
            assert set(ids_of(self.find(source, "common words", filters=filters))) == expected, name

    def test_filters_apply_before_the_limit(self, make_source: MakeSource) -> None:
        rows = [make_memory(n, title="", body="common words", kind="fact") for n in range(30)]
        source = make_source([*rows, make_memory(99, title="", body="common words here too", kind="rare")])
        if source.abilities.filters:
            found = self.find(source, "common words", limit=3, filters=Filters(kinds=frozenset({"rare"})))
            assert ids_of(found) == ["memory-0099"]

    # --- hardship --------------------------------------------------------------------------------

    def test_odd_lookups_do_not_raise(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        for name, text in ODD_LOOKUPS.items():
            hits = self.find(source, text)
            assert len(hits) <= PLENTY, name

    def test_a_source_that_holds_nothing_finds_nothing(self, make_source: MakeSource) -> None:
        assert self.find(make_source([]), QUESTIONS[0]) == ()

    def test_concurrent_searches_agree(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())

        async def together() -> list[Reply]:
            lookups = [self.lookup(question, source) for question in QUESTIONS * 4]
            return await asyncio.gather(*(source.search(each) for each in lookups))

        alone = [self.find(source, question) for question in QUESTIONS]
        assert [reply.hits for reply in asyncio.run(together())] == alone * 4

    def test_cancelling_leaves_it_usable(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        before = self.find(source, QUESTIONS[0])

        async def cancel_then_search() -> Reply:
            for turns in range(4):
                task = asyncio.ensure_future(source.search(self.lookup(QUESTIONS[0], source)))
                for _ in range(turns):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
            return await source.search(self.lookup(QUESTIONS[0], source))

        assert asyncio.run(cancel_then_search()).hits == before

    def test_a_lookup_is_left_as_it_was(self, make_source: MakeSource) -> None:
        source = make_source(make_memories())
        lookup = self.lookup(QUESTIONS[0], source)
        copy = replace(lookup)
        asyncio.run(source.search(lookup))
        assert lookup == copy


_SPLIT = BEGINNING.replace(hour=21)

FILTERS: tuple[tuple[str, Filters, Callable[[Memory], bool]], ...] = (
    ("kind", Filters(kinds=frozenset({"fact", "lesson"})), lambda memory: memory.kind in {"fact", "lesson"}),
    ("all but a kind", Filters(without_kinds=frozenset({"fact"})), lambda memory: memory.kind != "fact"),
    (
        "a kind and not it",
        Filters(kinds=frozenset({"fact", "lesson"}), without_kinds=frozenset({"fact"})),
        lambda memory: memory.kind == "lesson",
    ),
    ("lifecycle", Filters(lifecycles=frozenset({Lifecycle.WEAK})), lambda memory: memory.lifecycle is Lifecycle.WEAK),
    ("project", Filters(projects=frozenset({"desk"})), lambda memory: memory.project == "desk"),
    (
        "path",
        Filters(paths=frozenset({"notes/1*", "**/2.md"})),
        lambda memory: str(memory.source_uri).startswith("notes/1") or memory.source_uri == "notes/2.md",
    ),
    ("trust", Filters(trusts=frozenset({"web", "tool"})), lambda memory: memory.trust in {"web", "tool"}),
    ("all tags", Filters(tags=frozenset({"people", "work"})), lambda memory: {"people", "work"} <= set(memory.tags)),
    ("any cluster", Filters(clusters=frozenset({"even", "x"})), lambda memory: "even" in memory.clusters),
    (
        "stored before",
        Filters(time=TimeRange(end=_SPLIT, axis=TimeAxis.STORED)),
        lambda memory: memory.created_at < _SPLIT,
    ),
    (
        "happened before",
        Filters(time=TimeRange(end=BEGINNING, axis=TimeAxis.EVENT)),
        lambda memory: memory.event_time is not None and memory.event_time < BEGINNING,
    ),
    ("known at a time", Filters(as_of=_SPLIT), lambda memory: (memory.event_time or memory.created_at) <= _SPLIT),
    (
        "two at once",
        Filters(kinds=frozenset({"fact"}), trusts=frozenset({"user", "agent"})),
        lambda memory: memory.kind == "fact" and memory.trust in {"user", "agent"},
    ),
)
