"""The verbs that write: remember, update, supersede, archive, restore, forget, link, unlink.

They check what the caller gave, embed, hop to a worker thread for the store, and return values. How a text is stored
is in `ingest/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from recollect.errors import InvalidInput
from recollect.ingest.gate import check_draft, check_relation
from recollect.ingest.write import (
    draft_fields,
    embedding_text,
    make_draft,
    make_link,
    make_memory,
    revised,
    store_draft,
    supersede_writes,
    with_lifecycle,
)
from recollect.inputs import check_ids
from recollect.offload import run_in_thread
from recollect.ports import TextKind
from recollect.readings import forget_readings
from recollect.records import Draft, EraseLink, EraseMemory, Lifecycle, Link, Memory, PutLink, PutMemory, Vector
from recollect.values import Remembered
from recollect.verbs.wired import DEFAULT_SPACE, Wired


class Writing(Wired):
    """What changes a space."""

    async def remember(
        self, body: str, *, space: str = DEFAULT_SPACE, key: str | None = None, **fields: Any
    ) -> Remembered:
        """Store one text. `fields` are those of `Draft`; `key` makes a repeated call harmless."""
        (remembered,) = await self.remember_many(
            [make_draft(body=body, **fields)], space=space, keys=None if key is None else [key]
        )
        return remembered

    async def remember_many(
        self, drafts: Sequence[Draft], *, space: str = DEFAULT_SPACE, keys: Sequence[str] | None = None
    ) -> list[Remembered]:
        """Store several, each in its own transaction, in order; all are checked before the first is stored."""
        for draft in drafts:
            check_draft(draft, settings=self.settings.write)
        check_ids(*(keys or ()), field="key")
        if keys is not None and len(keys) != len(drafts):
            raise InvalidInput(f"{len(drafts)} drafts but {len(keys)} keys; give one for each", field="keys")
        vectors = await self._embedder.embed([embedding_text(draft) for draft in drafts], kind=TextKind.DOCUMENT)

        def store_all() -> list[Remembered]:
            chosen: Sequence[str | None] = keys or [None] * len(drafts)
            return [
                store_draft(draft, space=space, vector=vector, key=key, desk=self._desk)
                for draft, vector, key in zip(drafts, vectors, chosen, strict=True)
            ]

        return await run_in_thread(store_all)

    async def update(self, id: str, *, space: str = DEFAULT_SPACE, append: str | None = None, **changes: Any) -> Memory:
        """Change fields of a memory: replace `body`, or `append` to it; a changed text is embedded anew."""
        if append is not None and "body" in changes:
            raise InvalidInput("body and append were both given; give body or append, not both", field="append")
        if append is not None and not isinstance(append, str):
            raise InvalidInput(f"append must be text, not {type(append).__name__}", field="append")
        old = await self._get(space, id)
        if append is None and not changes:
            raise InvalidInput("nothing to change was given; give at least one field", field="fields")
        if append is not None:
            changes["body"] = f"{old.body.rstrip()}\n{append}"
        draft = make_draft(**{**{name: getattr(old, name) for name in draft_fields()}, **changes})
        check_draft(draft, settings=self.settings.write)
        changed = revised(old, {name: getattr(draft, name) for name in changes}, now=self._clock.now())
        vector = None if changed.embedded_by else await self._embed_one(changed)
        await run_in_thread(self._store.apply, space, [PutMemory(changed, vector, expected=old.updated_at)])
        return await self._get(space, id)

    async def supersede(self, id: str, body: str, *, space: str = DEFAULT_SPACE, **fields: Any) -> Memory:
        """Store a newer version: the old memory stays, its interval closed, linked from the new one."""
        old = await self._get(space, id)
        if old.valid_to is not None and old.valid_to <= self._clock.now():
            raise InvalidInput(f"memory {id!r} is superseded already; supersede the newest one", field="id")
        inherited = {"title": old.title, "kind": old.kind, "project": old.project, "tags": old.tags, "trust": old.trust}
        draft = make_draft(body=body, **{**inherited, **fields})
        check_draft(draft, settings=self.settings.write)
        new = make_memory(draft, space=space, now=self._clock.now(), entropy=self._entropy)
        writes = supersede_writes(old, new, vector=await self._embed_one(new))
        await run_in_thread(self._store.apply, space, writes)
        return await self._get(space, new.id)

    async def archive(self, id: str, *, space: str = DEFAULT_SPACE) -> Memory:
        """Take a memory out of every search; `restore` brings it back."""
        return await self._set_lifecycle(space, id, Lifecycle.ARCHIVED)

    async def restore(self, id: str, *, space: str = DEFAULT_SPACE) -> Memory:
        """Bring an archived memory back."""
        return await self._set_lifecycle(space, id, Lifecycle.ACTIVE)

    async def forget(self, *ids: str, space: str = DEFAULT_SPACE) -> int:
        """Really erase: the memories, their vectors and links, what the graph has from them, and every trace of their
        words in the indexes."""
        if not ids:
            raise InvalidInput("name at least one memory to forget", field="ids")
        check_ids(*ids)
        erasures = [EraseMemory(id) for id in dict.fromkeys(ids)]
        await self.settle()  # or a trace still to be noted would come back to speak of them
        if self._knowledge is not None:  # first: were it cut off in between, forgetting again would still find them
            await run_in_thread(self._knowledge.erase, space, [each.id for each in erasures])
        await run_in_thread(self._store.apply, space, erasures)
        forget_readings()
        await run_in_thread(self._store.rebuild, space)
        await self._check_erased(space)
        return len(erasures)

    async def link(
        self, from_id: str, to_id: str, relation: str = "relates_to", *, space: str = DEFAULT_SPACE, **fields: Any
    ) -> Link:
        """Connect two memories or entities. `fields`: weight 0..1, evidence, valid_from, valid_to."""
        check_ids(from_id, field="from_id")
        check_ids(to_id, field="to_id")
        link = make_link(from_id, to_id, check_relation(relation), now=self._clock.now(), fields=fields)
        await run_in_thread(self._store.apply, space, [PutLink(link)])
        return link

    async def unlink(
        self, from_id: str, to_id: str, relation: str = "relates_to", *, space: str = DEFAULT_SPACE
    ) -> None:
        """Remove one connection."""
        check_ids(from_id, field="from_id")
        check_ids(to_id, field="to_id")
        check_relation(relation)
        await run_in_thread(self._store.apply, space, [EraseLink(from_id, to_id, relation)])

    async def _embed_one(self, memory: Memory) -> Vector:
        (vector,) = await self._embedder.embed([embedding_text(memory)], kind=TextKind.DOCUMENT)
        return vector

    async def _set_lifecycle(self, space: str, id: str, lifecycle: Lifecycle) -> Memory:
        memory = await self._get(space, id)
        write = with_lifecycle(memory, lifecycle, now=self._clock.now())
        await run_in_thread(self._store.apply, space, [write])
        return replace(write.memory)
