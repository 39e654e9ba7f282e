"""A folder per space: nothing is shared between two spaces, and forgetting one is one deletion."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

from recollect.errors import InvalidInput

LONGEST_NAME = 200
NAME_FILE = "space.json"
DATABASE_FILE = "memories.db"


def check_name(space: str) -> str:
    """The name, if a space may be called that."""
    if not isinstance(space, str) or not space.strip() or len(space) > LONGEST_NAME or not space.isprintable():
        raise InvalidInput(
            f"space name {space!r} cannot be used; give 1 to {LONGEST_NAME} printable characters",
            field="space",
        )
    return space


def folder_of(root: Path, space: str) -> Path:
    """Where a space lives: readable, and different for names that differ only in case or odd characters.

    >>> folder_of(Path("/r"), "Team A").name
    'team-a-e18d322f14c80cf0'
    """
    readable = re.sub(r"[^a-z0-9]+", "-", check_name(space).lower()).strip("-")[:40]
    digest = hashlib.sha256(space.encode()).hexdigest()[:16]
    return root / "spaces" / f"{readable}-{digest}"


def create(root: Path, space: str) -> Path:
    """The space's folder, made if it is not there."""
    folder = folder_of(root, space)
    if not (folder / NAME_FILE).exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = folder / f".{NAME_FILE}.{os.getpid()}"
        temporary.write_text(json.dumps({"space": space}), encoding="utf-8")
        os.replace(temporary, folder / NAME_FILE)
    return folder


def exists(root: Path, space: str) -> bool:
    """Whether anything was ever stored in the space."""
    return (folder_of(root, space) / DATABASE_FILE).exists()


def names(root: Path) -> list[str]:
    """All spaces, sorted."""
    found = []
    for path in root.glob(f"spaces/*/{NAME_FILE}"):
        try:
            found.append(str(json.loads(path.read_text(encoding="utf-8"))["space"]))
        except (OSError, ValueError, KeyError):
            continue  # being made or dropped right now
    return sorted(found)


def drop(root: Path, space: str) -> bool:
    """Delete a space whole. It is out of reach at once, then erased."""
    folder = folder_of(root, space)
    doomed = root / f"dropped-{folder.name}-{os.getpid()}"
    try:
        os.replace(folder, doomed)
    except FileNotFoundError:
        return False
    shutil.rmtree(doomed)
    return True


def size(folder: Path) -> int:
    """Bytes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
