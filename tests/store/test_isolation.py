"""Spaces know nothing of each other, and what is erased is nowhere left."""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.errors import StoreError
from recollect.records import EraseMemory, Filters, PutMemory
from recollect.settings import StoreSettings
from recollect.store.folders import folder_of
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import matched, memory, near, vector

from .writers import now

A, B = "space", "Space"
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # for what makes many stores and asks nothing of the disk
texts = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta", "Zürich"]), min_size=1, max_size=6).map(" ".join)
contents = st.lists(st.tuples(texts, st.integers(-3, 3), st.integers(1, 3)), min_size=1, max_size=8)


@contextmanager
def opened(root: Path, *, open_spaces: int = 64) -> Iterator[SqliteStore]:
    store = SqliteStore(root, now=now, settings=StoreSettings(open_spaces=open_spaces))
    try:
        yield store
    finally:
        store.close()


def write(store: SqliteStore, space: str, number: int, content: tuple[str, int, int]) -> None:
    body, *place = content
    store.apply(space, [PutMemory(memory(f"m{number}", body), vector(*place, identity=f"{space} embedder"))])


def everything(store: SqliteStore, space: str) -> bytes:
    """All a search of the space can say, to the last digit."""
    asked = vector(1, 2, identity=f"{space} embedder")
    found = [store.match(space, text, filters=Filters(), limit=20) for text in ("alpha beta", "zurich gamma delta")]
    return repr((found, store.nearest(space, asked, filters=Filters(), limit=20))).encode()


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(contents, contents, st.booleans())
def test_results_are_the_same_to_the_byte_with_and_without_another_space(mine, others, searched_between) -> None:
    with (
        tempfile.TemporaryDirectory(dir=MEMORY) as folder,
        opened(Path(folder, "alone")) as alone,
        opened(Path(folder, "beside")) as beside,
    ):
        for number in range(max(len(mine), len(others))):
            if number < len(mine):
                write(alone, A, number, mine[number])
                write(beside, A, number, mine[number])
            if number < len(others):
                write(beside, B, number, others[number])
            if searched_between:
                assert everything(beside, A) == everything(alone, A)
        before = everything(beside, A)
        assert before == everything(alone, A)
        assert beside.drop(B)
        assert everything(beside, A) == before


NAMES = ["a", "A", "á", "a ", " a", "a-b", "a_b", "a/b", "a\\b", "../a", ".", "..", "世界", "世 界", "x" * 200]


def test_names_that_differ_in_any_way_are_different_spaces(tmp_path: Path) -> None:
    with opened(tmp_path, open_spaces=3) as store:
        for number, name in enumerate(NAMES):
            store.apply(name, [PutMemory(memory("m", f"word{number}"), vector(1, 0))])
        assert store.names() == sorted(NAMES)
        for number, name in enumerate(NAMES):
            assert store.read(name, ["m"])[0].body == f"word{number}"
            assert [matched(store, f"word{other}", space=name) for other in (number, number + 1)] == [["m"], []]
    folders = [folder_of(tmp_path, name) for name in NAMES]
    assert len({str(folder).lower() for folder in folders}) == len(NAMES), "also on a disk that ignores case"
    assert {folder.parent for folder in folders} == {tmp_path / "spaces"}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_a_thousand_spaces_keep_few_files_open() -> None:
    names = [f"space {number}" for number in range(1_000)]
    with tempfile.TemporaryDirectory(dir=MEMORY) as root, opened(Path(root), open_spaces=8) as store:
        most = 0
        for number, name in enumerate(names):
            store.apply(name, [PutMemory(memory("m", f"word{number}"), vector(1, number))])
            most = max(most, open_files(root))
        for number, name in enumerate(names):
            assert store.read(name, ["m"])[0].body == f"word{number}"
            assert near(store, space=name) == ["m"]
            if number % 20 == 0:
                assert matched(store, f"word{number}", space=name) == ["m"]
            most = max(most, open_files(root))
        assert len(store.names()) == len(names)
        store.close()
        assert open_files(root) == 0
    assert 9 <= most <= 9 * 8, "nine spaces at once, a writer and a reader of three files each, and some to spare"


def open_files(root: str) -> int:
    """Of this process, below this folder: other tests may have left threads that open and close files of their own."""
    found = 0
    for each in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):
            found += os.readlink(f"/proc/self/fd/{each}").startswith(root)
    return found


def test_threads_may_open_more_spaces_than_are_kept_open(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(15):
                store.apply(name, [PutMemory(memory(f"m{number}", f"common {name}"), vector(1, 0))])
                assert len(near(store, space=name)) == number + 1
                assert len(matched(store, "common", space=name)) == number + 1
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test must fail of it
            failures.append(error)

    with opened(tmp_path, open_spaces=1) as store:
        threads = [threading.Thread(target=work, args=(f"space {number % 3}-{number}",)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


# --- dropping ------------------------------------------------------------------------------------


def test_dropping_a_space_leaves_no_file_behind(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for space in (A, B):
            store.apply(space, [PutMemory(memory("m", f"secretword{space}"), vector(1, 0))])
            assert matched(store, f"secretword{space}", space=space) == ["m"]
        kept = {path for path in tmp_path.rglob("*") if folder_of(tmp_path, B) in (path, *path.parents)}
        assert store.drop(A)
        assert set(tmp_path.rglob("*")) == kept | {tmp_path / "spaces"}
        assert matched(store, f"secretword{B}", space=B) == ["m"]


def test_what_a_killed_process_had_begun_to_drop_is_erased_at_the_next_open(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(A, [PutMemory(memory("m", "secretword"))])
    folder = folder_of(tmp_path, A)
    os.replace(folder, tmp_path / f"dropped-{folder.name}-0123")
    with opened(tmp_path) as store:
        assert (store.names(), list(tmp_path.glob("dropped-*"))) == ([], [])


def test_a_space_dropped_and_begun_again_elsewhere_is_seen_anew(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as other:
        for round in range(3):
            word = f"word{round}"
            one.apply(A, [PutMemory(memory("m", word), vector(1, round))])
            assert (matched(other, word, space=A), near(other, space=A)) == (["m"], ["m"])
            other.apply(A, [PutMemory(memory("n", word), vector(1, round))])
            assert (matched(one, word, space=A), near(one, space=A)) == (["m", "n"], ["m", "n"])
            assert one.drop(A)
            assert (other.read(A, ["m", "n"]), matched(other, word, space=A)) == ([], [])
        assert list((tmp_path / "spaces").iterdir()) == []


def test_dropping_beside_other_calls_brings_nothing_back(tmp_path: Path) -> None:
    """A call in flight sees the space or nothing, or says it cannot serve; it never makes the space again."""
    failures: list[BaseException] = []
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            try:
                matched(store, "common", space=A)
                near(store, space=A)
            except StoreError:
                pass
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test must fail of it
                failures.append(error)

    with opened(tmp_path) as store:
        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for round in range(40):
                store.apply(A, [PutMemory(memory(f"m{round}"), vector(1, 0))])
                if round % 2:
                    assert [each.id for each in store.read(A, [f"m{round}"])] == [f"m{round}"]
                assert store.drop(A)
                assert (store.names(), store.read(A, [f"m{round}"])) == ([], [])
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert failures == []
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# --- erasing -------------------------------------------------------------------------------------


def files_holding(root: Path, *needles: str) -> list[tuple[str, str]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return [(path.name, needle) for path in files for needle in needles if needle.encode() in path.read_bytes().lower()]


def test_after_erasing_and_rebuilding_no_file_holds_a_word_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        bystanders = [PutMemory(memory(f"m{n}", f"common word{n} " * (n % 40 + 1)), vector(1, n)) for n in range(300)]
        store.apply(A, bystanders[:150])
        secret = memory("s", "body secretbody " * 400, title="secrettitle", author="secretauthor", tags=("secrettag",))
        store.apply(A, [PutMemory(secret, vector(1, 0))])
        store.apply(A, bystanders[150:])
        words = ("secretbody", "secrettitle", "secretauthor", "secrettag")
        assert matched(store, "secretbody", space=A) == ["s"]
        assert files_holding(tmp_path, *words), "else the search below would prove nothing"
        store.apply(A, [EraseMemory("s")])
        store.rebuild(A)
        assert files_holding(tmp_path, *words) == [], "while the space is open"
        assert len(matched(store, "common", space=A)) == 100
    assert files_holding(tmp_path, *words) == [], "after it is closed"


def test_nothing_is_left_of_texts_erased_or_replaced_between_many_others(tmp_path: Path) -> None:
    """Pages split and merge around what goes: copies in moved cells must go as well."""
    chance = Random(11)
    with opened(tmp_path) as store:
        for start in range(0, 400, 40):
            sized = [memory(f"m{n}", f"gone{n}x " * chance.randrange(1, 300)) for n in range(start, start + 40)]
            store.apply(A, [PutMemory(each, vector(1, 0)) for each in sized])
        doomed = chance.sample(range(400), 300)
        for number in doomed[:200]:
            store.apply(A, [EraseMemory(f"m{number}")])
        store.apply(A, [PutMemory(memory(f"m{number}", "replaced")) for number in doomed[200:]])
        store.rebuild(A)
        assert files_holding(tmp_path, *(f"gone{number}x" for number in doomed)) == []
        assert len(matched(store, "replaced", space=A)) == 100
