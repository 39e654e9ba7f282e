"""Where the files of a project lie: its folders, and what the paths of each begin with.

The first ingest of a project decides its folder, and paths are relative to that. A path within it means that part of
the project; one outside becomes a further folder, whose paths begin with its name. This, and whether an ingest was cut
off, is kept in a memory of the project's own, archived, so that no search meets it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.ingest.chunks import TRUST, derived_id
from recollect.rank.identity import content_hash
from recollect.records import Lifecycle, Memory

PROJECT = "project"
LONGEST_PROJECT = 200


class Start(NamedTuple):
    """A folder of the project, what its paths begin with, and the path below it to look at; empty for all."""

    root: str
    prefix: str
    below: str


def check_project(project: str) -> str:
    """The name, if a project may be called that."""
    if (
        not isinstance(project, str)
        or not project.strip()
        or len(project) > LONGEST_PROJECT
        or not project.isprintable()
    ):
        raise InvalidInput(
            f"project name {project!r} cannot be used; give 1 to {LONGEST_PROJECT} printable characters",
            field="project",
        )
    return project


def place(paths: Sequence[str | os.PathLike[str]], known: Mapping[str, str]) -> tuple[dict[str, str], list[Start]]:
    """The folders of the project by prefix, and where to start in them for these paths."""
    given = [os.path.realpath(os.path.expanduser(path)) for path in paths]
    if not given:
        raise InvalidInput("name at least one file or folder to ingest", field="paths")
    for path, real in zip(paths, given, strict=True):
        if not os.path.exists(real):
            raise InvalidInput(f"{os.fspath(path)!r} is not there; name a file or folder", field="paths")
    roots = {prefix: root for prefix, root in known.items() if os.path.isdir(root)}
    if "" not in roots:
        roots[""] = os.path.commonpath([real if os.path.isdir(real) else os.path.dirname(real) for real in given])
    return roots, list(dict.fromkeys(_start(real, roots) for real in given))


def belongs(path: str, start: Start, roots: Iterable[str]) -> bool:
    """Whether a path of the project lies where this start looks; `roots` are the prefixes of all its folders.

    >>> [belongs(path, Start("/r", "", "src"), ["", "more/"]) for path in ("src/a.py", "srcs/b.py", "more/src/a.py")]
    [True, False, False]
    """
    owner = max((prefix for prefix in roots if path.startswith(prefix)), key=len)
    rest = path[len(start.prefix) :]
    return owner == start.prefix and (not start.below or rest == start.below or rest.startswith(f"{start.below}/"))


def project_id(project: str) -> str:
    """The id of the memory that is kept of a project."""
    return derived_id(PROJECT, project)


def roots_in(memory: Memory | None) -> dict[str, str]:
    """The folders that are kept of a project."""
    kept = memory.metadata.get("roots") if memory else None
    return {str(prefix): str(root) for prefix, root in kept.items()} if isinstance(kept, Mapping) else {}


def is_unfinished(memory: Memory | None) -> bool:
    """Whether the last ingest was cut off."""
    return memory is not None and memory.metadata.get("unfinished") is True


def project_memory(
    old: Memory | None, *, space: str, project: str, roots: Mapping[str, str], unfinished: bool, now: datetime
) -> Memory:
    """The memory kept of a project."""
    metadata = {"roots": dict(roots)} | ({"unfinished": True} if unfinished else {})
    if old is not None:
        return replace(old, metadata=metadata, updated_at=max(now, old.updated_at))
    body = f"The project {project} was read in from files."
    return Memory(
        id=project_id(project),
        space=space,
        kind=PROJECT,
        title=project,
        body=body,
        created_at=now,
        updated_at=now,
        content_hash=content_hash(project, body),
        lifecycle=Lifecycle.ARCHIVED,
        project=project,
        trust=TRUST,
        metadata=metadata,
    )


def _start(real: str, roots: dict[str, str]) -> Start:
    holding = [(prefix, root) for prefix, root in roots.items() if _is_within(real, root)]
    if not holding:
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        prefix = _free_prefix(os.path.basename(folder) or "root", roots)
        roots[prefix] = folder
        holding = [(prefix, folder)]
    prefix, root = max(holding, key=lambda each: len(each[1]))
    below = os.path.relpath(real, root)
    return Start(root, prefix, "" if below == "." else below.replace(os.sep, "/"))


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _free_prefix(name: str, roots: Mapping[str, str]) -> str:
    chosen, number = name, 1
    while f"{chosen}/" in roots or os.path.exists(os.path.join(roots[""], chosen)):
        number += 1
        chosen = f"{name}-{number}"
    return f"{chosen}/"
