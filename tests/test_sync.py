from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recollect import BlockingRecollect, Draft, InvalidInput, Recollect
from recollect.store.sqlite import SqliteStore
from recollect.sync import STAY_ASYNC
from recollect.testing.clock import FakeClock
from recollect.testing.corpus import TEXTS
from recollect.values import Resolution

FILE = Path(__file__).with_name("test_ids.py")
FOLDERS = Path(__file__).with_name("journeys")
MakeRecollect = Callable[..., Recollect]


@pytest.fixture(autouse=True)
def settling_takes_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.verbs.wired.SETTLING_SECONDS", 120.0)


@pytest.fixture
def blocking(make_recollect: MakeRecollect, store: SqliteStore) -> Iterator[BlockingRecollect]:
    with BlockingRecollect(make_recollect(store)) as opened:
        yield opened


VERBS = [
    name
    for name, verb in inspect.getmembers(Recollect, inspect.iscoroutinefunction)
    if verb and not name.startswith("_")
]


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_is_there_with_the_same_signature(name: str) -> None:
    verb, twin = getattr(Recollect, name), getattr(BlockingRecollect, name)
    assert not inspect.iscoroutinefunction(inspect.unwrap(twin, stop=lambda f: True))
    if name not in STAY_ASYNC:
        assert inspect.signature(twin) == inspect.signature(verb)
        assert twin.__doc__ == verb.__doc__


# Each step of one story, given the ids it made so far; both facades tell it and must say the same.
STORY: dict[str, Callable[[Any, list[str]], Any]] = {
    "remember": lambda r, ids: r.remember("The rent of the office is 4,200 euros.", title="Rent", key="k"),
    "remember_many": lambda r, ids: r.remember_many([Draft(kind=k, title=t, body=b) for k, t, b in TEXTS[:12]]),
    "update": lambda r, ids: r.update(ids[0], tags=["money"]),
    "supersede": lambda r, ids: r.supersede(ids[0], "The rent of the office is 4,500 euros."),
    "archive": lambda r, ids: r.archive(ids[1]),
    "restore": lambda r, ids: r.restore(ids[1]),
    "link": lambda r, ids: r.link(ids[1], ids[2], "causes", weight=0.4),
    "links": lambda r, ids: r.links(ids[1]),
    "add_to_cluster": lambda r, ids: r.add_to_cluster("office", ids[1], ids[2]),
    "remove_from_cluster": lambda r, ids: r.remove_from_cluster("office", ids[2]),
    "clusters": lambda r, ids: r.clusters(),
    "conflicts": lambda r, ids: r.conflicts(),
    "resolve_conflict": lambda r, ids: r.resolve_conflict(ids[4], ids[5], "keep_both"),
    "resolve_conflicts": lambda r, ids: r.resolve_conflicts([Resolution(ids[4], ids[5], "keep_both")]),
    "unlink": lambda r, ids: r.unlink(ids[1], ids[2], "causes"),
    "get": lambda r, ids: r.get(ids[1]),
    "browse": lambda r, ids: r.browse(limit=5),
    "search": lambda r, ids: r.search("rent of the office", limit=3),
    "recall": lambda r, ids: r.recall("rent of the office"),
    "settle": lambda r, ids: r.settle(),
    "retrieve_context": lambda r, ids: r.retrieve_context("What is the rent of the office?", session="s"),
    "traces": lambda r, ids: r.traces(),
    "trace": lambda r, ids: r.trace("last"),
    "explain": lambda r, ids: r.explain("last", ids[1]),
    "feedback": lambda r, ids: r.feedback("last", ids[-1], "used"),
    "unlearn": lambda r, ids: r.unlearn(),
    "retrieve": lambda r, ids: r.retrieve("What's my BTC thesis and how did my last SOL trade go?"),
    "classify": lambda r, ids: r.classify("What did Ana say yesterday?"),
    "export_space": lambda r, ids: r.export_space(),
    "import_space": lambda r, ids: r.import_space(['{"type":"space","format":"recollect-export","version":1}']),
    "forget": lambda r, ids: r.forget(ids[3]),
    "warm": lambda r, ids: r.warm(),
    "spaces": lambda r, ids: r.spaces(),
    "stats": lambda r, ids: r.stats().memories if isinstance(r, BlockingRecollect) else _memories(r),
    "reindex": lambda r, ids: r.reindex(),
    "fade": lambda r, ids: r.fade(),
    "doctor": lambda r, ids: r.doctor(),
    "ingest": lambda r, ids: r.ingest(FILE, project="tests"),
    "ingest_each": lambda r, ids: r.ingest_each(FOLDERS),
    "connect": lambda r, ids: r.connect(),
    "follow": lambda r, ids: r.follow(FILE, project="tests", on_ingested=lambda done: False),
    "projects": lambda r, ids: r.projects(),
    "entities": lambda r, ids: r.entities("test_ids"),
    "same_entity": lambda r, ids: r.same_entity("pytest"),
    "neighbours": lambda r, ids: r.neighbours("test_ids", way="out"),
    "paths": lambda r, ids: r.paths("test_ids", "pytest"),
    "forget_project": lambda r, ids: r.forget_project("tests"),
    "forget_space": lambda r, ids: r.forget_space("default"),
}


async def _memories(recollect: Recollect) -> int:
    return (await recollect.stats()).memories


def tell(recollect: Any, settle: Callable[[Any], Any]) -> dict[str, str]:
    told: dict[str, str] = {}
    ids: list[str] = []
    for name, step in STORY.items():
        result = settle(step(recollect, ids))
        if name != "forget_space":
            settle(recollect.settle())  # or what follows an answer may come before the next step, or after it
        ids += [result.id] if name in {"remember", "supersede"} else []
        ids += [each.id for each in result] if name == "remember_many" else []
        told[name] = "\n".join(line for line in repr(result).split("Health") if " MB" not in line)
    return told


def test_the_story_leaves_no_verb_out() -> None:
    assert set(STORY) == set(VERBS) - STAY_ASYNC


def test_both_facades_say_the_same(make_store: Callable[[str], SqliteStore], make_recollect: MakeRecollect) -> None:
    awaited = tell(make_recollect(make_store("async"), clock=FakeClock()), lambda work: asyncio.run(_awaited(work)))
    with BlockingRecollect(make_recollect(make_store("blocking"), clock=FakeClock())) as blocking:
        blocked = tell(blocking, lambda result: result)
    assert blocked == awaited


async def _awaited(work: Any) -> Any:
    return await work


def test_errors_come_through(blocking: BlockingRecollect) -> None:
    with pytest.raises(InvalidInput) as raised:
        blocking.remember("")
    assert raised.value.field == "body"


def test_a_wrong_call_is_a_type_error(blocking: BlockingRecollect) -> None:
    with pytest.raises(TypeError):
        blocking.get()


def test_it_works_from_several_threads(blocking: BlockingRecollect) -> None:
    blocking.remember_many([Draft(kind=kind, title=title, body=body) for kind, title, body in TEXTS])
    expected = blocking.search("rent of the office")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: blocking.search("rent of the office"), range(40)))
    assert results == [expected] * 40


def test_writes_from_several_threads_are_all_kept(blocking: BlockingRecollect) -> None:
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda n: blocking.remember(f"Fact number {n}", kind=f"kind{n}").id, range(40)))
    assert len(set(ids)) == 40
    assert {memory.id for memory in blocking.browse(limit=100)} == set(ids)


def test_it_works_beside_a_running_loop(blocking: BlockingRecollect) -> None:
    async def main() -> str:
        return blocking.remember("The rent is due.").id

    assert asyncio.run(main())


def test_closing_twice_is_fine(make_recollect: MakeRecollect, store: SqliteStore) -> None:
    blocking = BlockingRecollect(make_recollect(store))
    blocking.close()
    blocking.close()


def test_closing_ends_its_thread(make_recollect: MakeRecollect, store: SqliteStore) -> None:
    before = set(threading.enumerate())
    blocking = BlockingRecollect(make_recollect(store))
    (loop,) = (each for each in set(threading.enumerate()) - before if each.name == "recollect-loop")
    blocking.close()
    assert not loop.is_alive()
    left = {each.name for each in set(threading.enumerate()) - before}
    assert left <= {"recollect-worker"}, "those are shared and few"


def test_open_takes_what_recollect_open_takes(tmp_path: Path) -> None:
    with BlockingRecollect.open(tmp_path, embedder="hashing", recipe="fast", environment={}) as blocking:
        id = blocking.remember("The rent is due.").id
        assert blocking.get(id).body == "The rent is due."


def test_a_verb_after_closing_says_that_it_is_closed(make_recollect: MakeRecollect, store: SqliteStore) -> None:
    blocking = BlockingRecollect(make_recollect(store))
    blocking.close()
    with pytest.raises(RuntimeError, match="closed; open it again"):
        blocking.spaces()
