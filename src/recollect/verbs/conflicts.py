"""The verbs for memories that contradict each other: list them, decide about them one by one or many at once.

What two answers said at the same time is weighed in `steps/reconcile.py`; here it is settled for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from recollect.errors import InvalidInput, NotFound
from recollect.ingest.gate import check_draft
from recollect.ingest.settle import COEXISTS, check_resolution, is_current, merged_draft, resolve
from recollect.ingest.write import embedding_text, read_one
from recollect.inputs import check_ids, check_limit
from recollect.journal.noted import noted_conflicts
from recollect.offload import run_in_thread
from recollect.ports import TextKind
from recollect.rank.disputes import conflict_kind, later_first
from recollect.records import Memory, Vector, check_space
from recollect.values import ConflictKind, Dispute, Resolution, Resolved
from recollect.verbs.wired import DEFAULT_SPACE, Wired

CONTRADICTS, STATED = "contradicts", "stated_contradiction"
MOST_TRACES = 1_000  # of the newest, looked through for what answers came upon
MOST_AT_ONCE = 1_000  # resolutions of one call

Pair = frozenset[str]
Said = tuple[str, ConflictKind | None, str | None]  # the reason, the kind where it was noted, and the trace


class Conflicts(Wired):
    """What cannot both hold."""

    async def conflicts(
        self, *, space: str = DEFAULT_SPACE, limit: int = 20, after: str | None = None
    ) -> list[Dispute]:
        """Pairs of current memories that contradict each other, the one stored last first.

        As links say, and as answers came upon them, by the newest thousand traces kept. `after` is the cursor of the
        last one seen, which may be resolved by now.
        """
        check_space(space)
        check_limit(limit)
        await self.settle()
        return await run_in_thread(self._disputes, space, limit, after)

    async def resolve_conflict(
        self, one: str, other: str, how: str, *, space: str = DEFAULT_SPACE, text: str | None = None
    ) -> Resolved:
        """Decide about two memories: new_is_current, old_is_current, keep_both, or merge with the text that replaces
        both. What no longer holds is superseded, never deleted; to decide the same again changes nothing."""
        (resolved,) = await self.resolve_conflicts([Resolution(one, other, how, text)], space=space)
        return resolved

    async def resolve_conflicts(
        self, resolutions: Sequence[Resolution], *, space: str = DEFAULT_SPACE
    ) -> list[Resolved]:
        """Decide about several, each in its own transaction, in order; all are checked before the first is stored."""
        check_space(space)
        if len(resolutions) > MOST_AT_ONCE:
            raise InvalidInput(f"{len(resolutions):,} resolutions; at most {MOST_AT_ONCE:,}", field="resolutions")
        for each in resolutions:
            check_ids(each.one, field="one")
            check_ids(each.other, field="other")
            check_resolution(each)
        vectors = await self._merged_vectors(resolutions, space)

        def resolve_all() -> list[Resolved]:
            return [
                resolve(each, space=space, vector=vector, desk=self._desk)
                for each, vector in zip(resolutions, vectors, strict=True)
            ]

        return await run_in_thread(resolve_all)

    async def _merged_vectors(self, resolutions: Sequence[Resolution], space: str) -> list[Vector | None]:
        """The vectors of the texts that merges give; all memories named are there, and all texts may be stored."""
        texts: dict[int, str] = {}
        for number, each in enumerate(resolutions):
            one, other = await self._pair(space, each)
            if each.text is not None:
                draft = merged_draft(one, other, each.text)
                check_draft(draft, settings=self.settings.write)
                texts[number] = embedding_text(draft)
        vectors = await self._embedder.embed(list(texts.values()), kind=TextKind.DOCUMENT) if texts else []
        by_number = dict(zip(texts, vectors, strict=True))
        return [by_number.get(number) for number in range(len(resolutions))]

    async def _pair(self, space: str, resolution: Resolution) -> tuple[Memory, Memory]:
        def read() -> tuple[Memory, Memory]:
            return read_one(self._store, space, resolution.one), read_one(self._store, space, resolution.other)

        return await run_in_thread(read)

    def _disputes(self, space: str, limit: int, after: str | None) -> list[Dispute]:
        last = None if after is None else self._place(space, after)
        settled = {frozenset((link.from_id, link.to_id)) for link in self._store.related(space, COEXISTS)}
        said: dict[Pair, Said] = {}
        for pair, about in self._said(space):
            if len(pair) == 2 and pair not in settled:
                said.setdefault(pair, about)
        known = {memory.id: memory for memory in self._store.read(space, sorted({id for pair in said for id in pair}))}
        now = self._clock.now()
        current = {id for id, memory in known.items() if is_current(memory, now=now)}
        found = []
        for pair, (reason, kind, trace_id) in said.items():
            if pair <= current:
                newer, older = later_first(*(known[id] for id in sorted(pair)))
                found.append(Dispute(newer, older, kind or conflict_kind(newer, older), reason, trace_id))
        found.sort(key=lambda each: _order(each.newer, each.older), reverse=True)
        return [each for each in found if last is None or _order(each.newer, each.older) < last][:limit]

    def _said(self, space: str) -> Iterator[tuple[Pair, Said]]:
        """Who contradicts whom, by what notes and then by links; what was noted says more and goes first."""
        for line in self._store.traces(space, limit=MOST_TRACES):
            record = self._store.trace(space, line.id) if len(line.touched) > 1 else None
            for each in noted_conflicts(record) if record else ():
                yield frozenset((each.preferred, each.other)), (each.reason, each.kind, line.id)
        now = self._clock.now()
        for link in self._store.related(space, CONTRADICTS):
            if (link.valid_from or now) <= now and (link.valid_to is None or link.valid_to > now):
                yield frozenset((link.from_id, link.to_id)), (STATED, None, None)

    def _place(self, space: str, after: str) -> tuple[str, ...]:
        """Where in the order a cursor stands."""
        check_ids(after, field="after")
        ids = [unquote(part) for part in after.split(":")]
        found = self._store.read(space, ids) if len(ids) == 2 and all(ids) else []
        if len(found) != 2:
            raise NotFound(f"no conflict {after!r} to continue after; start again without it")
        return _order(*found)


def _order(newer: Memory, older: Memory) -> tuple[str, ...]:
    """By when the later stored of the two was stored, then by ids."""
    return max(newer.created_at, older.created_at).isoformat(), newer.id, older.id
