"""Any value of the library, made from the types of its fields: a field added tomorrow is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime
from enum import Enum
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from recollect.records import TimeRange
from recollect.values import Explanation, Hit, Shown, Signal, Span

texts = st.text(max_size=12)
numbers = st.integers(-(10**9), 10**9).map(lambda millionths: millionths / 10**6)  # as many digits as the wire has
moments = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
ranges = st.lists(moments, min_size=2, max_size=2, unique=True).map(lambda ends: TimeRange(*sorted(ends)))
explanations = st.recursive(
    st.builds(Explanation, numbers | st.just(float("nan")), texts),
    lambda inner: st.builds(
        Explanation, numbers, texts, st.lists(inner, max_size=2).map(tuple), st.booleans()
    ),
    max_leaves=4,
)  # fmt: skip
decided = st.dictionaries(texts | st.just("source"), st.integers(0, 9) | texts, max_size=2)


@st.composite
def spans(draw: st.DrawFn, depth: int = 1) -> Span:
    inside = tuple(draw(st.lists(spans(depth - 1), max_size=2))) if depth else ()
    decisions = tuple(draw(st.lists(any_of(_Decision, numbers=decided), max_size=2)))
    return Span(
        draw(st.sampled_from(["understand", "search", "answer"])), draw(numbers), decisions, draw(numbers), inside
    )


def any_of(cls: type, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a class; `given` are for fields whose type does not say it all."""
    hints = {name: hint for name, hint in get_type_hints(cls).items() if name in _fields(cls)}
    return st.builds(cls, **{name: given[name] if name in given else values(hint) for name, hint in hints.items()})


def _fields(cls: type) -> Any:
    return cls.__dataclass_fields__ if is_dataclass(cls) else cls._fields  # type: ignore[attr-defined]


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type."""
    if hint in SPECIAL:
        return SPECIAL[hint]()
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of([values(each) for each in inside])
    if origin is tuple and inside[-1] is Ellipsis:
        unique = {"unique_by": lambda signal: signal.name} if inside[0] is Signal else {}
        return st.lists(values(inside[0]), max_size=2, **unique).map(tuple)  # type: ignore[arg-type]
    if origin is tuple:
        return st.tuples(*(values(each) for each in inside))
    if origin is frozenset:
        return st.frozensets(values(inside[0]), max_size=2)
    if origin is Mapping:
        return st.dictionaries(texts, plain if inside[1] is Any else values(inside[1]), max_size=2)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    return any_of(hint)


SPECIAL: dict[Any, Any] = {
    str: lambda: texts,
    int: lambda: st.integers(0, 1_000_000),
    float: lambda: numbers,
    bool: st.booleans,
    type(None): st.none,
    datetime: lambda: moments,
    TimeRange: lambda: ranges,
    Explanation: lambda: explanations,
    Span: spans,
    Hit: lambda: any_of(Hit, reasons=any_of(Shown), vector=st.none()),
}
_Decision: type = get_args(get_type_hints(Span)["decisions"])[0]
