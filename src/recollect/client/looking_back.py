"""The verbs that look back at answers given: trace, traces, explain, feedback, unlearn."""

from __future__ import annotations

from recollect.client import reading
from recollect.client.connected import Connected, at, check_id, nothing
from recollect.client.connection import Call, Repeat
from recollect.client.reading_traces import trace_line, trace_record
from recollect.records import TraceRecord
from recollect.values import Explained

TRACES = "/v1/traces"
PAGE = 20


class LookingBack(Connected):
    """What was asked, why it was answered so, and what came of it."""

    async def traces(
        self, *, space: str | None = None, limit: int = PAGE, before: str | None = None
    ) -> list[TraceRecord]:
        """The traces kept, newest first, one line each; `before` is the id of the last one seen."""
        call = Call("GET", TRACES, self._in(space, limit=limit, after=before), repeat=Repeat.SAFE)
        return await self._ask(call, lambda said: [trace_line(each) for each in said["items"]])

    async def trace(self, id: str, *, space: str | None = None) -> TraceRecord:
        """One trace whole; `last` is the newest."""
        call = Call("GET", f"{TRACES}/{at(id, field='trace')}", self._in(space), repeat=Repeat.SAFE)
        return await self._ask(call, trace_record)

    async def explain(self, trace_id: str, memory_id: str, *, space: str | None = None) -> Explained:
        """Why a memory stands where it does in an answer, or what became of it if it does not."""
        check_id(memory_id)
        path = f"{TRACES}/{at(trace_id, field='trace')}/explain"
        call = Call("GET", path, self._in(space, memory_id=memory_id), repeat=Repeat.SAFE)
        return await self._ask(call, reading.explained)

    async def feedback(self, trace_id: str, memory_id: str, use: str, *, space: str | None = None) -> None:
        """Say what became of a piece of evidence: used, not_used or wrong. The same word twice counts once."""
        sent = self._in(space, trace_id=trace_id, memory_id=memory_id, use=use)
        await self._ask(Call("POST", "/v1/feedback", body=sent, repeat=Repeat.SAFE), nothing)

    async def unlearn(self, *, space: str | None = None, trace_id: str | None = None) -> None:
        """Undo what was learned: from one answer its lessons, or without a trace everything, feedback included."""
        await self._ask(Call("POST", "/v1/unlearn", self._in(space, trace_id=trace_id), repeat=Repeat.SAFE), nothing)
