"""A folder per space: nothing is shared between two spaces, and forgetting one is one deletion."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from pathlib import Path

from recollect.errors import StoreError
from recollect.records import check_space

NAME_FILE = "space.json"
IGNORE_FILE = ".gitignore"
DATABASE_FILE = "memories.db"
DROPPED = "dropped-"


def folder_of(root: Path, space: str) -> Path:
    """Where a space lives: readable, and different for names that differ only in case or odd characters.

    >>> folder_of(Path("/r"), "Team A").name
    'team-a-e18d322f14c80cf0'
    """
    readable = re.sub(r"[^a-z0-9]+", "-", check_space(space).lower()).strip("-")[:40]
    digest = hashlib.sha256(space.encode()).hexdigest()[:16]
    return root / "spaces" / f"{readable}-{digest}"


def create(root: Path, space: str) -> Path:
    """The space's folder, made if it is not there."""
    folder = folder_of(root, space)
    if not (folder / NAME_FILE).exists():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / IGNORE_FILE).write_text("*\n")  # a store inside a project is not committed, nor read in with it
            temporary = folder / f".{NAME_FILE}.{secrets.token_hex(4)}"
            temporary.write_text(json.dumps({"space": space}), encoding="utf-8")
            os.replace(temporary, folder / NAME_FILE)
        except OSError as error:
            raise StoreError(
                f"space folder {str(folder)!r} cannot be made: {error.strerror}; free disk space or check permissions"
            ) from error
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
        except (OSError, ValueError, KeyError, TypeError):
            continue  # being made or dropped right now
    return sorted(found)


def drop(root: Path, space: str) -> bool:
    """Delete a space whole. It is out of reach at once, then erased."""
    folder = folder_of(root, space)
    doomed = root / f"{DROPPED}{folder.name}-{secrets.token_hex(4)}"
    try:
        os.replace(folder, doomed)
    except FileNotFoundError:
        return False
    sweep(root)
    if doomed.exists():
        raise StoreError(f"space {space!r} is dropped, but its folder {str(doomed)!r} cannot be erased; erase it")
    return True


def sweep(root: Path) -> None:
    """Erase what was dropped, also by a process that died over it."""
    for doomed in root.glob(f"{DROPPED}*"):
        shutil.rmtree(doomed, ignore_errors=True)


def size(folder: Path) -> int:
    """Bytes on disk."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
