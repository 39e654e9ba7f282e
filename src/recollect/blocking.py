"""Coroutines awaited for you on one background loop: what the blocking facades are made of, written once.

A facade is a subclass of `Blocking` to which `add_verbs` gives the coroutines of the class it stands for.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any, Self

STAY_ASYNC = {"close"}


class Blocking:
    """Something asynchronous, without `await`. Close it, or use it in a `with` block."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-loop", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Let go of what it holds and of the loop; closing twice is fine."""
        if self._loop.is_closed():
            return
        try:
            self._run(self._inner.close)
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if self._loop.is_closed():
            raise RuntimeError(f"this {type(self._inner).__name__} is closed; open it again")
        waiting = asyncio.run_coroutine_threadsafe(verb(*args, **kwargs), self._loop)
        try:
            return waiting.result()
        finally:
            waiting.cancel()  # where somebody stopped waiting, such as by Ctrl-C, nobody needs the result


def verbs_of(cls: type) -> dict[str, Callable[..., Any]]:
    """The public coroutines of a class by name, in order."""
    return {
        name: verb
        for base in reversed(cls.__mro__)
        for name, verb in vars(base).items()
        if inspect.iscoroutinefunction(verb) and not name.startswith("_") and name not in STAY_ASYNC
    }


def add_verbs(facade: type[Blocking], cls: type) -> None:
    """Give a facade every verb of the class it stands for."""
    for name, verb in verbs_of(cls).items():
        setattr(facade, name, _blocking(name, verb))


def _blocking(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def call(self: Blocking, *args: Any, **kwargs: Any) -> Any:
        return self._run(getattr(self._inner, name), *args, **kwargs)

    return call
