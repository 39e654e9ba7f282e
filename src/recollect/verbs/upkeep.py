"""The verbs that look after a store: spaces, stats, reindex, fade, export and import, warm, doctor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import islice

from recollect.checkup import (
    check_aftermath,
    check_embedder,
    check_graph,
    check_observers,
    check_store,
    check_vectors,
)
from recollect.errors import NotFound
from recollect.ingest.transfer import export_lines, import_lines
from recollect.ingest.upkeep import Progress, fade, reembed
from recollect.language.mentions import mentioned
from recollect.language.rivals import frame_of
from recollect.language.statements import find_statements
from recollect.language.suspicion import suspicious
from recollect.offload import run_in_thread
from recollect.ports import Checked, TextKind, Warmed
from recollect.readings import forget_readings
from recollect.recipes import BALANCED
from recollect.records import SpaceStats
from recollect.steps.understand import understand
from recollect.trace import Recorder
from recollect.values import Health
from recollect.verbs.wired import DEFAULT_SPACE, Wired

# Goes through most of the tables questions and memories are read by, which are compiled when first used.
ORDINARY = "What did Ana write about the harbour plan last week, and how does it relate to her budget?"

LINES_AT_ONCE = 200


def _ignore(done: int, total: int) -> None:
    """Progress nobody watches."""


async def _in_batches(lines: Iterator[str]) -> AsyncIterator[str]:
    while batch := await run_in_thread(lambda: list(islice(lines, LINES_AT_ONCE))):
        for line in batch:
            yield line


class Upkeep(Wired):
    """What keeps a store in order."""

    async def spaces(self) -> list[str]:
        """The names of all spaces."""
        return await run_in_thread(self._store.names)

    async def stats(self, *, space: str = DEFAULT_SPACE) -> SpaceStats:
        """Counts for one space."""
        return await run_in_thread(self._store.stats, space)

    async def forget_space(self, space: str) -> None:
        """Erase a whole space."""
        if not await run_in_thread(self._store.drop, space):
            raise NotFound(f"no space {space!r}; known: {', '.join(await self.spaces()) or 'none'}")
        if self._knowledge is not None:
            await run_in_thread(self._knowledge.forget, space)
        forget_readings()

    async def reindex(self, *, space: str = DEFAULT_SPACE, progress: Progress = _ignore) -> int:
        """Derive anew: vectors, where they are missing or of another embedder, and all indexes."""
        done = await reembed(self._store, self._embedder, space, progress=progress)
        await run_in_thread(self._store.rebuild, space)
        return done

    async def fade(self, *, space: str = DEFAULT_SPACE) -> dict[str, str]:
        """Move memories along the forgetting curve; gives what changed, by id."""
        return await run_in_thread(
            lambda: fade(self._store, space, now=self._clock.now(), settings=self.settings.forgetting)
        )

    async def export_space(self, *, space: str = DEFAULT_SPACE) -> list[str]:
        """The whole space as JSON lines."""
        return await run_in_thread(lambda: list(export_lines(self._store, space)))

    def export_stream(self, *, space: str = DEFAULT_SPACE) -> AsyncIterator[str]:
        """The same, some lines at a time: for a space that is large."""
        return _in_batches(export_lines(self._store, space))

    async def import_space(self, lines: Iterable[str], *, space: str = DEFAULT_SPACE) -> dict[str, int]:
        """Read an export into a space; gives how many of each sort there were."""
        return await run_in_thread(lambda: import_lines(self._store, space, lines, settings=self.settings.write))

    async def warm(self) -> None:
        """Load the models now, so that the first question does not wait for them inside its deadline."""
        await self._embedder.embed(["warm up"], kind=TextKind.QUERY)
        await run_in_thread(self._count_tokens, "warm up")
        for source in self._means.sources.values():
            if isinstance(source, Warmed):
                await source.warm()
        trace = Recorder("", started_at=self._clock.now(), monotonic=self._clock.monotonic)
        understand(ORDINARY, recipe=BALANCED, settings=self.settings, trace=trace, now=self._clock.now())
        for read in (find_statements, frame_of, suspicious, mentioned):
            read(ORDINARY)

    async def doctor(self, *, space: str = DEFAULT_SPACE) -> list[Health]:
        """Look at every part that can be wrong."""
        found = await run_in_thread(lambda: list(check_store(self._store, space)))
        readable = all(each.ok for each in found if not each.what.endswith("index"))
        found.append(await check_embedder(self._embedder))
        if readable:
            found += await run_in_thread(lambda: list(check_vectors(self._store, space, self._embedder)))
        if self._knowledge is not None:
            found.append(await run_in_thread(check_graph, self._knowledge, space))
        found += [await source.check() for source in self._means.sources.values() if isinstance(source, Checked)]
        found.append(check_aftermath(self._aftermath.problems, left_out=self._aftermath.left_out))
        if self._telling is not None:
            found.append(check_observers(self._telling.problems, left_out=self._telling.left_out))
        return found
