"""Values -> what requests hold: bodies and queries as the service reads them. The way back is in `reading.py`.

What cannot be sent is the caller's mistake and named as the library would; everything else is checked by the service.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from math import inf
from typing import Any
from urllib.parse import quote

from recollect.errors import InvalidInput
from recollect.records import VISIBLE, Draft, Filters, TimeRange
from recollect.values import Message

Json = dict[str, Any]
SENT_AS = {"body": "text"}  # where a field is called otherwise on the wire
CALLED = {sent: name for name, sent in SENT_AS.items()}  # and back, for errors
# The filters by their names in a query.
IN_QUERY = {
    "id": "ids",
    "kind": "kinds",
    "without_kind": "without_kinds",
    "project": "projects",
    "path": "paths",
    "trust": "trusts",
    "tag": "tags",
    "cluster": "clusters",
}
SETS = tuple(IN_QUERY.values())
MOST_IN_QUERY = 20  # values of one filter
LONGEST_IN_QUERY = 200  # characters of one value
LONGEST_QUERY = 8_000  # characters of all of them, as they are sent: an address that is longer may be cut off


def given(**fields: Any) -> Json:
    """The fields that were given.

    >>> given(limit=0, space=None)
    {'limit': 0}
    """
    return {name: value for name, value in fields.items() if value is not None}


def encoded(body: Any) -> bytes:
    """A body as JSON; what JSON has no word for is the caller's mistake."""
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"this cannot be sent as JSON ({error}); give texts, numbers and lists") from error


def filters(value: Filters | None) -> Json | None:
    """Filters in a body."""
    if value is None:
        return None
    _check(value)
    return given(
        **{name: sorted(getattr(value, name)) for name in SETS},
        lifecycles=sorted(value.lifecycles),
        time=_time(value.time),
        as_of=moment(value.as_of),
        superseded=value.superseded,
        strict=value.strict,
    )


def fits_in_query(value: Filters | None) -> bool:
    """Whether filters are few and short enough for a query."""
    if value is None:
        return True
    values = [each for name in SETS for each in getattr(value, name)]
    return (
        all(len(getattr(value, name)) <= MOST_IN_QUERY for name in SETS)
        and all(len(each) <= LONGEST_IN_QUERY for each in values)
        and sum(len(quote(each, errors="replace")) for each in values) <= LONGEST_QUERY
    )


def query_filters(value: Filters | None) -> Json:
    """Filters in a query."""
    if value is None:
        return {}
    _check(value)
    time = value.time or TimeRange()
    return given(
        **{name: sorted(getattr(value, field)) or None for name, field in IN_QUERY.items()},
        lifecycle=None if value.lifecycles == VISIBLE else sorted(value.lifecycles),
        since=moment(time.start),
        until=moment(time.end),
        axis=time.axis.value if value.time else None,
        as_of=moment(value.as_of),
        superseded="true" if value.superseded else None,
    )


def messages(values: Sequence[Message]) -> list[Json]:
    """What was said before."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(f"messages must be a sequence of Message, not {type(values).__name__}", field="messages")
    for each in values:
        if not isinstance(each, Message):
            raise InvalidInput(f"messages holds {each!r}; give Message(author, text)", field="messages")
    return [given(author=each.author, text=each.text, at=moment(each.at)) for each in values]


def draft(value: Draft) -> Json:
    """A text to remember and its fields; one that is as usual is left out."""
    usual = Draft(body=value.body)
    set_here = {name: getattr(value, name) for name in Draft.__dataclass_fields__}
    return fields({name: each for name, each in set_here.items() if name == "body" or each != getattr(usual, name)})


def fields(values: Mapping[str, Any]) -> Json:
    """Fields of a memory or a link, under their names on the wire."""
    return {SENT_AS.get(name, name): _plain(value, field=name) for name, value in values.items()}


def deadline(seconds: float | None) -> float | None:
    """A deadline, if it is a number of seconds."""
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < inf:
        raise InvalidInput(f"deadline is {seconds!r}; give a number of seconds above zero", field="deadline")
    return seconds


def _check(value: Filters) -> None:
    if not isinstance(value, Filters):
        raise InvalidInput(f"filters must be Filters, not {type(value).__name__}", field="filters")
    if not value.lifecycles:
        raise InvalidInput("filters.lifecycles is empty; name at least one", field="filters.lifecycles")


def _time(value: TimeRange | None) -> Json | None:
    if value is None or not (value.start or value.end):
        return None
    return given(start=moment(value.start), end=moment(value.end), axis=value.axis.value)


def moment(value: datetime | None, *, field: str = "time") -> str | None:
    """A moment as ISO-8601, or nothing; one without a zone is refused."""
    if value is not None and (not isinstance(value, datetime) or value.tzinfo is None):
        raise InvalidInput(f"{field} is {value!r}; give a datetime with a time zone", field=field)
    return value.isoformat() if value else None


def _plain(value: Any, *, field: str) -> Any:
    match value:
        case datetime():
            return moment(value, field=field)
        case Mapping():
            return dict(value)
        case tuple():
            return list(value)
        case set() | frozenset():
            return sorted(value)
        case _:
            return value
