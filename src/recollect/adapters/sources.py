"""Bring your own source: any function from a text to what it finds, blocking or not, as a `ports.Source`.

Takes what it returns as texts, tables or hits and gives hits. Decides how relevant a stranger's text is: by `chance`
where the caller knows what a score means, or else by words and place (`judging`), never by a score as it comes; how one
becomes a memory is in `found`. It is not cooperative, so that it runs apart and the deadline holds in any case.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice
from math import isfinite
from typing import Any, NamedTuple, Self

from recollect.adapters.found import memory_of
from recollect.adapters.judging import judge_texts
from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput
from recollect.records import Memory
from recollect.values import Abilities, Explanation, Hit, Lookup, Reply

MOST_READ = 1_000  # items taken from what a function gives; it may never end

Ask = Callable[[str], Iterable[Any] | Awaitable[Iterable[Any]]]
AskLookup = Callable[[Lookup], Iterable[Any] | Awaitable[Iterable[Any]]]
Chance = Callable[[float], float]


def system_now() -> datetime:
    """The moment, for whoever was given no clock."""
    return datetime.now(UTC)


class _Found(NamedTuple):
    """A text as a memory, and the score it came with."""

    memory: Memory
    score: float | None


class CallableSource:
    """A function as a source: `CallableSource(search_wiki, name="wiki")`.

    The function is given a text and gives a list, best first, of texts, of tables (`body` or `text`, and what else is
    known: `id`, `title`, `score`, `source_uri`, `created_at` …), of memories or of whole hits. A blocking function is
    called one lookup at a time. What it finds is offered in `spaces` only (None: in every space, for what is public);
    what says that it is of another space is left out. `chance` turns its score into the chance that a text answers.
    """

    def __init__(
        self,
        ask: Ask,
        *,
        name: str,
        spaces: Collection[str] | None = (DEFAULT_SPACE,),
        chance: Chance | None = None,
        trust: str = "tool",
        now: Callable[[], datetime] = system_now,
    ) -> None:
        if not callable(ask):
            raise InvalidInput(f"ask is {type(ask).__name__}; give a function that takes a text", field="ask")
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(f"name is {name!r}; give the source a name", field="name")
        if isinstance(spaces, str):
            raise InvalidInput(f"spaces is {spaces!r}; give a list of names", field="spaces")
        self._ask: AskLookup = lambda lookup: ask(lookup.text)
        self._name = name
        self._spaces = None if spaces is None else frozenset(spaces)
        self._chance = chance
        self._trust = trust
        self._now = now
        self._opened = now()  # what has no date of its own counts as stored then: the same whenever it is asked for

    @classmethod
    def of_lookups(cls, ask: AskLookup, *, name: str, **options: Any) -> Self:
        """The same over a function that is given the whole lookup: space, filters, names, limit."""
        made = cls(lambda _: (), name=name, **options)
        made._ask = ask
        return made

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> Abilities:
        return Abilities(filters=False, semantic=False, cooperative=False)

    async def search(self, lookup: Lookup) -> Reply:
        closed = self._spaces is not None and lookup.space not in self._spaces
        if closed or lookup.limit <= 0 or not lookup.text.strip():
            return Reply(())
        given = self._ask(lookup)
        items = await given if inspect.isawaitable(given) else given
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise TypeError(f"the function gave {type(items).__name__}; it has to give a list")
        hits = {hit.memory.id: hit for hit in reversed(self._hits(list(islice(items, MOST_READ)), lookup))}
        best = sorted(hits.values(), key=lambda hit: (-hit.relevance, hit.memory.id))
        return Reply(tuple(best[: lookup.limit]))

    async def close(self) -> None:
        """The function is the caller's."""

    # --- from items to hits ------------------------------------------------------------------------

    def _hits(self, items: list[Any], lookup: Lookup) -> list[Hit]:
        ready = [_own(item, self._name) for item in items if isinstance(item, Hit)]
        found = [self._found(item, lookup) for item in items if not isinstance(item, Hit)]
        kept = [each for each in found if each is not None and self._passes(each.memory, lookup)]
        judged = judge_texts(lookup, [each.memory for each in kept])
        made = [self._hit(each, relevance, why) for each, (_, relevance, why) in zip(kept, judged, strict=True)]
        return [*(hit for hit in ready if self._passes(hit.memory, lookup)), *made]

    def _found(self, item: Any, lookup: Lookup) -> _Found | None:
        """The item as a memory; None for one without text, or of another space."""
        if isinstance(item, Memory):
            return _Found(item, None)
        table = {"body": item} if isinstance(item, str) else item
        if not isinstance(table, Mapping):
            raise TypeError(f"the function gave {type(item).__name__} in its list; give texts, tables or hits")
        if table.get("space") not in (None, lookup.space):
            return None
        memory = memory_of(table, source=self._name, space=lookup.space, trust=self._trust, moment=self._opened)
        return None if memory is None else _Found(memory, _number(table.get("score")))

    def _passes(self, memory: Memory, lookup: Lookup) -> bool:
        """Whether it may be shown: of this space, and let through by the filters; undated, it is of no time."""
        undated = memory.event_time is None and memory.created_at == self._opened
        if undated and lookup.filters.time is not None:
            return False
        return memory.space == lookup.space and lookup.filters.passes(memory, now=self._now())

    def _hit(self, found: _Found, relevance: float, why: Explanation) -> Hit:
        if self._chance is not None and found.score is not None:
            relevance = min(1.0, max(0.0, float(self._chance(found.score))))
            why = Explanation(relevance, "relevance as the caller reads the score")
        score = relevance if found.score is None else found.score
        told = Explanation(score, f"{self._name}'s own score" if found.score is not None else "no score given", (why,))
        return Hit(found.memory, self._name, score, relevance, told)


def _own(hit: Hit, name: str) -> Hit:
    return Hit(hit.memory, name, hit.source_score, hit.relevance, hit.reasons, hit.vector)


def _number(score: Any) -> float | None:
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and isfinite(score)
    return float(score) if is_number else None
