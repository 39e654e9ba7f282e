"""What the tests of readers read with."""

from __future__ import annotations

from recollect.knowledge import FileMark, Reading
from recollect.reading.outline import Layout
from recollect.reading.read import read_file
from recollect.settings import ReadSettings

MARK = FileMark("d", 1, 1)


def read(path: str, content: str | bytes, *, size: int = 1_500, paths: tuple[str, ...] = ()) -> Reading:
    """A file of this content, read as part of a project with these other files."""
    data = content.encode() if isinstance(content, str) else content
    settings = ReadSettings(chunk_characters=size)
    return read_file("shop", path, data, MARK, Layout("shop", frozenset({path, *paths}), size), settings)


def said(reading: Reading) -> set[tuple[str, str, str]]:
    """The statements without their places."""
    return {(each.subject, str(each.relation), each.object) for each in reading.statements}


def lines_in_chunks(reading: Reading) -> set[int]:
    """The numbers of all lines that some chunk covers."""
    return {line for chunk in reading.chunks for line in range(chunk.start, chunk.end + 1)}
