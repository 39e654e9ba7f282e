"""What a route reads from its query and headers: pages, filters, keys; a name nobody knows is refused.

Values in a query are text. What looks like another way to write a number, a moment or a yes is not guessed at.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends, Header, Query, Request
from fastapi.dependencies.models import Dependant
from pydantic import AwareDatetime, BeforeValidator, Field
from starlette.convertors import Convertor, register_url_convertor

from recollect.doors.http.access import Asker, Caller, Right, SpaceQuery
from recollect.doors.http.bodies import LONGEST_NAME, MOST, documented
from recollect.errors import InvalidInput
from recollect.records import VISIBLE, Filters, Lifecycle, TimeAxis, TimeRange

LONGEST_CURSOR = 8_000
LONGEST_VALUE = 200
MOST_VALUES = 20  # of one name; a longer list goes into the body of POST /v1/recall
LONGEST_KEY = 200
PAGE = 20


class WholeId(Convertor[str]):
    """An id in a path: whatever it is made of, slashes and line breaks too."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        """As it came."""
        return value

    def to_string(self, value: str) -> str:
        """As it is."""
        return value


register_url_convertor("whole", WholeId())  # `{id:whole}` in the path of a route


def only_known(request: Request) -> None:
    """Refuse a query that names something its route does not take."""
    known = set(_taken(request.scope["route"].dependant))
    for name in request.query_params:
        if name not in known:
            takes = ", ".join(sorted(known)) or "nothing"
            raise InvalidInput(f"unknown query parameter {name[:100]!r}; this route takes {takes}", field=name[:100])


def _taken(dependant: Dependant) -> Iterator[str]:
    yield from (each.alias for each in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _taken(inner)


ONLY_KNOWN = Depends(only_known)


def editing(caller: Caller, space: str | None) -> str:
    """The space, if the caller may change what is there and see it: the reply shows the whole of what was changed."""
    return caller.check(Right.WRITE, caller.check(Right.READ, space))


def _editing(caller: Asker, space: SpaceQuery = None) -> str:
    return editing(caller, space)


EditingIn = Annotated[str, Depends(_editing)]


def _moment(value: Any) -> Any:
    """A moment as ISO-8601; one without a zone is UTC."""
    if not isinstance(value, str):
        return value
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("give a moment like 2026-03-01T14:30:00Z") from error


def _yes_or_no(value: Any) -> Any:
    if isinstance(value, str) and value not in ("true", "false"):
        raise ValueError("give true or false")
    return value


def _whole(value: Any) -> Any:
    if isinstance(value, str) and not value.removeprefix("-").isdecimal():
        raise ValueError("give a whole number")
    return value


IsoMoment = Annotated[AwareDatetime, BeforeValidator(_moment)]
YesOrNo = Annotated[bool, BeforeValidator(_yes_or_no)]
WHOLE = BeforeValidator(_whole)
Name = Annotated[str, Query(max_length=LONGEST_NAME, **documented(minLength=1))]
Names = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=LONGEST_VALUE)]],
    Query(max_length=MOST_VALUES, default_factory=list),
]
LimitQuery = Annotated[
    int,
    WHOLE,
    Query(
        description="At most so many; zero is a limit like any other.",
        examples=[20],
        **documented(minimum=0, maximum=MOST),
    ),
]
OwnLimitQuery = Annotated[  # where the engine's verb has no limit
    Annotated[int, Field(ge=0, le=MOST)],
    WHOLE,
    Query(description="At most so many; zero is a limit like any other.", examples=[20]),
]
AfterQuery = Annotated[
    str | None,
    Query(min_length=1, max_length=LONGEST_CURSOR, description="`next` of the page before; without it, the first."),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=LONGEST_KEY,
        description="The same key with the same request writes once and repeats the first answer.",
        examples=["import-2026-03-01-17"],
    ),
]


def filters_of(
    id: Names,
    kind: Names,
    without_kind: Names,
    lifecycle: Annotated[list[Lifecycle], Query(description="Left out: all but archived.", default_factory=list)],
    project: Names,
    path: Names,
    trust: Names,
    tag: Names,
    cluster: Names,
    since: Annotated[IsoMoment | None, Query(description="From here on, included.")] = None,
    until: Annotated[IsoMoment | None, Query(description="Up to here, left out.")] = None,
    axis: Annotated[TimeAxis, Query(description="Which time `since` and `until` mean.")] = TimeAxis.ANY,
    as_of: Annotated[IsoMoment | None, Query(description="What was valid and known then.")] = None,
    superseded: Annotated[YesOrNo, Query(description="Also what no longer holds.")] = False,
) -> Filters:
    """The filters a query names; several values of one mean any of them (tags: all of them)."""
    return Filters(
        ids=frozenset(id),
        kinds=frozenset(kind),
        without_kinds=frozenset(without_kind),
        lifecycles=frozenset(lifecycle) or VISIBLE,
        projects=frozenset(project),
        paths=frozenset(path),
        trusts=frozenset(trust),
        tags=frozenset(tag),
        clusters=frozenset(cluster),
        time=TimeRange(since, until, axis) if since or until else None,
        as_of=as_of,
        superseded=superseded,
    )


FiltersQuery = Annotated[Filters, Depends(filters_of)]


def page(items: list[Any], *, limit: int, cursor: str | None) -> dict[str, Any]:
    """A page of a list; `next` leads on where it is full."""
    return {"items": items, "next": cursor if items and len(items) == limit else None}
