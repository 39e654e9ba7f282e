"""The vector source: pieces of files that were read in, by likeness, each with the lines beside it in its file.

The same search as for memories, over one kind, so that relevance means the same. Filters for projects and paths hold
inside the search. The pieces beside a hit are those its file was cut into, as the graph keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from recollect.hybrid import Hybrid, Kinds, system_now
from recollect.knowledge import CHUNK
from recollect.ports import FilesRead, Store
from recollect.rank.model import Model
from recollect.records import Filters, Memory
from recollect.settings import Settings
from recollect.values import Around, Lookup, Reply

VECTOR = "vector"
CHUNK_KINDS = frozenset({CHUNK})
LINES_BESIDE = 3  # shown of the piece before and of the one after
MOST_WITH_LINES = 10  # hits, the best, that get them: no more are ever shown in full
MOST_BETWEEN = 3  # blank lines that two pieces may leave between them
LINES = re.compile(r"(\d+)-(\d+)")


class VectorSource(Hybrid):
    """Pieces of files; `knowledge` says which pieces a file has, in order, and without it there are no lines beside."""

    def __init__(
        self,
        store: Store,
        *,
        settings: Settings | None = None,
        now: Callable[[], datetime] = system_now,
        knowledge: FilesRead | None = None,
        model: Model | None = None,
    ) -> None:
        super().__init__(store, name=VECTOR, settings=settings, now=now, kinds=Kinds(CHUNK_KINDS), model=model)
        self._files = knowledge

    def search_now(self, lookup: Lookup) -> Reply:
        """The hits of the search, the best of them with what stands beside them."""
        reply = super().search_now(lookup)
        if self._files is None or not reply.hits:
            return reply
        best, rest = reply.hits[:MOST_WITH_LINES], reply.hits[MOST_WITH_LINES:]
        beside = self._beside(lookup, [hit.memory for hit in best])
        shown = tuple(replace(hit, around=beside.get(hit.memory.id, hit.around)) for hit in best)
        return replace(reply, hits=(*shown, *rest))

    def _beside(self, lookup: Lookup, memories: Sequence[Memory]) -> dict[str, Around]:
        """What stands beside each of these that knows its file and its lines."""
        pairs = self._neighbours(lookup.space, memories)
        wanted = list(dict.fromkeys(id for pair in pairs.values() for id in pair if id))
        allowed: Filters = replace(lookup.filters, ids=frozenset(), kinds=CHUNK_KINDS)
        now = self._now()
        read = {each.id: each for each in self._store.read(lookup.space, wanted) if allowed.passes(each, now=now)}
        return {each.id: _around(each, *map(read.get, pairs[each.id])) for each in memories if each.id in pairs}

    def _neighbours(self, space: str, memories: Sequence[Memory]) -> dict[str, tuple[str, str]]:
        """The ids of the pieces before and after each of these in its file, empty where there is none."""
        assert self._files is not None
        paths: dict[str, dict[str, None]] = {}
        for memory in memories:
            if memory.project is not None and memory.source_uri is not None:
                paths.setdefault(memory.project, {})[memory.source_uri] = None
        found: dict[str, tuple[str, str]] = {}
        for project, wanted in paths.items():
            pieces: Mapping[str, Sequence[str]] = self._files.chunks_of(space, project, list(wanted))
            for ids in pieces.values():
                found |= {
                    id: (before, after) for before, id, after in zip(("", *ids), ids, (*ids[1:], ""), strict=False)
                }
        return {memory.id: found[memory.id] for memory in memories if memory.id in found}


def _around(memory: Memory, before: Memory | None, after: Memory | None) -> Around:
    lines = lines_of(memory)
    if lines is None:
        return Around()
    first, last = lines
    above = _lines(before, lambda other: 0 < first - other[1] <= MOST_BETWEEN + 1)[-LINES_BESIDE:]
    below = _lines(after, lambda other: 0 < other[0] - last <= MOST_BETWEEN + 1)[:LINES_BESIDE]
    return Around("\n".join(above), "\n".join(below), first, last)


def _lines(memory: Memory | None, adjoins: Callable[[tuple[int, int]], bool]) -> list[str]:
    lines = lines_of(memory) if memory is not None else None
    return memory.body.strip("\n").split("\n") if memory is not None and lines and adjoins(lines) else []


def lines_of(memory: Memory) -> tuple[int, int] | None:
    """The first and last line of its file, where it says so.

    >>> from recollect.testing.corpus import make_memory
    >>> lines_of(make_memory(0, source_position="12-40")), lines_of(make_memory(0, source_position="page 3"))
    ((12, 40), None)
    """
    found = LINES.fullmatch(memory.source_position or "")
    return (int(found[1]), int(found[2])) if found else None
