"""Judgement -> next Plan: for each weak part the first rewording that was not tried yet, or nothing to try."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from recollect.trace import Recorder
from recollect.values import Lookup, Origin, Part, Plan, Scope, Weak

# The words a question is wrapped in, which say nothing about what is looked for.
SCAFFOLDING = re.compile(
    r"""^\s*
    (?:(?:can|could|would)\s+you\s+(?:please\s+)?|please\s+)?
    (?:tell\s+me\s+(?:about\s+)?|show\s+me\s+|find\s+|remind\s+me\s+(?:of\s+|about\s+)?)?
    (?:(?:(?:what|how|why|when|where|who|which)
         (?:['’]s|\s+(?:is|are|was|were|do|does|did|has|have|had|can|should|would))?
       |is\s+there|are\s+there|did|does|do|has|have)\s+)?
    (?:(?:i|my|the|we|our)\s+)?""",
    re.IGNORECASE | re.VERBOSE,
)
SHORTEST = 3


def rewrite(weak: Weak, *, scope: Scope, sources: Iterable[str], trace: Recorder) -> Plan | None:
    """The next round's lookups, or None when every rewording was tried."""
    names = tuple(sources)
    lookups: list[Lookup] = []
    for part in weak.weak_parts:
        found = next(((text, origin) for text, origin in rewordings(part) if text not in weak.progress.tried), None)
        if found is None:
            trace.decide("leave part", "nothing_to_try", part=part.number)
            continue
        text, origin = found
        trace.decide("reword part", origin.value, part=part.number, characters=len(text))
        lookups += [scope.lookup(part, text, source=name, origin=origin) for name in names]
    return Plan(weak.progress.rounds + 1, tuple(lookups)) if lookups else None


def rewordings(part: Part) -> Iterator[tuple[str, Origin]]:
    """Other ways to look for a part, best first.

    >>> [text for text, _ in rewordings(Part(0, "What is the SOL plan?", ("SOL",)))]
    ['SOL plan', 'SOL']
    """
    stripped = SCAFFOLDING.sub("", part.text).strip(" ?!.")
    if len(stripped) >= SHORTEST and stripped.lower() != part.text.lower():
        yield stripped, Origin.REWORDED
    if part.entities:
        yield " ".join(part.entities), Origin.ENTITY
