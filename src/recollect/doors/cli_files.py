"""Files a command reads and writes: stdin and stdout as `-`, whole files replaced at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

from recollect.errors import InvalidInput

STANDARD = Path("-")


def read_stdin() -> str:
    """All of stdin as text, without the line feed a shell puts at its end."""
    return _decoded(sys.stdin.buffer.read(), what="stdin").removesuffix("\n")


def read_lines(path: Path) -> Sequence[str]:
    """The lines of a file, or of stdin for `-`.

    Read at once and here: a worker thread left waiting for stdin would hold its lock when the program ends.
    """
    if path == STANDARD:
        return _decoded(sys.stdin.buffer.read(), what="stdin").split("\n")
    try:
        return _decoded(path.read_bytes(), what=repr(str(path))).split("\n")
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}", field="file") from error


def write_stdout(text: str) -> None:
    """Text as UTF-8 on stdout, whatever the terminal speaks."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def write_text(path: Path, text: str) -> None:
    """Put a whole file in place: either all of it is there afterwards, or what was there before."""
    temporary: Path | None = None
    try:
        with NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=f".{path.name}-", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be written: {error.strerror}", field="file") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _decoded(data: bytes, *, what: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{what} is not UTF-8: {error.reason} in line {line}", field="text") from error
