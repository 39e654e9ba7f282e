"""What is kept of triples, and of what is left after some memories are gone. Pure functions, the same for every
implementation; what is kept of a file is worked out by `knowledge.kept_of`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from recollect.errors import InvalidInput
from recollect.graph.keys import BETWEEN, NAME_KIND, name_of_triple
from recollect.knowledge import Fact, FileMark, Kept, Named, Triple

NO_MARK = FileMark("", 0, 0)


def latest_of(files: Sequence[Kept]) -> list[Kept]:
    """These files; of two with the same place, the last. Refuses a project whose name would tear ids apart."""
    for file in files:
        if not file.project or BETWEEN in file.project:
            message = f"a project is called something, without {BETWEEN!r}: {file.project!r}"
            raise InvalidInput(message, field="project")
    return list({(file.project, file.path): file for file in files}.values())


def kept_of_triples(collection: str, triples: Sequence[Triple]) -> Kept:
    """What is kept of a collection of triples: a name is written as it was the first time."""
    names: dict[str, str] = {}
    facts: dict[tuple[str, str, str, str], Fact] = {}
    for triple in triples:
        ends = []
        for name in (triple.subject, triple.object):
            ends.append(name_of_triple(name))
            names.setdefault(ends[-1], name.strip())
        subject, object = ends
        fact = (subject, triple.relation, object, 0, triple.sentence, triple.weight, triple.memory)
        facts.setdefault((subject, triple.relation, object, triple.memory), fact)
    entities = tuple(Named(key, name, NAME_KIND) for key, name in names.items())
    return Kept("", collection, NO_MARK, entities=entities, facts=tuple(facts.values()))


def without(file: Kept, memories: Collection[str]) -> Kept | None:
    """The same without what was read out of these memories; None where nothing of it may stay."""
    if any(id in memories for id in file.chunk_ids):
        return None
    facts = tuple(each for each in file.facts if each[-1] not in memories)
    if len(facts) == len(file.facts):
        return file
    named = {key for subject, _, object, *_ in facts for key in (subject, object)}
    entities = tuple(each for each in file.entities if each.key in named)
    return file._replace(facts=facts, entities=entities) if facts else None
