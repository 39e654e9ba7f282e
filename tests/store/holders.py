"""Others who hold a SQLite file just when something is to leave it, and a look at what stands in files."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

PATIENT = 120.0  # seconds that no test waits: what it waits for happens long before
EMPTYING = """
import fcntl, sys
with open(sys.argv[1], "r+b") as index:
    fcntl.lockf(index, fcntl.LOCK_EX, 1, 121)  # the byte that SQLite locks while it empties the log
    print("held", flush=True)
    sys.stdin.read()
"""

needs_fcntl = pytest.mark.skipif(sys.platform == "win32", reason="locks a byte as SQLite does on a system with fcntl")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Another connection inside a read transaction, as another process would have it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("begin")
        db.execute("select count(*) from meta").fetchone()
        yield


@contextmanager
def emptying_the_log(path: Path) -> Iterator[None]:
    """Another process that is just about it. SQLite says at once that it cannot, and does not wait for it."""
    command = [sys.executable, "-c", EMPTYING, f"{path}-shm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout and other.stdout.readline() == "held\n"
        try:
            yield
        finally:
            other.communicate()


def files_holding(folder: Path, *words: str) -> set[str]:
    """Names of the files in which any of these words stands, in lower case or not."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.name for path in files for word in words if word.encode() in path.read_bytes().lower()}
