"""Which source is what to a part: a table by question type, and the lookups that follow from it.

Takes names and values; gives roles and lookups. Leaves to `plan` and `rewrite` which texts are searched for at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from recollect.values import Lookup, Origin, Part, QuestionType, Role, Scope, Tried

_FIRST, _LESS, _LATER = Role.PRIMARY, Role.SECONDARY, Role.SKIPPED

# The columns are sources. One that has none, such as the agent's own memory, its messages, or somebody's own source,
# is primary to every type.
ROUTES: Mapping[QuestionType, Mapping[str, Role]] = {
    QuestionType.ENTITY_LOOKUP: {"local": _LESS, "graph": _FIRST, "vector": _LATER},
    QuestionType.RELATIONSHIP: {"local": _LATER, "graph": _FIRST, "vector": _LATER},
    QuestionType.SIMILARITY: {"local": _LATER, "graph": _LATER, "vector": _FIRST},
    QuestionType.PATTERN: {"local": _LESS, "graph": _FIRST, "vector": _FIRST},
    QuestionType.CROSS_PROJECT: {"local": _LATER, "graph": _FIRST, "vector": _FIRST},
    QuestionType.LOCAL_ONLY: {"local": _FIRST, "graph": _LATER, "vector": _LATER},
    QuestionType.MULTI_HOP: {"local": _LATER, "graph": _FIRST, "vector": _LESS},
    QuestionType.GENERAL: {"local": _FIRST, "graph": _FIRST, "vector": _FIRST},
}


def roles_of(type: QuestionType, sources: Iterable[str]) -> dict[str, Role]:
    """What each source is to a part of that type, in the order given; where the table leaves none, all are primary.

    >>> [role.value for role in roles_of(QuestionType.ENTITY_LOOKUP, ["memory", "local", "vector"]).values()]
    ['primary', 'secondary', 'skipped']
    >>> [role.value for role in roles_of(QuestionType.SIMILARITY, ["local", "graph"]).values()]
    ['primary', 'primary']
    """
    row = ROUTES[type]
    roles = {source: row.get(source, Role.PRIMARY) for source in sources}
    if all(role is Role.SKIPPED for role in roles.values()):
        return dict.fromkeys(roles, Role.PRIMARY)
    return roles


def scope_of(part: Part, scope: Scope) -> Scope:
    """The call's scope as it holds for one part: where the part names a moment and the caller gave none, as of then."""
    if part.as_of is None or scope.filters.as_of is not None:
        return scope
    return replace(scope, filters=replace(scope.filters, as_of=part.as_of))


def lookups_for(
    part: Part, text: str, *, origin: Origin, scope: Scope, roles: Mapping[str, Role], secondary_limit: int
) -> list[Lookup]:
    """One text to every source that has a role here, a secondary one asked for less. `scope` is the part's own."""
    made = []
    for source, role in roles.items():
        lookup = scope.lookup(part, text, source=source, origin=origin)
        if role is not Role.PRIMARY:
            limit = min(lookup.limit, secondary_limit) if role is Role.SECONDARY else lookup.limit
            lookup = replace(lookup, role=role, limit=limit)
        made.append(lookup)
    return made


def untried_sources(part: Part, *, sources: Sequence[str], tried: Collection[Tried]) -> list[str]:
    """The sources that were never asked what the part asks in its own words."""
    text = part.text.casefold()
    asked = {each.source for each in tried if each.text == text}
    return [source for source in sources if source not in asked]
