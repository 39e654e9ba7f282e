"""Telling observers what every verb did: afterwards, in a thread of its own, so that no caller waits or is hurt.

`Telling.wrap` puts an engine's public verbs into a shell that times them; an engine nobody observes has no shell. What
a verb uses another verb for is a part of it and not told again. What an observer raises is kept for `doctor`.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from datetime import datetime
from functools import partial, wraps
from typing import Any

from recollect.aftermath import Aftermath
from recollect.errors import Refused
from recollect.ports import Clock, Observer
from recollect.values import Answer, Operation, Trace

# `settle` waits for what is told here; `follow` has no end, and each ingest of it is told.
NOT_TOLD = {"close", "follow", "settle"}


class _UnderWay:
    """A verb that is being run, and what it made known of itself."""

    def __init__(self, telling: Telling | None) -> None:
        self.telling = telling
        self.answer: Answer | None = None
        self.trace: Trace | None = None


_under_way: ContextVar[_UnderWay | None] = ContextVar("recollect_under_way", default=None)


def make_known(*, answer: Answer | None = None, trace: Trace | None = None) -> None:
    """Add to what observers are told of the verb under way; without one, nothing happens."""
    call = _under_way.get()
    if call is not None:
        call.answer = answer or call.answer
        call.trace = trace or (answer.trace if answer else call.trace)


@contextmanager
def unobserved() -> Iterator[None]:
    """Inside this block nobody is told of the verbs that are called."""
    token = _under_way.set(_UnderWay(None))
    try:
        yield
    finally:
        _under_way.reset(token)


class Telling:
    """Who is told of one engine's verbs, and the thread that tells them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._aftermath = Aftermath()
        self.observers: list[Observer] = []

    @property
    def problems(self) -> Sequence[str]:
        """What observers raised, the newest last."""
        return self._aftermath.problems

    @property
    def left_out(self) -> int:
        """How many operations were not told, because observers are slower than calls."""
        return self._aftermath.left_out

    def settle(self, seconds: float) -> bool:
        """Wait until all that happened so far is told, no longer than this; whether it is."""
        return self._aftermath.settle(seconds)

    def wrap(self, engine: object) -> None:
        """Put every public verb of this engine, and of no other, into its shell."""
        for name in dir(type(engine)):
            verb = getattr(engine, name)
            if not name.startswith("_") and name not in NOT_TOLD and inspect.iscoroutinefunction(verb):
                setattr(engine, name, self._shell(name, verb))

    def _shell(self, name: str, verb: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        signature = inspect.signature(verb)

        @wraps(verb)
        async def told(*args: Any, **kwargs: Any) -> Any:
            above = _under_way.get()
            if above is not None and above.telling in (self, None):
                return await verb(*args, **kwargs)
            work = verb(*args, **kwargs)  # first: wrong arguments are no call of the verb
            given = partial(_given, signature, args, kwargs)
            call, context = _UnderWay(self), copy_context()
            started_at, began = self._clock.now(), self._clock.monotonic()
            token = _under_way.set(call)
            result, error = None, None
            try:
                result = await work
            except BaseException as raised:
                error = raised
                raise
            finally:
                _under_way.reset(token)
                seconds = self._clock.monotonic() - began
                made = partial(_operation, name, started_at, seconds, given, result, error, call)
                self._aftermath.then(partial(self._tell, context, made))
            return result

        return told

    def _tell(self, context: Context, made: Callable[[], Operation]) -> None:
        """Tell each observer, within the context of the caller, so that its spans hang on the caller's."""
        operation = made()
        for observer in self.observers:
            problem: Exception | None = None
            try:
                context.run(observer.observed, operation)
            except Exception as raised:  # noqa: BLE001 - a stranger's work: kept for `doctor`, never the caller's
                problem = raised
            if problem is not None:
                self._aftermath.problems.append(f"{type(observer).__name__}: {type(problem).__name__}: {problem}")


def _given(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def _operation(
    name: str,
    started_at: datetime,
    seconds: float,
    given: Callable[[], dict[str, Any]],
    result: Any,
    error: BaseException | None,
    call: _UnderWay,
) -> Operation:
    reason = error.reason if isinstance(error, Refused) else ""
    raised = type(error).__name__ if error is not None else ""
    return Operation(name, started_at, seconds, given(), result, raised, reason, call.answer, call.trace)
