"""Composition root: settings become a wired `Recollect` with its verbs. The only file that knows both sides.

The verbs are in `verbs/`, one file per sort. How a question is answered is in `retrieve.py`; how a text is stored, in
`ingest/`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from recollect.clock import SystemClock
from recollect.configure import configure
from recollect.offload import run_in_thread
from recollect.ports import Observer, Source
from recollect.verbs.asking import Asking
from recollect.verbs.clusters import Clusters
from recollect.verbs.conflicts import Conflicts
from recollect.verbs.graph import Graph
from recollect.verbs.looking_back import LookingBack
from recollect.verbs.projects import Projects
from recollect.verbs.reading import Reading
from recollect.verbs.upkeep import Upkeep
from recollect.verbs.wired import DEFAULT_SPACE as DEFAULT_SPACE
from recollect.verbs.writing import Writing
from recollect.wiring import make_embedder, make_knowledge, make_observers, make_sources, make_store, not_built_in


class Recollect(Writing, Conflicts, Clusters, Projects, Graph, Reading, Asking, LookingBack, Upkeep):
    """Memory that answers with a verdict. `Recollect.open(path)` makes one; use it in an `async with` block."""

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        config: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        progress: Callable[[str, int, int | None], None] | None = None,
        observers: Sequence[Observer] = (),
        sources: Sequence[Source | str] = (),
        **arguments: Any,
    ) -> Self:
        """Open the store at `path`. Settings are keywords: `recipe="fast"`, `embedder="static"`, `store__path=…`.

        `observers` are told of every call after it, beside those the settings switch on. `sources` are searched beside
        the built-in ones: your own, or the name of one that a package registered.
        """
        given = {name.replace("__", "."): value for name, value in arguments.items()}
        if path is not None:
            given["store.path"] = path
        settings = configure(
            given,
            file=Path(config) if config else None,
            environment=os.environ if environment is None else environment,
        )
        clock = SystemClock()
        told = [*make_observers(settings), *observers]  # first: what is missing is said before anything is opened
        store = make_store(settings, clock)
        knowledge = make_knowledge(settings)
        embedder = make_embedder(settings, progress)
        return cls(
            settings,
            store=store,
            embedder=embedder,
            sources=make_sources(settings, store, clock, embedder=embedder, knowledge=knowledge, own=sources),
            knowledge=knowledge,
            clock=clock,
        ).observed_by(*told)

    @property
    def own_sources(self) -> tuple[Source, ...]:
        """The sources it was given beside the built-in ones, which settings switch on and off."""
        return not_built_in(self._means.sources.values())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of files and models, after what is still to be noted was noted."""
        await self.settle()
        for source in self._means.sources.values():
            await source.close()
        await self._embedder.close()
        if self._knowledge is not None:
            await run_in_thread(self._knowledge.close)
        await run_in_thread(self._store.close)
