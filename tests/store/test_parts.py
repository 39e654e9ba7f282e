"""The small parts of the store, one by one."""

import json
import sqlite3
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import numpy as np
import pytest

from recollect.errors import InvalidInput, StoreError
from recollect.records import EMPTY, Entity, Lifecycle, Link, check_space
from recollect.store import folders
from recollect.store.database import Database
from recollect.store.filelock import FileLock
from recollect.store.halves import from_halves, to_halves
from recollect.store.migrations import MIGRATIONS, version
from recollect.store.rows import (
    entity_of,
    entity_row,
    from_micros,
    link_of,
    link_row,
    memory_of,
    memory_row,
    micros,
    to_micros,
)
from recollect.store.terms import analyze, query_terms
from recollect.store.vectors import Vectors
from recollect.testing.store_cases import FAR, THEN, memory, vector

# --- terms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Running runs ran", ["run", "run", "ran"]),
        ("Café CAFÉ cafe", ["cafe", "cafe", "cafe"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer2Go", ["httpserver2go", "http", "server", "2", "go"]),
        ("user_name", ["user", "name"]),
        ("MAX_SIZE", ["max", "size"]),
        ("don't", ["don", "t"]),
        ("e-mail: a@b.org", ["e", "mail", "a", "b", "org"]),
        ("3.14 and 2024-05-01", ["3", "14", "and", "2024", "05", "01"]),
        ("世界", ["世界"]),
        ("Straße", ["strass"]),
        ("a" * 41, []),
        ("", []),
        ("?! …", []),
    ],
)
def test_text_becomes_these_terms(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What is the capital of France?", ["capit", "franc"]),
        ("who are you", ["who", "are", "you"]),
        ("to be or not to be", None),
        ("tell me about the the Beatles", ["beatl"]),
        ("what's new", ["new"]),
    ],
)
def test_a_question_is_searched_by_what_says_something(question: str, terms: list[str] | None) -> None:
    found = query_terms(question)
    assert len(found) == len(set(found)) and found
    if terms is not None:
        assert found == terms


FINDS = [("getUserName", "user name"), ("running late", "run"), ("Zürich", "ZURICH"), ("snake_case_word", "case")]


@pytest.mark.parametrize(("one", "other"), FINDS)
def test_either_form_finds_the_other(one: str, other: str) -> None:
    assert set(query_terms(one)) & set(analyze(other))
    assert set(query_terms(other)) & set(analyze(one))


@pytest.mark.parametrize(("one", "other"), [("cat", "category"), ("port", "airport"), ("12", "123"), ("new", "knew")])
def test_unlike_words_do_not_find_each_other(one: str, other: str) -> None:
    assert not set(query_terms(one)) & set(analyze(other))
    assert not set(query_terms(other)) & set(analyze(one))


# --- folders -------------------------------------------------------------------------------------


def test_a_space_is_made_once_named_and_dropped(tmp_path: Path) -> None:
    folder = folders.create(tmp_path, "Team A")
    assert folder == folders.create(tmp_path, "Team A") == folders.folder_of(tmp_path, "Team A")
    assert json.loads((folder / folders.NAME_FILE).read_text()) == {"space": "Team A"}
    made = sorted(path.name for path in folder.iterdir())
    assert made == [folders.IGNORE_FILE, folders.NAME_FILE], "no temporary file stays"
    assert not folders.exists(tmp_path, "Team A"), "nothing was stored in it yet"
    (folder / folders.DATABASE_FILE).write_text("x" * 10)
    assert folders.exists(tmp_path, "Team A") and folders.names(tmp_path) == ["Team A"]
    assert folders.size(folder) == 10 + len('{"space": "Team A"}') + len("*\n")
    assert folders.drop(tmp_path, "Team A") and not folders.drop(tmp_path, "Team A")
    assert folders.names(tmp_path) == [] and list(tmp_path.rglob("*")) == [tmp_path / "spaces"]


@pytest.mark.parametrize("name", ["", " ", "\t", "a\x00b", "a\nb", "x" * 201, "\ud800", None, 3])
def test_a_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be used") as raised:
        check_space(name)
    assert raised.value.field == "space"


def test_a_half_made_name_file_is_passed_over(tmp_path: Path) -> None:
    folders.create(tmp_path, "good")
    for number, text in enumerate(("", "{", "[]", "{}")):
        (tmp_path / "spaces" / f"odd{number}").mkdir()
        (tmp_path / "spaces" / f"odd{number}" / folders.NAME_FILE).write_text(text)
    assert folders.names(tmp_path) == ["good"]


# --- rows ----------------------------------------------------------------------------------------


def test_a_full_memory_survives_its_row() -> None:
    full = memory(
        "a", "b\x00ä🌍", title="t", summary="s", event_time=THEN, valid_from=THEN, valid_to=FAR, project="p",
        lifecycle=Lifecycle.DORMANT, source_uri="u", source_position="3", author="x", trust="web", tags=("b", "a"),
        clusters=("ü",), metadata={"z": [1, 2.5, None], "a": {"ü": True}}, access_count=7, last_access=THEN,
        stability_days=0.25, favour=-0.5, favour_at=FAR,
    )  # fmt: skip
    assert memory_of((*memory_row(full), 1), space="elsewhere", embedder="e") == replace(
        full, space="elsewhere", embedded_by="e"
    )


def test_an_empty_memory_survives_its_row() -> None:
    bare = memory("a", "")
    stored = memory_of((*memory_row(bare), 0), space=bare.space, embedder="e")
    assert stored == bare and stored.metadata is EMPTY


def test_links_and_entities_survive_their_rows() -> None:
    for link in (Link("a", "b", "r", THEN), Link("a", "b", "r", THEN, 0.1, 0.2, "e", THEN, FAR, THEN)):
        assert link_of(link_row(link)) == link
    for entity in (Entity("i", "n", "k", THEN), Entity("i", "n", "k", THEN, ("x", "y"), "p", {"k": 1})):
        assert entity_of(entity_row(entity)) == entity


MOMENTS = [
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2026, 3, 29, 1, 59, 59, 1, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
]


@pytest.mark.parametrize("moment", MOMENTS, ids=str)
def test_a_moment_survives_to_the_microsecond(moment: datetime) -> None:
    back = from_micros(micros(moment))
    assert back == moment and back is not None and back.tzinfo is UTC


def test_no_moment_stays_none() -> None:
    assert to_micros(None) is None and from_micros(None) is None


@pytest.mark.parametrize("column", [5, 10, 16, 18, 24])
def test_a_damaged_row_says_so(column: int) -> None:
    row = [*memory_row(memory("a")), None]
    row[column] = "\x17"
    with pytest.raises(StoreError, match="damaged; restore it"):
        memory_of(row, space="s", embedder=None)


def test_half_precision_is_close() -> None:
    data = vector(*(Random(1).gauss(0, 1) for _ in range(50))).data
    back = np.frombuffer(from_halves(to_halves(data)), "<f4")
    assert len(to_halves(data)) == len(data) // 2
    assert np.abs(back - np.frombuffer(data, "<f4")).max() < 1e-3


# --- vectors -------------------------------------------------------------------------------------

DIMENSIONS = 70  # not a multiple of 64, nor of 8


class Table:
    """The tables `Vectors` reads, with random vectors in them."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("create table meta (key text primary key, value text)")
        self.db.execute("create table vectors (row integer primary key, data blob)")
        self.db.execute("insert into meta values ('dimensions', ?)", (str(DIMENSIONS),))
        self.chance = np.random.default_rng(3)

    def put(self, *rows: int) -> None:
        for row in rows:
            self.db.execute("insert or replace into vectors values (?, ?)", (row, to_halves(self.random())))

    def remove(self, *rows: int) -> None:
        self.db.executemany("delete from vectors where row = ?", ((row,) for row in rows))

    def random(self) -> bytes:
        values = self.chance.normal(size=DIMENSIONS)
        return (values / np.linalg.norm(values)).astype("<f4").tobytes()

    def expected(self, query: bytes, rows: set[int] | None = None) -> list[tuple[int, float]]:
        """Every vector compared, best first."""
        asked = np.frombuffer(query, "<f4").astype(np.float64)
        stored = self.db.execute("select row, data from vectors").fetchall()
        cosines = [(row, float(np.frombuffer(data, "<f2").astype(np.float64) @ asked)) for row, data in stored]
        return sorted((each for each in cosines if rows is None or each[0] in rows), key=lambda each: -each[1])


def best(found: list[tuple[int, float]], limit: int) -> list[int]:
    return [row for row, _ in sorted(found, key=lambda each: (-each[1], each[0]))[:limit]]


@pytest.mark.parametrize("exact_up_to", [10**6, 0], ids=["exact", "two stages"])
def test_vectors_follow_the_table_through_changes(exact_up_to: int) -> None:
    table, chance = Table(), Random(9)
    table.put(*range(1, 200))
    vectors = Vectors(exact_up_to=exact_up_to, candidates=1_000)
    vectors.load(table.db)
    for _ in range(40):
        rows = chance.sample(range(1, 260), 12)
        (table.put if chance.random() < 0.5 else table.remove)(*rows)
        vectors.refresh(table.db, sorted(rows))
        query = table.random()
        expected = table.expected(query)
        assert len(vectors) == len(expected)
        found = vectors.nearest(query, mask=None, limit=10)
        assert best(found, 10) == [row for row, _ in expected[:10]]
        assert dict(found)[expected[0][0]] == pytest.approx(expected[0][1], abs=1e-6)


@pytest.mark.parametrize("exact_up_to", [10**6, 0], ids=["exact", "two stages"])
def test_a_mask_is_applied_before_the_limit(exact_up_to: int) -> None:
    table = Table()
    table.put(*range(1, 100))
    vectors = Vectors(exact_up_to=exact_up_to, candidates=1_000)
    vectors.load(table.db)
    query = table.random()
    allowed = {row for row, _ in table.expected(query)[-20:]}
    mask = np.zeros(100, dtype=np.bool_)
    mask[list(allowed)] = True
    found = vectors.nearest(query, mask=mask, limit=7)
    assert best(found, 7) == [row for row, _ in table.expected(query, allowed)[:7]]
    assert vectors.nearest(query, mask=np.zeros(100, dtype=np.bool_), limit=7) == []


def test_ties_at_the_limit_are_all_handed_over() -> None:
    table = Table()
    table.put(1)
    table.db.execute("insert into vectors select value, data from vectors, json_each('[2, 3, 4, 5]')")
    vectors = Vectors(exact_up_to=100, candidates=50)
    vectors.load(table.db)
    found = vectors.nearest(table.random(), mask=None, limit=2)
    assert sorted(row for row, _ in found) == [1, 2, 3, 4, 5] and len({cosine for _, cosine in found}) == 1


def test_an_empty_set_of_vectors_answers_and_takes_its_first() -> None:
    table = Table()
    table.db.execute("delete from meta")
    vectors = Vectors(exact_up_to=0, candidates=50)
    vectors.load(table.db)
    query = table.random()
    assert vectors.nearest(query, mask=None, limit=3) == [] and len(vectors) == 0
    table.put(3)
    vectors.refresh(table.db, [3])
    assert best(vectors.nearest(query, mask=None, limit=3), 3) == [3]
    assert vectors.nearest(query, mask=None, limit=0) == []


# --- database and lock ---------------------------------------------------------------------------


def test_a_reader_sees_one_moment_however_long_it_looks(tmp_path: Path) -> None:
    database = Database(tmp_path / "memories.db", space="s", busy_seconds=1)
    with database.reading() as db:
        before = db.execute("select count(*) from entities").fetchone()
        with database.writing() as writer:
            writer.execute("insert into entities values ('i', 'n', 'k', '[]', null, '{}', 0)")
        assert db.execute("select count(*) from entities").fetchone() == before
    with database.reading() as db:
        assert db.execute("select count(*) from entities").fetchone() == (1,)
        assert version(db) == len(MIGRATIONS)
    database.close()


def test_a_write_that_raises_is_rolled_back(tmp_path: Path) -> None:
    database = Database(tmp_path / "memories.db", space="s", busy_seconds=1)
    with pytest.raises(StoreError, match="no such table"), database.writing() as db:
        db.execute("insert into entities values ('i', 'n', 'k', '[]', null, '{}', 0)")
        db.execute("insert into missing values (1)")
    with database.reading() as db:
        assert db.execute("select count(*) from entities").fetchone() == (0,)
    database.close()


def test_a_writer_that_waits_too_long_says_what_to_do(tmp_path: Path) -> None:
    one, other = (Database(tmp_path / "memories.db", space="s", busy_seconds=0.05) for _ in range(2))
    with one.writing(), pytest.raises(StoreError, match=r"try again, or raise store\.busy_seconds"), other.writing():
        pass
    one.close()
    other.close()


HOLDER = """
import sys
from pathlib import Path
from recollect.store.filelock import FileLock
with FileLock(Path(sys.argv[1]), patience=5):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_lock_keeps_another_process_out_until_its_holder_dies(tmp_path: Path) -> None:
    path = tmp_path / "lexical" / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="another process held"), FileLock(path, patience=0.05):
            pass
        holder.kill()
        holder.wait()
        with FileLock(path, patience=5), pytest.raises(StoreError), FileLock(path, patience=0.05):
            pass
        with FileLock(path, patience=0.05):
            pass


def test_a_lock_does_not_bring_back_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), FileLock(tmp_path / "gone" / "lexical" / "lock", patience=0.05):
        pass
    assert list(tmp_path.iterdir()) == []
