"""The verbs that ask: retrieve, retrieve_context, recall, search, classify."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.client import reading, sending
from recollect.client.connected import Connected
from recollect.client.connection import Call, Repeat, Told
from recollect.records import Filters
from recollect.trace import watcher
from recollect.values import Answer, Context, Message, Question, Recalled, SearchResult

LIMIT = 10


class Asking(Connected):
    """What looks things up."""

    async def retrieve(
        self,
        text: str,
        *,
        space: str | None = None,
        filters: Filters | None = None,
        messages: Sequence[Message] = (),
        recipe: str | None = None,
        deadline: float | None = None,
        max_tokens: int | None = None,
    ) -> Answer:
        """Search like a researcher; returns by the deadline (seconds from now) with a verdict.

        `messages` are what was said before, oldest first. `with watching(callback):` around the call tells what
        happens while it happens, over server-sent events.
        """
        body = self._in(
            space,
            text=text,
            filters=sending.filters(filters),
            messages=sending.messages(messages),
            recipe=recipe,
            max_tokens=max_tokens,
        )
        return await self._ask(_asked("/v1/retrieve", body, deadline, progress=_told()), reading.answer)

    async def retrieve_context(
        self,
        message: str,
        *,
        space: str | None = None,
        session: str | None = None,
        filters: Filters | None = None,
        messages: Sequence[Message] = (),
        deadline: float | None = None,
        max_tokens: int | None = None,
    ) -> Context:
        """The block to put before an agent's next reply to `message`, or an empty one with the reason.

        Within a `session` the same memory is not given again unless it changed, so a call within one is not repeated
        by itself when its reply is lost.
        """
        body = self._in(
            space,
            message=message,
            session=session,
            filters=sending.filters(filters),
            messages=sending.messages(messages),
            max_tokens=max_tokens,
        )
        repeat = Repeat.SAFE if session is None else Repeat.NEVER
        call = _asked("/v1/context", body, deadline, repeat=repeat, names={"message": "text"})
        return await self._ask(call, reading.context)

    async def recall(
        self,
        text: str | None = None,
        *,
        space: str | None = None,
        filters: Filters | None = None,
        limit: int = LIMIT,
        recipe: str | None = None,
        deadline: float | None = None,
    ) -> Recalled:
        """Memories for a question, only those that pass; without a question, the newest."""
        body = self._in(space, text=text, filters=sending.filters(filters), limit=limit, recipe=recipe)
        return await self._ask(_asked("/v1/recall", body, deadline), reading.recalled)

    async def search(
        self, text: str, *, space: str | None = None, filters: Filters | None = None, limit: int = LIMIT
    ) -> SearchResult:
        """One plain hybrid search, with explained scores and no verdict."""
        body = self._in(space, text=text, filters=sending.filters(filters), limit=limit)
        return await self._ask(_asked("/v1/search", body, None), reading.searched)

    async def classify(self, text: str, *, now: datetime | None = None, messages: Sequence[Message] = ()) -> Question:
        """What the words of a question show, without looking anything up; `now` is for "yesterday" and the like."""
        moment = sending.moment(now, field="now")
        body = sending.given(text=text, now=moment, messages=sending.messages(messages))
        return await self._ask(_asked("/v1/classify-query", body, None), reading.question)


def _asked(
    path: str,
    body: dict[str, Any],
    deadline: float | None,
    *,
    repeat: Repeat = Repeat.SAFE,
    names: Mapping[str, str] | None = None,
    progress: Told | None = None,
) -> Call:
    seconds = sending.deadline(deadline)
    return Call("POST", path, body=body, deadline=seconds, repeat=repeat, names=names or {}, progress=progress)


def _told() -> Told | None:
    """Whoever watches here, told in the library's own values."""
    watch = watcher()
    return None if watch is None else lambda said: watch(reading.happening(dict(said)))
