"""The verbs that ask: retrieve, retrieve_context, recall, classify.

They check what the caller gave and run the path (`retrieve.py`). The trace of every answer is noted after it, and
`retrieve_context` and `recall` learn from theirs, `retrieve` does not: asking twice gives the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.ids import new_id
from recollect.ingest.learn import lessons, with_lessons
from recollect.inputs import (
    check_deadline,
    check_filters,
    check_limit,
    check_messages,
    check_moment,
    check_question,
    check_session,
    check_tokens,
)
from recollect.journal import trace_record
from recollect.observing import make_known
from recollect.offload import run_in_thread
from recollect.recipes import PLAIN, Recipe, recipe_named
from recollect.records import Filters, check_space
from recollect.retrieve import Request, retrieve
from recollect.steps.answer import Budget, build_block
from recollect.steps.understand import understand
from recollect.trace import Recorder, watcher
from recollect.values import Answer, Context, Message, Question, Recalled, Scope, VerdictKind
from recollect.verbs.wired import DEFAULT_SPACE, Wired


@dataclass(frozen=True, slots=True)
class Manner:
    """How one question is to be answered; what is left out is as the settings say."""

    messages: tuple[Message, ...] = ()
    recipe: str | None = None
    deadline: float | None = None
    max_tokens: int | None = None


class Asking(Wired):
    """What answers with a verdict."""

    async def retrieve(
        self,
        text: str,
        *,
        space: str = DEFAULT_SPACE,
        filters: Filters | None = None,
        messages: Sequence[Message] = (),
        recipe: str | None = None,
        deadline: float | None = None,
        max_tokens: int | None = None,
    ) -> Answer:
        """Search like a researcher; returns by the deadline (seconds from now) with a verdict.

        `messages` are what was said before, oldest first; references to them are filled in. `max_tokens` is the size
        of the context block. `with watching(callback):` around the call tells what happens while it happens.
        """
        manner = Manner(tuple(messages), recipe, deadline, max_tokens)
        answer = await self._ask(text, space=space, filters=filters, manner=manner)
        self._note(answer, space=space)
        return answer

    async def retrieve_context(
        self,
        message: str,
        *,
        space: str = DEFAULT_SPACE,
        session: str | None = None,
        filters: Filters | None = None,
        messages: Sequence[Message] = (),
        deadline: float | None = None,
        max_tokens: int | None = None,
    ) -> Context:
        """The block to put before an agent's next reply to `message`, or an empty one with the reason.

        Only good evidence goes in. Within a `session` the same memory is not given again unless it changed; `recall`
        and `retrieve` always give it.
        """
        check_session(session)
        manner = Manner(tuple(messages), None, deadline, max_tokens)
        answer = await self._ask(message, space=space, filters=filters, manner=manner)
        good = [each for each in answer.evidence if each.relevance >= self.settings.answerable_threshold]
        shown = await run_in_thread(self._store.shown, space, session) if session is not None and good else {}
        fresh = [each for each in good if shown.get(each.memory.id) != each.memory.content_hash]
        block = build_block(fresh, budget=self._budget(max_tokens), trace=self._recorder(self._clock.now()))
        answer = self._note(answer, space=space, amount=self.settings.learning.automatic, because="injected")
        if session is not None and block.ids:
            marks = {each.memory.id: each.memory.content_hash for each in fresh if each.memory.id in block.ids}
            await run_in_thread(lambda: self._store.show(space, session, marks, at=self._clock.now()))
        return Context(
            block.text,
            block.ids,
            tuple(each.memory.id for each in good if each not in fresh),
            "" if block.text else _why_nothing(answer, fresh=bool(fresh), known=bool(good)),
            answer.verdict,
            answer.trace.id,
        )

    async def recall(
        self,
        text: str | None = None,
        *,
        space: str = DEFAULT_SPACE,
        filters: Filters | None = None,
        limit: int = 10,
        recipe: str | None = None,
        deadline: float | None = None,
    ) -> Recalled:
        """Memories for a question, only those that pass; without a question, the newest."""
        check_limit(limit)
        self._recipe(recipe)
        check_deadline(self.settings.timeout_seconds if deadline is None else deadline)
        if text is None:
            check_space(space)
            check_filters(filters)
            found = await run_in_thread(lambda: self._store.browse(space, filters or Filters(), limit=limit))
            return Recalled(tuple(found))
        manner = Manner(recipe=recipe, deadline=deadline)
        answer = await self._ask(text, space=space, filters=filters, manner=manner)
        answer = self._note(answer, space=space, amount=self.settings.learning.explicit, because="recalled")
        evidence = answer.evidence[:limit]
        relevance = {each.memory.id: each.relevance for each in evidence}
        memories = tuple(each.memory for each in evidence)
        return Recalled(memories, relevance, answer.verdict, answer.degraded, answer.trace.id)

    async def classify(self, text: str, *, now: datetime | None = None, messages: Sequence[Message] = ()) -> Question:
        """What the words of a question show, without looking anything up; `now` is for "yesterday" and the like."""
        check_question(text)
        check_moment(now)
        check_messages(messages)
        asked_at = now or self._clock.now()
        recipe, trace = recipe_named(self.settings.recipe), self._recorder(asked_at)
        return understand(text, recipe=recipe, settings=self.settings, trace=trace, now=asked_at, messages=messages)

    # --- inside ----------------------------------------------------------------------------------

    async def _ask(self, text: str, *, space: str, filters: Filters | None, manner: Manner) -> Answer:
        """Run the path for one question."""
        check_space(space)
        check_question(text)
        check_filters(filters)
        check_messages(manner.messages)
        check_tokens(manner.max_tokens)
        seconds = check_deadline(self.settings.timeout_seconds if manner.deadline is None else manner.deadline)
        until = self._clock.monotonic() + seconds
        recipe = self._recipe(manner.recipe)
        sources = tuple(self._means.sources)
        scope = Scope(space, filters or Filters(), self.settings.search_limit_per_query, sources)
        if not self._count_tokens.is_loaded:  # takes longer than the event loop may be held
            await run_in_thread(self._count_tokens, "")
        request = Request(text, scope, recipe, until, self._budget(manner.max_tokens), manner.messages)
        return await retrieve(request, means=self._means, trace=self._recorder(self._clock.now()))

    def _recipe(self, name: str | None) -> Recipe:
        """The recipe of that name, or the usual one; where searching hard is off, none is followed."""
        named = recipe_named(self.settings.recipe if name is None else name)
        return named if self.settings.enabled else PLAIN

    def _note(self, answer: Answer, *, space: str, amount: float = 0.0, because: str = "") -> Answer:
        """Have the trace stored, and what is learned from the answer; the answer with the lessons in its trace."""
        taught = lessons(answer, amount=amount, settings=self.settings, now=self._clock.now())
        answer = with_lessons(answer, taught, because=because)
        make_known(answer=answer)
        if taught:
            self._aftermath.then(lambda: self._store.apply(space, taught))
        if self.settings.keep_traces and answer.parts:
            self._aftermath.then(self._noting(answer, space))
        return answer

    def _noting(self, answer: Answer, space: str) -> Callable[[], None]:
        def note() -> None:
            self._store.note(space, trace_record(answer, space=space), keep=self.settings.keep_traces)

        return note

    def _budget(self, max_tokens: int | None) -> Budget:
        return Budget(self.settings.max_context_tokens if max_tokens is None else max_tokens, self._count_tokens)

    def _recorder(self, now: datetime) -> Recorder:
        id = new_id(now, entropy=self._entropy)
        return Recorder(id, started_at=now, monotonic=self._clock.monotonic, watch=watcher())


def _why_nothing(answer: Answer, *, fresh: bool, known: bool) -> str:
    if not answer.parts:
        return "trivial"
    if answer.verdict is VerdictKind.NONE:
        return "nothing_relevant"
    if fresh:
        return "no_room"
    return "already_shown" if known else "only_weak_evidence"
