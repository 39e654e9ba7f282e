"""What is asked again: requests from a file of JSON lines, or from stored traces with what was answered then.

A line of a file is an object: `text`; and where wanted `id`, `now` (the moment of asking), `messages` (what was said
before: texts, or objects with `author` and `text`), `expect` (memories that answer it, by id or title) and
`answerable` (true or false). Asking is in `replay.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from recollect.errors import InvalidInput, StoreError
from recollect.evals.moments import read_moment
from recollect.journal import opened
from recollect.records import TraceRecord
from recollect.values import Message

T = TypeVar("T")
KNOWN = ("id", "text", "now", "messages", "expect", "answerable")
UNKNOWN_AUTHOR = "user"  # of a message that does not say who spoke


class Reply(NamedTuple):
    """What came back for a request: the ids of the evidence, and of the evidence with what each piece absorbed.

    `ranking` is all that was found, before the cut-off; a stored trace has none, and does not know its `tokens`.
    """

    evidence: tuple[str, ...]
    kept: tuple[str, ...]
    verdict: str
    label: str
    confidence: float
    rounds: int
    seconds: float
    ranking: tuple[str, ...] | None = None
    tokens: int | None = None
    degraded: tuple[str, ...] = ()


class Request(NamedTuple):
    """One question to ask again. `expect` are memories that answer it; `then` is what a stored trace says it got."""

    id: str
    text: str
    now: datetime | None = None
    messages: tuple[Message, ...] = ()
    expect: tuple[str, ...] = ()
    answerable: bool | None = None
    then: Reply | None = None


def read_requests(lines: Iterable[str], *, name: str) -> list[Request]:
    """The requests of a file; whatever is wrong with a line names the file and the line."""
    found: dict[str, Request] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            request = _request(json.loads(line), id=str(number))
        except InvalidInput as error:
            raise InvalidInput(f"{name!r} line {number}: {error}", field=error.field) from error
        except ValueError as error:
            raise InvalidInput(f"{name!r} line {number} is not JSON: {error}", field="file") from error
        if request.id in found:
            raise InvalidInput(f"{name!r} line {number}: the id {request.id!r} is there already", field="id")
        found[request.id] = request
    if not found:
        raise InvalidInput(f"{name!r} holds no request; give at least one line with a text", field="file")
    return list(found.values())


def traced_requests(records: Iterable[TraceRecord]) -> tuple[list[Request], list[str]]:
    """Stored traces as requests, oldest first, and a note for each that cannot be read."""
    requests, notes = [], []
    for record in sorted(records, key=lambda each: (each.started_at, each.id)):
        try:
            requests.append(_traced(record))
        except StoreError as error:
            notes.append(f"left out: {error}")
    return requests, notes


def _traced(record: TraceRecord) -> Request:
    """A trace as a request at its own moment.

    The journal keeps no messages: where references were filled from some, the question is asked as it was read then.
    """
    told = opened(record)
    pieces = told["evidence"]
    sure = told["confidence"]
    then = Reply(
        tuple(piece["id"] for piece in pieces),
        tuple(dict.fromkeys(id for piece in pieces for id in (piece["id"], *piece["absorbed"]))),
        record.verdict,
        sure["label"],
        sure["score"],
        len(told["gains"]),
        record.seconds,
        degraded=tuple(told["degraded"]),
    )
    return Request(record.id, told["rewritten"] or record.question, record.started_at, then=then)


def _request(line: Any, *, id: str) -> Request:
    if not isinstance(line, dict):
        raise InvalidInput(f"this is a {type(line).__name__}; give a JSON object", field="file")
    unknown = [key for key in line if key not in KNOWN]
    if unknown:
        raise InvalidInput(f"unknown key {unknown[0]!r}; known: {', '.join(KNOWN)}", field=unknown[0])
    text = _text(line.get("text"), "text")
    now = read_moment(line.get("now"))
    if line.get("now") is not None and now is None:
        raise InvalidInput(f"now is {line['now']!r}; give a time such as 2026-03-01T14:30", field="now")
    answerable = line.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise InvalidInput(f"answerable is {answerable!r}; give true or false", field="answerable")
    expect = tuple(dict.fromkeys(_list(line, "expect", _text)))
    if expect and answerable is False:
        raise InvalidInput("expect names memories that answer, yet answerable is false; give one", field="expect")
    messages = tuple(_list(line, "messages", _message))
    return Request(_text(line.get("id", id), "id"), text, now, messages, expect, answerable)


def _list(line: Mapping[str, Any], name: str, read: Callable[[Any, str], T]) -> list[T]:
    value = line.get(name)
    if value is not None and not isinstance(value, list):
        raise InvalidInput(f"{name} is a {type(value).__name__}; give a list", field=name)
    return [read(each, name) for each in value or ()]


def _message(given: Any, name: str) -> Message:
    if isinstance(given, str):
        return Message(UNKNOWN_AUTHOR, _text(given, name))
    if not isinstance(given, dict):
        raise InvalidInput(f"{name} holds a {type(given).__name__}; give a text, or author and text", field=name)
    return Message(_text(given.get("author", UNKNOWN_AUTHOR), name), _text(given.get("text"), name))


def _text(value: Any, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        said = "missing" if value is None else repr(value)
        raise InvalidInput(f"{name} is {said}; give text", field=name)
    return str(value)
