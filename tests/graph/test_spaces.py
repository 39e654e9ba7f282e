"""Where graphs live: beside the store's record, gone with the space, safe for threads and other processes."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.errors import InvalidInput, StoreError
from recollect.graph.sqlite import SqliteKnowledge
from recollect.knowledge import FileMark, Kept, Named, Reading, Said, Triple, Way, kept_of
from recollect.records import PutMemory
from recollect.settings import StoreSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import memory

SPACE = "Team A"


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[SqliteKnowledge]:
    graph = SqliteKnowledge(tmp_path, settings=StoreSettings())
    yield graph
    graph.close()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path, now=lambda: datetime(2030, 1, 1, tzinfo=UTC), settings=StoreSettings())
    yield store
    store.close()


def one(path: str = "a.py", *, project: str = "p", uses: str = "py:os") -> Kept:
    key = f"py:{path.removesuffix('.py')}"
    entities = (Named(key, key[3:], "module", 1),)
    said = (Said(key, "imports", uses, 1),)
    return kept_of(Reading(project, path, FileMark("d", 1, 1), "python", (), entities, said))


def files_under(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_reading_makes_no_folder(graph: SqliteKnowledge, tmp_path: Path) -> None:
    graph.settle(SPACE)
    graph.put(SPACE, [])
    graph.state(SPACE, "c", [])
    assert graph.files(SPACE, "p") == {}
    assert files_under(tmp_path) == []


def test_the_store_opens_a_space_that_the_graph_made(graph: SqliteKnowledge, store: SqliteStore) -> None:
    graph.put(SPACE, [one()])
    assert store.names() == [SPACE]
    store.apply(SPACE, [PutMemory(memory("m", "text"))])
    assert [each.id for each in store.read(SPACE, ["m"])] == ["m"]
    assert graph.files(SPACE, "p").keys() == {"a.py"}


def test_dropping_the_space_leaves_nothing(graph: SqliteKnowledge, store: SqliteStore, tmp_path: Path) -> None:
    store.apply(SPACE, [PutMemory(memory("m", "text"))])
    graph.put(SPACE, [one()])
    graph.settle(SPACE)
    assert store.drop(SPACE)
    assert files_under(tmp_path) == []
    assert graph.named(SPACE, ["a"]) == {}
    assert graph.files(SPACE, "p") == {}
    assert files_under(tmp_path) == []
    graph.put(SPACE, [one("b.py")])
    graph.settle(SPACE)
    assert graph.files(SPACE, "p").keys() == {"b.py"}
    assert graph.named(SPACE, ["a"]) == {}


def test_forgetting_overwrites_what_was_there(graph: SqliteKnowledge, tmp_path: Path) -> None:
    graph.put(SPACE, [one("unforgettable.py")])
    graph.put(SPACE, [one("b.py", project="q")])
    graph.settle(SPACE)
    graph.forget(SPACE, "p")
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("graph.db*"))
    assert b"unforgettable" not in stored
    assert graph.files(SPACE, "q").keys() == {"b.py"}


def test_a_file_that_is_no_database_is_named_with_the_remedy(graph: SqliteKnowledge, tmp_path: Path) -> None:
    graph.put(SPACE, [one()])
    graph.close()
    (path,) = tmp_path.rglob("graph.db")
    path.write_bytes(b"this is not a database, whatever its name says" * 100)
    with pytest.raises(StoreError, match=r"graph\.db.*ingest the projects again"):
        graph.files(SPACE, "p")
    path.unlink()
    assert graph.files(SPACE, "p") == {}


@pytest.mark.parametrize(("schema", "remedy"), [(99, "upgrade recollect"), (1, "delete the file, ingest the projects")])
def test_another_schema_is_refused(graph: SqliteKnowledge, tmp_path: Path, schema: int, remedy: str) -> None:
    import sqlite3

    graph.put(SPACE, [one()])
    graph.close()
    (path,) = tmp_path.rglob("graph.db")
    db = sqlite3.connect(path)
    db.execute(f"pragma user_version = {schema:d}")
    db.close()
    with pytest.raises(StoreError, match=remedy):
        graph.files(SPACE, "p")


@pytest.mark.parametrize("project", ["", "a::b"])
def test_a_project_has_a_name_that_can_stand_in_an_id(graph: SqliteKnowledge, project: str) -> None:
    with pytest.raises(InvalidInput):
        graph.put(SPACE, [one(project=project)])


def test_threads_may_write_and_read_at_once(graph: SqliteKnowledge) -> None:
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(5):
                graph.put(SPACE, [one(f"m{number}_{turn}.py", project=f"p{number}", uses="py:m0_0")])
                graph.settle(SPACE)
                graph.about(SPACE, ["p0::py:m0_0"], way=Way.IN)
                graph.resembling(SPACE, "m0", limit=3)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    graph.settle(SPACE)
    assert len(graph.about(SPACE, ["p0::py:m0_0"], way=Way.IN)) == 20


def test_what_another_process_settled_is_seen_and_built_upon(graph: SqliteKnowledge, tmp_path: Path) -> None:
    graph.put(SPACE, [one("a.py", project="p", uses="py:lib")])
    graph.settle(SPACE)
    assert [each.object for each in graph.about(SPACE, ["p::py:a"])] == ["::py:lib"]
    code = f"""
from pathlib import Path
from tests.graph.test_spaces import SPACE, SqliteKnowledge, StoreSettings, one
graph = SqliteKnowledge(Path({str(tmp_path)!r}), settings=StoreSettings())
graph.put(SPACE, [one("lib.py", project="lib")])
graph.settle(SPACE)
graph.close()
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
    assert [each.object for each in graph.about(SPACE, ["p::py:a"])] == ["lib::py:lib"]
    graph.put(SPACE, [one("b.py", project="q", uses="py:lib")])
    graph.settle(SPACE)
    assert {each.subject for each in graph.about(SPACE, ["lib::py:lib"], way=Way.IN)} == {"p::py:a", "q::py:b"}


def test_triples_do_not_need_settling_to_be_followed(graph: SqliteKnowledge) -> None:
    graph.state(SPACE, "films", [Triple("Alien", "directed by", "Ridley Scott")])
    assert [each.object for each in graph.about(SPACE, ["::name:alien"])] == ["::name:ridley scott"]
