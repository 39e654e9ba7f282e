"""Replies: values of the engine as JSON, without holding up the loop over a large one.

The encoder holds the interpreter while it writes one value, so a large reply is written in a thread, item by item.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from fastapi.responses import Response

from recollect.offload import run_in_thread

JSON_TYPE = "application/json"


async def reply(make: Callable[[], Any], *, status: int = 200) -> Response:
    """What `make` gives, as JSON; making it and writing it both happen in a thread."""
    body = await run_in_thread(lambda: encode(make()))
    return Response(body, status, media_type=JSON_TYPE)


def encode(value: Any) -> bytes:
    """A value as JSON.

    >>> encode({"a": [1, {"b": None}], "c": "d"})
    b'{"a":[1,{"b":null}],"c":"d"}'
    """
    return "".join(_pieces(value)).encode("utf-8", errors="replace")


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case dict():
            yield "{"
            for place, (name, inner) in enumerate(value.items()):
                yield ("," if place else "") + _dump(name) + ":"
                yield from _pieces(inner) if isinstance(inner, dict | list) else [_dump(inner)]
            yield "}"
        case list():
            yield "["
            for place, inner in enumerate(value):
                yield ("," if place else "") + _dump(inner)
            yield "]"
        case _:
            yield _dump(value)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
