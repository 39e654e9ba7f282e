"""What every verb works with: the wired parts, and the few things all verbs do with them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Self

from recollect.aftermath import Aftermath
from recollect.clock import SystemClock
from recollect.errors import StoreError
from recollect.ids import Entropy
from recollect.ingest.write import Desk, read_one
from recollect.inputs import check_ids
from recollect.models.tokens import TokenCounter
from recollect.observing import Telling
from recollect.offload import Apart, run_in_thread
from recollect.ports import Clock, Embedder, Knowledge, Observer, Source, Store
from recollect.records import Memory
from recollect.settings import Settings
from recollect.steps.search import Means

DEFAULT_SPACE = "default"
SETTLING_SECONDS = 5.0  # how long closing, and reading what was noted, waits for notes still to be written


class Wired:
    """The parts of one Recollect. Sources that may hold up a loop run on one of their own."""

    def __init__(
        self,
        settings: Settings,
        *,
        store: Store,
        embedder: Embedder,
        sources: Sequence[Source],
        knowledge: Knowledge | None = None,
        clock: Clock | None = None,
        entropy: Entropy = os.urandom,
    ) -> None:
        self.settings = settings
        self._store = store
        self._embedder = embedder
        self._knowledge = knowledge
        self._clock = clock or SystemClock()
        self._entropy = entropy
        self._count_tokens = TokenCounter()
        kept = [source if source.abilities.cooperative else Apart(source) for source in sources]
        self._means = Means({source.name: source for source in kept}, embedder, self._clock, settings)
        self._desk = Desk(store, settings.write, self._clock.now, entropy)
        self._aftermath = Aftermath()
        self._telling: Telling | None = None

    def observed_by(self, *observers: Observer) -> Self:
        """Have these told of every call of a verb from now on; `recollect.telemetry` has some."""
        if observers and self._telling is None:
            self._telling = Telling(self._clock)
            self._telling.wrap(self)
        if self._telling is not None:
            self._telling.observers += observers
        return self

    async def settle(self) -> None:
        """Wait until the traces and lessons of earlier calls are stored, and observers told; both follow an answer."""
        await run_in_thread(self._aftermath.settle, SETTLING_SECONDS)
        if self._telling is not None:
            await run_in_thread(self._telling.settle, SETTLING_SECONDS)

    async def _check_erased(self, space: str) -> None:
        """Last of all: what was erased from the graph may still be on the disk."""
        if self._knowledge is not None and (left := await run_in_thread(self._knowledge.check, space)):
            raise StoreError("; ".join(left))

    async def _get(self, space: str, id: str) -> Memory:
        check_ids(id)
        return await run_in_thread(read_one, self._store, space, id)
