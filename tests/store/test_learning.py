"""Learning in the file: older files are brought along, hubs are not read whole, sums keep their bounds."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.records import (
    Beside,
    EraseMemory,
    Favour,
    Filters,
    Link,
    PutLink,
    PutMemory,
    Strengthen,
    Ties,
    Unlearn,
    worn_off,
)
from recollect.settings import StoreSettings
from recollect.store import beside as beside_module
from recollect.store import migrations
from recollect.store import ties as ties_module
from recollect.store.folders import DATABASE_FILE, create, folder_of
from recollect.store.learning import after
from recollect.store.migrations import MIGRATIONS, m001_initial, migrate, version
from recollect.store.rows import COLUMNS, memory_row, micros
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import THEN, matched, memory, near, vector

from .writers import now

SPACE = "learning"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path, now=now, settings=StoreSettings())
    yield store
    store.close()


# --- a file from before there was learning -------------------------------------------------------


def make_first_schema(root: Path) -> None:
    """A file as the first schema's program left it, written with that schema's own columns."""
    moment = micros(THEN)
    db = sqlite3.connect(create(root, SPACE) / DATABASE_FILE, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    m001_initial(db, SPACE)
    db.execute("pragma user_version = 1")
    for row, id in enumerate(("a", "b"), start=1):
        db.execute(
            "insert into memories values (?, ?, 'fact', '', 'common text', null, ?, ?, null, null, null, 'active', "
            "'p', null, null, 'Zoë', 'user', ?, '[]', ?, 3, ?, 1.5, ?, 1)",
            (row, id, moment, moment, '["x"]', '{"k": 1}', moment, f"hash-{id}"),
        )
        db.execute("insert into labels values ('tag', 'x', ?)", (row,))
        db.execute("insert into vectors values (?, ?)", (row, b"\x00\x3c\x00\x00"))  # (1, 0) in half precision
        db.execute("insert into changes (op, row) values ('put', ?)", (row,))
    db.execute("insert into meta values ('embedder', 'contract-embedder@1'), ('dimensions', '2')")
    db.execute("insert into links values ('a', 'b', 'cites', 0.7, 0.2, 'why', ?, null, ?)", (moment, moment))
    db.execute("insert into entities values ('e', 'Ada', 'person', '[]', null, '{}', ?)", (moment,))
    db.execute("insert into once values ('key', 'f', 'answer')")
    db.close()


def test_a_file_of_the_first_schema_opens_and_keeps_everything(tmp_path: Path, store: SqliteStore) -> None:
    make_first_schema(tmp_path)
    expected = {
        "project": "p", "author": "Zoë", "tags": ("x",), "metadata": {"k": 1}, "access_count": 3, "last_access": THEN,
        "stability_days": 1.5, "embedded_by": "contract-embedder@1",
    }  # fmt: skip
    ab = Link("a", "b", "cites", THEN, weight=0.7, learned=0.2, evidence="why", valid_from=THEN)
    for each in store.read(SPACE, ["a", "b"]):
        assert {name: getattr(each, name) for name in expected} == expected
        assert (each.body, each.favour, each.favour_at) == ("common text", 0.0, None)
    assert store.links(SPACE, ["b"]) == [ab]
    assert store.ties(SPACE, ["b"], most=3) == {"b": Ties((ab,), 1, 0)}
    assert [entity.name for entity in store.entities(SPACE)] == ["Ada"]
    assert (matched(store, "common", space=SPACE), near(store, space=SPACE)) == (["a", "b"], ["a", "b"])
    assert store.browse(SPACE, Filters(tags=frozenset({"x"})), limit=1)[0].id == "b"
    learned = {"amount": 0.1, "at": THEN, "most": 0.3, "half_life_days": 30.0}
    store.apply(SPACE, [Strengthen("a", "b", **learned), Favour("a", **learned), PutMemory(memory("c"))])
    assert (store.links(SPACE, ["a"])[0].learned, store.read(SPACE, ["a"])[0].favour) == (pytest.approx(0.3), 0.1)
    assert store.check(SPACE) == []
    store.close()
    with sqlite3.connect(folder_of(tmp_path, SPACE) / DATABASE_FILE) as db:
        assert version(db) == len(MIGRATIONS) == 4
    db.close()


# --- a file from before untitled memories had names and turns neighbours -------------------------


def make_third_schema(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file as the third schema's program left it: memories in it, and titles the only names."""
    path = create(root, SPACE) / DATABASE_FILE
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    with monkeypatch.context() as older:
        older.setattr(migrations, "MIGRATIONS", MIGRATIONS[:3])
        migrate(db, space=SPACE, path=path)
    texts = [("Harbour", "Ana Ortiz left."), ("", "Ana Ortiz moved to Porto."), ("", "it rained"), ("", "Ben")]
    for row, (title, body) in enumerate(texts, start=1):
        stored = memory(f"m{row}", body, title=title, kind="message")
        columns = f"memories (row, {', '.join(COLUMNS)}, embedded)"
        values = (row, *memory_row(stored), 0)
        db.execute(f"insert into {columns} values ({', '.join('?' * len(values))})", values)
        db.execute("insert into changes (op, row) values ('put', ?)", (row,))
    db.execute("insert into labels values ('title', 'harbour', 1)")
    assert version(db) == 3
    db.close()
    return path


def test_a_file_of_the_third_schema_gets_names_for_untitled_memories(
    tmp_path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_third_schema(tmp_path, monkeypatch)
    names = ["ana ortiz", "ben", "harbour", "it rained"]
    assert store.titled(SPACE, names) == {"ana ortiz": ("m2",), "harbour": ("m1",)}
    assert store.around(SPACE, ["m1", "m3"]) == {"m1": Beside(None, "m2"), "m3": Beside("m2", "m4")}
    store.apply(SPACE, [EraseMemory("m2"), PutMemory(memory("m5", "Ana Ortiz is back.", kind="message"))])
    assert store.titled(SPACE, names) == {"ana ortiz": ("m5",), "harbour": ("m1",)}
    assert store.check(SPACE) == []
    store.close()
    db = sqlite3.connect(path)
    assert version(db) == len(MIGRATIONS)
    assert db.execute("select count(*) from labels where sort = 'title'").fetchone() == (2,), "none is left over"
    db.close()


def test_what_is_beside_a_memory_is_read_off_an_index(store: SqliteStore, tmp_path: Path) -> None:
    store.apply(SPACE, [PutMemory(memory("a"))])
    db = sqlite3.connect(folder_of(tmp_path, SPACE) / DATABASE_FILE)
    plan = [row[3] for row in db.execute(f"explain query plan {beside_module._statement(2)}", ("a", "b"))]
    assert sum("INDEX memories_by_kind (kind=? AND project=? AND rowid" in line for line in plan) == 2, plan
    assert not any("SCAN" in line or "TEMP" in line for line in plan), plan
    db.close()


# --- hubs ----------------------------------------------------------------------------------------


def test_the_strongest_links_of_a_hub_are_read_off_an_index(store: SqliteStore, tmp_path: Path) -> None:
    store.apply(SPACE, [PutMemory(memory("hub"))])
    db = sqlite3.connect(folder_of(tmp_path, SPACE) / DATABASE_FILE)
    for statement, index in ((ties_module.STRONGEST_OUT, "links_out"), (ties_module.STRONGEST_IN, "links_in")):
        plan = [row[3] for row in db.execute(f"explain query plan {statement}", (0, "hub", 5))]
        assert len(plan) == 1 and f"USING INDEX {index}" in plan[0], plan
    statement = ties_module._count_statement(2)
    plan = [row[3] for row in db.execute(f"explain query plan {statement}", (0, "hub", "b"))]
    for index in ("links_out", "links_in"):
        assert any(f"USING COVERING INDEX {index}" in line for line in plan), plan
    assert not any("SCAN" in line or "TEMP" in line for line in plan), plan
    db.close()


def test_few_statements_serve_many_ids(store: SqliteStore, tmp_path: Path) -> None:
    ids = [f"m{number:02}" for number in range(25)]
    store.apply(SPACE, [PutMemory(memory(id)) for id in ids])
    db = sqlite3.connect(folder_of(tmp_path, SPACE) / DATABASE_FILE)
    ran: list[str] = []
    db.set_trace_callback(ran.append)
    assert ties_module.ties(db, ids, most=8, now=now()) == {}
    assert len(ran) == 1, "in a space without links"
    store.apply(SPACE, [PutLink(Link(*pair, "r", THEN)) for pair in pairwise(ids)])
    assert len(ties_module.ties(db, ids, most=8, now=now())) == 25
    assert len(ran) == 3, "one that counts and one that fetches"
    store.apply(SPACE, [PutLink(Link("m00", id, f"r{place}", THEN)) for place in range(9) for id in ids])
    ran.clear()
    assert len(ties_module.ties(db, ids, most=8, now=now())["m00"].links) == 8
    assert len(ran) == 4, "and two for the one hub"
    db.close()


# --- nothing that passes -------------------------------------------------------------------------


def test_a_search_for_a_kind_nobody_stored_does_not_wait_for_the_index(store: SqliteStore) -> None:
    store.apply(SPACE, [PutMemory(memory("a"), vector(1, 0))])
    assert matched(store, "common", space=SPACE) == ["a"]
    store.apply(SPACE, [PutMemory(memory("b"), vector(1, 0))])
    none = Filters(kinds=frozenset({"message"}))
    assert store.match(SPACE, "common", filters=none, limit=9) == ([], [])
    (lexical,) = [lag for lag in store.lag(SPACE) if lag.index == "lexical"]
    assert lexical.behind == 1, "the index was not touched"
    store.apply(SPACE, [PutMemory(memory("c", kind="message"), vector(1, 0))])
    assert matched(store, "common", filters=none, space=SPACE) == ["c"]
    store.apply(SPACE, [EraseMemory("c")])
    assert store.match(SPACE, "common", filters=none, limit=9) == ([], [])
    assert near(store, filters=none, space=SPACE) == []


# --- sums ----------------------------------------------------------------------------------------

START = datetime(2030, 1, 1, tzinfo=UTC)
amounts = st.floats(-1, 1)
bounds = st.floats(0, 1).map(lambda most: round(most, 9))
days = st.floats(0, 400)
half_lives = st.floats(0.1, 400)


@given(st.lists(st.tuples(amounts, days), max_size=8), bounds, half_lives)
def test_whatever_is_learned_stays_within_its_bounds(
    taken: list[tuple[float, float]], most: float, half_life: float
) -> None:
    learned, favour, at = 0.0, 0.0, START
    for amount, pause in taken:
        since, at = at, at + timedelta(days=pause)
        learned = after(Strengthen("a", "b", amount, at, most, half_life), held=learned, since=since, least=0.0)
        favour = after(Favour("a", amount, at, most, half_life), held=favour, since=since, least=-most)
        assert 0 <= learned <= most and -most <= favour <= most


@given(st.floats(-1, 1), days, half_lives)
def test_adding_nothing_only_wears_off(held: float, pause: float, half_life: float) -> None:
    at = START + timedelta(days=pause)
    left = after(Favour("a", 0.0, at, 1.0, half_life), held=held, since=START, least=-1.0)
    assert abs(left) <= abs(held) + 1e-9
    assert left == pytest.approx(worn_off(held, START, now=at, half_life_days=half_life), abs=1e-9)


@given(amounts, amounts)
def test_more_is_never_worth_less(one: float, other: float) -> None:
    low, high = sorted((one, other))
    sums = [after(Favour("a", amount, START, 0.6, 30), held=0.1, since=START, least=-0.6) for amount in (low, high)]
    assert sums == sorted(sums)


def test_unlearning_leaves_the_file_as_if_nothing_was_learned(store: SqliteStore) -> None:
    store.apply(SPACE, [PutMemory(memory(id)) for id in "abc"])
    store.apply(SPACE, [PutLink(Link("a", "b", "cites", THEN))])
    before = store.read(SPACE, list("abc")), store.links(SPACE, list("abc")), store.stats(SPACE).links
    learned = {"amount": 0.1, "at": THEN, "most": 0.3, "half_life_days": 30.0}
    for pair in (("a", "b"), ("b", "c"), ("c", "a")):
        store.apply(SPACE, [Strengthen(*pair, **learned), Favour(pair[0], **learned)])
    store.apply(SPACE, [Unlearn()])
    assert (store.read(SPACE, list("abc")), store.links(SPACE, list("abc")), store.stats(SPACE).links) == before
