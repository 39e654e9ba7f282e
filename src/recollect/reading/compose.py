"""Compose files: the services of a project, the images they run, and which of them need which.

Goes by indentation, without a parser for YAML: the few things that are asked stand at fixed places, and anchors,
templates and broken lines elsewhere in the file do no harm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.knowledge import Named, Relation, Said
from recollect.reading.noting import Notes, lines_in
from recollect.reading.outline import CodeReading, Layout, clean

_KEY = re.compile(r"""^(?P<key>"[^"]*"|'[^']*'|[^\s:#'"{}\[\],&*]+)\s*:(?:\s+(?P<value>.*))?$""")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
NEEDS = ("depends_on", "links")


class Line(NamedTuple):
    """A line that says something: its number, how far it is indented, its text without a comment."""

    number: int
    indent: int
    text: str


def read_compose(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a compose file gives."""
    text = clean(source)
    lines = list(_lines(text))
    notes = Notes(path, f"file:{path}")
    notes.define(Named(notes.module, path.rpartition("/")[2], "file", 1, lines_in(text)))
    for key, _, inner in _blocks(lines):
        if key == "services":
            for name, head, body in _blocks(inner):
                _service(notes, name, head, body)
    return notes.reading(text, layout)


def _lines(text: str) -> Iterator[Line]:
    for number, raw in enumerate(text.split("\n"), 1):
        shown = re.sub(r"(^|\s)#.*$", "", raw).rstrip()
        if shown.strip() and not shown.startswith("---"):
            yield Line(number, len(shown) - len(shown.lstrip(" ")), shown.strip())


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[str, Line, Sequence[Line]]]:
    """The keys of one level, each with its own line and the lines under it."""
    if not lines:
        return
    indent = lines[0].indent
    starts = [at for at, line in enumerate(lines) if line.indent <= indent and not line.text.startswith("- ")]
    for at, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = _KEY.match(lines[at].text)
        if match is not None and lines[at].indent == indent:
            yield match["key"].strip("'\""), lines[at], lines[at + 1 : end]


def _service(notes: Notes, name: str, head: Line, body: Sequence[Line]) -> None:
    if not _NAME.fullmatch(name) or name.startswith("x-"):
        return
    key = f"service:{name.lower()}"
    parts = list(_blocks(body))
    image = next((_value(line) for part, line, _ in parts if part == "image"), "")
    entity = Named(key, name, "service", head.number, body[-1].number if body else head.number, image)
    notes.define(entity, relation=Relation.DEFINES)
    notes.lay(entity)
    for part, line, inner in parts:
        if part == "image" and image and "$" not in image:
            notes.statements.setdefault(Said(key, Relation.USES, f"image:{_without_tag(image)}", line.number))
        elif part in NEEDS:
            for needed, number in _needed(line, inner):
                other = needed.partition(":")[0].lower()
                notes.statements.setdefault(Said(key, Relation.USES, f"service:{other}", number))


def _value(line: Line) -> str:
    return line.text.partition(":")[2].strip().strip("'\"")


def _without_tag(image: str) -> str:
    """An image without version and digest.

    >>> _without_tag("registry:5000/acme/pay:1.2"), _without_tag("postgres@sha256:ab")
    ('registry:5000/acme/pay', 'postgres')
    """
    head, slash, last = image.partition("@")[0].rpartition("/")
    return head + slash + last.partition(":")[0]


def _needed(line: Line, inner: Sequence[Line]) -> Iterator[tuple[str, int]]:
    """The names of a list on one line, of a list below it, or of keys below it."""
    given = _value(line)
    if given.startswith("["):
        names = [name.strip(" '\"") for name in given.strip("[]").split(",")]
        yield from ((name, line.number) for name in names if _NAME.fullmatch(name.partition(":")[0]))
        return
    for each in inner:
        if each.text.startswith("- "):
            yield each.text[2:].strip(" '\""), each.number
    for key, head, _ in _blocks([each for each in inner if not each.text.startswith("- ")]):
        yield key, head.number
