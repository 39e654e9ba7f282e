"""One verb called from either colour of code: an awaited one from blocking code, a blocking one from a coroutine.

Works on `Recollect`, `BlockingRecollect` and whatever else has the same verbs, such as the client of a service: which
colour a verb has is read from the verb itself.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


async def awaited(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the verb gives; a blocking one runs in a thread, so that it does not hold up the loop."""
    if inspect.iscoroutinefunction(verb):
        return await verb(*args, **kwargs)
    return await asyncio.to_thread(verb, *args, **kwargs)


def blocked(verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the verb gives, waited for here.

    >>> async def double(number): return 2 * number
    >>> blocked(double, 4), blocked(abs, -4)
    (8, 4)
    """
    if inspect.iscoroutinefunction(verb):
        return run_to_end(verb(*args, **kwargs))
    return verb(*args, **kwargs)


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; where a loop runs in this thread already, it is run in a thread of its own."""
    if not _in_a_loop():
        return asyncio.run(work)
    context = contextvars.copy_context()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="recollect-adapter") as pool:
        return pool.submit(context.run, asyncio.run, work).result()


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
