"""What stored memories state, for the graph: memories in, triples out, each with the memory that says it.

Takes memories of a space; reads their text as prose. Decides which kinds have something to state. Files are read by
their own readers, and their statements come with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.knowledge import CHUNK, Triple
from recollect.memories import Memory
from recollect.ports import Knowledge, Records
from recollect.reading.prose import statements_in
from recollect.records import Filters

COLLECTION = "memories"  # the statements of all memories of a space
UNREAD_KINDS = frozenset({CHUNK, "message"})  # files are read elsewhere; in a conversation, "it" is anything
PAGE = 1_000  # memories read at once
ALSO_CALLED = "also_called"


def triples_of(memory: Memory) -> list[Triple]:
    """What one memory states.

    >>> from datetime import UTC, datetime
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> made = Memory("m1", "s", "document", "The Blue Boat", "The Blue Boat was built by Ana Ortiz.", at, at, "h")
    >>> [each[:3] for each in triples_of(made)], triples_of(made)[0].memory
    ([('The Blue Boat', 'built_by', 'Ana Ortiz')], 'm1')
    """
    if memory.kind in UNREAD_KINDS:
        return []
    entities, statements = statements_in(memory.body, title=memory.title)
    names = {entity.key: entity.name for entity in entities}
    triples = [
        Triple(names[said.subject], said.relation, names[said.object], said.sentence, memory.id, said.weight)
        for said in statements
    ]
    others = [(entity, other) for entity in entities for other in entity.aliases]
    return triples + [Triple(entity.name, ALSO_CALLED, other, entity.detail, memory.id) for entity, other in others]


def triples_in(memories: Iterable[Memory]) -> Iterator[Triple]:
    """What memories state, one after the other."""
    for memory in memories:
        yield from triples_of(memory)


def state_memories(store: Records, knowledge: Knowledge, space: str, *, filters: Filters) -> int:
    """Read all memories that pass the filters and put what they state into the graph, in place of what they stated
    before; how many statements that are."""
    triples = list(triples_in(_all(store, space, filters)))
    knowledge.state(space, COLLECTION, triples)
    knowledge.settle(space)
    return len(triples)


def _all(store: Records, space: str, filters: Filters) -> Iterator[Memory]:
    after: str | None = None
    while page := store.browse(space, filters, limit=PAGE, after=after):
        yield from page
        after = page[-1].id
