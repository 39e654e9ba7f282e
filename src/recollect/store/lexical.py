"""The lexical index of one space: tantivy, derived from the record, caught up from the change log.

On disk: `lexical/current.json` names the generation in use, the change-log position it stands at, and size and
checksum of each of its files. A generation that does not verify is never searched: it is rebuilt under a new
number and swapped in by renaming `current.json`. Only row numbers are stored in it, no text.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from math import log
from pathlib import Path
from typing import Any

import tantivy

from recollect.errors import StoreError
from recollect.records import Term
from recollect.store.columns import Mask, rows_passing
from recollect.store.database import Database
from recollect.store.filelock import FileLock
from recollect.store.rows import only_sound_rows
from recollect.store.terms import MAX_TERMS, build_analyzer, query_terms, with_pieces
from recollect.store.writing import chunks

LAYOUT = 1  # raised when fields or analysis change: older generations are then rebuilt
HEAP_BYTES = 64_000_000
SMALL_HEAP_BYTES = 15_000_000  # the least tantivy takes
SMALL_BATCH = 2_000
FEW_ROWS = 1_000  # up to here a filter is put into the query; above, hits are filtered as they come
SPARE = 3
REGISTER = "meta.json"  # tantivy's list of segments, rewritten by each commit


@dataclass(frozen=True, slots=True)
class State:
    """What `current.json` says."""

    uid: str
    layout: int
    generation: int
    position: int
    mark: int | None
    max_row: int
    opstamp: int
    files: dict[str, list[int]] = field(default_factory=dict)


class Lexical:
    """Lexical search over one space."""

    def __init__(self, folder: Path, *, database: Database, busy_seconds: float) -> None:
        self._folder = folder
        self._database = database
        self._lock = threading.Lock()
        self._current = folder / "current.json"
        self._file_lock = FileLock(folder / "lock", patience=busy_seconds)
        self._state: State | None = None
        self._stamp: tuple[int, int] | None = None
        self._index: Any = None
        self._searcher: Any = None

    @property
    def position(self) -> int:
        return self._state.position if self._state else 0

    def catch_up(self) -> Any:
        """A searcher that finds every acknowledged write. Several threads and processes may do this at once."""
        if not self._is_current(self._database.head()):
            with self._lock:
                if not self._is_current(self._database.head()):
                    with _named_errors(), self._file_lock:
                        self._open()
                        if self.position < self._database.head():
                            self._advance()
        return self._searcher

    def rebuild(self) -> None:
        """A new generation from the record; what the old one still knew of erased memories is gone with it."""
        with self._lock, _named_errors(), self._file_lock:
            self._rebuild()

    def _is_current(self, head: int) -> bool:
        return self._state is not None and self._state.position >= head and self._stamp == _stamp(self._current)

    def search(
        self, text: str, *, searcher: Any, mask: Mask | None, live: int, limit: int
    ) -> tuple[list[tuple[int, float]], list[Term]]:
        """Rows and BM25 scores (the best `limit`, and all tied with the last), and the terms with their idf."""
        schema = self._index.schema
        weighed = self._weigh(query_terms(text), searcher)
        allowed = live if mask is None else int(mask.sum())
        if not weighed or not allowed or limit <= 0:
            return [], weighed
        should = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", term, index_option="freq"))
            for term, _, _ in weighed
        ]
        query = tantivy.Query.boolean_query(should)
        if mask is not None and allowed <= FEW_ROWS:
            only = tantivy.Query.term_set_query(schema, "row", list(rows_passing(mask)))
            must = (tantivy.Occur.Must, tantivy.Query.const_score_query(only, 0.0))
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), must])
            live = allowed
        fetch = limit * live // allowed + SPARE
        while True:
            hits = searcher.search(query, fetch, count=False).hits
            rows = searcher.fast_field_values("row", [address for _, address in hits]) if hits else []
            kept = [
                (row, score)
                for row, (score, _) in zip(rows, hits, strict=True)
                if mask is None or (row < len(mask) and mask[row])
            ]
            exhausted = len(hits) < fetch
            if exhausted or (len(kept) > limit and kept[limit - 1][1] > kept[-1][1]):
                return kept, weighed
            fetch *= 4

    def _weigh(self, terms: Sequence[str], searcher: Any) -> list[Term]:
        """Terms that occur, rarest first when there are too many, with BM25's idf."""
        documents = searcher.num_docs
        weighed = []
        for term in terms:
            count = searcher.doc_freq("text", term)
            weighed.append(Term(term, bm25_idf(count, max(documents, count)), count))
        if len(weighed) > MAX_TERMS:
            weighed = sorted(weighed, key=lambda term: (-term.idf, term.text))[:MAX_TERMS]
        return weighed

    # --- below here the file lock is held --------------------------------------------------------

    def _open(self) -> None:
        """The generation in use, as it is on disk, or a new one when there is none that verifies."""
        found = self._read_state()
        known = self._state.files if self._state and found and self._state.generation == found.generation else {}
        if found is None or not self._is_sound(found, known=known):
            self._rebuild()
            return
        try:
            if self._state is None or found.generation != self._state.generation:
                self._index = _open_index(self._generation(found.generation))
            self._adopt(found)
        except ValueError:  # how tantivy says that a file the checksums leave out is damaged
            self._rebuild()

    def _is_sound(self, state: State, *, known: dict[str, list[int]]) -> bool:
        if state.uid != self._database.uid or state.layout != LAYOUT:
            return False
        if state.mark != self._database.mark(state.position):
            return False  # the record was replaced by an older copy
        folder = self._generation(state.generation)
        try:
            was_cut_off = _opstamp(folder) != state.opstamp
        except (OSError, ValueError):
            return False
        return _intact(folder, state.files, known=known, may_have_moved_on=was_cut_off)

    def _advance(self) -> None:
        assert self._state is not None
        self._adopt(self._commit(self._state))

    def _rebuild(self) -> None:
        found = self._read_state()
        generation = (found.generation if found else 0) + 1
        while (folder := self._generation(generation)).exists():
            generation += 1
        folder.mkdir()
        self._index = _create_index(folder)
        self._state = None
        self._adopt(
            self._commit(
                State(
                    uid=self._database.uid,
                    layout=LAYOUT,
                    generation=generation,
                    position=0,
                    mark=None,
                    max_row=0,
                    opstamp=_opstamp(folder),
                )
            )
        )
        for other in self._folder.glob("generation-*"):
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)

    def _commit(self, state: State) -> State:
        """Bring the generation to the change log's head and write down where it stands."""
        folder = self._generation(state.generation)
        # A commit whose state was never written (killed in between) must not leave its rows in twice.
        clean = _opstamp(folder) == state.opstamp
        with self._database.reading() as db:
            head, mark, rows = _changed_rows(db, after=state.position)
            # One thread: the same changes give the same segments.
            heap = SMALL_HEAP_BYTES if len(rows) < SMALL_BATCH else HEAP_BYTES
            writer = self._index.writer(heap_size=heap, num_threads=1)
            try:
                for row in rows:
                    if row <= state.max_row or not clean:
                        writer.delete_documents_by_term("row", row)
                for chunk in chunks(rows):
                    for document in _documents(db, chunk):
                        writer.add_document(document)
                writer.commit()
            finally:  # so that the files below are the ones that stay, and no traceback keeps the writer's lock
                writer.wait_merging_threads()
        files = _checksums(folder, known={} if not clean else state.files)
        highest = max([state.max_row, *rows[-1:]])
        return replace(state, position=head, mark=mark, max_row=highest, opstamp=_opstamp(folder), files=files)

    def _adopt(self, state: State) -> None:
        """Search this state from now on, and say so on disk if it is news."""
        if state != self._read_state():
            temporary = self._current.with_suffix(f".{os.getpid()}.tmp")
            temporary.write_text(json.dumps(asdict(state)))
            os.replace(temporary, self._current)
        self._stamp = _stamp(self._current)
        self._index.reload()
        self._searcher = self._index.searcher()
        self._state = state

    def _read_state(self) -> State | None:
        try:
            return State(**json.loads(self._current.read_bytes()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def _generation(self, number: int) -> Path:
        return self._folder / f"generation-{number:06d}"


@contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as error:  # tantivy raises ValueError for everything
        if isinstance(error, StoreError):
            raise
        raise StoreError(
            f"the lexical index cannot be written: {error}; nothing is lost, free disk space and try again"
        ) from error


def bm25_idf(count: int, documents: int) -> float:
    """BM25's weight of a term that `count` of `documents` hold."""
    return log(1 + (documents - count + 0.5) / (count + 0.5))


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="recollect", index_option="freq")
    # Signed: deleting by the term of an unsigned field silently deletes nothing (tantivy-py 0.27).
    builder.add_integer_field("row", indexed=True, fast=True)
    return builder.build()


def _create_index(folder: Path) -> Any:
    return _prepared(tantivy.Index(_schema(), path=str(folder)))


def _open_index(folder: Path) -> Any:
    return _prepared(tantivy.Index.open(str(folder)))


def _prepared(index: Any) -> Any:
    index.register_tokenizer("recollect", build_analyzer())
    index.config_reader(reload_policy="manual")  # or each open space would keep a thread watching its folder
    return index


def _documents(db: sqlite3.Connection, rows: Sequence[int]) -> list[Any]:
    marks = ", ".join("?" * len(rows))
    found = db.execute(f"select row, author, title, body from memories where row in ({marks}) order by row", rows)
    with only_sound_rows():
        return [_document(row, "\n".join([each for each in texts if each])) for row, *texts in found]


def _document(row: int, text: str) -> Any:
    return tantivy.Document(text=with_pieces(text), row=row)


def _opstamp(folder: Path) -> int:
    return int(json.loads((folder / REGISTER).read_bytes()).get("opstamp", 0))


def _checksums(folder: Path, *, known: dict[str, list[int]]) -> dict[str, list[int]]:
    """Size and checksum of every file but the locks. All but the register never change once written."""
    known = {name: value for name, value in known.items() if name != REGISTER}
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    return {name: known.get(name) or _checksum(folder / name) for name in names}


def _checksum(path: Path) -> list[int]:
    data = path.read_bytes()
    return [len(data), zlib.crc32(data)]


def _intact(folder: Path, files: dict[str, list[int]], *, known: dict[str, list[int]], may_have_moved_on: bool) -> bool:
    """Whether each file is what it was; after a cut-off commit, files may be gone and the register newer."""
    for name, expected in files.items():
        try:
            found = known[name] if known.get(name) == expected and name != REGISTER else _checksum(folder / name)
        except FileNotFoundError:
            found = None
        excused = may_have_moved_on and (found is None or name == REGISTER)
        if found != expected and not excused:
            return False
    return True


def _stamp(path: Path) -> tuple[int, int] | None:
    """Changes whenever the file is replaced."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def _changed_rows(db: sqlite3.Connection, *, after: int) -> tuple[int, int | None, list[int]]:
    """The log's last position, its mark, and the rows that changed since `after`."""
    head, mark = db.execute("select seq, mark from changes order by seq desc limit 1").fetchone() or (0, None)
    changed = db.execute(
        "select distinct row from changes where seq > ? and seq <= ? and op in ('put', 'erase') order by row",
        (after, head),
    )
    return head, mark, [row for (row,) in changed]
