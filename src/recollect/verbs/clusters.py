"""The verbs for clusters, the groups memories are put in by name: list them, put memories in, take them out.

The memories of one are `browse(filters=Filters(clusters=frozenset({name})))`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import InvalidInput
from recollect.ingest.gate import check_labels
from recollect.ingest.write import read_one, revised
from recollect.inputs import check_ids
from recollect.offload import run_in_thread
from recollect.records import Filters, Memory, PutMemory, check_space
from recollect.verbs.wired import DEFAULT_SPACE, Wired

MOST_AT_ONCE = 1_000  # memories of one call

Regroup = Callable[[tuple[str, ...]], tuple[str, ...]]


class Clusters(Wired):
    """Memories in groups."""

    async def clusters(self, *, space: str = DEFAULT_SPACE) -> dict[str, int]:
        """The clusters by name, and how many current memories each has."""
        check_space(space)
        return await run_in_thread(self._store.clusters, space, Filters())

    async def add_to_cluster(self, cluster: str, *ids: str, space: str = DEFAULT_SPACE) -> list[Memory]:
        """Put memories in a cluster, all or none; those that are in it stay as they are."""
        return await self._regroup(cluster, ids, space, lambda names: (*names, cluster))

    async def remove_from_cluster(self, cluster: str, *ids: str, space: str = DEFAULT_SPACE) -> list[Memory]:
        """Take memories out of a cluster, all or none; those that are not in it stay as they are."""
        return await self._regroup(cluster, ids, space, lambda names: tuple(each for each in names if each != cluster))

    async def _regroup(self, cluster: str, ids: Sequence[str], space: str, change: Regroup) -> list[Memory]:
        check_space(space)
        check_labels("cluster", (cluster,))
        check_ids(*ids)
        if not 0 < len(ids) <= MOST_AT_ONCE:
            raise InvalidInput(f"{len(ids):,} memories were named; give 1 to {MOST_AT_ONCE:,}", field="ids")

        def regroup() -> list[Memory]:
            wanted = list(dict.fromkeys(ids))
            writes = []
            for old in (read_one(self._store, space, id) for id in wanted):
                names = tuple(dict.fromkeys(change(old.clusters)))
                check_labels("clusters", names)
                if names != old.clusters:
                    new = revised(old, {"clusters": names}, now=self._clock.now())
                    writes.append(PutMemory(new, expected=old.updated_at))
            if writes:
                self._store.apply(space, writes)
            return self._store.read(space, wanted)

        return await run_in_thread(regroup)
