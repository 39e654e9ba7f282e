"""Where a piece of evidence is from, as a reader can find it again: `[memory:id]`, `[vector:project/file:lines]` …"""

from __future__ import annotations

from recollect.knowledge import CHUNK
from recollect.records import Memory
from recollect.values import Evidence

PIECES = "vector"  # the source of pieces of files


def citation(piece: Evidence) -> str:
    """Where a piece is from, by the source that found it best."""
    source = source_of(piece)
    return bracketed(f"{source}:{_place(source, piece.memory) or piece.memory.id}")


def source_of(piece: Evidence) -> str:
    """Whose heading it stands under. A piece of a file is one whoever pointed at it."""
    if piece.memory.kind == CHUNK and piece.memory.source_uri:
        return PIECES
    return piece.sources[0] if piece.sources else "memory"


def bracketed(place: str) -> str:
    """On one line, and with no bracket inside that would end it early.

    >>> bracketed("local:a [draft].md")
    '[local:a (draft).md]'
    """
    return "[" + " ".join(place.split()).replace("[", "(").replace("]", ")") + "]"


def _place(source: str, memory: Memory) -> str | None:
    uri, position = memory.source_uri, memory.source_position
    match source:
        case "local":
            return f"{uri}#{position}" if uri and position else uri
        case "graph":
            return memory.title
        case "vector":
            place = f"{uri}:{position}" if uri and position else uri
            return f"{memory.project}/{place}" if memory.project and place else place
        case _:
            return memory.id.removeprefix(f"{source}:")  # what an own source brings carries its name already
