"""What is erased from a graph leaves the disk, also where another process was reading just then."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from recollect.graph.database import GRAPH_FILE, GraphDatabase
from recollect.graph.sqlite import SqliteKnowledge
from recollect.knowledge import FileMark, Kept, Triple
from recollect.settings import StoreSettings
from recollect.store.folders import folder_of
from recollect.store.pool import mark_erased

from ..store.holders import PATIENT, emptying_the_log, files_holding, needs_fcntl, reading

SPACE = "erasing"


@contextmanager
def opened(root: Path, *, busy_seconds: float = 0.1) -> Iterator[SqliteKnowledge]:
    with closing(SqliteKnowledge(root, settings=StoreSettings(busy_seconds=busy_seconds))) as graph:
        yield graph


def path_in(root: Path) -> Path:
    return folder_of(root, SPACE) / GRAPH_FILE


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[SqliteKnowledge]:
    """One that is not patient, filled."""
    with opened(tmp_path) as graph:
        for project, path in (("p", "unforgettable.py"), ("q", "b.py")):
            graph.put(SPACE, [Kept(project, path, FileMark("d", 1, 1), "python", chunk_ids=("m",))])
        graph.state(SPACE, "c", [Triple("Unforgettable", "is", "gone", memory="m")])
        yield graph


def put_more(graph: SqliteKnowledge) -> None:
    graph.state(SPACE, "d", [Triple("Alien", "directed by", "Ridley Scott")])


def holding(root: Path) -> set[str]:
    return files_holding(root, "unforgettable")


def forget(graph: SqliteKnowledge) -> None:
    graph.forget(SPACE)


def erase(graph: SqliteKnowledge) -> None:
    graph.erase(SPACE, ["m"])


Erasing = Callable[[SqliteKnowledge], None]
both_ways = pytest.mark.parametrize("erasing", [forget, erase], ids=["forget", "erase"])


@both_ways
def test_text_that_a_reader_keeps_is_told_of_until_it_is_gone(
    erasing: Erasing, graph: SqliteKnowledge, tmp_path: Path
) -> None:
    with reading(path_in(tmp_path)):
        for _ in range(2):  # the second time nothing is found any more, but what was is still there
            erasing(graph)
            assert graph.files(SPACE, "p") == {}
            assert holding(tmp_path), "else the rest would prove nothing"
            (told,) = graph.check(SPACE)
            assert GRAPH_FILE in told and "another process kept reading" in told
    erasing(graph)
    assert (holding(tmp_path), graph.check(SPACE)) == (set(), [])


@both_ways
def test_the_next_write_takes_out_what_a_reader_kept(erasing: Erasing, graph: SqliteKnowledge, tmp_path: Path) -> None:
    with reading(path_in(tmp_path)):
        erasing(graph)
        put_more(graph)
        assert holding(tmp_path) and graph.check(SPACE), "it is not waited for, nor is the write hurt"
    put_more(graph)
    assert (holding(tmp_path), graph.check(SPACE)) == (set(), [])
    assert graph.nodes(SPACE, ["::name:alien"])


@pytest.mark.parametrize("first", ["read", "write"])
def test_another_process_takes_out_what_a_reader_kept(first: str, graph: SqliteKnowledge, tmp_path: Path) -> None:
    """The one that erased may never come again. One that had the file open already does it with its next write."""
    with opened(tmp_path) as before, opened(tmp_path) as later:
        before.files(SPACE, "q")
        with reading(path_in(tmp_path)):
            graph.forget(SPACE)
        assert holding(tmp_path)
        if first == "write":
            put_more(before)
        else:
            later.files(SPACE, "q")
        assert holding(tmp_path) == set()


@pytest.mark.usefixtures("graph")
def test_what_another_erases_meanwhile_keeps_its_mark(tmp_path: Path) -> None:
    """Who has emptied the log takes back only the mark that was there before it began."""

    def mark_before(sql: str) -> None:
        if sql.startswith("delete from meta"):
            with closing(sqlite3.connect(path_in(tmp_path))) as other, other:
                mark_erased(other)

    with closing(GraphDatabase(path_in(tmp_path), busy_seconds=PATIENT, mode="rw")) as database:
        with database.writing() as db:
            mark_erased(db)
            db.set_trace_callback(mark_before)
        assert database.shrink() and database.leftovers()
        with database.writing() as db:
            db.set_trace_callback(None)
        assert not database.leftovers()


@pytest.mark.usefixtures("graph")
def test_a_writer_that_does_not_end_is_no_error(tmp_path: Path) -> None:
    with closing(GraphDatabase(path_in(tmp_path), busy_seconds=0.1, mode="rw")) as database:
        with database.writing() as db:
            mark_erased(db)
        with closing(sqlite3.connect(path_in(tmp_path), isolation_level=None)) as other:
            other.execute("begin immediate")
            assert not database.shrink()
        assert database.shrink()


def wait_until_erased(root: Path, work: Future[None]) -> None:
    """Until that is committed: from then on, whoever reads what was before is in the way."""
    with closing(sqlite3.connect(path_in(root))) as db:
        while not work.done() and db.execute("select count(*) from files").fetchone()[0]:
            pass


def test_a_reader_is_waited_for(graph: SqliteKnowledge, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool, opened(tmp_path, busy_seconds=PATIENT) as patient:
        with reading(path_in(tmp_path)):
            work = pool.submit(forget, patient)
            wait_until_erased(tmp_path, work)
            assert graph.check(SPACE)
        work.result()
    assert (holding(tmp_path), graph.check(SPACE)) == (set(), [])


@needs_fcntl
def test_another_who_empties_the_log_is_waited_for(graph: SqliteKnowledge, tmp_path: Path) -> None:
    with ThreadPoolExecutor() as pool, opened(tmp_path, busy_seconds=PATIENT) as patient:
        with emptying_the_log(path_in(tmp_path)):
            graph.forget(SPACE)
            assert holding(tmp_path) and graph.check(SPACE), "else nobody was in the way"
            work = pool.submit(forget, patient)
            with pytest.raises(TimeoutError):  # it waits for as long as the other takes
                work.result(timeout=0.2)
        work.result()
    assert (holding(tmp_path), graph.check(SPACE)) == (set(), [])
