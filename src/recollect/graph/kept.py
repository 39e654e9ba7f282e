"""What is kept of one file, worked out from its reading: the same for every implementation. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.graph.keys import BETWEEN, NAME_KIND, name_of_triple
from recollect.knowledge import Alias, Chunk, FileMark, Kept, Named, Triple

NO_MARK = FileMark("", 0, 0)


class Told(NamedTuple):
    """A statement of a file with the memory that holds it."""

    subject: str
    relation: str
    object: str
    line: int
    sentence: str
    weight: float
    memory: str


class FileFacts(NamedTuple):
    """One file, or one collection of triples, as it is kept."""

    project: str
    path: str
    mark: FileMark
    language: str
    skipped: str
    chunk_ids: tuple[str, ...]
    entities: tuple[Named, ...]
    told: tuple[Told, ...]
    aliases: tuple[Alias, ...]


def facts_of(kept: Kept) -> FileFacts:
    """What is kept of a reading: each fact once a line; of a file that was left out, only the mark."""
    reading = kept.reading
    if not reading.project or BETWEEN in reading.project:
        raise InvalidInput(f"a project is called something, without {BETWEEN!r}: {reading.project!r}", field="project")
    empty = FileFacts(reading.project, reading.path, reading.mark, reading.language, reading.skipped, (), (), (), ())
    if reading.skipped:
        return empty
    by_line, by_key = _holders(reading.chunks, kept.chunk_ids)
    told: dict[tuple[str, str, str, int], Told] = {}
    for subject, relation, object, line, sentence, weight in reading.statements:
        fact = (subject, relation, object, line)
        if fact not in told:
            told[fact] = Told(*fact, sentence, weight, by_line.get(line) or by_key.get(subject, ""))
    return empty._replace(
        chunk_ids=kept.chunk_ids,
        entities=tuple(dict.fromkeys(reading.entities)),
        told=tuple(told.values()),
        aliases=tuple(dict.fromkeys(reading.aliases)),
    )


def facts_of_triples(collection: str, triples: Sequence[Triple]) -> FileFacts:
    """What is kept of a collection of triples: a name is written as it was the first time."""
    names: dict[str, str] = {}
    told: dict[tuple[str, str, str, str], Told] = {}
    for triple in triples:
        ends = []
        for name in (triple.subject, triple.object):
            ends.append(name_of_triple(name))
            names.setdefault(ends[-1], name.strip())
        subject, object = ends
        fact = Told(subject, triple.relation, object, 0, triple.sentence, triple.weight, triple.memory)
        told.setdefault((subject, triple.relation, object, triple.memory), fact)
    entities = tuple(Named(key, name, NAME_KIND) for key, name in names.items())
    return FileFacts("", collection, NO_MARK, "", "", (), entities, tuple(told.values()), ())


def without(file: FileFacts, memories: Collection[str]) -> FileFacts | None:
    """The same without what was read out of these memories; None where nothing of it may stay."""
    if any(id in memories for id in file.chunk_ids):
        return None
    told = tuple(each for each in file.told if each.memory not in memories)
    if len(told) == len(file.told):
        return file
    named = {key for each in told for key in (each.subject, each.object)}
    return (
        file._replace(told=told, entities=tuple(each for each in file.entities if each.key in named)) if told else None
    )


def _holders(chunks: Sequence[Chunk], ids: Sequence[str]) -> tuple[dict[int, str], dict[str, str]]:
    """Which chunk a line stands in, the one that begins last among those that reach it; and the first about a key."""
    by_line: dict[int, str] = {}
    backwards = list(zip(chunks, ids, strict=False))[::-1]
    by_key = {chunk.about: id for chunk, id in backwards}
    for chunk, id in sorted(backwards, key=lambda each: each[0].start):
        by_line.update(dict.fromkeys(range(chunk.start, chunk.end + 1), id))
    return by_line, by_key
