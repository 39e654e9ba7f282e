"""Processes that write and search, for `test_crash.py`: `python writers.py forker|writer|reader ROOT ...`.

The forker imports everything once and forks a writer per round, so that a round costs milliseconds; it runs in a
process of its own because forking a process that has threads, as the test's has, is not safe.
"""

import os
import random
import sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from recollect.records import EraseMemory, Filters, Memory, PutMemory, Vector
from recollect.settings import StoreSettings
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import memory, vector

SPACE = "crash"
BATCH = 5


def now() -> datetime:
    return datetime(2030, 1, 1, tzinfo=UTC)


def open_store(root: Path) -> SqliteStore:
    return SqliteStore(root, now=now, settings=StoreSettings())


def direction(id: str) -> Vector:
    """A vector of its own for each id."""
    chance = random.Random(id)
    return vector(*(chance.gauss(0, 1) for _ in range(16)))


def about(id: str, word: str) -> Memory:
    return memory(id, f"something about {word}")


def tell(*words: object) -> None:
    """One line to the test, written whole: less than a pipe's atomic size."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def write_until_killed(root: Path, run: str) -> None:
    """Single writes, replacements, erasures, batches and searches, each told of after it returned."""
    store = open_store(root)
    for number in count():
        id = f"r{run}n{number}"
        match number % 8:
            case 3:
                batch = [f"{id}b{place}" for place in range(BATCH)]
                tell("trying-batch", id)
                store.apply(SPACE, [PutMemory(about(each, each), direction(each)) for each in batch])
                tell("batch", id)
            case 5:
                last = f"r{run}n{number - 1}"
                tell("trying-replaced", last)
                store.apply(SPACE, [PutMemory(about(last, f"{last}again"), direction(last))])
                tell("replaced", last)
            case 6:
                gone = f"r{run}n{number - 4}"
                tell("trying-erased", gone)
                store.apply(SPACE, [EraseMemory(gone)])
                tell("erased", gone)
            case 7:
                tell("trying-searched", id)
                store.match(SPACE, "something", filters=Filters(), limit=3)
                tell("searched", id)
            case _:
                store.apply(SPACE, [PutMemory(about(id, id), direction(id))])
                tell("put", id)


def fork_writers(root: Path) -> None:
    """One writer per line read; says when it has begun and when it is dead."""
    SqliteStore(root / "warm", now=now, settings=StoreSettings())
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            tell("pid", os.getpid())
            write_until_killed(root, line.strip())
        os.waitpid(child, 0)
        tell("dead", child)


def write_many(root: Path, name: str, amount: int) -> None:
    """Single writes, each its own transaction."""
    store = open_store(root)
    for number in range(amount):
        id = f"{name}{number}"
        store.apply(SPACE, [PutMemory(about(id, id), direction(id))])
    store.close()


def search_until_told(root: Path) -> None:
    """Search for the newest memory of the moment, over and over; it must be found both ways."""
    store = open_store(root)
    tell("opened")
    searches = 0
    while not searches or not (root / "stop").exists():
        for newest in store.browse(SPACE, Filters(), limit=1):
            found = store.match(SPACE, newest.id, filters=Filters(), limit=2)[0]
            assert [match.id for match in found] == [newest.id], f"{newest.id} acknowledged, but found: {found}"
            near = store.nearest(SPACE, direction(newest.id), filters=Filters(), limit=1)
            assert [match.id for match in near] == [newest.id], f"{newest.id} acknowledged, but nearest: {near}"
            searches += 1
    tell("searches", searches)
    store.close()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["forker", root]:
            fork_writers(Path(root))
        case ["writer", root, name, amount]:
            write_many(Path(root), name, int(amount))
        case ["reader", root]:
            search_until_told(Path(root))
