"""LangGraph: Recollect as a `BaseStore`. Needs the extra `langgraph`.

Takes LangGraph's operations, each item a memory (`items`). As in LangGraph's own stores, the reads of a batch see what
was there before it, and of several puts of one key the last counts. There is no time to live: `put` with one raises.
Deleting really erases. Searching with a query is Recollect's hybrid search and needs no index configuration.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from recollect.adapters.calling import awaited, run_to_end
from recollect.adapters.items import (
    LABELS_OF_A_SPACE,
    NOTHING_TO_SEARCH,
    UNINDEXED,
    Namespace,
    Stored,
    check_labels,
    fields_of,
    lets_through,
    may_hold,
    namespaces_in,
    readable,
    space_of,
    stored_of,
    tag_of,
)
from recollect.errors import InvalidInput, MissingExtra, NotFound, Refused, WriteConflict
from recollect.records import VISIBLE, Filters, Lifecycle, Memory
from recollect.values import Fate

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
    )
except ImportError as missing:
    raise MissingExtra("the LangGraph adapter", extra="langgraph") from missing

WHOLE_VALUE = "$"
PAGE = 500
LOOKED_AT = 100  # hits looked at, or a multiple: who else is in the list moves relevance, and pages have to add up
MOST_LOOKED_AT = 1_000  # as many as one search gives
ATTEMPTS = 100  # at a write that others keep changing; each that fails is one of theirs that got through
NOT_WORTH_SEARCHING = frozenset({"empty", "too_short", "no_words", "repeated", "pleasantry", "gibberish"})
EVERYWHERE = frozenset({*VISIBLE, Lifecycle.ARCHIVED})


class RecollectStore(BaseStore):
    """Long-term memory for graphs: `RecollectStore(memory)`, then `builder.compile(store=store)`.

    `memory` is a `Recollect`, a `BlockingRecollect` or a client of a service. Its spaces are named `space`, a colon and
    the first two labels. `fields` says which parts of a value are searched by words and meaning, as LangGraph's index
    configuration does; the default is all of it.
    """

    supports_ttl = False

    def __init__(self, memory: Any, *, space: str = "langgraph", fields: Sequence[str] = (WHOLE_VALUE,)) -> None:
        if not isinstance(space, str) or not space or ":" in space:
            raise InvalidInput(f"space is {space!r}; give a name without a colon", field="space")
        self._memory = memory
        self._base = space
        self._fields = tuple(fields)

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return run_to_end(self.abatch(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        wanted = list(ops)
        _check(wanted)
        results = list(await asyncio.gather(*(self._read(op) for op in wanted)))
        puts = {(op.namespace, op.key): op for op in wanted if isinstance(op, PutOp)}
        await self._delete([op for op in puts.values() if op.value is None])
        for op in puts.values():
            if op.value is not None:
                await self._put(op)
        return results

    # --- reading -----------------------------------------------------------------------------------

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                found = await self._find(op.namespace, op.key)
                stored = stored_of(found[-1]) if found else None
                return stored and _item(stored)
            case SearchOp():
                return await (self._search(op) if (op.query or "").strip() else self._list(op))
            case ListNamespacesOp():
                return await self._namespaces(op)
            case _:
                return None

    async def _find(
        self, namespace: Namespace, key: str, *, lifecycles: frozenset[Lifecycle] = VISIBLE
    ) -> list[Memory]:
        """The memories of an item, newest first: one, but for a moment after it was put twice at once."""
        filters = Filters(tags=frozenset({tag_of(namespace, key)}), lifecycles=lifecycles)
        space = space_of(self._base, namespace)
        found: list[Memory] = await awaited(self._memory.browse, space=space, filters=filters, limit=PAGE)
        return found

    async def _spaces(self, prefix: Namespace) -> list[str]:
        if len(prefix) >= LABELS_OF_A_SPACE:
            return [space_of(self._base, prefix)]
        return sorted(name for name in await awaited(self._memory.spaces) if may_hold(name, self._base, prefix))

    async def _below(self, space: str, op: SearchOp, *, most: int | None) -> list[Stored]:
        """What a space holds below the prefix and the filter lets through, newest first."""
        filters = _within(op.namespace_prefix)
        found: list[Stored] = []
        after: str | None = None
        while most is None or len(found) < most:
            page = await awaited(self._memory.browse, space=space, filters=filters, limit=PAGE, after=after)
            found += _visible(page, op)
            if len(page) < PAGE:
                break
            after = page[-1].id
        return found

    async def _list(self, op: SearchOp) -> list[SearchItem]:
        most = op.offset + op.limit
        spaces = await self._spaces(op.namespace_prefix)
        found = [each for space in spaces for each in await self._below(space, op, most=most)]
        if len(spaces) > 1:
            found.sort(key=lambda each: (each.created_at, each.id), reverse=True)
        return [_search_item(each, None) for each in found[op.offset : most]]

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        most = op.offset + op.limit
        ranked: list[tuple[float, Stored]] = []
        for space in await self._spaces(op.namespace_prefix):
            ranked += await self._ranked(space, op, most=most)
        ranked.sort(key=lambda each: (-each[0], each[1].namespace, each[1].key))
        return [_search_item(stored, relevance) for relevance, stored in ranked[op.offset : most]]

    async def _ranked(self, space: str, op: SearchOp, *, most: int) -> list[tuple[float, Stored]]:
        """What the query finds in a space; where there is a filter, only among what it lets through."""
        ids: frozenset[str] = frozenset()
        if op.filter:
            ids = frozenset(each.id for each in await self._below(space, op, most=None))
            if not ids:
                return []
        filters = _within(op.namespace_prefix, ids=ids, without_kinds=frozenset({UNINDEXED}))
        looked_at = min(MOST_LOOKED_AT, LOOKED_AT * max(1, -(-most // LOOKED_AT)))
        result = await awaited(self._memory.search, op.query, space=space, filters=filters, limit=looked_at)
        whole = await self._whole(space, [hit.memory for hit in result.hits])
        return [(hit.relevance, stored) for hit in result.hits for stored in _visible([whole[hit.memory.id]], op)]

    async def _whole(self, space: str, memories: Sequence[Memory]) -> dict[str, Memory]:
        """The memories by id; those that came without what they keep, as from a service, are read."""
        bare = frozenset(memory.id for memory in memories if stored_of(memory) is None)
        read: list[Memory] = []
        if bare:
            read = await awaited(self._memory.browse, space=space, filters=Filters(ids=bare), limit=len(bare))
        return {memory.id: memory for memory in [*memories, *read]}

    async def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        found: set[Namespace] = set()
        for space in await self._spaces(_leading(op)):
            for namespace in namespaces_in(await awaited(self._memory.clusters, space=space)):
                if all(_matches(condition, namespace) for condition in op.match_conditions or ()):
                    found.add(namespace[: op.max_depth])
        return sorted(found)[op.offset : op.offset + op.limit]

    # --- writing -----------------------------------------------------------------------------------

    async def _delete(self, ops: Sequence[PutOp]) -> None:
        """Erase all at once in each space: erasing makes its indexes anew."""
        gone: dict[str, list[str]] = {}
        for op in ops:
            for memory in await self._find(op.namespace, op.key, lifecycles=EVERYWHERE):
                gone.setdefault(memory.space, []).append(memory.id)
        for space, ids in gone.items():
            await awaited(self._memory.forget, *ids, space=space)

    async def _put(self, op: PutOp) -> None:
        for attempt in range(ATTEMPTS):
            try:
                return await self._put_once(op)
            except (WriteConflict, NotFound):  # somebody else changed or deleted it meanwhile: the later one counts
                if attempt == ATTEMPTS - 1:
                    raise

    async def _put_once(self, op: PutOp) -> None:
        """Change what is there or make it. Of what was made twice at once all go by the oldest; the others go."""
        there = await self._find(op.namespace, op.key, lifecycles=EVERYWHERE)
        if not there:
            made = await self._written(self._memory.remember, op, space=space_of(self._base, op.namespace))
            there = await self._find(op.namespace, op.key, lifecycles=EVERYWHERE)
            if made.fate is Fate.STORED and len(there) < 2:
                return
        await self._change(there[-1], op)
        for twin in there[:-1]:
            with suppress(NotFound):  # somebody else did it
                await awaited(self._memory.forget, twin.id, space=twin.space)

    async def _change(self, memory: Memory, op: PutOp) -> None:
        if memory.lifecycle is Lifecycle.ARCHIVED:
            await awaited(self._memory.restore, memory.id, space=memory.space)
        await self._written(self._memory.update, op, memory.id, space=memory.space)

    async def _written(self, verb: Any, op: PutOp, *ids: str, space: str) -> Any:
        """Write the item; where its words are none a memory may be made of, without them."""
        value = dict(op.value or {})
        fields = fields_of(op.namespace, op.key, value)
        if text := self._text(op, value):
            try:
                return await awaited(verb, *ids, body=text, kind="fact", space=space, **fields)
            except Refused as refused:
                if refused.reason not in NOT_WORTH_SEARCHING:
                    raise
        return await awaited(verb, *ids, body=NOTHING_TO_SEARCH, kind=UNINDEXED, space=space, **fields)

    def _text(self, op: PutOp, value: dict[str, Any]) -> str:
        """What is searched of a value."""
        if op.index is False:
            return ""
        paths = self._fields if op.index is None else op.index
        lines = (line for path in paths for line in _at(path, value))
        return "\n".join(dict.fromkeys(lines))


def _at(path: str, value: dict[str, Any]) -> list[str]:
    return [readable(value)] if path == WHOLE_VALUE else get_text_at_path(value, path)


def _check(ops: Sequence[Op]) -> None:
    """Before anything is done: whoever calls `batch` passes by the checks of `put` and the others."""
    for op in ops:
        match op:
            case GetOp(namespace=namespace) | PutOp(namespace=namespace):
                check_labels(namespace)
            case SearchOp(namespace_prefix=prefix):
                check_labels(prefix)
            case ListNamespacesOp():
                for condition in op.match_conditions or ():
                    check_labels(condition.path)
            case _:
                raise InvalidInput(f"{type(op).__name__} is no operation of a store", field="ops")
        if isinstance(op, PutOp):
            if not op.namespace:
                raise InvalidInput("the namespace is empty; give at least one label", field="namespace")
            if op.ttl is not None:
                raise NotImplementedError("a time to live is not supported; delete what is no longer wanted")


def _within(
    prefix: Namespace, *, ids: frozenset[str] = frozenset(), without_kinds: frozenset[str] = frozenset()
) -> Filters:
    return Filters(clusters=frozenset({".".join(prefix)} if prefix else ()), ids=ids, without_kinds=without_kinds)


def _visible(memories: Iterable[Memory], op: SearchOp) -> Iterator[Stored]:
    """The items among them that are below the prefix, whoever says so, and as the filter wants them."""
    for memory in memories:
        stored = stored_of(memory)
        if stored is None or stored.namespace[: len(op.namespace_prefix)] != op.namespace_prefix:
            continue
        if lets_through(op.filter, stored.value):
            yield stored


def _leading(op: ListNamespacesOp) -> Namespace:
    """The labels every namespace listed begins with, as far as one can tell."""
    for condition in op.match_conditions or ():
        if condition.match_type == "prefix" and "*" not in condition.path:
            return tuple(condition.path)
    return ()


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    wanted = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInput(f"match type {condition.match_type!r} is unknown; known: prefix, suffix", field="match_type")
    if len(wanted) > len(namespace):
        return False
    there = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[len(namespace) - len(wanted) :]
    return all(want in ("*", label) for want, label in zip(wanted, there, strict=True))


def _item(stored: Stored) -> Item:
    return Item(
        value=stored.value,
        key=stored.key,
        namespace=stored.namespace,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )


def _search_item(stored: Stored, score: float | None) -> SearchItem:
    return SearchItem(stored.namespace, stored.key, stored.value, stored.created_at, stored.updated_at, score)
