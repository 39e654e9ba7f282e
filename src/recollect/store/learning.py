"""What was learned, written into one space inside a transaction the caller holds: no change is logged.

A memory that was erased meanwhile is passed over without a word: learning follows answers, and an answer may speak of
what another call has erased since. One such memory must not undo the rest of a batch.
"""

from __future__ import annotations

import sqlite3
from datetime import datetime

from recollect.records import LEARNED_RELATION, Favour, Link, Strengthen, worn_off
from recollect.store.rows import LINK_COLUMNS, from_micros, link_row, micros

DIGITS = 9  # of what is stored: sums do not depend on the last digits of the machine
PUT_LINK = f"insert or replace into links ({LINK_COLUMNS}) values ({', '.join('?' * 10)})"


def after(write: Strengthen | Favour, *, held: float, since: datetime | None, least: float) -> float:
    """What was learned, worn off until the write, with its amount added, within `least` and its `most`.

    >>> from datetime import UTC
    >>> day = datetime(2026, 1, 1, tzinfo=UTC)
    >>> after(Favour("m", 0.2, day, most=0.6, half_life_days=30), held=0.5, since=day, least=-0.6)
    0.6
    """
    left = worn_off(held, since, now=write.at, half_life_days=write.half_life_days)
    return round(min(max(left + write.amount, least), write.most), DIGITS)


def later(at: datetime, since: datetime | None) -> datetime:
    """As of when: two calls may be written down in another order than they came."""
    return at if since is None else max(at, since)


def new_link(write: Strengthen) -> Link:
    """The link between two memories that nothing connected before: learned, and nothing else."""
    learned = after(write, held=0.0, since=None, least=0.0)
    return Link(write.one, write.other, LEARNED_RELATION, write.at, weight=0.0, learned=learned, learned_at=write.at)


def strengthen(db: sqlite3.Connection, write: Strengthen) -> None:
    """Add to every link between the two, or make one."""
    if write.one == write.other:
        return
    between = db.execute(
        "select from_id, to_id, relation, learned, learned_at from links "
        "where (from_id = ?1 and to_id = ?2) or (from_id = ?2 and to_id = ?1)",
        (write.one, write.other),
    ).fetchall()
    for *key, held, learned_at in between:
        since = from_micros(learned_at)
        learned = after(write, held=held, since=since, least=0.0)
        db.execute(
            "update links set learned = ?, learned_at = ? where from_id = ? and to_id = ? and relation = ?",
            (learned, micros(later(write.at, since)), *key),
        )
    if not between and write.amount > 0 and exists(db, write.one) and exists(db, write.other):
        db.execute(PUT_LINK, link_row(new_link(write)))


def favour(db: sqlite3.Connection, write: Favour) -> None:
    """Add to what feedback taught about a memory."""
    found = db.execute("select row, favour, favour_at from memories where id = ?", (write.id,)).fetchone()
    if found is None:
        return
    row, held, favour_at = found
    since = from_micros(favour_at)
    favoured = after(write, held=held, since=since, least=-write.most)
    db.execute(
        "update memories set favour = ?, favour_at = ? where row = ?",
        (favoured, micros(later(write.at, since)), row),
    )


def unlearn(db: sqlite3.Connection) -> None:
    """Undo it all; what was stated stays as it is."""
    db.execute("delete from links where relation = ? and weight = 0", (LEARNED_RELATION,))
    db.execute("update links set learned = 0, learned_at = null where learned != 0 or learned_at is not null")
    db.execute("update memories set favour = 0, favour_at = null where favour != 0 or favour_at is not null")


def exists(db: sqlite3.Connection, id: str) -> bool:
    """Whether a memory or an entity has this id."""
    found = db.execute("select 1 from memories where id = ? union all select 1 from entities where id = ?", (id, id))
    return found.fetchone() is not None
