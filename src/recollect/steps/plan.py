"""Question -> Plan: which source gets which lookup in the first round, in which scope.

Each part is routed by its own type (`rank/routes.py`). A time or moment it speaks of narrows what is asked, unless the
caller narrowed it himself. Leaves to `rewrite` the sources that were skipped, and all other words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from recollect.rank.routes import ROUTES, lookups_for, roles_of, scope_of
from recollect.rank.scopes import scoped
from recollect.records import TimeRange
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Lookup, Origin, Part, Plan, Question, Role, Scope, Tried

FEWEST_HITS = 10  # for one lookup, or fusing ranks has nothing to fuse


class Text(NamedTuple):
    """One text to search for on behalf of a part, where, and by whom."""

    text: str
    origin: Origin
    scope: Scope
    roles: Mapping[str, Role]


def first_plan(question: Question, *, scope: Scope, settings: Settings, trace: Recorder) -> Plan:
    """The first round: each part, as asked, to the sources its type routes it to.

    Parts share what is fetched beyond need: of all they bring, no more is returned than of one.
    """
    scope = replace(scope, limit=shared_limit(scope.limit, parts=len(question.parts)))
    lookups = [
        lookup
        for part in question.parts
        for each in _texts(part, question=question, scope=scope, trace=trace)
        for lookup in lookups_for(
            part,
            each.text,
            origin=each.origin,
            scope=each.scope,
            roles=each.roles,
            secondary_limit=settings.secondary_limit,
        )
    ]
    kept = _once_each(scoped(lookups, settings))
    trace.count(queries_generated=len({(each.text, each.origin) for each in kept}))
    trace.decide("look up", "first_round", lookups=len(kept), parts=len(question.parts), sources=len(scope.sources))
    return Plan(1, kept)


def shared_limit(limit: int, *, parts: int) -> int:
    """Hits for each of some parts: all of it for one, two thirds for each of two, and never so few that none is left.

    >>> [shared_limit(25, parts=parts) for parts in (1, 2, 3, 4)]
    [25, 16, 12, 10]
    """
    return min(limit, max(FEWEST_HITS, 2 * limit // (parts + 1)))


def _texts(part: Part, *, question: Question, scope: Scope, trace: Recorder) -> Iterator[Text]:
    """What is searched for on behalf of one part."""
    roles = _routed(part, scope=scope, trace=trace)
    own = scope_of(part, scope)
    if own is not scope:
        trace.decide("look up as of", "moment_in_question", part=part.number, as_of=str(own.filters.as_of))
    yield Text(part.text, Origin.PART if len(question.parts) > 1 else Origin.QUESTION, own, roles)
    if part.time is not None and part.as_of is None and own.filters.time is None:
        # Besides, not instead: a date in a question is often about the content, not about when it was stored.
        trace.decide("look up within time", "time_in_question", part=part.number, **_ends(part.time))
        within = replace(own, filters=replace(own.filters, time=part.time))
        primary = {source: role for source, role in roles.items() if role is Role.PRIMARY}
        yield Text(part.text, Origin.TIME, within, primary)
    if question.rewritten and part is question.parts[0]:  # a reference may have been filled wrongly
        trace.decide("look up as asked", "references_filled", part=part.number)
        yield Text(question.text, Origin.QUESTION, own, roles)


def _routed(part: Part, *, scope: Scope, trace: Recorder) -> Mapping[str, Role]:
    """The roles of the sources that are asked now; those that are not are named in the trace."""
    roles = roles_of(part.type, scope.sources)
    row = ROUTES[part.type]
    for source, role in roles.items():
        if role is Role.SKIPPED:
            trace.decide("skip source", "routing", source=source, part=part.number, type=part.type.value)
        elif row.get(source) is Role.SKIPPED:
            trace.decide("ask source", "nothing_else_to_ask", source=source, part=part.number, type=part.type.value)
    return {source: role for source, role in roles.items() if role is not Role.SKIPPED}


def _ends(time: TimeRange) -> dict[str, str]:
    ends = {"start": time.start, "end": time.end}
    return {name: moment.isoformat() for name, moment in ends.items() if moment}


def _once_each(lookups: list[Lookup]) -> tuple[Lookup, ...]:
    """Without those that say for the same part what another says already."""
    kept: dict[tuple[int, Tried], Lookup] = {}
    for lookup in lookups:
        kept.setdefault((lookup.part, lookup.key), lookup)
    return tuple(kept.values())
