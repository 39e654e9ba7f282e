"""API keys: made once and shown once, kept as hashes in `keys.db` in the store's folder.

A key reads `rcl_ID_SECRET`. The id finds it, the secret proves it: 256 random bits, so one round of SHA-256 is as hard
to undo as many. Once there has been a key, the service asks for one, even after the last was revoked.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from recollect.doors.http.access import EVERY_SPACE, Right
from recollect.errors import InvalidInput, NotFound, StoreError
from recollect.records import check_space

FILE = "keys.db"
PREFIX = "rcl"
ID_BYTES, SECRET_BYTES = 5, 32
LONGEST_LABEL = 100
BUSY_SECONDS = 10.0
HEADER_BYTES = 100  # of a database; SQLite counts every change in it, which the file's time need not show
TABLE = """
create table if not exists keys (
    id text primary key, label text not null, hash text not null, spaces text not null, rights text not null,
    created_at text not null, revoked_at text)
"""


@dataclass(frozen=True, slots=True)
class Key:
    """One key as it is kept: never the secret."""

    id: str
    label: str
    spaces: frozenset[str]
    rights: frozenset[Right]
    created_at: str
    revoked_at: str | None = None


class KeyRing:
    """The keys of one store. Reading looks at the file again only when it has changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder.expanduser() / FILE
        self._seen: tuple[int, bytes] | None = None
        self._kept: dict[str, tuple[Key, str]] = {}

    @property
    def required(self) -> bool:
        """Whether callers need a key: as soon as one was ever made."""
        return bool(self._all())

    def create(self, *, label: str, spaces: Sequence[str], rights: Sequence[str]) -> tuple[Key, str]:
        """A new key and its whole text, which cannot be had again."""
        key = Key(
            secrets.token_hex(ID_BYTES),
            _label(label),
            _spaces(spaces),
            _rights(rights),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )
        secret = secrets.token_urlsafe(SECRET_BYTES)
        row = (key.id, key.label, _digest(secret), json.dumps(sorted(key.spaces)), json.dumps(sorted(key.rights)))
        with self._writing() as database:
            database.execute("insert into keys values (?, ?, ?, ?, ?, ?, null)", (*row, key.created_at))
        return key, f"{PREFIX}_{key.id}_{secret}"

    def listed(self) -> list[Key]:
        """All keys, oldest first, revoked ones too."""
        return sorted((key for key, _ in self._all().values()), key=lambda key: (key.created_at, key.id))

    def revoke(self, id: str) -> Key:
        """Make a key worthless from now on."""
        if id not in self._all():
            known = ", ".join(key.id for key in self.listed()) or "none"
            raise NotFound(f"no key {id!r}; known: {known}")
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        with self._writing() as database:
            database.execute("update keys set revoked_at = coalesce(revoked_at, ?) where id = ?", (moment, id))
        return self._all()[id][0]

    def find(self, text: str) -> Key | None:
        """The key whose whole text this is, unless revoked. Takes as long for a wrong id as for a wrong secret."""
        prefix, _, rest = text.partition("_")
        id, _, secret = rest.partition("_")
        key, wanted = self._all().get(id, (None, _digest("")))
        proven = hmac.compare_digest(_digest(secret), wanted)
        return key if key and proven and prefix == PREFIX and key.revoked_at is None else None

    def _all(self) -> dict[str, tuple[Key, str]]:
        now = self._version()
        if now is None:
            self._kept = {}
        elif now != self._seen:
            with self._reading() as database:
                rows = database.execute("select * from keys").fetchall()
            self._kept = {row[0]: (_key(row), row[2]) for row in rows}
        self._seen = now
        return self._kept

    def _version(self) -> tuple[int, bytes] | None:
        """Another one after every change; None where no key was ever made."""
        if not self._path.exists():
            return None
        with self._guarded(), self._path.open("rb") as file:
            return os.fstat(file.fileno()).st_ino, file.read(HEADER_BYTES)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._guarded():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.touch(mode=0o600)
            with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS)) as database, database:
                database.execute(TABLE)
                yield database

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._guarded(), closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS)) as database:
            database.execute(TABLE)
            yield database

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"the keys in {str(self._path)!r} cannot be used: {error}; check the file") from error


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _key(row: tuple[str, str, str, str, str, str, str | None]) -> Key:
    id, label, _, spaces, rights, created_at, revoked_at = row
    allowed = frozenset(Right(each) for each in json.loads(rights))
    return Key(id, label, frozenset(json.loads(spaces)), allowed, created_at, revoked_at)


def _label(label: str) -> str:
    if len(label) > LONGEST_LABEL or not label.isprintable():
        raise InvalidInput(f"label {label!r} cannot be used; give up to {LONGEST_LABEL} characters", field="label")
    return label


def _spaces(spaces: Sequence[str]) -> frozenset[str]:
    if not spaces:
        raise InvalidInput("name the spaces the key is for; '*' means all of them", field="spaces")
    return frozenset(each if each == EVERY_SPACE else check_space(each) for each in spaces)


def _rights(rights: Sequence[str]) -> frozenset[Right]:
    wrong = [each for each in rights if each not in set(Right)]
    if wrong or not rights:
        what = f"{', '.join(wrong)!r} is no right" if wrong else "no right is named"
        raise InvalidInput(f"{what}; give any of {', '.join(Right)}", field="rights")
    return frozenset(Right(each) for each in rights)
