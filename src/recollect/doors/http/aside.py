"""An engine that works on a loop of its own, beside the one that serves.

Judging and merging a question hold a loop for some milliseconds each. On this one they hold up other questions, but no
client that connects, sends or hangs up. A verb that is cancelled here is cancelled there.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from recollect.engine import Recollect


class _Aside:
    """Stands for the engine: its coroutines run over there, everything else is the engine's own."""

    def __init__(self, engine: Recollect) -> None:
        self._engine = engine
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="recollect-engine", daemon=True)
        self._thread.start()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        return self._sent(found) if inspect.iscoroutinefunction(found) else found

    async def close(self) -> None:
        """Close the engine, then its loop."""
        await self._sent(self._engine.close)()
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()

    def _sent(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(verb)
        async def run(*args: Any, **kwargs: Any) -> Any:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(verb(*args, **kwargs), self._loop))

        return run


def aside(engine: Recollect) -> Recollect:
    """The same engine, its verbs on a loop of their own; whoever watches a question is told on that loop."""
    return cast(Recollect, _Aside(engine))
