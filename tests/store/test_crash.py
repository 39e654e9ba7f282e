"""Nothing acknowledged is lost when a writer is killed, and writers do not get in each other's way."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recollect.ports import Store
from recollect.records import Filters

from . import writers
from .writers import BATCH, SPACE, direction, open_store

# Not called RECOLLECT_…: that would be read as a setting by every other test.
ROUNDS = int(os.environ.get("CRASH_ROUNDS", "200"))
WRITES = int(os.environ.get("CRASH_WRITES", "5000"))
MOST_LINES = 40  # of a writer before it is killed: it opens the store, writes and commits the index several times
MOST_SECONDS = 0.02  # from then on, so that it may be killed at any point of what it does next
SAMPLE = 20  # of what earlier rounds wrote, looked at again after each round

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="killing forked writers needs a system that can fork")


@dataclass
class Acknowledged:
    """What the writers said they did: the word each memory is found by, what must be gone, and batches.

    `open` is what a writer began and did not acknowledge: it may have happened or not, but not in part.
    """

    words: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    old_words: dict[str, str] = field(default_factory=dict)
    batches: set[str] = field(default_factory=set)
    open: str = ""
    count: int = 0

    def note(self, line: str) -> None:
        what, id = line.split()
        self.open = line if what.startswith("trying") else ""
        match what:
            case "trying-batch":
                self.batches.add(id)
            case "put":
                self.words[id] = id
            case "batch":
                self.words |= {f"{id}b{place}": f"{id}b{place}" for place in range(BATCH)}
            case "replaced":
                self.words[id] = f"{id}again"
                self.old_words[id] = id
            case "erased":
                self.words.pop(id)
                self.gone.add(id)
        self.count += what in ("put", "batch", "replaced", "erased")

    def settle(self, store: Store) -> None:
        """Take for acknowledged what a killed writer did and could not say any more."""
        what, id = self.open.split() if self.open else ("", "")
        stored = store.read(SPACE, [id])
        done = {
            "trying-replaced": bool(stored) and stored[0].body.endswith("again"),
            "trying-erased": not stored,
        }
        if done.get(what):
            self.note(what.replace("trying-", "") + f" {id}")
            self.count -= 1


@contextmanager
def process(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process of `writers.py`; ended with the block, whatever happens."""
    # More threads than one would make forking unsafe there.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, writers.__file__, *map(str, arguments)]
    started = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
    )
    with started:
        try:
            yield started
        finally:
            started.kill()


def live_and_die(forker: subprocess.Popen[str], *, run: int, chance: random.Random) -> list[str]:
    """What one writer said before it was killed."""
    assert forker.stdin and forker.stdout
    forker.stdin.write(f"{run}\n")
    forker.stdin.flush()
    what, pid = forker.stdout.readline().split()
    assert what == "pid"
    lines = [forker.stdout.readline() for _ in range(chance.randint(0, MOST_LINES))]
    time.sleep(chance.uniform(0, MOST_SECONDS))
    os.kill(int(pid), signal.SIGKILL)
    while not (line := forker.stdout.readline()).startswith("dead"):
        assert line, "the forker died"
        lines.append(line)
    return lines


def problems(store: Store, acknowledged: Acknowledged, *, looked_at: list[str]) -> list[str]:
    """What is not as it was acknowledged."""
    found = [f"damage: {line}" for line in store.check(SPACE)]
    readable = {each.id for each in store.read(SPACE, [*acknowledged.words, *acknowledged.gone])}
    found += [f"lost: {id}" for id in acknowledged.words if id not in readable]
    found += [f"erased, but there: {id}" for id in acknowledged.gone & readable]
    for id in looked_at:
        if hits(store, acknowledged.words[id]) != [id]:
            found.append(f"not found by its word: {id}: {hits(store, acknowledged.words[id])}")
        near = store.nearest(SPACE, direction(id), filters=Filters(), limit=1)
        if [match.id for match in near] != [id]:
            found.append(f"not the nearest to itself: {id}: {near}")
        if id in acknowledged.old_words and hits(store, acknowledged.old_words[id]):
            found.append(f"found by the text it had before: {id}")
    return found


def half_batches(store: Store, batches: set[str]) -> list[str]:
    """Batches of which some is there and some is not, by reading or by searching."""
    found = []
    for batch in sorted(batches):
        ids = [f"{batch}b{place}" for place in range(BATCH)]
        there = len(store.read(SPACE, ids))
        searchable = sum(hits(store, id) == [id] for id in ids)
        if (there, searchable) not in ((0, 0), (BATCH, BATCH)):
            found.append(f"{batch}: {there} of {BATCH} there, {searchable} found")
    return found


def hits(store: Store, word: str) -> list[str]:
    return [match.id for match in store.match(SPACE, word, filters=Filters(), limit=9)[0]]


@needs_fork
def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(tmp_path: Path) -> None:
    chance = random.Random(20_300_101)
    acknowledged, while_indexing = Acknowledged(), 0
    with process("forker", tmp_path) as forker:
        for run in range(ROUNDS):
            before, acknowledged.batches = list(acknowledged.words), set()
            for line in live_and_die(forker, run=run, chance=chance):
                acknowledged.note(line)
            while_indexing += acknowledged.open.startswith("trying-searched")
            store = open_store(tmp_path)
            acknowledged.settle(store)
            new = [id for id in acknowledged.words if id not in set(before)]
            older = [id for id in chance.sample(before, min(SAMPLE, len(before))) if id in acknowledged.words]
            assert problems(store, acknowledged, looked_at=new[-SAMPLE:] + older) == [], f"round {run}"
            assert half_batches(store, acknowledged.batches) == [], f"round {run}"
            store.close()
    store = open_store(tmp_path)
    assert problems(store, acknowledged, looked_at=list(acknowledged.words)) == []
    store.close()
    print(f"\n{ROUNDS} kills ({while_indexing} while indexing), {acknowledged.count} acknowledged writes, 0 lost")
    assert acknowledged.count >= ROUNDS, "the writers hardly came to write; the kills came too early"


def test_two_writers_and_a_reader_share_a_space(tmp_path: Path) -> None:
    with process("reader", tmp_path) as reader:
        assert reader.stdout and reader.stdout.readline() == "opened\n"
        with process("writer", tmp_path, "left", WRITES) as left, process("writer", tmp_path, "right", WRITES) as right:
            assert (left.wait(), right.wait()) == (0, 0)
        (tmp_path / "stop").touch()
        said = reader.stdout.readline()
        assert reader.wait() == 0 and int(said.split()[1]) > 0
    store = open_store(tmp_path)
    expected = {f"{side}{number}" for side in ("left", "right") for number in range(WRITES)}
    assert store.stats(SPACE).memories == store.stats(SPACE).vectors == len(expected)
    assert {each.id for each in store.browse(SPACE, Filters(), limit=3 * WRITES)} == expected
    found = hits_of_all(store, limit=3 * WRITES)
    assert len(found) == len(set(found)) and set(found) == expected, "each is found, and none twice"
    for id in random.Random(1).sample(sorted(expected), min(100, len(expected))):
        assert hits(store, id) == [id]
    store.rebuild(SPACE)
    assert sorted(hits_of_all(store, limit=3 * WRITES)) == sorted(expected)
    print(f"\n{len(expected)} writes by two processes beside {said.split()[1]} searches, all there and found once")
    store.close()


def hits_of_all(store: Store, *, limit: int) -> list[str]:
    return [match.id for match in store.match(SPACE, "something", filters=Filters(), limit=limit)[0]]
