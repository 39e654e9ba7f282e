"""JSON, JSON lines and CSV: records with their field names, small ones packed together.

Nested JSON is cut along its keys, from the top, as far as its parts are too long for one chunk. Lines are those of the
file, also within JSON.
"""

from __future__ import annotations

import csv
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import groupby
from typing import Any, NamedTuple

from recollect.knowledge import Chunk, Named
from recollect.reading.sections import Block, Contents, Sheet, pack

DECODER = json.JSONDecoder()
BLANK = re.compile(r"[\s,:]*")
DEEPEST = 6  # levels of keys that chunks follow
FIELDS_SHOWN = 20
DELIMITERS = {".tsv": "\t", ".csv": ",", ".psv": "|"}
OTHER_DELIMITERS = ";\t|"
WIDEST_CELL = 1_000_000


class Part(NamedTuple):
    """A value within JSON: the keys that lead to it, and where it begins and ends in the text."""

    keys: tuple[str, ...]
    value: Any
    start: int
    end: int


def read_json(sheet: Sheet, text: str) -> Contents:
    """The contents of a JSON file; one that is none is skipped."""
    try:
        value, end = DECODER.raw_decode(text, BLANK.match(text).end())  # type: ignore[union-attr]
    except (ValueError, RecursionError):
        return Contents("json", skipped="damaged JSON")
    lines = _Lines(text)
    chunks: list[Chunk] = []
    parts = _small_parts(text, Part((), value, BLANK.match(text).end(), end), size=sheet.size)  # type: ignore[union-attr]
    for keys, run in groupby(parts, key=lambda part: part.keys[:-1] if _is_item(part) else part.keys[:1]):
        blocks = [Block(told(part, keys), lines.at(part.start), lines.at(part.end - 1), whole=True) for part in run]
        chunks += pack(blocks, size=sheet.size, heading=(sheet.name, *keys), about=sheet.key)
    return Contents("json", tuple(chunks), (_entity(sheet, _fields(value), lines.count),))


def read_json_lines(sheet: Sheet, text: str) -> Contents:
    """The contents of a file with one JSON value a line; lines that are none are kept as they are, with a note."""
    blocks: list[Block] = []
    fields: tuple[str, ...] = ()
    number = damaged = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            damaged += 1
            blocks.append(Block(line, number, number))
            continue
        fields = fields or _fields(value)
        blocks.append(Block(told(Part((), value, 0, 0), ()), number, number, whole=True))
    if damaged and damaged == len(blocks):
        return Contents("jsonl", skipped="damaged JSON lines")
    notes = (f"{sheet.path}: {damaged} of {len(blocks)} lines are not JSON",) if damaged else ()
    chunks = tuple(pack(blocks, size=sheet.size, heading=(sheet.name,), about=sheet.key))
    return Contents("jsonl", chunks, (_entity(sheet, fields, number),), notes=notes)


def read_csv(sheet: Sheet, text: str) -> Contents:
    """The contents of a table: each row as its cells with the names of the columns."""
    csv.field_size_limit(WIDEST_CELL)
    first = text.split("\n", 1)[0]
    delimiter = DELIMITERS.get(sheet.path[sheet.path.rfind(".") :].lower(), ",")
    if delimiter not in first:
        delimiter = max(OTHER_DELIMITERS, key=first.count) if any(each in first for each in OTHER_DELIMITERS) else ","
    rows = csv.reader(StringIO(text), delimiter=delimiter)
    try:
        columns = tuple(name.strip() or f"column {place}" for place, name in enumerate(next(rows, []), 1))
        blocks = list(_rows(rows, columns))
    except csv.Error as error:
        return Contents("csv", skipped=f"damaged CSV: {error}")
    head = Block(f"columns: {', '.join(columns)}", 1, 1)
    blocks = [head, *blocks] if columns else blocks
    chunks = tuple(pack(blocks, size=sheet.size, heading=(sheet.name,), about=sheet.key))
    return Contents("csv", chunks, (_entity(sheet, columns, text.count("\n") + 1),))


def told(part: Part, above: tuple[str, ...]) -> str:
    """A value in words: its fields, a line each; below that, as JSON.

    >>> told(Part(("a",), {"name": "Ana", "tags": ["x"]}, 0, 0), ())
    'a\\nname: Ana\\ntags: ["x"]'
    """
    label = ".".join(key for key in part.keys[len(above) :] if not key.isdigit())
    if isinstance(part.value, dict):
        body = "\n".join(f"{name}: {_cell(value)}" for name, value in part.value.items())
        return f"{label}\n{body}" if label else body
    return f"{label}: {_cell(part.value)}" if label else _cell(part.value)


def parts_of(text: str, part: Part) -> Iterator[Part]:
    """The members of an object or the items of a list, with their places in the text."""
    at = part.start + 1
    number = 0
    while True:
        at = BLANK.match(text, at).end()  # type: ignore[union-attr]
        if text[at] in "]}":
            return
        key = str(number)
        if isinstance(part.value, dict):
            key, at = DECODER.raw_decode(text, at)
            at = BLANK.match(text, at).end()  # type: ignore[union-attr]
        value, end = DECODER.raw_decode(text, at)
        yield Part((*part.keys, key), value, at, end)
        at, number = end, number + 1


def sound(text: str) -> str:
    """The text without half characters and zero bytes, which JSON can spell and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def _small_parts(text: str, part: Part, *, size: int) -> Iterator[Part]:
    """The parts that fit a chunk; what is longer is taken apart, unless it has no parts. Lists give their items."""
    nested = isinstance(part.value, dict | list) and bool(part.value)
    is_long = part.end - part.start > size or not part.keys or _is_table(part.value)
    if nested and is_long and len(part.keys) < DEEPEST:
        for each in parts_of(text, part):
            yield from _small_parts(text, each, size=size)
    elif not nested or part.value:
        yield part


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(isinstance(each, dict) for each in value)


def _is_item(part: Part) -> bool:
    return bool(part.keys) and part.keys[-1].isdigit()


def _rows(rows: Any, columns: tuple[str, ...]) -> Iterator[Block]:
    before = rows.line_num
    for row in rows:
        cells = [
            f"{columns[place] if place < len(columns) else f'column {place + 1}'}: {cell.strip()}"
            for place, cell in enumerate(row)
            if cell.strip()
        ]
        if cells:
            yield Block("; ".join(cells), before + 1, rows.line_num, whole=True)
        before = rows.line_num


def _cell(value: Any) -> str:
    return sound(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _fields(value: Any) -> tuple[str, ...]:
    first = value[0] if isinstance(value, list) and value else value
    return tuple(map(sound, first)) if isinstance(first, dict) else ()


def _entity(sheet: Sheet, fields: Iterable[str], lines: int) -> Named:
    detail = ", ".join(list(fields)[:FIELDS_SHOWN])
    return Named(sheet.key, sheet.name, "data", 1, lines, detail, (sheet.path, sheet.stem))


class _Lines:
    """Which line a place in a text is on."""

    def __init__(self, text: str) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", text)]
        self.count = len(self._breaks) + 1

    def at(self, place: int) -> int:
        return bisect_right(self._breaks, place - 1) + 1
