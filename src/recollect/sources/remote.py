"""A Recollect elsewhere as a place that can be searched: a lookup is one plain search of its service, or two.

What a lookup finds by other words than those asked is judged by a second search, for what is asked, among those hits.
Relevance is what the service says, calibrated there. Gives hits under this source's name; which source of the remote
found one is in its explanation and its `metadata`. Failures are raised, for `search` to make values of; the space asked
there and the space answered for here are kept apart. Needs the extra `client`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from recollect.client import Client
from recollect.errors import InvalidInput, Unavailable
from recollect.ports import Store
from recollect.settings import RemoteSettings, Settings
from recollect.values import Abilities, Explanation, Health, Hit, Lookup, Reply, SearchResult, Shown

NAME = "remote"
FOUND_BY = "remote_source"
LONGEST = 200_000  # characters of a lookup a service takes


class RemoteSource:
    """The source over a service; `space` is the one asked there, or else the one of the lookup's own name."""

    def __init__(
        self, store: Store | None = None, *, settings: Settings, now: Callable[[], datetime] | None = None
    ) -> None:
        wanted = settings.remote
        if wanted.base_url is None:
            raise InvalidInput("the source remote needs an address; set remote.base_url", field="remote.base_url")
        self._name = NAME
        self._space = wanted.space
        self._client = Client(wanted.base_url, api_key=wanted.api_key, settings=wanted)

    @classmethod
    def over(cls, client: Client, *, name: str = NAME, space: str | None = None) -> Self:
        """The same over a client of your own, which is closed with it; several have names of their own."""
        made = cls.__new__(cls)
        made._name, made._space, made._client = name, space, client
        return made

    @classmethod
    def at(cls, base_url: str, *, api_key: str | None = None, name: str = NAME, space: str | None = None) -> Self:
        """The same by address and key."""
        return cls.over(Client(base_url, api_key=api_key, settings=RemoteSettings()), name=name, space=space)

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=True, semantic=False, cooperative=False)

    async def search(self, lookup: Lookup) -> Reply:
        text = lookup.text[:LONGEST]
        if lookup.limit <= 0 or not text.strip():
            return Reply(())
        asked = lookup.space if self._space is None else self._space
        found = await self._client.search(text, space=asked, filters=lookup.filters, limit=lookup.limit)
        if lookup.about and lookup.about != lookup.text and found.hits:
            found = await self._judged(found, lookup, asked)
        hits = [self._own(hit, asked, lookup) for hit in found.hits]
        ordered = sorted(hits, key=lambda hit: (-hit.relevance, hit.memory.id))
        return Reply(tuple(ordered), tuple(f"{self._name}: {note}" for note in found.degraded))

    async def _judged(self, found: SearchResult, lookup: Lookup, asked: str) -> SearchResult:
        """What was found, as relevant as it is to what is asked; what does not bear on that is left out."""
        ids = frozenset(hit.memory.id for hit in found.hits)
        among = replace(lookup.filters, ids=ids)
        return await self._client.search(lookup.about[:LONGEST], space=asked, filters=among, limit=lookup.limit)

    async def check(self) -> Health:
        """Whether the service is there."""
        return await self._client.check()

    async def close(self) -> None:
        await self._client.close()

    def _own(self, hit: Hit, asked: str, lookup: Lookup) -> Hit:
        """A hit as one of this source's, in the space asked here."""
        if hit.memory.space != asked:  # neither its id nor its space is named: they are not the caller's to know
            raise Unavailable("the service gave a memory of another space than the one asked")
        about: dict[str, Any] = {**hit.memory.metadata, FOUND_BY: hit.source}
        memory = replace(hit.memory, space=lookup.space, metadata=about)
        told = Explanation(
            hit.source_score, f"{self._name}, found there by {hit.source}", (_adding_up(hit.explanation),)
        )
        return replace(hit, memory=memory, source=self._name, reasons=Shown(told, hit.signals))


def _adding_up(tree: Explanation) -> Explanation:
    """The same tree; where its numbers were cut to the digits that are sent, a sum says what that took.

    >>> [each.what for each in _adding_up(Explanation(0.3, "sum", (Explanation(0.1, "a"),), sums=True)).details]
    ['a', 'digits not sent']
    """
    details = tuple(_adding_up(each) for each in tree.details)
    off = tree.value - sum(each.value for each in details) if tree.sums else 0.0
    return tree._replace(details=(*details, Explanation(off, "digits not sent")) if off else details)
