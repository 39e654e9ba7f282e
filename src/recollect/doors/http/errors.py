"""Errors as problem+json (RFC 9457): one table says what each error becomes.

An error that is the caller's to mend says what is wrong, in which field, and what to do. One that is ours says nothing
of the inside: no file, no path, no text of a memory.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as made_by
from enum import Enum
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route

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

LOGGER = logging.getLogger("recollect.http")
MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:recollect:problem:"
LONGEST_DETAIL = 1_000  # characters: a message that quotes what was given does not send all of it back


class Says(Enum):
    """Whose words the detail is."""

    ITS_OWN = "its own"  # the error's message was written for the caller
    THE_TABLE = "the table"  # the message may name files of this machine


@dataclass(frozen=True, slots=True)
class Kind:
    """What one sort of error becomes."""

    slug: str
    status: int
    title: str
    says: Says = Says.ITS_OWN
    detail: str = ""
    remedy: str | None = None


DOCTOR = "run 'recollect doctor' where the service runs"
# The first class that fits decides.
KINDS: dict[type[Exception], Kind] = {
    Refused: Kind("refused", 422, "Refused by the write gate"),
    UnknownName: Kind("unknown-name", 422, "Unknown name"),
    InvalidInput: Kind("invalid-input", 422, "Invalid input"),
    NotFound: Kind("not-found", 404, "Not found"),
    WriteConflict: Kind("write-conflict", 409, "Write conflict"),
    EmbedderMismatch: Kind(
        "embedder-mismatch",
        503,
        "Embedder mismatch",
        Says.THE_TABLE,
        "the vectors of this space were made by another embedder",
        "run 'recollect reindex' where the service runs, or set the embedder back",
    ),
    StoreError: Kind("store-error", 503, "Store error", Says.THE_TABLE, "the store cannot serve this call", DOCTOR),
    Unavailable: Kind("unavailable", 503, "Unavailable", Says.THE_TABLE, "a part it needs cannot be reached", DOCTOR),
    MissingExtra: Kind("missing-extra", 501, "Missing extra"),
    RecollectError: Kind("invalid-input", 422, "Invalid input"),
}
UNAUTHORISED = Kind("unauthorised", 401, "Unauthorised")
FORBIDDEN = Kind("forbidden", 403, "Forbidden")
BAD_HOST = Kind("bad-host", 403, "Host or origin not allowed")
MALFORMED = Kind("malformed", 400, "Malformed request")
TOO_LARGE = Kind("too-large", 413, "Request too large")
TOO_MANY = Kind("too-many-requests", 429, "Too many requests")
TOO_SLOW = Kind("timeout", 504, "Timeout")
BUG = Kind("internal", 500, "Internal error")
NO_ROUTE = Kind("no-route", 404, "No such route")
NO_METHOD = Kind("no-method", 405, "Method not allowed")
STOPPING = Kind("stopping", 503, "Stopping")
BY_STATUS = {404: NO_ROUTE, 405: NO_METHOD, 400: MALFORMED}


class Problem(BaseModel):
    """What went wrong, as a caller can act on it (RFC 9457)."""

    type: str = Field(description="Which sort of problem, as a URN.", examples=["urn:recollect:problem:invalid-input"])
    title: str = Field(description="The sort in words.", examples=["Invalid input"])
    status: int = Field(description="The HTTP status.", examples=[422])
    detail: str = Field(description="What happened.", examples=["limit is 2000; give a whole number from 0 to 1,000"])
    field: str | None = Field(description="The field that is wrong.", examples=["limit"])
    reason: str | None = Field(description="A reason code, where there is one.", examples=["not_worth_keeping"])
    remedy: str | None = Field(description="What to do.", examples=["give a whole number from 0 to 1,000"])
    request_id: str | None = Field(description="Names this request in the log.", examples=["9f0c2a1b4d5e6f70"])


@dataclass(slots=True)
class Noted:
    """What the log says of a request beside its route, filled while it is served; content only where switched on."""

    request_id: str | None = None
    space: str | None = None
    reasons: list[str] = made_by(default_factory=list)
    with_content: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one error beside its kind."""

    detail: str
    field: str | None = None
    reason: str | None = None
    remedy: str | None = None
    headers: Mapping[str, str] = made_by(default_factory=dict)


NO_JSON = Told("the body is not JSON that can be read", field="body", remedy="send one JSON object")


class Rejected(Exception):
    """A request this door turns away by itself: no key, no right, too much, too slow."""

    def __init__(self, kind: Kind, told: Told) -> None:
        super().__init__(told.detail)
        self.kind = kind
        self.told = told


def told_of(error: Exception) -> tuple[Kind, Told]:
    """What an error becomes; whatever is not listed is a bug, of which nothing is told.

    >>> kind, told = told_of(InvalidInput("limit is -1; give 0 or more", field="limit"))
    >>> kind.status, told.field, told.remedy
    (422, 'limit', 'give 0 or more')
    """
    if isinstance(error, Rejected):
        return error.kind, error.told
    kind = next((kind for sort, kind in KINDS.items() if isinstance(error, sort)), BUG)
    if kind is BUG:
        return BUG, Told("something went wrong inside", remedy="report it with the request id")
    if kind.says is Says.THE_TABLE:
        return kind, Told(kind.detail, remedy=kind.remedy)
    message = str(error)[:LONGEST_DETAIL]
    if isinstance(error, NotFound):
        message = message.partition("; known")[0]  # not the names of other spaces
    remedy = message.rpartition("; ")[2] if "; " in message else None
    return kind, Told(message, getattr(error, "field", None), getattr(error, "reason", None), remedy)


def tell(error: Exception, noted: Noted) -> tuple[Kind, Told]:
    """What an error becomes, its reason noted. What the caller is not told, whoever runs the service is."""
    kind, told = told_of(error)
    noted.reasons.append(told.reason or kind.slug)
    if kind is BUG:
        LOGGER.error(json.dumps(_bug(error, noted)))
    elif kind.says is Says.THE_TABLE:
        line = {"event": "cannot_serve", "request_id": noted.request_id, "error": type(error).__name__}
        LOGGER.error(json.dumps({**line, "detail": str(error)}))
    return kind, told


def _bug(error: Exception, noted: Noted) -> dict[str, Any]:
    """Where a bug is; its message and traceback may hold content, so only when asked for."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].name}:{frames[-1].lineno}" if frames else ""
    line = {"event": "bug", "request_id": noted.request_id, "error": type(error).__name__, "where": where}
    return {**line, "traceback": "".join(traceback.format_exception(error))} if noted.with_content else line


def problem(kind: Kind, told: Told, *, request_id: str | None = None) -> dict[str, Any]:
    """The body of an error."""
    return {
        "type": TYPE_PREFIX + kind.slug,
        "title": kind.title,
        "status": kind.status,
        "detail": told.detail,
        "field": told.field,
        "reason": told.reason,
        "remedy": told.remedy,
        "request_id": request_id,
    }


def kind_reply(kind: Kind, told: Told, *, request_id: str | None = None) -> Response:
    """The whole reply to an error of this kind."""
    content = problem(kind, told, request_id=request_id)
    return JSONResponse(content, kind.status, headers=dict(told.headers), media_type=MEDIA_TYPE)


def add_handlers(app: FastAPI) -> None:
    """Have every error of a route told this way."""
    app.add_exception_handler(RecollectError, _ours)
    app.add_exception_handler(Rejected, _ours)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _of_the_framework)


def noted_of(request: Request) -> Noted:
    """What is noted of this request; the log has begun it."""
    found: Noted = request.state.noted
    return found


async def _ours(request: Request, error: Exception) -> Response:
    noted = noted_of(request)
    return kind_reply(*tell(error, noted), request_id=noted.request_id)


async def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _noted_reply(request, *invalid(error))


async def _of_the_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = BY_STATUS.get(error.status_code, Kind("http", error.status_code, "Request not served"))
    if kind is MALFORMED:
        return _noted_reply(request, kind, NO_JSON)
    remedy = "GET /openapi.json lists the routes and their methods" if kind in (NO_ROUTE, NO_METHOD) else None
    headers = {**(error.headers or {}), **({"Allow": _methods(request)} if kind is NO_METHOD else {})}
    return _noted_reply(request, kind, Told(kind.title.lower(), remedy=remedy, headers=headers))


def _noted_reply(request: Request, kind: Kind, told: Told) -> Response:
    noted = noted_of(request)
    noted.reasons.append(kind.slug)
    return kind_reply(kind, told, request_id=noted.request_id)


def _methods(request: Request) -> str:
    """What may be done with a path: the framework names only the methods of the first route that has it."""
    found = [each for each in routes_in(request.app.routes) if each.matches(request.scope)[0] is not Match.NONE]
    return ", ".join(sorted({method for each in found for method in each.methods or ()}))


def routes_in(routes: Sequence[BaseRoute]) -> Iterator[Route | APIRoute]:
    """The single routes of an app, those of the routers it includes among them."""
    for each in routes:
        if isinstance(each, Route | APIRoute):
            yield each
        elif isinstance(inner := getattr(each, "original_router", None), APIRouter):
            yield from routes_in(inner.routes)


def invalid(error: RequestValidationError) -> tuple[Kind, Told]:
    """The first thing wrong with what was sent: where, and what is wanted; never the value."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return MALFORMED, NO_JSON
    where = [str(each) for each in first["loc"] if each not in ("body", "query", "path", "header")]
    name = ".".join(where) or "body"
    if first["type"] == "extra_forbidden":  # the library's words: it knows no reason for this one
        return KINDS[InvalidInput], Told(
            f"unknown field {name[:100]!r}; leave it out", name[:100], None, "leave it out"
        )
    more = len(error.errors()) - 1
    others = f" (and {more} more)" if more else ""
    return KINDS[InvalidInput], Told(f"{name}: {first['msg']}{others}", name, first["type"], first["msg"])
