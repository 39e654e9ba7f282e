"""The groups of settings for projects: reading files in, the files of the project at hand, and the graph.

Each field carries what it does, where its number came from, and the bounds outside which it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from recollect.setting_groups import setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSettings:
    """What is read of a project's files, and how it is cut."""

    max_file_bytes: int = setting(
        2_000_000,
        "a larger file is skipped, and reported",
        origin="hand-set: larger text files are nearly always data or generated",
        low=1,
        high=1_000_000_000,
    )
    chunk_characters: int = setting(
        1_500,
        "a piece of a file is about this long",
        origin="MiniLM reads 256 tokens, about 1,000 characters of prose; a function should stay whole",
        low=100,
        high=100_000,
    )
    watch_seconds: float = setting(
        1.0,
        "how often a watched folder is looked at; a change is read once it has been quiet for as long",
        origin="hand-set: an editor saves several files within a second",
        low=0.01,
        high=3_600,
    )
    workers: int = setting(
        0,
        "processes that read files; 0 is one for each core",
        origin="reading is bound by the processor",
        low=0,
        high=64,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSettings:
    """The project at hand, whose instruction files and docs the local source reads."""

    root: Path | None = setting(None, "folder of the project at hand; without one there is no local source")
    max_files: int = setting(
        1_000, "files read, at most; the others are left out, and noted", origin="hand-set", low=1, high=100_000
    )
    max_folders: int = setting(
        2_000,
        "folders looked into at each lookup, at most, the outer ones first",
        origin="about 10 ms at each lookup, on two cores",
        low=1,
        high=1_000_000,
    )
    max_depth: int = setting(8, "folders below the root, at most", origin="hand-set", low=0, high=100)
    embed_seconds: float = setting(
        0.1,
        "how long a lookup waits for sections to be embedded; those that are not are found by words",
        origin="hand-set: a lookup is not to be held up by it",
        low=0,
        high=60,
    )
    warm_seconds: float = setting(
        2.0, "how long warming up embeds sections, before the first lookup", origin="hand-set", low=0, high=600
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """How far the graph is followed."""

    max_hops: int = setting(
        4, "statements followed from one entity to another, at most", origin="hand-set", low=1, high=12
    )
    paths: int = setting(3, "best paths shown between two entities", origin="hand-set", low=1, high=50)
