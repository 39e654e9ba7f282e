"""What was stored right before and right after a memory, of its kind and project; see `ports.Records`.

By the numbers of the rows, which are the order of storing: two looks into an index for each memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache

from recollect.records import SITTING, Beside
from recollect.store.writing import chunks

APART = int(SITTING.total_seconds() * 1_000_000)
TOLD = "coalesce({0}.event_time, {0}.created_at)"


def beside(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Beside]:
    """For each id that has any."""
    found: dict[str, Beside] = {}
    for chunk in chunks(list(dict.fromkeys(ids))):
        for id, told, *near in db.execute(_statement(len(chunk)), chunk):
            before, after = (_of_one_sitting(told, near[side : side + 2]) for side in (0, 2))
            if before or after:
                found[id] = Beside(before, after)
    return {id: found[id] for id in ids if id in found}


def _of_one_sitting(told: int, other: Sequence[int | str | None]) -> str | None:
    id, moment = other
    return str(id) if id is not None and abs(int(moment or 0) - told) <= APART else None


@lru_cache(maxsize=64)
def _statement(ids: int) -> str:
    marks = ", ".join("?" * ids)
    before, after = (
        f"(select row from memories where kind = m.kind and project is m.project and row {side} m.row "
        f"order by row {order} limit 1)"
        for side, order in (("<", "desc"), (">", "asc"))
    )
    return (
        f"select m.id, {TOLD.format('m')}, p.id, {TOLD.format('p')}, n.id, {TOLD.format('n')} from memories m "
        f"left join memories p on p.row = {before} left join memories n on n.row = {after} where m.id in ({marks})"
    )
