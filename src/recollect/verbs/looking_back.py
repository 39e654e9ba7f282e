"""The verbs that look back at answers given: trace, traces, explain, feedback, unlearn."""

from __future__ import annotations

import json
from collections.abc import Sequence

from recollect.errors import InvalidInput, NotFound
from recollect.ingest.learn import favour, undone
from recollect.inputs import check_ids, check_limit
from recollect.journal import explain
from recollect.offload import run_in_thread
from recollect.records import Once, TraceRecord, Unlearn, Write
from recollect.values import Explained, Use
from recollect.verbs.wired import DEFAULT_SPACE, Wired

LAST = "last"


class LookingBack(Wired):
    """What was asked, why it was answered so, and what came of it."""

    async def traces(
        self, *, space: str = DEFAULT_SPACE, limit: int = 20, before: str | None = None
    ) -> list[TraceRecord]:
        """The traces kept, newest first, one line each; `before` is the id of the last one seen."""
        check_limit(limit)
        check_ids(*([] if before is None else [before]), field="before")
        await self.settle()
        return await run_in_thread(lambda: self._store.traces(space, limit=limit, before=before))

    async def trace(self, id: str, *, space: str = DEFAULT_SPACE) -> TraceRecord:
        """One trace whole; `last` is the newest."""
        check_ids(id, field="trace")
        if id == LAST:
            newest = await self.traces(space=space, limit=1)
            if not newest:
                raise NotFound(f"no trace is kept in space {space!r}; ask something first")
            id = newest[0].id
        await self.settle()
        found = await run_in_thread(self._store.trace, space, id)
        if found is None:
            kept = self.settings.keep_traces
            raise NotFound(
                f"no trace {id!r} in space {space!r}; the newest {kept} are kept ('recollect trace' lists them)"
            )
        return found

    async def explain(self, trace_id: str, memory_id: str, *, space: str = DEFAULT_SPACE) -> Explained:
        """Why a memory stands where it does in an answer, or what became of it if it does not."""
        check_ids(memory_id)
        record = await self.trace(trace_id, space=space)
        found = await run_in_thread(self._store.read, space, [memory_id])
        return explain(record, memory_id, memory=found[0] if found else None)

    async def feedback(self, trace_id: str, memory_id: str, use: str, *, space: str = DEFAULT_SPACE) -> None:
        """Say what became of a piece of evidence: used, not_used or wrong. The same word twice counts once."""
        if use not in set(Use):
            raise InvalidInput(f"use is {use!r}; give one of {', '.join(Use)}", field="use")
        check_ids(memory_id)
        record = await self.trace(trace_id, space=space)
        if memory_id not in record.touched:
            raise NotFound(f"the answer of trace {record.id!r} did not rest on memory {memory_id!r}")
        if not self.settings.learning.enabled:
            raise InvalidInput("learning is off; set learning.enabled to take feedback", field="learning.enabled")
        write = favour(memory_id, Use(use), learning=self.settings.learning, now=self._clock.now())
        await self._once(space, [write], key=f"feedback {record.id} {memory_id} {use}")

    async def unlearn(self, *, space: str = DEFAULT_SPACE, trace_id: str | None = None) -> None:
        """Undo what was learned: from one answer its lessons, or without a trace everything, feedback included."""
        if trace_id is None:
            await self.settle()
            await run_in_thread(self._store.apply, space, [Unlearn()])
            return
        record = await self.trace(trace_id, space=space)
        writes = undone(json.loads(record.payload), learning=self.settings.learning, now=self._clock.now())
        await self._once(space, writes, key=f"unlearn {record.id}")

    async def _once(self, space: str, writes: Sequence[Write], *, key: str) -> None:
        await run_in_thread(lambda: self._store.apply(space, writes, once=Once(key, key, "done")))
