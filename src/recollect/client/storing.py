"""The verbs for what is stored: memories, links, clusters, conflicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.client import reading, sending
from recollect.client import reading_stored as stored
from recollect.client.connected import Connected, at, check_id, nothing
from recollect.client.connection import Call, Repeat
from recollect.client.sending import CALLED
from recollect.errors import InvalidInput
from recollect.records import Draft, Filters, Link, Memory
from recollect.values import Dispute, Remembered, Resolution, Resolved

MEMORIES, LINKS, CLUSTERS, CONFLICTS = "/v1/memories", "/v1/links", "/v1/clusters", "/v1/conflicts"
PAGE, MOST = 20, 1_000
RELATION = "relates_to"


class Storing(Connected):
    """What changes a space, and reads what is there."""

    async def remember(
        self, body: str, *, space: str | None = None, key: str | None = None, **fields: Any
    ) -> Remembered:
        """Store one text. `fields` are those of `Draft`; `key` makes a repeated call harmless."""
        sent = self._in(space, **sending.fields({"body": body, **fields}))
        return await self._ask(_write("POST", MEMORIES, sent, key=key), stored.remembered)

    async def remember_many(
        self, drafts: Sequence[Draft], *, space: str | None = None, key: str | None = None
    ) -> list[Remembered]:
        """Store several, in order; all are checked before the first is stored. One `key` stands for all of them."""
        sent = self._in(space, memories=[sending.draft(each) for each in drafts])
        call = _write("POST", f"{MEMORIES}/batch", sent, key=key)
        return await self._ask(call, lambda said: [stored.remembered(each) for each in said["items"]])

    async def get(self, id: str, *, space: str | None = None) -> Memory:
        """One memory by id. This counts as an access and makes it last longer."""
        return await self._ask(_read(f"{MEMORIES}/{at(id)}", self._in(space)), stored.memory)

    async def update(self, id: str, *, space: str | None = None, append: str | None = None, **changes: Any) -> Memory:
        """Change fields of a memory: replace `body`, or `append` to it; a changed text is embedded anew."""
        if append is not None and "body" in changes:
            raise InvalidInput("give body or append, not both", field="append")
        sent = {**self._in(space, append=append), **sending.fields(changes)}
        return await self._ask(_write("PATCH", f"{MEMORIES}/{at(id)}", sent), stored.memory)

    async def supersede(self, id: str, body: str, *, space: str | None = None, **fields: Any) -> Memory:
        """Store a newer version: the old memory stays, its interval closed, linked from the new one."""
        sent = self._in(space, **sending.fields({"body": body, **fields}))
        return await self._ask(_write("POST", f"{MEMORIES}/{at(id)}/supersede", sent), stored.memory)

    async def archive(self, id: str, *, space: str | None = None) -> Memory:
        """Take a memory out of every search; `restore` brings it back."""
        call = Call("POST", f"{MEMORIES}/{at(id)}/archive", self._in(space), repeat=Repeat.SAFE)
        return await self._ask(call, stored.memory)

    async def restore(self, id: str, *, space: str | None = None) -> Memory:
        """Bring an archived memory back."""
        call = Call("POST", f"{MEMORIES}/{at(id)}/restore", self._in(space), repeat=Repeat.SAFE)
        return await self._ask(call, stored.memory)

    async def forget(self, *ids: str, space: str | None = None) -> int:
        """Really erase, one after the other: the first that is not there raises, and those before it are gone."""
        if not ids:
            raise InvalidInput("name at least one memory to forget", field="ids")
        calls = [Call("DELETE", f"{MEMORIES}/{at(id)}", self._in(space)) for id in dict.fromkeys(ids)]
        for call in calls:
            await self._ask(call, nothing)
        return len(calls)

    async def browse(
        self,
        *,
        space: str | None = None,
        filters: Filters | None = None,
        limit: int = PAGE,
        after: str | None = None,
    ) -> list[Memory]:
        """Memories newest first; `after` is the id of the last one seen."""
        if not sending.fits_in_query(filters):
            body = self._in(space, filters=sending.filters(filters), limit=limit, after=after)
            call = Call("POST", "/v1/recall", body=body, repeat=Repeat.SAFE)
            return list((await self._ask(call, reading.recalled)).memories)
        query = self._in(space, **sending.query_filters(filters), limit=limit, after=after)
        return await self._ask(_read(MEMORIES, query), stored.memories)

    # --- links and clusters ------------------------------------------------------------------------

    async def link(
        self, from_id: str, to_id: str, relation: str = RELATION, *, space: str | None = None, **fields: Any
    ) -> Link:
        """Connect two memories or entities. `fields`: weight 0..1, evidence, valid_from, valid_to."""
        ends = {"from_id": from_id, "to_id": to_id, "relation": relation}
        sent = self._in(space, **ends, **sending.fields(fields))
        call = Call("POST", LINKS, body=sent, repeat=Repeat.SAFE)
        return await self._ask(call, stored.link)

    async def unlink(self, from_id: str, to_id: str, relation: str = RELATION, *, space: str | None = None) -> None:
        """Remove one connection."""
        await self._ask(
            Call("DELETE", LINKS, self._in(space, from_id=from_id, to_id=to_id, relation=relation)), nothing
        )

    async def links(self, id: str, *, space: str | None = None) -> list[Link]:
        """The links at one memory or entity, in both directions."""
        check_id(id)
        found: list[Link] = []
        after: str | None = None
        while True:
            call = _read(LINKS, self._in(space, id=id, limit=MOST, after=after))
            page, after = await self._ask(
                call, lambda said: ([stored.link(each) for each in said["items"]], said["next"])
            )
            found += page
            if after is None:
                return found

    async def clusters(self, *, space: str | None = None) -> dict[str, int]:
        """The clusters by name, and how many current memories each has."""
        return await self._ask(
            _read(CLUSTERS, self._in(space)), lambda said: {each["name"]: each["memories"] for each in said["items"]}
        )

    async def add_to_cluster(self, cluster: str, *ids: str, space: str | None = None) -> list[Memory]:
        """Put memories in a cluster, all or none; those that are in it stay as they are."""
        sent = self._in(space, cluster=cluster, ids=list(ids))
        return await self._ask(Call("POST", f"{CLUSTERS}/add", body=sent, repeat=Repeat.SAFE), stored.memories)

    async def remove_from_cluster(self, cluster: str, *ids: str, space: str | None = None) -> list[Memory]:
        """Take memories out of a cluster, all or none; those that are not in it stay as they are."""
        sent = self._in(space, cluster=cluster, ids=list(ids))
        return await self._ask(Call("POST", f"{CLUSTERS}/remove", body=sent, repeat=Repeat.SAFE), stored.memories)

    # --- conflicts -----------------------------------------------------------------------------------

    async def conflicts(
        self, *, space: str | None = None, limit: int = PAGE, after: str | None = None
    ) -> list[Dispute]:
        """Pairs of current memories that contradict each other; `after` is the cursor of the last one seen."""
        call = _read(CONFLICTS, self._in(space, limit=limit, after=after))
        return await self._ask(call, lambda said: [stored.dispute(each) for each in said["items"]])

    async def resolve_conflict(
        self, one: str, other: str, how: str, *, space: str | None = None, text: str | None = None
    ) -> Resolved:
        """Decide about two memories: new_is_current, old_is_current, keep_both, or merge with the text that replaces
        both. To decide the same again changes nothing."""
        sent = self._in(space, one=one, other=other, how=how, text=text)
        return await self._ask(Call("POST", f"{CONFLICTS}/resolve", body=sent, repeat=Repeat.SAFE), stored.resolved)

    async def resolve_conflicts(self, resolutions: Sequence[Resolution], *, space: str | None = None) -> list[Resolved]:
        """Decide about several, in order; all are checked before the first is stored."""
        each_sent = [
            sending.given(one=each.one, other=each.other, how=each.how, text=each.text) for each in resolutions
        ]
        sent = self._in(space, resolutions=each_sent)
        call = Call("POST", f"{CONFLICTS}/resolve-many", body=sent, repeat=Repeat.SAFE)
        return await self._ask(call, lambda said: [stored.resolved(each) for each in said["items"]])


def _read(path: str, query: dict[str, Any]) -> Call:
    return Call("GET", path, query, repeat=Repeat.SAFE)


def _write(method: str, path: str, body: dict[str, Any], *, key: str | None = None) -> Call:
    """A write; with a key it may be repeated."""
    repeat = Repeat.NEVER if key is None else Repeat.SAFE
    return Call(method, path, body=body, repeat=repeat, key=key, names=CALLED)
