"""The store: a SQLite file per space as the record, with lexical and vector indexes derived from it and a journal of
what was asked beside it.

Implements every protocol of `ports.Store`. Thread-safe; several processes may share one root folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from recollect.errors import NotFound, StoreError
from recollect.records import (
    Applied,
    Beside,
    Entity,
    Filters,
    Lag,
    Lifecycle,
    Link,
    Match,
    Memory,
    Once,
    SpaceStats,
    Term,
    Ties,
    TraceRecord,
    Vector,
    Write,
)
from recollect.settings import StoreSettings
from recollect.store import folders
from recollect.store.beside import beside
from recollect.store.filtering import conditions
from recollect.store.halves import from_halves
from recollect.store.opened import Opened
from recollect.store.rows import (
    ENTITY_COLUMNS,
    LINK_COLUMNS,
    MEMORY_COLUMNS,
    entity_of,
    link_of,
    memory_of,
)
from recollect.store.space import Space
from recollect.store.ties import ties as strongest_ties
from recollect.store.writing import Writing, begins_a_space, chunks, embedder_of

TITLED = "select l.label, m.id from labels l join memories m on m.row = l.row"
SELECT_MEMORY = f"select {MEMORY_COLUMNS}, m.embedded from memories m"


class SqliteStore:
    """All spaces under one root folder."""

    def __init__(self, root: Path, *, now: Callable[[], datetime], settings: StoreSettings) -> None:
        self._root = root.expanduser()
        self._now = now
        self._settings = settings
        self._opened = Opened(self._begin, most=settings.open_spaces)
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(
                f"store folder {str(self._root)!r} cannot be made: {error.strerror}; choose another"
            ) from error
        folders.sweep(self._root)

    # --- records ---------------------------------------------------------------------------------

    def read(self, space: str, ids: Sequence[str]) -> list[Memory]:
        found: dict[str, Memory] = {}
        with self._opened.reading(space) as db:
            for chunk in chunks(list(dict.fromkeys(ids))) if db else ():
                marks = ", ".join("?" * len(chunk))
                embedder, _ = embedder_of(db)
                for row in db.execute(f"{SELECT_MEMORY} where m.id in ({marks})", chunk):
                    found[row[0]] = memory_of(row, space=space, embedder=embedder)
        return [found[id] for id in ids if id in found]

    def browse(self, space: str, filters: Filters, *, limit: int, after: str | None = None) -> list[Memory]:
        where, values = conditions(filters, now=self._now())
        with self._opened.reading(space) as db:
            if db is None:
                return []
            if after is not None:
                last = db.execute("select created_at, id from memories where id = ?", (after,)).fetchone()
                if last is None:
                    raise NotFound(f"no memory {after!r} to continue after; start again without it")
                where, values = f"({where}) and (m.created_at, m.id) < (?, ?)", [*values, *last]
            sql = f"{SELECT_MEMORY} where {where} order by m.created_at desc, m.id desc limit ?"
            embedder, _ = embedder_of(db)
            return [memory_of(row, space=space, embedder=embedder) for row in db.execute(sql, [*values, max(limit, 0)])]

    def same_content(self, space: str, content_hash: str) -> list[Memory]:
        with self._opened.using(space) as opened:
            ids = opened.alike(content_hash, now=self._now()) if opened else []
        return [memory for memory in self.read(space, sorted(ids)) if memory.content_hash == content_hash]

    def around(self, space: str, ids: Sequence[str]) -> dict[str, Beside]:
        with self._opened.reading(space) as db:
            return beside(db, ids) if db else {}

    def clusters(self, space: str, filters: Filters) -> dict[str, int]:
        where, values = conditions(filters, now=self._now())
        sql = (
            "select l.label, count(*) from labels l join memories m on m.row = l.row "
            f"where l.sort = 'cluster' and {where} group by l.label order by l.label"
        )
        with self._opened.reading(space) as db:
            return dict(db.execute(sql, values)) if db else {}

    def related(self, space: str, relation: str) -> list[Link]:
        sql = f"select {LINK_COLUMNS} from links where relation = ? order by from_id, to_id"
        with self._opened.reading(space) as db:
            return [link_of(row) for row in db.execute(sql, (relation,))] if db else []

    def links(self, space: str, ids: Sequence[str]) -> list[Link]:
        found: dict[tuple[str, str, str], Link] = {}
        with self._opened.reading(space) as db:
            for chunk in chunks(list(dict.fromkeys(ids))) if db else ():
                marks = ", ".join("?" * len(chunk))
                for end in ("from_id", "to_id"):
                    for row in db.execute(f"select {LINK_COLUMNS} from links where {end} in ({marks})", chunk):
                        found[row[:3]] = link_of(row)
        return [found[key] for key in sorted(found)]

    def ties(self, space: str, ids: Sequence[str], *, most: int) -> dict[str, Ties]:
        with self._opened.reading(space) as db:
            return strongest_ties(db, ids, most=most, now=self._now()) if db else {}

    def titled(self, space: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        with self._opened.reading(space) as db:
            for chunk in chunks(sorted(set(names))) if db else ():
                marks = ", ".join("?" * len(chunk))
                sql = f"{TITLED} where l.sort = 'title' and l.label in ({marks}) order by l.label, m.id"
                for name, id in db.execute(sql, chunk):
                    found.setdefault(name, []).append(id)
        return {name: tuple(ids) for name, ids in found.items()}

    def apply(self, space: str, writes: Sequence[Write], *, once: Once | None = None) -> Applied:
        with self._opened.using(space, create=begins_a_space(writes, once)) as opened:
            if opened is None:
                raise NotFound(f"no space {space!r} in this store; it comes to be with its first memory")
            with opened.database.writing() as db:
                writing = Writing(db)
                repeated = writing.repeated(once) if once else None
                if repeated is None:
                    writing.apply(writes)
                head = int(db.execute("select coalesce(max(seq), 0) from changes").fetchone()[0])
                # The record and the journal are two files: the journal first, so that no crash in between leaves a
                # trace of a memory that is gone; and once more, for a trace that was noted meanwhile.
                if writing.erased:
                    opened.journal.erase(writing.erased)
            if writing.erased:
                opened.journal.erase(writing.erased)
            return Applied(head, repeated=repeated, vectors_left_out=writing.vectors_left_out)

    # --- index -----------------------------------------------------------------------------------

    def match(self, space: str, text: str, *, filters: Filters, limit: int) -> tuple[list[Match], list[Term]]:
        with self._opened.using(space) as opened:
            return opened.match(text, filters=filters, limit=limit, now=self._now()) if opened else ([], [])

    def nearest(self, space: str, vector: Vector, *, filters: Filters, limit: int) -> list[Match]:
        with self._opened.using(space) as opened:
            return opened.nearest(vector, filters=filters, limit=limit, now=self._now()) if opened else []

    def cosines(self, space: str, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        with self._opened.using(space) as opened:
            return opened.cosines(vector, ids=ids) if opened else {}

    def catch_up(self, space: str) -> None:
        with self._opened.using(space) as opened:
            if opened:
                opened.catch_up()

    def lag(self, space: str) -> list[Lag]:
        with self._opened.using(space) as opened:
            return opened.lag() if opened else []

    def rebuild(self, space: str) -> None:
        with self._opened.using(space) as opened:
            if opened is None:
                raise NotFound(f"no space {space!r} in {str(self._root)!r}")
            opened.rebuild()

    # --- spaces ----------------------------------------------------------------------------------

    def names(self) -> list[str]:
        return folders.names(self._root)

    def drop(self, space: str) -> bool:
        self._opened.let_go(space)
        return folders.drop(self._root, space)

    def stats(self, space: str) -> SpaceStats:
        with self._opened.reading(space) as db:
            if db is None:
                raise NotFound(f"no space {space!r} in this store; known: {', '.join(self.names()) or 'none'}")
            lifecycles = dict(db.execute("select lifecycle, count(*) from memories group by lifecycle"))
            counts = [
                db.execute(f"select count(*) from {table}").fetchone()[0] for table in ("links", "entities", "vectors")
            ]
            return SpaceStats(
                memories=sum(lifecycles.values()),
                by_lifecycle={each.value: lifecycles.get(each.value, 0) for each in Lifecycle},
                links=counts[0],
                entities=counts[1],
                vectors=counts[2],
                embedder=embedder_of(db)[0],
                bytes_on_disk=folders.size(folders.folder_of(self._root, space)),
            )

    def close(self) -> None:
        self._opened.close()

    # --- upkeep ----------------------------------------------------------------------------------

    def entities(self, space: str) -> list[Entity]:
        with self._opened.reading(space) as db:
            found = db.execute(f"select {ENTITY_COLUMNS} from entities order by id") if db else ()
            return [entity_of(row) for row in found]

    def vectors(self, space: str, ids: Sequence[str]) -> list[Vector | None]:
        found: dict[str, Vector] = {}
        with self._opened.reading(space) as db:
            identity = embedder_of(db)[0] if db else None
            for chunk in chunks(list(ids)) if db and identity else ():
                marks = ", ".join("?" * len(chunk))
                sql = f"select m.id, v.data from memories m join vectors v on v.row = m.row where m.id in ({marks})"
                for id, data in db.execute(sql, chunk):
                    found[id] = Vector(str(identity), from_halves(data))
        return [found.get(id) for id in ids]

    def unembedded(self, space: str, identity: str, *, limit: int) -> list[Memory]:
        with self._opened.reading(space) as db:
            if db is None:
                return []
            embedder, _ = embedder_of(db)
            where = "not m.embedded" if embedder in (None, identity) else "1"
            return [
                memory_of(row, space=space, embedder=embedder)
                for row in db.execute(f"{SELECT_MEMORY} where {where} order by m.row limit ?", (max(limit, 0),))
            ]

    def check(self, space: str) -> list[str]:
        with self._opened.using(space) as opened:
            return opened.check() if opened else []

    # --- journal ---------------------------------------------------------------------------------

    def note(self, space: str, record: TraceRecord, *, keep: int) -> None:
        with self._opened.using(space) as opened:
            if opened:
                opened.journal.note(record, keep=keep, gone=opened.gone)

    def trace(self, space: str, id: str) -> TraceRecord | None:
        with self._opened.using(space) as opened:
            return opened.journal.trace(id) if opened else None

    def traces(self, space: str, *, limit: int, before: str | None = None) -> list[TraceRecord]:
        with self._opened.using(space) as opened:
            return opened.journal.traces(limit=limit, before=before) if opened else []

    def shown(self, space: str, session: str) -> dict[str, str]:
        with self._opened.using(space) as opened:
            return opened.journal.shown(session) if opened else {}

    def show(self, space: str, session: str, marks: Mapping[str, str], *, at: datetime) -> None:
        with self._opened.using(space) as opened:
            if opened:
                opened.journal.show(session, marks, at=at, gone=opened.gone)

    # --- opening ---------------------------------------------------------------------------------

    def _begin(self, space: str, mode: str) -> Space | None:
        if mode == "rw" and not folders.exists(self._root, space):
            return None
        make = folders.create if mode == "rwc" else folders.folder_of
        return Space(make(self._root, space), name=space, settings=self._settings, mode=mode)
