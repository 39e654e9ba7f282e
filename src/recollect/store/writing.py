"""Writes applied to one space, inside a transaction the caller holds. Every change of a memory is logged.

What only counts or learns (`Touch`, `Strengthen`, `Favour`, `Unlearn`) is no change: no derived index sees it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby
from typing import Any, assert_never

from recollect.errors import InvalidInput, NotFound, WriteConflict
from recollect.records import (
    AdoptEmbedder,
    EraseLink,
    EraseMemory,
    Favour,
    Memory,
    Once,
    PutEntity,
    PutLink,
    PutMemory,
    PutVector,
    Strengthen,
    Touch,
    Unlearn,
    Vector,
    Write,
    goes_by,
    name_key,
)
from recollect.store import learning
from recollect.store.halves import to_halves
from recollect.store.rows import (
    COLUMNS,
    ENTITY_COLUMNS,
    digest_of,
    entity_row,
    link_row,
    memory_row,
    only_sound_rows,
    to_micros,
)

UPDATE_MEMORY = f"update memories set {', '.join(f'{name} = ?' for name in COLUMNS)} where row = ?"
PUT_ENTITY = f"insert or replace into entities ({ENTITY_COLUMNS}) values ({', '.join('?' * 7)})"
LOG = "insert into changes (op, row) values (?, ?)"
ROWS_PER_INSERT = 1_000
CHUNK = 500  # SQLite's oldest limit on parameters is 999


class Writing:
    """One transaction's writes to one space."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._embedder, self._dimensions = embedder_of(db)
        self._most_values = db.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
        self.vectors_left_out = 0
        self.erased: list[str] = []

    def repeated(self, once: Once) -> str | None:
        """The answer given to this key before, or None after claiming the key."""
        row = self._db.execute("select fingerprint, answer from once where key = ?", (once.key,)).fetchone()
        if row is None:
            self._db.execute("insert into once values (?, ?, ?)", (once.key, once.fingerprint, once.answer))
            return None
        if row[0] != once.fingerprint:
            raise WriteConflict(f"idempotency key {once.key!r} was used for another request; use a new key")
        return str(row[1])

    def apply(self, writes: Sequence[Write]) -> None:
        """All writes in order; runs of new memories go in as one statement."""
        for is_put, run in groupby(writes, key=lambda write: isinstance(write, PutMemory)):
            if is_put:
                self._put_memories([write for write in run if isinstance(write, PutMemory)])
            else:
                for write in run:
                    self._apply_one(write)

    def _apply_one(self, write: Write) -> None:
        match write:
            case PutMemory():
                self._put_memories([write])
            case PutVector(id, vector):
                row = self._row(id)
                if fitting := self._fitting([(row, vector)]):
                    self._set_vector(row, fitting)
                    self._db.execute(LOG, ("vector", row))
            case Touch(id, at, stability):
                self._db.execute(
                    "update memories set access_count = access_count + 1, last_access = ?, stability_days = ? "
                    "where row = ?",
                    (to_micros(at), stability, self._row(id)),
                )
            case EraseMemory(id):
                self._erase(id)
            case PutLink(link):
                self._check_ends(link.from_id, link.to_id)
                self._db.execute(learning.PUT_LINK, link_row(link))
            case EraseLink(from_id, to_id, relation):
                done = self._db.execute(
                    "delete from links where from_id = ? and to_id = ? and relation = ?",
                    (from_id, to_id, relation),
                )
                if done.rowcount == 0:
                    raise NotFound(f"no link {relation!r} from {from_id!r} to {to_id!r}")
            case PutEntity(entity):
                self._db.execute(PUT_ENTITY, entity_row(entity))
            case AdoptEmbedder(identity):
                self._adopt(identity)
            case Strengthen():
                learning.strengthen(self._db, write)
            case Favour():
                learning.favour(self._db, write)
            case Unlearn():
                learning.unlearn(self._db)
            case _:
                assert_never(write)

    def _put_memories(self, puts: Sequence[PutMemory]) -> None:
        known = dict(self._rows_of([put.memory.id for put in puts]))
        new: dict[str, PutMemory] = {}
        for put in puts:
            id = put.memory.id
            if id in known or id in new:
                known |= self._insert(list(new.values()))  # in order: the first vector decides the embedder
                new.clear()
                self._replace(known[id], put)
            elif put.expected is not None:
                raise NotFound(f"no memory {id!r} to replace; it was erased meanwhile")
            else:
                new[id] = put
        self._insert(list(new.values()))

    def _insert(self, puts: Sequence[PutMemory]) -> dict[str, int]:
        if not puts:
            return {}
        last = self._db.execute("select seq from sqlite_sequence where name = 'memories'").fetchone()
        first = (last[0] if last else 0) + 1
        rows = range(first, first + len(puts))
        pairs = list(zip(rows, puts, strict=True))
        vectors = self._fitting([(row, put.vector) for row, put in pairs if put.vector])
        embedded = {row for row, _ in vectors}
        self._insert_rows(
            f"memories (row, {', '.join(COLUMNS)}, embedded)",
            [(row, *memory_row(put.memory), row in embedded) for row, put in pairs],
        )
        labels = [label for row, put in pairs for label in _labels(put.memory, row)]
        self._insert_rows("labels", labels)
        self._insert_rows("vectors", self._halved(vectors))
        self._db.execute(
            "insert into changes (op, row) select 'put', row from memories where row between ? and ? order by row",
            (rows[0], rows[-1]),
        )
        return {put.memory.id: row for row, put in zip(rows, puts, strict=True)}

    def _replace(self, row: int, put: PutMemory) -> None:
        if put.expected is not None:
            stored = self._db.execute("select updated_at from memories where row = ?", (row,)).fetchone()[0]
            if stored != to_micros(put.expected):
                raise WriteConflict(
                    f"memory {put.memory.id!r} was changed meanwhile; read it again and repeat the change"
                )
        self._db.execute(UPDATE_MEMORY, (*memory_row(put.memory), row))
        self._db.execute("delete from labels where row = ?", (row,))
        self._insert_rows("labels", list(_labels(put.memory, row)))
        if put.vector or put.memory.embedded_by is None:  # no vector of an older text stays, whatever comes instead
            self._set_vector(row, self._fitting([(row, put.vector)]) if put.vector else [])
        self._db.execute(LOG, ("put", row))

    def _set_vector(self, row: int, fitting: Sequence[tuple[int, Vector]]) -> None:
        """The vector of a stored memory, in place of any other; without one, the memory has none."""
        self._db.execute("delete from vectors where row = ?", (row,))
        self._insert_rows("vectors", self._halved(fitting))
        self._db.execute("update memories set embedded = ? where row = ?", (len(fitting), row))

    def _fitting(self, vectors: Sequence[tuple[int, Vector]]) -> list[tuple[int, Vector]]:
        fitting = [(row, vector) for row, vector in vectors if self._fits(vector)]
        self.vectors_left_out += len(vectors) - len(fitting)
        return fitting

    def _halved(self, vectors: Sequence[tuple[int, Vector]]) -> list[tuple[int, bytes]]:
        halves = to_halves(b"".join(vector.data for _, vector in vectors))  # all at once: ten times as fast
        size = 2 * self._dimensions
        return [(row, halves[place * size : (place + 1) * size]) for place, (row, _) in enumerate(vectors)]

    def _insert_rows(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Many rows in one statement. Row by row, the interpreter's lock would be given up and waited for at each,
        and beside a thread that computes, every one of those waits takes milliseconds."""
        if not rows:
            return
        width = len(rows[0])
        for part in chunks(rows, size=min(ROWS_PER_INSERT, self._most_values // width)):
            self._db.execute(_insert_statement(table, width, len(part)), list(chain.from_iterable(part)))

    def _fits(self, vector: Vector) -> bool:
        """Whether the space's vectors are of this embedder; the first vector decides."""
        if self._embedder not in (None, vector.identity):
            return False
        if not self._dimensions:
            self._embedder, self._dimensions = vector.identity, vector.dimensions
            self._db.execute(
                "insert or replace into meta values ('embedder', ?), ('dimensions', ?)",
                (vector.identity, str(vector.dimensions)),
            )
        if vector.dimensions != self._dimensions:
            raise InvalidInput(
                f"a vector of {vector.identity!r} has {vector.dimensions} dimensions, not {self._dimensions}",
                field="vector",
            )
        return True

    def _adopt(self, identity: str) -> None:
        if self._embedder == identity:
            return
        self._db.execute("delete from vectors")
        self._db.execute("update memories set embedded = 0 where embedded")
        self._db.execute("insert or replace into meta values ('embedder', ?), ('dimensions', '0')", (identity,))
        self._db.execute(LOG, ("embedder", 0))
        self._embedder, self._dimensions = identity, 0  # the first vector that follows says how long they are

    def _erase(self, id: str) -> None:
        row = self._row(id)
        self._db.execute("delete from links where from_id = ? or to_id = ?", (id, id))
        self._db.execute("delete from memories where row = ?", (row,))  # labels and vector go with it
        self._db.execute(LOG, ("erase", row))
        self._db.execute("insert or ignore into erased values (?)", (digest_of(id),))
        self.erased.append(id)

    def _check_ends(self, *ids: str) -> None:
        for id in ids:
            if not learning.exists(self._db, id):
                raise NotFound(f"no memory or entity {id!r} to link; add it first")

    def _row(self, id: str) -> int:
        row = self._db.execute("select row from memories where id = ?", (id,)).fetchone()
        if row is None:
            raise NotFound(f"no memory {id!r} in this space")
        return int(row[0])

    def _rows_of(self, ids: Sequence[str]) -> Iterator[tuple[str, int]]:
        for chunk in chunks(ids):
            marks = ", ".join("?" * len(chunk))
            yield from self._db.execute(f"select id, row from memories where id in ({marks})", chunk)


@only_sound_rows()
@lru_cache(maxsize=32)
def _insert_statement(table: str, width: int, rows: int) -> str:
    row = f"({', '.join('?' * width)})"
    return f"insert into {table} values {', '.join([row] * rows)}"


def begins_a_space(writes: Sequence[Write], once: Once | None) -> bool:
    """Whether these writes bring something of their own, and not only changes to what must be there already."""
    return once is not None or any(isinstance(write, PutMemory | PutEntity) for write in writes)


def embedder_of(db: sqlite3.Connection) -> tuple[str | None, int]:
    """The identity of the embedder whose vectors the space holds, and their length (zero when there is none)."""
    found = dict(db.execute("select key, value from meta where key in ('embedder', 'dimensions')"))
    return found.get("embedder"), int(found.get("dimensions", 0))


def chunks(values: Sequence[Any], *, size: int = CHUNK) -> Iterator[Sequence[Any]]:
    """Runs of at most `size`.

    >>> [list(chunk) for chunk in chunks("abc", size=2)]
    [['a', 'b'], ['c']]
    """
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _labels(memory: Memory, row: int) -> Iterator[tuple[str, str, int]]:
    yield from (("tag", tag, row) for tag in dict.fromkeys(memory.tags))
    yield from (("cluster", cluster, row) for cluster in dict.fromkeys(memory.clusters))
    if key := title_key(memory.title, memory.body):
        yield "title", key, row


def title_key(title: str, body: str) -> str:
    """What a memory is found by under the name it goes by; empty where it goes by none."""
    return name_key(goes_by(title, body))
