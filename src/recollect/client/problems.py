"""A service's reply that is no answer -> the error the library would have raised, with its field, reason and remedy.

The table is the way back of the one in `doors/http/errors.py`. What only a service can say (no key, too much, too slow)
becomes the nearest of the same tree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from recollect.errors import (
    EmbedderMismatch,
    InvalidInput,
    MissingExtra,
    NotFound,
    RecollectError,
    Refused,
    StoreError,
    Unavailable,
    UnknownName,
    WriteConflict,
)

PREFIX = "urn:recollect:problem:"
EXTRA = re.compile(r"recollect\[([\w-]+)\]")

Json = Mapping[str, Any]
# By the last word of `type`. What is not here is the service's own trouble.
SORTS: dict[str, Callable[[str, Json], RecollectError]] = {
    "refused": lambda message, told: Refused(message, reason=str(told.get("reason"))),
    "unknown-name": lambda message, told: UnknownName(message, field=told.get("field")),
    "invalid-input": lambda message, told: InvalidInput(message, field=told.get("field")),
    "malformed": lambda message, told: InvalidInput(message, field=told.get("field")),
    "too-large": lambda message, told: InvalidInput(message, field=told.get("field")),
    "unauthorised": lambda message, told: InvalidInput(message, field="api_key"),
    "forbidden": lambda message, told: InvalidInput(message, field=told.get("field")),
    "not-found": lambda message, told: NotFound(message),
    "write-conflict": lambda message, told: WriteConflict(message),
    "embedder-mismatch": lambda message, told: EmbedderMismatch(message),
    "store-error": lambda message, told: StoreError(message),
    "missing-extra": lambda message, told: _missing_extra(message),
}


def error_of(told: Json, *, names: Mapping[str, str], where: str) -> RecollectError:
    """A problem as an error; `names` are what the caller calls a field that has another name on the wire.

    >>> problem = {"type": PREFIX + "invalid-input", "detail": "text: too short", "field": "text"}
    >>> error = error_of(problem, names={"text": "body"}, where="")
    >>> type(error).__name__, error.field
    ('InvalidInput', 'body')
    """
    sort = str(told.get("type", "")).removeprefix(PREFIX)
    field = told.get("field")
    told = {**told, "field": names.get(field, field) if isinstance(field, str) else None}
    detail, remedy = str(told.get("detail") or sort), told.get("remedy")
    make = SORTS.get(sort)
    if make is None:
        detail = f"the service at {where} says: {detail}"
    message = f"{detail}; {remedy}" if remedy and str(remedy) not in detail else detail
    error = make(message, told) if make else Unavailable(message)
    error.remedy = str(remedy) if remedy else None
    if told.get("request_id"):
        error.add_note(f"request {told['request_id']} in the log of the service at {where}")
    return error


def error_in(status: int, body: bytes, *, names: Mapping[str, str], where: str) -> RecollectError:
    """The error a reply stands for, also where it is not ours: a proxy's page, or another program."""
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    if isinstance(told, dict) and str(told.get("type", "")).startswith(PREFIX):
        return error_of(told, names=names, where=where)
    return Unavailable(f"the service at {where} answered {status}; check that the address is that of a Recollect")


def _missing_extra(message: str) -> RecollectError:
    """The same words again; it is missing where the service runs."""
    named = EXTRA.search(message)
    what = message.partition(" needs an optional part")[0]
    return MissingExtra(what, extra=named[1]) if named else Unavailable(message)
