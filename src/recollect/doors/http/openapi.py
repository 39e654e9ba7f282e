"""The OpenAPI document: every route says which problems it may answer with, and that it wants a key where it does."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from recollect.doors.http.errors import MEDIA_TYPE, Problem
from recollect.doors.http.gate import OPEN_PATHS
from recollect.doors.http.keys import KeyRing

REFERENCE = "#/components/schemas/Problem"
SCHEME = "key"
# Of every route; what a route adds (404, 409 …) it names itself with `problems`.
EVERYWHERE = {
    400: "The request is malformed.",
    401: "No key, or one that is not valid here.",
    403: "The key may not do this here, or the host or origin is not allowed.",
    413: "The request is too large.",
    422: "Something in the request cannot be used; `field` says what, `remedy` what to do.",
    429: "Too many requests; `Retry-After` says how many seconds to wait.",
    500: "A bug; nothing is told of the inside.",
    503: "A part it needs cannot serve now.",
    504: "It took too long.",
}
ELSEWHERE = {
    404: "Nothing of that name in this space.",
    409: "It contradicts a write that was acknowledged already.",
    501: "A part that is not installed.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What a route documents beside its reply: the problems of every route, and those named."""
    told = EVERYWHERE | {status: ELSEWHERE[status] for status in statuses}
    return {status: _documented(status, text) for status, text in sorted(told.items())}


def _documented(status: int, text: str) -> dict[str, Any]:
    said: dict[str, Any] = {"description": text, "content": {MEDIA_TYPE: {"schema": {"$ref": REFERENCE}}}}
    if status == 429:
        said["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return said


def describe(app: FastAPI, keys: KeyRing, version: str) -> None:
    """Have the app give this document; it says whether a key is wanted now."""
    made: dict[bool, dict[str, Any]] = {}

    def document() -> dict[str, Any]:
        wanted = keys.required
        if wanted not in made:
            made[wanted] = _document(app, version, with_keys=wanted)
        return made[wanted]

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI, version: str, *, with_keys: bool) -> dict[str, Any]:
    document = get_openapi(
        title="Recollect",
        version=version,
        openapi_version="3.1.0",
        summary="Memory that answers with a verdict.",
        description="Errors are problem+json (RFC 9457) and name the field and the remedy.",
        routes=app.routes,
    )
    parts = document.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    if with_keys:
        about = {"type": "http", "scheme": "bearer", "description": "A key made by `recollect keys create`."}
        parts["securitySchemes"] = {SCHEME: about}
        for path, operations in document["paths"].items():
            for operation in operations.values():
                if path not in OPEN_PATHS:
                    operation["security"] = [{SCHEME: []}]
    return document
