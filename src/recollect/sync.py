"""The blocking facade: every verb of `Recollect`, awaited for you on one background loop.

Written once, generically (`blocking.py`): a verb added to the engine is here without a line. Type checkers read
`sync.pyi`, which is generated from the verbs (`make docs`) and held against it by a test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from recollect.blocking import STAY_ASYNC as STAY_ASYNC
from recollect.blocking import Blocking, add_verbs, verbs_of
from recollect.engine import Recollect
from recollect.settings import Settings


class BlockingRecollect(Blocking):
    """The same verbs as `Recollect`, without `await`. Close it, or use it in a `with` block."""

    def __init__(self, engine: Recollect) -> None:
        super().__init__(engine)

    @classmethod
    def open(cls, path: str | Path | None = None, **arguments: Any) -> Self:
        """As `Recollect.open`."""
        return cls(Recollect.open(path, **arguments))

    @property
    def settings(self) -> Settings:
        """What it was opened with."""
        settings: Settings = self._inner.settings
        return settings


def verbs() -> dict[str, Callable[..., Any]]:
    """The engine's public coroutines by name, in order."""
    return verbs_of(Recollect)


add_verbs(BlockingRecollect, Recollect)
