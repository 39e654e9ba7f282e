"""Where the graph's scope is used: which lookups wait for it, what it narrows, and what lies outside it.

Takes lookups, filters and outcomes; gives them narrowed. Leaves to `search` the waiting, to the graph its scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.records import Filters, Lifecycle
from recollect.settings import Settings
from recollect.values import Decision, Found, Hit, Lookup, Narrowing, Outcome, Skipped

SCOPES, IS_SCOPED = "graph", "vector"
MOST_NAMED = 12  # entities of a scope in the trace
NO_SCOPE = "no_scope"  # why a lookup that only repeats another within a scope was not sent


def scoped(lookups: Sequence[Lookup], settings: Settings) -> list[Lookup]:
    """The same, and for what the graph scopes the lookups that wait for its scope.

    In parallel they come besides those that are sent at once; in sequence, instead of them. A caller who names projects
    or files has given the scope himself.
    """
    if not settings.graph_scopes_vector or settings.scope_mode == "independent":
        return list(lookups)
    by_graph = {(each.part, each.text) for each in lookups if each.source == SCOPES}
    made = []
    for each in lookups:
        depends = each.source == IS_SCOPED and (each.part, each.text) in by_graph
        if not depends or each.filters.projects or each.filters.paths:
            made.append(each)
        elif settings.scope_mode == "sequential":
            made.append(replace(each, scoped_by=SCOPES))
        else:
            made += [each, replace(each, scoped_by=SCOPES, repeats=True)]
    return made


def narrowed(filters: Filters, narrowing: Narrowing) -> Filters:
    """The filters within a scope; the caller's own stay."""
    return replace(filters, projects=filters.projects or narrowing.projects, paths=filters.paths or narrowing.paths)


def _inside(hits: Sequence[Hit], narrowing: Narrowing) -> tuple[Hit, ...]:
    """The hits that lie within a scope."""
    where = Filters(
        projects=narrowing.projects, paths=narrowing.paths, lifecycles=frozenset(Lifecycle), superseded=True
    )
    return tuple(hit for hit in hits if where.passes(hit.memory, now=hit.memory.created_at))


def cut_to_scope(outcomes: Sequence[Outcome], *, gate: float) -> tuple[list[Outcome], list[Decision]]:
    """What was asked at once loses what lies outside a scope that brought something good; and what was decided."""
    decisions = [decision for each in outcomes if (decision := _told(each)) is not None]
    good = {
        _asked(each.lookup): each.within
        for each in outcomes
        if isinstance(each, Found) and each.within and each.lookup.repeats and _has_good(each.hits, gate)
    }
    cut: list[Outcome] = []
    for outcome in outcomes:
        scope = good.get(_asked(outcome.lookup))
        if scope is None or outcome.lookup.scoped_by or not isinstance(outcome, Found):
            cut.append(outcome)
            continue
        kept = _inside(outcome.hits, scope)
        numbers = {"part": outcome.lookup.part, "before": len(outcome.hits), "after": len(kept)}
        decisions.append(Decision("drop outside scope", "rescoped", numbers))
        cut.append(replace(outcome, hits=kept))
    return cut, decisions


def _asked(lookup: Lookup) -> tuple[str, int, str]:
    return lookup.source, lookup.part, lookup.text


def _has_good(hits: Sequence[Hit], gate: float) -> bool:
    return any(hit.relevance >= gate for hit in hits)


def _told(outcome: Outcome) -> Decision | None:
    """What a lookup that waits for a scope did with it."""
    lookup = outcome.lookup
    if not lookup.scoped_by:
        return None
    match outcome:
        case Found(within=within) if within:
            numbers: dict[str, str | int] = {"part": lookup.part, "source": lookup.source}
            numbers |= {"projects": ", ".join(sorted(within.projects)), "paths": ", ".join(sorted(within.paths))}
            numbers["entities"] = ", ".join(within.entities[:MOST_NAMED])
            return Decision("look within scope", f"{lookup.scoped_by}_scope", numbers)
        case Found() | Skipped(reason="no_scope"):
            return Decision("look unscoped", "empty_scope", {"part": lookup.part, "source": lookup.source})
        case _:
            return None
