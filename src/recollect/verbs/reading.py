"""The verbs that look things up plainly: get, links, browse, search. No verdict, nothing learned."""

from __future__ import annotations

from recollect.inputs import check_filters, check_ids, check_limit, check_question
from recollect.observing import make_known
from recollect.offload import run_in_thread
from recollect.rank.forgetting import strengthened
from recollect.records import Filters, Link, Memory, Touch, check_space
from recollect.steps.search import search_plainly
from recollect.trace import Recorder
from recollect.values import Scope, SearchResult
from recollect.verbs.wired import DEFAULT_SPACE, Wired


class Reading(Wired):
    """What only reads."""

    async def get(self, id: str, *, space: str = DEFAULT_SPACE) -> Memory:
        """One memory by id. This counts as an access and makes it last longer."""
        memory = await self._get(space, id)
        stability = strengthened(memory, settings=self.settings.forgetting)
        await run_in_thread(self._store.apply, space, [Touch(id, self._clock.now(), stability)])
        return await self._get(space, id)

    async def links(self, id: str, *, space: str = DEFAULT_SPACE) -> list[Link]:
        """The links at one memory or entity, in both directions."""
        check_ids(id)
        return await run_in_thread(self._store.links, space, [id])

    async def browse(
        self, *, space: str = DEFAULT_SPACE, filters: Filters | None = None, limit: int = 20, after: str | None = None
    ) -> list[Memory]:
        """Memories newest first; `after` is the id of the last one seen."""
        check_limit(limit)
        check_filters(filters)
        check_ids(*([] if after is None else [after]), field="after")
        return await run_in_thread(lambda: self._store.browse(space, filters or Filters(), limit=limit, after=after))

    async def search(
        self, text: str, *, space: str = DEFAULT_SPACE, filters: Filters | None = None, limit: int = 10
    ) -> SearchResult:
        """One plain hybrid search, with explained scores and no verdict."""
        check_space(space)
        check_question(text)
        check_limit(limit)
        check_filters(filters)
        scope = Scope(space, filters or Filters(), limit, tuple(self._means.sources))
        trace = Recorder("", started_at=self._clock.now(), monotonic=self._clock.monotonic)
        with trace.step("search"):
            found = await search_plainly(text, scope=scope, means=self._means, trace=trace)
        make_known(trace=trace.finish())
        return found
