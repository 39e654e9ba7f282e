"""Chunks of a file as memories: their ids, titles and positions, and what to write where a file was read before.

The id of a chunk follows from project, path and text alone, so that reading a file again stores nothing twice, and a
chunk that only moved keeps its vector.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recollect.ids import ALPHABET
from recollect.knowledge import CHUNK, Chunk, Kept, Reading, Triple, kept_of
from recollect.rank.identity import content_hash
from recollect.records import EraseMemory, Memory, PutMemory, Write, utc

TRUST = "file"
MESSAGE = "message"
CHUNK_KINDS = frozenset({CHUNK, MESSAGE})
LONGEST_TITLE = 500
BETWEEN = " > "
PAIRS = [first + second for first in ALPHABET for second in ALPHABET]  # two letters of five bits, as in other ids
SHIFTS = range(120, -1, -10)


class Prepared(NamedTuple):
    """What is kept of a file, and its chunks with their hashes; `triples` where it is a file of those."""

    kept: Kept
    chunks: tuple[Chunk, ...] = ()
    hashes: tuple[str, ...] = ()
    triples: tuple[Triple, ...] | None = None
    notes: tuple[str, ...] = ()


def prepared(reading: Reading) -> Prepared:
    """The reading with ids and hashes of its chunks."""
    hashes = tuple(content_hash(title_of(chunk), chunk.text) for chunk in reading.chunks)
    seen: Counter[str] = Counter()
    ids = []
    for chunk, hashed in zip(reading.chunks, hashes, strict=True):
        marked = hashed if chunk.kind == CHUNK else f"{hashed} {chunk.author} {chunk.at}"
        ids.append(derived_id(reading.project, reading.path, marked, str(seen[marked])))
        seen[marked] += 1
    return Prepared(kept_of(reading, tuple(ids)), reading.chunks, hashes, notes=reading.notes)


def derived_id(*parts: str) -> str:
    """An id that follows from its parts.

    >>> derived_id("a", "b") == derived_id("a", "b") != derived_id("ab")
    True
    """
    text = "\0".join(parts)
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=17).digest()
    number = int.from_bytes(digest) >> 6  # 130 bits, five for each letter
    return "".join([PAIRS[number >> shift & 1_023] for shift in SHIFTS])


def title_of(chunk: Chunk) -> str:
    """The heading path as one line.

    >>> title_of(Chunk("x", 1, 1, ("Guide", "Setup")))
    'Guide > Setup'
    """
    return BETWEEN.join(chunk.heading)[:LONGEST_TITLE]


def position_of(chunk: Chunk, language: str) -> str:
    """Where in its file a chunk stands: lines, or a page."""
    return f"page {chunk.start}" if language == "pdf" else f"{chunk.start}-{chunk.end}"


def memories_of(file: Prepared, *, space: str, now: datetime) -> list[Memory]:
    """The memories the chunks of a file become."""
    kept = file.kept
    return [
        Memory(
            id=id,
            space=space,
            kind=chunk.kind,
            title=title_of(chunk),
            body=chunk.text,
            created_at=now,
            updated_at=now,
            content_hash=hashed,
            event_time=utc(chunk.at) if chunk.at else None,
            project=kept.project,
            source_uri=kept.path,
            source_position=position_of(chunk, kept.language),
            author=chunk.author,
            trust=TRUST,
            metadata={"language": kept.language} | ({"about": chunk.about} if chunk.about else {}),
        )
        for chunk, id, hashed in zip(file.chunks, kept.chunk_ids, file.hashes, strict=True)
    ]


def writes_of(wanted: list[Memory], stored: Mapping[str, Memory], former: Collection[str]) -> list[Write]:
    """What brings the stored chunks of some files to what is wanted: new ones, moved ones, and those that are gone.

    What is there already stays as it is, with its vector and what use has taught about it.
    """
    writes: list[Write] = []
    for memory in wanted:
        old = stored.get(memory.id)
        if old is None:
            writes.append(PutMemory(memory))
        elif old.source_position != memory.source_position:
            moved = replace(old, source_position=memory.source_position, updated_at=memory.updated_at)
            writes.append(PutMemory(moved))
    kept = {memory.id for memory in wanted}
    writes += [EraseMemory(id) for id in former if id not in kept and id in stored]
    return writes
