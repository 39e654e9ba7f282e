"""The blocking facade: every verb of `Recollect`, awaited for you on one background loop.

Written once, generically: a verb added to the engine is here without a line. Type checkers read `sync.pyi`, which
is generated from the verbs (`make docs`) and held against it by a test.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from recollect.engine import Recollect
from recollect.settings import Settings

STAY_ASYNC = {"close"}


class BlockingRecollect:
    """The same verbs as `Recollect`, without `await`. Close it, or use it in a `with` block."""

    def __init__(self, engine: Recollect) -> None:
        self._engine = engine
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-loop", daemon=True)
        self._thread.start()

    @classmethod
    def open(cls, path: str | Path | None = None, **arguments: Any) -> Self:
        """As `Recollect.open`."""
        return cls(Recollect.open(path, **arguments))

    @property
    def settings(self) -> Settings:
        """What it was opened with."""
        return self._engine.settings

    def close(self) -> None:
        """Let go of files, models and the loop; closing twice is fine."""
        if self._loop.is_closed():
            return
        try:
            self._run(self._engine.close)
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
            raise RuntimeError("this Recollect is closed; open it again")
        return asyncio.run_coroutine_threadsafe(verb(*args, **kwargs), self._loop).result()


def _blocking(name: str, verb: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verb)
    def call(self: BlockingRecollect, *args: Any, **kwargs: Any) -> Any:
        return self._run(getattr(self._engine, name), *args, **kwargs)

    return call


def verbs() -> dict[str, Callable[..., Any]]:
    """The engine's public coroutines by name, in order."""
    return {
        name: verb
        for base in reversed(Recollect.__mro__)
        for name, verb in vars(base).items()
        if inspect.iscoroutinefunction(verb) and not name.startswith("_") and name not in STAY_ASYNC
    }


for _name, _verb in verbs().items():
    setattr(BlockingRecollect, _name, _blocking(_name, _verb))
