"""What a reader of source code is given and gives, and how code is cut along its definitions.

A reader finds the definitions of a file as `Piece`s and has `cut` make the chunks. A definition stays whole where it
fits, a long one is cut between its members or at blank lines, small neighbours of one level share a chunk, and the head
of a file goes with what comes first. Every line that is not blank is in exactly one chunk; a single line longer than
a chunk is in several, all with its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from recollect.knowledge import Alias, Chunk, Named, Said

DEEPEST = 8  # levels of members that chunks follow; below that, code is cut at blank lines
COMMENTS = ("#", "//", "/*", "*", "--", "@")  # a line that starts so, right above a definition, belongs to it


class Layout(NamedTuple):
    """What is known of the project a file is in: its name, the relative paths of all its files, the size of a chunk.

    `declared` are the names its go.mod, Cargo.toml and package.json give, each with the path of that file.
    """

    name: str
    paths: frozenset[str]
    chunk_characters: int
    declared: tuple[tuple[str, str], ...] = ()


class CodeReading(NamedTuple):
    """What a file of source code gives. `notes` say what had to be done without."""

    chunks: tuple[Chunk, ...] = ()
    entities: tuple[Named, ...] = ()
    statements: tuple[Said, ...] = ()
    aliases: tuple[Alias, ...] = ()
    notes: tuple[str, ...] = ()


class Piece(NamedTuple):
    """A definition as it lies in the text: name for the heading, key, first and last line, and what is inside it."""

    name: str
    key: str
    start: int
    end: int
    members: tuple[Piece, ...] = ()


def clean(source: bytes) -> str:
    """The text of a source file: UTF-8 with what is not UTF-8 replaced, no byte order mark, lines ending in a newline.

    >>> clean(b"a\\r\\nb\\xff")
    'a\\nb\\ufffd'
    """
    text = source.decode("utf-8", errors="replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def cut(
    text: str, pieces: Iterable[Piece], *, heading: tuple[str, ...], about: str, characters: int
) -> tuple[Chunk, ...]:
    """The chunks of a file; `heading` and `about` are those of the file as a whole, for what stands outside pieces.

    >>> code = "import os\\n\\ndef a():\\n    pass\\n\\ndef b():\\n    pass\\n"
    >>> both = Piece("a", "py:m.a", 3, 4), Piece("b", "py:m.b", 6, 7)
    >>> [(c.start, c.end, c.about) for c in cut(code, both, heading=("m",), about="py:m", characters=30)]
    [(1, 4, 'py:m'), (6, 7, 'py:m.b')]
    """
    sheet = _Sheet(text, characters)
    units = sheet.units(1, len(sheet.lines), pieces)
    return tuple(sheet.packed(units, heading, about, depth=0))


class _Unit(NamedTuple):
    """Lines that stay together if they can; without a piece, what lies between pieces."""

    start: int
    end: int
    piece: Piece | None = None


class _Sheet:
    """A text by lines, with the offset at which each begins, so that lengths and slices cost nothing."""

    def __init__(self, text: str, characters: int) -> None:
        self.text = text
        self.characters = characters
        self.lines = text.split("\n")
        self.offsets = [0, *accumulate([len(line) + 1 for line in self.lines])]

    def size(self, start: int, end: int) -> int:
        return self.offsets[end] - self.offsets[start - 1] - 1

    def units(self, first: int, last: int, pieces: Iterable[Piece]) -> list[_Unit]:
        """Pieces and what lies between them, in order, from the first line to the last, without overlaps."""
        units: list[_Unit] = []
        free = first
        for piece in sorted(pieces, key=lambda each: each.start):
            start, end = max(piece.start, free), min(piece.end, last)
            if end < start:  # on a line that another piece has
                continue
            start = self._with_comments(start, free)
            if free < start:
                units.append(_Unit(free, start - 1))
            units.append(_Unit(start, end, piece))
            free = end + 1
        if free <= last:
            units.append(_Unit(free, last))
        return units

    def packed(self, units: list[_Unit], heading: tuple[str, ...], about: str, *, depth: int) -> Iterator[Chunk]:
        """Chunks of the units: neighbours together as long as they fit, what is too long by itself cut further."""
        together: list[_Unit] = []
        for unit in self._small(units):
            long = self.size(unit.start, unit.end) > self.characters
            if together and (long or self.size(together[0].start, unit.end) > self.characters):
                yield from self._chunk(together, heading, about)
                together = []
            if not long:
                together.append(unit)
            elif unit.piece is None:
                yield from self._slices(unit, heading, about)
            else:
                members = unit.piece.members if depth < DEEPEST else ()
                inner = self.units(unit.start, unit.end, members)
                yield from self.packed(inner, (*heading, unit.piece.name), unit.piece.key, depth=depth + 1)
        if together:
            yield from self._chunk(together, heading, about)

    def _small(self, units: list[_Unit]) -> Iterator[_Unit]:
        """The units without the blank lines around them; loose text that is too long as its paragraphs or lines."""
        for unit in units:
            start, end = unit.start, unit.end
            while start <= end and not self.lines[start - 1].strip():
                start += 1
            while end > start and not self.lines[end - 1].strip():
                end -= 1
            if start > end:
                continue
            if unit.piece is None and self.size(start, end) > self.characters:
                yield from self._paragraphs(start, end)
            else:
                yield _Unit(start, end, unit.piece)

    def _paragraphs(self, start: int, end: int) -> Iterator[_Unit]:
        first = start
        for line in range(start, end + 1):
            if not self.lines[line - 1].strip():
                if first < line:
                    yield from self._line_groups(first, line - 1)
                first = line + 1
        if first <= end:
            yield from self._line_groups(first, end)

    def _line_groups(self, start: int, end: int) -> Iterator[_Unit]:
        first = start
        for line in range(start + 1, end + 1):
            if self.size(first, line) > self.characters:
                yield _Unit(first, line - 1)
                first = line
        yield _Unit(first, end)

    def _slices(self, unit: _Unit, heading: tuple[str, ...], about: str) -> Iterator[Chunk]:
        """A line that is longer than a chunk, in several."""
        text = self.lines[unit.start - 1]
        for at in range(0, len(text), self.characters):
            part = text[at : at + self.characters]
            if part.strip():
                yield Chunk(part, unit.start, unit.end, heading, about)

    def _chunk(self, units: Sequence[_Unit], heading: tuple[str, ...], about: str) -> Iterator[Chunk]:
        start, end = units[0].start, units[-1].end
        text = self.text[self.offsets[start - 1] : self.offsets[end] - 1]
        piece = units[0].piece
        if len(units) == 1 and piece is not None:
            heading, about = (*heading, piece.name), piece.key
        yield Chunk(text, start, end, heading, about)

    def _with_comments(self, start: int, free: int) -> int:
        while start > free and self.lines[start - 2].lstrip().startswith(COMMENTS):
            start -= 1
        return start
