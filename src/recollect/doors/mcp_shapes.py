"""What MCP tools take and give, as JSON Schema. Every word here is read by a model on every call, so they are few.

Only the shapes; what the tools do is in `mcp_tools.py`. `checked` holds arguments against a shape before any work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.doors.wire import Json
from recollect.errors import InvalidInput
from recollect.recipes import RECIPES
from recollect.values import Label, VerdictKind

STRING: Json = {"type": "string"}
STRINGS: Json = {"type": "array", "items": STRING}
NUMBER: Json = {"type": "number"}
FLAG: Json = {"type": "boolean"}
COUNT: Json = {"type": "integer", "minimum": 0}

# JSON's name of a type, what Python makes of it, and how a person says it.
TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a text"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "array": ((list,), "a list of texts"),
    "object": ((dict,), "an object"),
}


def told(shape: Json, what: str) -> Json:
    """The shape with a description."""
    return {**shape, "description": what}


def optional(shape: Json) -> Json:
    """The shape, or null."""
    return {**shape, "type": [shape["type"], "null"]}


def record(properties: Json, *, required: Iterable[str] = ()) -> Json:
    """An object of arguments: nothing beside these, `required` given."""
    made: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": list(required)} if required else made


def given(properties: Json) -> Json:
    """An object of a reply: all of these, always."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def listed(item: Json) -> Json:
    """A list of these."""
    return {"type": "array", "items": item}


# --- arguments -----------------------------------------------------------------------------------

FILTERS = record(
    {
        "kinds": STRINGS,
        "tags": told(STRINGS, "all of them"),
        "projects": STRINGS,
        "paths": told(STRINGS, "globs"),
        "since": told(STRING, "ISO 8601"),
        "until": STRING,
        "as_of": told(STRING, "what held then"),
        "superseded": told(FLAG, "also what was replaced"),
    }
)
RETRIEVE = record(
    {
        "question": STRING,
        "filters": FILTERS,
        "recipe": {"type": "string", "enum": list(RECIPES)},
        "max_tokens": told(COUNT, "size of context"),
    },
    required=["question"],
)
RECALL = record({"question": told(STRING, "left out: newest first"), "filters": FILTERS, "limit": COUNT})
REMEMBER = record(
    {
        "text": STRING,
        "title": STRING,
        "kind": told(STRING, "fact, decision, lesson …"),
        "tags": STRINGS,
        "project": STRING,
        "author": told(STRING, "who said it"),
        "event_time": told(STRING, "ISO 8601"),
        "source": told(STRING, "URL"),
    },
    required=["text"],
)
FORGET = record({"ids": STRINGS}, required=["ids"])
SEARCH = record({"query": STRING, "limit": COUNT}, required=["query"])
FETCH = record({"id": STRING}, required=["id"])

# --- replies -------------------------------------------------------------------------------------

EVIDENCE = given(
    {
        "id": STRING,
        "citation": STRING,
        "title": STRING,
        "snippet": STRING,
        "kind": STRING,
        "relevance": NUMBER,
        "weak": FLAG,
        "superseded": FLAG,
        "created_at": STRING,
        "event_time": optional(STRING),
        "project": optional(STRING),
        "source_uri": optional(STRING),
        "contradicted_by": STRINGS,
        "flags": STRINGS,
    }
)
CONFIDENCE = given({"score": NUMBER, "label": {"type": "string", "enum": [each.value for each in Label]}})
GAP = given({"part": COUNT, "text": STRING, "reason": STRING})
CONFLICT = given({"preferred": STRING, "other": STRING, "reason": STRING, "kind": STRING, "settled": FLAG})
RETRIEVED = given(
    {
        "verdict": {"type": "string", "enum": [each.value for each in VerdictKind]},
        "confidence": CONFIDENCE,
        "answer": STRING,
        "evidence": listed(EVIDENCE),
        "conflicts": listed(CONFLICT),
        "gaps": listed(GAP),
        "degraded": STRINGS,
        "context": STRING,
        "trace_id": STRING,
    }
)
MEMORY = given(
    {
        "id": STRING,
        "title": STRING,
        "text": STRING,
        "kind": STRING,
        "created_at": STRING,
        "event_time": optional(STRING),
        "project": optional(STRING),
        "author": optional(STRING),
        "tags": STRINGS,
        "source_uri": optional(STRING),
        "relevance": optional(NUMBER),
        "flags": STRINGS,
    }
)
RECALLED = given(
    {"memories": listed(MEMORY), "verdict": optional(STRING), "degraded": STRINGS, "trace_id": optional(STRING)}
)
REMEMBERED = given(
    {"id": STRING, "fate": STRING, "similar": listed(given({"id": STRING, "cosine": NUMBER})), "notes": STRINGS}
)
FORGOTTEN = given({"forgotten": COUNT})
RESULTS = given({"results": listed(given({"id": STRING, "title": STRING, "url": STRING}))})
DOCUMENT = given(
    {"id": STRING, "title": STRING, "text": STRING, "url": STRING, "metadata": {"type": "object"}},
)


def picked(values: Mapping[str, Any], shape: Json) -> Json:
    """Of the values, those the shape names.

    >>> picked({"part": 0, "text": "why", "more": 1}, given({"part": COUNT}))
    {'part': 0}
    """
    return {name: values[name] for name in shape["properties"]}


# --- checking arguments --------------------------------------------------------------------------


def checked(arguments: Mapping[str, Any], shape: Json, *, within: str = "") -> Json:
    """The arguments that were given, if the shape allows them; null counts as left out.

    >>> checked({"id": "a"}, FETCH)
    {'id': 'a'}
    """
    known: Json = shape["properties"]
    for name in arguments:
        if name not in known:
            message = f"unknown argument {within + name!r}; there are: {', '.join(known)}"
            raise InvalidInput(message, field=within + name)
    left = {name: value for name, value in arguments.items() if value is not None}
    for name in shape.get("required", ()):
        if name not in left:
            raise InvalidInput(f"{within + name} is missing; give {_wanted(known[name])}", field=within + name)
    return {name: _one(within + name, value, known[name]) for name, value in left.items()}


def _one(name: str, value: Any, shape: Json) -> Any:
    if not _fits(value, shape):
        raise InvalidInput(f"{name} is {type(value).__name__}; give {_wanted(shape)}", field=name)
    if shape["type"] == "object":
        return checked(value, shape, within=f"{name}.")
    if shape["type"] == "array" and not all(_fits(each, shape["items"]) for each in value):
        raise InvalidInput(f"{name} holds something that is no text; give {_wanted(shape)}", field=name)
    return value


def _fits(value: Any, shape: Json) -> bool:
    kinds, _ = TYPES[shape["type"]]
    return isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _wanted(shape: Json) -> str:
    return TYPES[shape["type"]][1]
