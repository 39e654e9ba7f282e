"""An embedder that looks up what it has embedded before, in one SQLite file several processes may share.

Takes another embedder; keeps its vectors by identity, kind and content. Only the kinds it was told to keep are looked
up. A cache that cannot be used costs time and nothing else; `uncached` says why.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.offload import run_in_thread
from recollect.ports import Embedder, TextKind
from recollect.records import Vector

if TYPE_CHECKING:
    import sqlite3

FILE = "vectors.db"
BUSY_SECONDS = 30.0  # another process writes a batch in milliseconds; this is for a disk that is very slow
AT_ONCE = 500  # keys in one query: SQLite allows 999 in its oldest versions
TABLE = """
create table if not exists vectors (identity text not null, key blob not null, data blob not null,
primary key (identity, key)) without rowid
"""


def cache_folder(cache: Path | None = None) -> Path:
    """Where vectors are kept: beside the weights, in the folder for caches in general or the user's own."""
    base = cache or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "recollect"


class CachedEmbedder:
    """`inner`, with its vectors kept in `folder`; texts of other `kinds` go straight through."""

    def __init__(
        self, inner: Embedder, folder: Path, *, kinds: Iterable[TextKind] = (TextKind.QUERY, TextKind.DOCUMENT)
    ) -> None:
        self._inner = inner
        self._folder = folder
        self._kinds = frozenset(kinds)
        self.uncached: str | None = None

    @property
    def identity(self) -> str:
        return self._inner.identity

    @property
    def note(self) -> str | None:
        return self._inner.note

    async def embed(self, texts: Sequence[str], *, kind: TextKind) -> list[Vector]:
        if kind not in self._kinds or not texts or self.uncached:
            return await self._inner.embed(texts, kind=kind)
        keys = [_key(text, kind) for text in texts]
        identity = self._inner.identity
        known = await run_in_thread(self._look_up, identity, keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if not missing:
            return [Vector(identity, known[key]) for key in keys]
        made = await self._inner.embed(list(missing.values()), kind=kind)
        if made[0].identity != identity:  # a stand-in took over with this call: nothing known is of any use
            return await self.embed(texts, kind=kind)
        fresh = {key: vector.data for key, vector in zip(missing, made, strict=True)}
        await run_in_thread(self._keep, identity, fresh)
        known |= fresh
        return [Vector(identity, known[key]) for key in keys]

    async def close(self) -> None:
        await self._inner.close()

    def _look_up(self, identity: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        import sqlite3

        found: dict[bytes, bytes] = {}
        wanted = list(dict.fromkeys(keys))
        try:
            with closing(self._connect()) as db:
                for start in range(0, len(wanted), AT_ONCE):
                    some = wanted[start : start + AT_ONCE]
                    marks = ", ".join("?" * len(some))
                    sql = f"select key, data from vectors where identity = ? and key in ({marks})"  # noqa: S608
                    found.update(db.execute(sql, [identity, *some]))
        except (sqlite3.Error, OSError) as error:
            self.uncached = f"vectors are not kept: {self._folder / FILE}: {error}"
        return found

    def _keep(self, identity: str, fresh: Mapping[bytes, bytes]) -> None:
        import sqlite3

        try:
            with closing(self._connect()) as db, db:
                rows = [(identity, key, data) for key, data in fresh.items()]
                db.executemany("insert or ignore into vectors values (?, ?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self.uncached = f"vectors are not kept: {self._folder / FILE}: {error}"

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        self._folder.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self._folder / FILE, timeout=BUSY_SECONDS)
        try:
            db.execute("pragma synchronous = normal")
            db.execute(TABLE)
        except sqlite3.Error:
            db.close()
            raise
        return db


def _key(text: str, kind: TextKind) -> bytes:
    """What a text is kept under.

    >>> _key("a", TextKind.QUERY) == _key("a", TextKind.DOCUMENT)
    False
    """
    return sha256(f"{kind.value}\0{text}".encode("utf-8", "surrogatepass")).digest()
