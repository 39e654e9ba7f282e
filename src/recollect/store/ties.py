"""The strongest links at each of some memories, and how many there are each way; see `ports.Graph`.

One statement counts, by the index alone; one more fetches the links of all that have few. Only where an id has more
than can be kept from it is it asked by itself, and then its strongest are read off the index: a hub costs no more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import TypeAlias

from recollect.records import Link, Ties
from recollect.store.rows import LINK_COLUMNS, link_of, micros
from recollect.store.writing import chunks

HOLDS = "(valid_from is null or valid_from <= ?1) and (valid_to is null or valid_to > ?1)"
STRONGEST_OUT = (
    f"select {LINK_COLUMNS} from links where from_id = ?2 and {HOLDS} "
    "order by weight + learned desc, to_id, relation limit ?3"
)
STRONGEST_IN = (
    f"select {LINK_COLUMNS} from links where to_id = ?2 and {HOLDS} "
    "order by weight + learned desc, from_id, relation limit ?3"
)


Key: TypeAlias = tuple[str, str, str]


def ties(db: sqlite3.Connection, ids: Sequence[str], *, most: int, now: datetime) -> dict[str, Ties]:
    """For each id that has any link, in the order asked for."""
    moment, most = micros(now), max(most, 0)
    counts: dict[str, list[int]] = {}  # inbound, outbound
    wanted = list(dict.fromkeys(ids))
    for chunk in chunks(wanted):
        for is_outbound, id, count in db.execute(_count_statement(len(chunk)), (moment, *chunk)):
            counts.setdefault(id, [0, 0])[is_outbound] = count
    # Asking an id by itself reads up to `most` each way: for one that has no more, that would be no gain.
    few = [id for id in wanted if id in counts and sum(counts[id]) <= 2 * most]
    links = _all_at(db, few, moment=moment)
    for id in counts.keys() - links.keys() if most else ():
        asked = (moment, id, most)
        # By key: a link from a memory to itself is found at both ends.
        links[id] = {row[:3]: link_of(row) for sql in (STRONGEST_OUT, STRONGEST_IN) for row in db.execute(sql, asked)}
    return {
        id: Ties(tuple(sorted(links.get(id, {}).values(), key=by_strength)[:most]), *counts[id])
        for id in wanted
        if id in counts
    }


def by_strength(link: Link) -> tuple[float, str, str, str]:
    """The order of ties: strongest first, then by ends and relation."""
    return -(link.weight + link.learned), link.from_id, link.to_id, link.relation


def _all_at(db: sqlite3.Connection, ids: Sequence[str], *, moment: int) -> dict[str, dict[Key, Link]]:
    found: dict[str, dict[Key, Link]] = {id: {} for id in ids}
    for chunk in chunks(ids):
        for row in db.execute(_all_statement(len(chunk)), (moment, *chunk)):
            key, link = row[:3], None
            for end in key[:2]:
                if end in found and key not in found[end]:
                    link = link or link_of(row)
                    found[end][key] = link
    return found


@lru_cache(maxsize=64)
def _count_statement(ids: int) -> str:
    marks = _marks(ids)
    return (
        f"select 1, from_id, count(*) from links where from_id in ({marks}) and {HOLDS} group by from_id union all "
        f"select 0, to_id, count(*) from links where to_id in ({marks}) and {HOLDS} group by to_id"
    )


@lru_cache(maxsize=64)
def _all_statement(ids: int) -> str:
    marks = _marks(ids)
    return (
        f"select {LINK_COLUMNS} from links where from_id in ({marks}) and {HOLDS} union all "
        f"select {LINK_COLUMNS} from links where to_id in ({marks}) and {HOLDS}"
    )


def _marks(ids: int) -> str:
    """Numbered, since each is used twice; the first number is the moment's."""
    return ", ".join(f"?{number}" for number in range(2, ids + 2))
