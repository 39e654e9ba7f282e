"""What is read in files and known of named things: what a reader gives, and what the graph keeps of it.

A key names a thing within its own sort of names: `py:pkg.module.Class.method`, `ts:src/user#UserService.load`,
`go:module/path/pkg.Func`, `java:com.acme.Order`, `rs:crate::module::Thing`, `sql:customers.id`, `http:GET /orders`,
`service:billing`, `file:docs/guide.md`, and, for a thing that is only called something, `name:` and its `name_key`.
A reader writes keys as far as one file shows; what they mean across files and projects is settled by the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

PROSE = frozenset({"markdown", "text", "rst", "html", "pdf", "chat"})  # languages whose texts are somebody's words
CHUNK = "chunk"  # the kind of memory a piece of a file becomes


class Relation(StrEnum):
    """The relations readers use. The set is open: a triple may bring any other text."""

    DEFINES = "defines"  # a module or file, and what stands at its top
    CONTAINS = "contains"  # a class and its methods, a table and its columns, a document and its sections
    IMPORTS = "imports"
    CALLS = "calls"
    INHERITS = "inherits"
    USES = "uses"  # names it without calling it: an annotation, a base of an attribute, a table in a query
    REFERENCES = "references"  # a foreign key, a link between documents
    MENTIONS = "mentions"  # prose that names it
    RELATED = "related_to"  # named together


PLAIN: dict[str, str] = {each: each.value for each in Relation}  # relations as nothing but text


class Chunk(NamedTuple):
    """A piece of a file: its text, first and last line (from 1), the headings it stands under, outermost first.

    `about` is the key of the entity whose text it is. A message of a conversation has an author and a moment.
    """

    text: str
    start: int
    end: int
    heading: tuple[str, ...] = ()
    about: str = ""
    author: str | None = None
    at: datetime | None = None
    kind: str = CHUNK


class Named(NamedTuple):
    """An entity as one file defines it. `detail` is its signature, the type of a column, or its first sentence."""

    key: str
    name: str
    kind: str
    line: int = 0
    end: int = 0
    detail: str = ""
    aliases: tuple[str, ...] = ()


class Said(NamedTuple):
    """A statement as one file makes it, between two keys, with the line and, in prose, the sentence that says it."""

    subject: str
    relation: str
    object: str
    line: int = 0
    sentence: str = ""
    weight: float = 1.0


class Alias(NamedTuple):
    """In this file's project, `key` means what `target` means; where both end in `*`, so does every name below."""

    key: str
    target: str


class FileMark(NamedTuple):
    """How a file was when read: with equal size and time it is not read again, with an equal digest not kept again."""

    digest: str
    size: int
    mtime_ns: int


class Reading(NamedTuple):
    """All that one file gives. `path` is relative to the project's folder, with forward slashes.

    A file that was left out has `skipped`, the reason, and nothing else; `notes` are what had to be done without.
    """

    project: str
    path: str
    mark: FileMark
    language: str = ""
    chunks: tuple[Chunk, ...] = ()
    entities: tuple[Named, ...] = ()
    statements: tuple[Said, ...] = ()
    aliases: tuple[Alias, ...] = ()
    skipped: str = ""
    notes: tuple[str, ...] = ()


# A statement as it is kept: subject, relation, object, line, sentence, weight, and the memory that holds it. Plain
# tuples: a project has hundreds of thousands of them, and they go from process to process.
Fact = tuple[str, str, str, int, str, float, str]


class Kept(NamedTuple):
    """What the graph keeps of one file, or of one collection of triples; of a file that was left out, only its mark."""

    project: str
    path: str
    mark: FileMark
    language: str = ""
    skipped: str = ""
    chunk_ids: tuple[str, ...] = ()
    entities: tuple[Named, ...] = ()
    facts: tuple[Fact, ...] = ()
    aliases: tuple[Alias, ...] = ()


def kept_of(reading: Reading, chunk_ids: Sequence[str] = ()) -> Kept:
    """What is kept of a reading whose chunks are stored under these ids: each fact once a line."""
    empty = Kept(reading.project, reading.path, reading.mark, reading.language, reading.skipped)
    if reading.skipped:
        return empty
    by_line, by_key = _holders(reading.chunks, chunk_ids)
    facts: dict[tuple[str, str, str, int], Fact] = {}
    for subject, relation, object, line, sentence, weight in reading.statements:
        fact = (subject, relation, object, line)
        if fact not in facts:
            holder = by_line.get(line) or by_key.get(subject, "")
            facts[fact] = (subject, PLAIN.get(relation, relation), object, line, sentence, weight, holder)
    return empty._replace(
        chunk_ids=tuple(chunk_ids),
        entities=tuple(dict.fromkeys(reading.entities)),
        facts=tuple(facts.values()),
        aliases=tuple(dict.fromkeys(reading.aliases)),
    )


def _holders(chunks: Sequence[Chunk], ids: Sequence[str]) -> tuple[dict[int, str], dict[str, str]]:
    """Which chunk a line stands in, the one that begins last among those that reach it; and the first about a key."""
    by_line: dict[int, str] = {}
    backwards = list(zip(chunks, ids, strict=False))[::-1]
    by_key = {chunk.about: id for chunk, id in backwards}
    for chunk, id in sorted(backwards, key=lambda each: each[0].start):
        by_line.update(dict.fromkeys(range(chunk.start, chunk.end + 1), id))
    return by_line, by_key


# --- what the graph gives back ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Node:
    """A named thing, settled: the same id for every name that means it.

    `project` is the one that defines it, empty for a thing nobody here defines (a library that was not read, a name in
    prose). `places` are where it is defined, as (path, line).
    """

    id: str
    key: str
    name: str
    kind: str
    project: str = ""
    detail: str = ""
    aliases: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact with one place that says it: project, path and line of a file, the sentence, the memory that holds it.

    `subject` and `object` are ids of nodes. One fact said in several places is several statements.
    """

    subject: str
    relation: str
    object: str
    weight: float = 1.0
    project: str = ""
    path: str = ""
    line: int = 0
    sentence: str = ""
    memory: str = ""


class Connection(NamedTuple):
    """Nodes from one end to the other, the statement between each two, and what it costs."""

    nodes: tuple[str, ...]
    statements: tuple[Statement, ...]
    cost: float


class Way(StrEnum):
    """In which direction statements are followed from a node."""

    OUT = "out"  # it is the subject
    IN = "in"  # it is the object
    BOTH = "both"


class RelationUse(NamedTuple):
    """A relation, how many facts use it, and of which kinds its ends mostly are."""

    relation: str
    facts: int
    subject_kind: str = ""
    object_kind: str = ""


class ProjectRead(NamedTuple):
    """What is kept of one project."""

    project: str
    files: int
    chunks: int
    entities: int
    statements: int


@dataclass(frozen=True, slots=True)
class Ingested:
    """What reading a project in did. `skipped` are files that were left out, each with the reason; what git ignores is
    not among them. Counts of chunks, entities and statements are those of the files read now.
    """

    project: str
    read: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: tuple[tuple[str, str], ...] = ()
    chunks: int = 0
    entities: int = 0
    statements: int = 0
    embedded: int = 0
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class Triple(NamedTuple):
    """A statement given by hand or in a file of triples: names, not keys; `memory` is the id of what says it."""

    subject: str
    relation: str
    object: str
    sentence: str = ""
    memory: str = ""
    weight: float = 1.0
