"""The graph of a labelled set: what its documents state, as the set says or as we read them ourselves.

Takes the memories of a space and which of the two; gives triples with the memory that says each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from recollect.errors import InvalidInput
from recollect.evals.layout import LabelledSet
from recollect.ingest.statements import triples_in
from recollect.knowledge import Triple
from recollect.records import Memory, name_key

MENTIONED = 0.3  # weight of an entity that a document only names
COLLECTION = "set"


class Triples(StrEnum):
    """Whose statements a set is loaded with."""

    OWN = "own"
    GIVEN = "given"


def check_triples(given: LabelledSet, which: Triples | None) -> None:
    """Refuse a set without triples where its own are wanted."""
    if which is Triples.GIVEN and not given.triples:
        raise InvalidInput(f"{given.name!r} has no triples; take --triples own", field="triples")


def triples_of_set(
    given: LabelledSet, which: Triples, memories: Sequence[Memory], documents: Mapping[str, str]
) -> Iterator[Triple]:
    """What these memories state; `documents` are their own ids by memory."""
    if which is Triples.OWN:
        yield from triples_in(memories)
        return
    for memory in memories:
        for triple in given.triples.get(documents[memory.id], ()):
            if not triple.subject and memory.title:  # the document names it
                triple = triple._replace(subject=memory.title, weight=MENTIONED)
            yield from _with_shorter(triple._replace(memory=memory.id))


def _with_shorter(triple: Triple) -> Iterator[Triple]:
    """The triple, and the same of what stands before a comma: who is from "Faro, Maine" is from "Faro".

    >>> [each.object for each in _with_shorter(Triple("Ana", "is from", "Faro, Maine"))]
    ['Faro, Maine', 'Faro']
    """
    for subject in dict.fromkeys((triple.subject, triple.subject.partition(",")[0])):
        for object in dict.fromkeys((triple.object, triple.object.partition(",")[0])):
            if name_key(subject) and name_key(object):
                yield triple._replace(subject=subject, object=object)
