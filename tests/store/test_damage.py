"""Damage is noticed: derived files are rebuilt, the record says what is wrong and what to do."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from recollect.errors import StoreError
from recollect.records import EraseMemory, Filters, Match, PutMemory, Term
from recollect.settings import StoreSettings
from recollect.store.folders import DATABASE_FILE, folder_of
from recollect.store.sqlite import SqliteStore
from recollect.testing.store_cases import matched, memory, vector

from .writers import now

SPACE = "damage"
TEXTS = ("alpha", "alpha beta", "gamma word7", "word3 word11 word29")
Answers = list[tuple[list[Match], list[Term]]]
Harm = Callable[[Path], None]


def open_store(root: Path) -> SqliteStore:
    return SqliteStore(root, now=now, settings=StoreSettings())


@contextmanager
def opened(root: Path) -> Iterator[SqliteStore]:
    store = open_store(root)
    try:
        yield store
    finally:
        store.close()


def fill(store: SqliteStore) -> None:
    """Several segments, with deleted documents in them."""
    for start in range(0, 60, 20):
        bodies = {
            f"m{n}": f"alpha {'beta ' * (n % 3)}{'gamma' if n % 7 == 0 else ''} word{n}"
            for n in range(start, start + 20)
        }
        store.apply(SPACE, [PutMemory(memory(id, body), vector(1, len(body))) for id, body in bodies.items()])
        matched(store, "alpha", space=SPACE)
    store.apply(SPACE, [EraseMemory("m5"), EraseMemory("m25"), PutMemory(memory("m9", "beta word9"))])
    matched(store, "alpha", space=SPACE)


def answers(store: SqliteStore) -> Answers:
    return [store.match(SPACE, text, filters=Filters(), limit=20) for text in TEXTS]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answers, Answers]:
    """A filled store on disk, closed; its answers, and those after rebuilding (erased memories count no more)."""
    root = tmp_path_factory.mktemp("sound")
    with opened(root) as store:
        fill(store)
        before = answers(store)
    copy = tmp_path_factory.mktemp("rebuilt") / "root"
    shutil.copytree(root, copy)
    with opened(copy) as store:
        store.rebuild(SPACE)
        return root, before, answers(store)


def flip_middle(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x15
    path.write_bytes(bytes(data))


def flip_first(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[0] ^= 0x01
    path.write_bytes(bytes(data))


def flip_last(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 0x80
    path.write_bytes(bytes(data))


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def delete(path: Path) -> None:
    path.unlink()


def fill_with_zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


HARMS: list[Harm] = [flip_first, flip_middle, flip_last, halve, empty, delete, fill_with_zeros]
KINDS = ["current.json", "meta.json", ".managed.json", "fast", "fieldnorm", "idx", "pos", "store", "term", "del"]


def files_of_kind(root: Path, kind: str) -> list[Path]:
    lexical = folder_of(root, SPACE) / "lexical"
    return sorted(path for path in lexical.rglob("*") if path.name == kind or path.suffix == f".{kind}")


@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_index_file_changes_no_result(
    kind: str, harm: Harm, sound: tuple[Path, Answers, Answers], tmp_path: Path
) -> None:
    source, before, rebuilt = sound
    root = tmp_path / "root"
    shutil.copytree(source, root)
    targets = files_of_kind(root, kind)
    assert targets, f"no file of kind {kind} to damage"
    harm(targets[0])
    with opened(root) as store:
        assert answers(store) in (before, rebuilt)
        store.apply(SPACE, [PutMemory(memory("new", "alpha afterwards"))])
        assert matched(store, "afterwards", space=SPACE) == ["new"]
    with opened(root) as store:
        assert matched(store, "afterwards", space=SPACE) == ["new"]
        assert len(store.match(SPACE, "alpha", filters=Filters(), limit=99)[0]) == 58


def test_a_digit_flipped_anywhere_in_the_register_changes_no_result(
    sound: tuple[Path, Answers, Answers], tmp_path: Path
) -> None:
    source, before, rebuilt = sound
    register = files_of_kind(source, "meta.json")[0].read_bytes()
    places = [place for place, byte in enumerate(register) if chr(byte).isdigit()]
    root = tmp_path / "root"
    shutil.copytree(source, root)
    for place in Random(3).sample(places, 12):
        shutil.rmtree(root)
        shutil.copytree(source, root)
        changed = bytearray(register)
        changed[place] = ord("7") if changed[place] != ord("7") else ord("8")
        files_of_kind(root, "meta.json")[0].write_bytes(bytes(changed))
        with opened(root) as store:
            assert answers(store) in (before, rebuilt), f"byte {place}"


def test_the_whole_index_folder_may_be_deleted(sound: tuple[Path, Answers, Answers], tmp_path: Path) -> None:
    shutil.copytree(sound[0], tmp_path / "root")
    shutil.rmtree(folder_of(tmp_path / "root", SPACE) / "lexical")
    with opened(tmp_path / "root") as store:
        assert answers(store) == sound[2]


def test_the_index_of_another_space_is_not_searched(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for space in (SPACE, "other"):
            store.apply(space, [PutMemory(memory("a", f"alpha {space}"))])
            matched(store, "alpha", space=space)
    mine, other = (folder_of(tmp_path, space) / "lexical" for space in (SPACE, "other"))
    shutil.rmtree(mine)
    shutil.copytree(other, mine)
    with opened(tmp_path) as store:
        assert (matched(store, "other", space=SPACE), matched(store, "damage", space=SPACE)) == ([], ["a"])


@pytest.mark.parametrize("written_since", [0, 1, 2, 5])
def test_a_record_replaced_by_an_older_copy_is_noticed(written_since: int, tmp_path: Path) -> None:
    """Also when as much was written since as the lost history held: positions alone would look right then."""
    database = folder_of(tmp_path, SPACE) / DATABASE_FILE
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a", "alpha")), PutMemory(memory("b", "beta"))])
        assert matched(store, "alpha beta", space=SPACE) == ["a", "b"]
    shutil.copy(database, tmp_path / "copy")
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a", "lost")), PutMemory(memory("c", "lost"))])
        assert matched(store, "lost", space=SPACE) == ["a", "c"]
    os.replace(tmp_path / "copy", database)
    with opened(tmp_path) as store:
        for number in range(written_since):
            store.apply(SPACE, [PutMemory(memory("b", f"written{number}"))])
        assert matched(store, "lost", space=SPACE) == []
        assert matched(store, "alpha", space=SPACE) == ["a"]
        expected = f"written{written_since - 1}" if written_since else "beta"
        assert matched(store, expected, space=SPACE) == ["b"]


def test_a_record_replaced_while_it_is_open_is_noticed(tmp_path: Path) -> None:
    database = folder_of(tmp_path, SPACE) / DATABASE_FILE
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a", "alpha"), vector(1, 0))])
    shutil.copy(database, tmp_path / "copy")
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a", "beta"), vector(0, 1))])
        assert matched(store, "beta", space=SPACE) == ["a"]
        for leftover in database.parent.glob(f"{DATABASE_FILE}-*"):
            leftover.unlink()
        os.replace(tmp_path / "copy", database)
        assert (matched(store, "alpha", space=SPACE), matched(store, "beta", space=SPACE)) == (["a"], [])
        assert store.read(SPACE, ["a"])[0].body == "alpha"
        assert store.nearest(SPACE, vector(1, 0), filters=Filters(), limit=1)[0].source_score == pytest.approx(1)


# --- the record itself ---------------------------------------------------------------------------


def overwrite_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"not a database at all")


def scramble_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(Random(1).randbytes(path.stat().st_size - 4_096))


@pytest.mark.parametrize("harm", [overwrite_header, scramble_pages, halve], ids=lambda harm: harm.__name__)
def test_a_damaged_record_is_an_error_with_a_remedy(
    harm: Harm, sound: tuple[Path, Answers, Answers], tmp_path: Path
) -> None:
    root = tmp_path / "root"
    shutil.copytree(sound[0], root)
    harm(folder_of(root, SPACE) / DATABASE_FILE)
    with opened(root) as store:
        for call in (
            lambda: store.read(SPACE, ["m1", "m50"]),
            lambda: store.browse(SPACE, Filters(), limit=99),
            lambda: store.match(SPACE, "alpha", filters=Filters(), limit=9),
            lambda: store.nearest(SPACE, vector(1, 0), filters=Filters(), limit=9),
            lambda: store.apply(SPACE, [PutMemory(memory("x"))]),
        ):
            with pytest.raises(StoreError, match=r"damaged; restore it"):
                call()


def test_a_flipped_byte_in_the_record_never_escapes_as_a_foreign_error(
    sound: tuple[Path, Answers, Answers], tmp_path: Path
) -> None:
    root = tmp_path / "root"
    shutil.copytree(sound[0], root)
    database = folder_of(root, SPACE) / DATABASE_FILE
    whole, chance = database.read_bytes(), Random(7)
    refused = 0
    for _ in range(150):
        changed = bytearray(whole)
        for _ in range(20):
            changed[chance.randrange(len(whole))] = chance.randrange(256)
        database.write_bytes(bytes(changed))
        shutil.rmtree(database.parent / "lexical", ignore_errors=True)
        try:
            with opened(root) as store:
                store.browse(SPACE, Filters(), limit=99)
                answers(store)
                store.nearest(SPACE, vector(1, 0), filters=Filters(), limit=9)
        except StoreError:
            refused += 1
    assert refused > 0


def test_a_schema_newer_than_the_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(SPACE, [PutMemory(memory("a", "alpha"))])
    database = folder_of(tmp_path, SPACE) / DATABASE_FILE
    with sqlite3.connect(database) as db:
        db.execute("pragma user_version = 99")
    db.close()
    with opened(tmp_path) as store, pytest.raises(StoreError, match=r"schema 99.*upgrade recollect"):
        store.read(SPACE, ["a"])
    with sqlite3.connect(database) as db:
        assert db.execute("pragma user_version").fetchone() == (99,)
    db.close()


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another"):
        open_store(tmp_path / "file" / "root")


# --- a full disk ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 4 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"A FULL DISK WAS NOT TESTED: this process may not mount one ({done.stderr.strip()})")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill_up(disk: Path, *, leave: int = 0) -> Path:
    """A file that takes all space but `leave` bytes."""
    filler = disk / "filler"
    free = shutil.disk_usage(disk).free
    filler.write_bytes(bytes(free))
    os.truncate(filler, max(free - leave, 0))
    return filler


def text_of(number: int) -> str:
    return f"word{number} " + " ".join(f"w{Random(number).randrange(10**6)}x{place}" for place in range(250))


def write_until_full(store: SqliteStore) -> tuple[list[str], StoreError]:
    """The ids acknowledged before the disk was full, and the error that said so."""
    acknowledged: list[str] = []
    for number in range(10_000):
        id = f"m{number}"
        try:
            store.apply(SPACE, [PutMemory(memory(id, text_of(number)), vector(1, number))])
        except StoreError as error:
            return acknowledged, error
        acknowledged.append(id)
    raise AssertionError("the disk did not fill up")


def test_a_full_disk_loses_nothing_and_writing_goes_on_after_freeing_space(small_disk: Path) -> None:
    with opened(small_disk / "root") as store:
        store.apply(SPACE, [PutMemory(memory("first", "alpha"), vector(1, 0))])
        filler = fill_up(small_disk, leave=1_000_000)
        acknowledged, error = write_until_full(store)
        assert acknowledged
        assert "full" in str(error) and "Free some space" in str(error)
        for _ in range(3):
            with pytest.raises(StoreError, match="full"):
                store.apply(SPACE, [PutMemory(memory("more", text_of(0) * 20))])
        assert len(store.read(SPACE, acknowledged)) == len(acknowledged)
        with opened(small_disk / "root") as fresh:
            assert len(fresh.read(SPACE, acknowledged)) == len(acknowledged)
        with pytest.raises(StoreError, match="nothing is lost, free disk space"):
            store.match(SPACE, "alpha", filters=Filters(), limit=9)
        filler.unlink()
        check_all_there(store, acknowledged)
    with opened(small_disk / "root") as store:
        check_all_there(store, acknowledged)


def check_all_there(store: SqliteStore, acknowledged: list[str]) -> None:
    store.apply(SPACE, [PutMemory(memory("after", "afterwards"))])
    assert matched(store, "afterwards", space=SPACE) == ["after"]
    for id in acknowledged:
        assert matched(store, id.replace("m", "word"), space=SPACE) == [id]
    assert store.read(SPACE, ["more"]) == [] and store.check(SPACE) == []


@pytest.mark.parametrize("leave", [0, 4_096, 20_000, 60_000, 120_000])
def test_a_disk_that_fills_up_while_indexing_costs_only_that_search(leave: int, small_disk: Path) -> None:
    with opened(small_disk / "root") as store:
        store.apply(SPACE, [PutMemory(memory("first", "alpha"), vector(1, 0))])
        assert matched(store, "alpha", space=SPACE) == ["first"]
        many = [PutMemory(memory(f"m{number}", text_of(number))) for number in range(200)]
        store.apply(SPACE, many)
        filler = fill_up(small_disk, leave=leave)
        kept = []
        for _ in range(3):
            with pytest.raises(StoreError, match="nothing is lost, free disk space") as raised:
                store.match(SPACE, "alpha", filters=Filters(), limit=9)
            kept.append(raised)  # a caller may hold on to errors; that must not hold on to locks
        with pytest.raises(StoreError, match="nothing is lost, free disk space"):
            store.rebuild(SPACE)
        assert len(store.read(SPACE, [put.memory.id for put in many])) == len(many)
        filler.unlink()
        assert matched(store, "alpha", space=SPACE) == ["first"]
        assert [matched(store, f"word{number}", space=SPACE) for number in (0, 199)] == [["m0"], ["m199"]]


def test_a_new_space_on_a_full_disk_is_an_error_with_a_remedy(small_disk: Path) -> None:
    with opened(small_disk / "root") as store:
        filler = fill_up(small_disk)
        with pytest.raises(StoreError, match=r"(?i)free (some|disk) space"):
            store.apply(SPACE, [PutMemory(memory("a", "alpha"))])
        filler.unlink()
        store.apply(SPACE, [PutMemory(memory("a", "alpha"))])
        assert matched(store, "alpha", space=SPACE) == ["a"]
