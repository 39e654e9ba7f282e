"""What is open, one thing to a space: kept while in use, not too many at once, and none that leads nowhere."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from recollect.records import check_space


class Openable(Protocol):
    """What can be kept open: `is_current` tells whether it is still what the space's folder holds."""

    def is_current(self) -> bool: ...

    def reading(self) -> AbstractContextManager[sqlite3.Connection]: ...

    def close(self) -> None: ...


Thing = TypeVar("Thing", bound=Openable)


@dataclass(slots=True)
class _Held(Generic[Thing]):
    """One of them, and how many calls in flight use it; it is closed only at zero."""

    thing: Thing
    users: int = 0


class Opened(Generic[Thing]):
    """Opened when first used by `begin`, which is given the space and a mode: `rwc` to make it, `rw` else.

    At most `most` stay open beside those in use, the ones used last.
    """

    def __init__(self, begin: Callable[[str, str], Thing | None], *, most: int) -> None:
        self._begin = begin
        self._most = most
        self._held: OrderedDict[str, _Held[Thing]] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def using(self, space: str, *, create: bool = False) -> Iterator[Thing | None]:
        """The open one, kept open while in use; None when there is none and it is not to be made."""
        held = self._acquire(check_space(space), "rwc" if create else "rw")
        if held is None:
            yield None
            return
        try:
            yield held.thing
        finally:
            with self._lock:
                held.users -= 1
                if not held.users and self._held.get(space) is not held:
                    held.thing.close()

    @contextmanager
    def reading(self, space: str) -> Iterator[sqlite3.Connection]:
        """A reader of the one of this space, or None typed as one when there is none."""
        with self.using(space) as thing:
            if thing is None:
                yield None  # type: ignore[misc]
            else:
                with thing.reading() as db:
                    yield db

    def let_go(self, space: str) -> None:
        """Close the one of this space now, or when the last call in flight ends."""
        with self._lock:
            self._let_go(check_space(space))

    def close(self) -> None:
        """Let go of all."""
        with self._lock:
            for space in list(self._held):
                self._let_go(space)

    # --- below here the lock is held -------------------------------------------------------------

    def _acquire(self, space: str, mode: str) -> _Held[Thing] | None:
        with self._lock:
            held = self._held.get(space)
            if held and not held.thing.is_current():
                self._let_go(space)  # dropped by another process: what is open leads nowhere
                held = None
            if held is None:
                thing = self._begin(space, mode)
                if thing is None:
                    return None
                held = self._held[space] = _Held(thing)
            self._held.move_to_end(space)
            held.users += 1
            for name in [name for name, each in self._held.items() if not each.users]:
                if len(self._held) > self._most:
                    self._let_go(name)
            return held

    def _let_go(self, space: str) -> None:
        held = self._held.pop(space, None)
        if held and not held.users:
            held.thing.close()
