"""Question -> Plan: which source gets which lookup, in which scope.

For now every part goes to every source; the routing by question type comes with the sources that differ.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.trace import Recorder
from recollect.values import Origin, Plan, Question, Scope


def first_plan(question: Question, *, scope: Scope, sources: Iterable[str], trace: Recorder) -> Plan:
    """The first round: each part to each source, as asked."""
    origin = Origin.PART if len(question.parts) > 1 else Origin.QUESTION
    names = tuple(sources)
    lookups = tuple(
        scope.lookup(part, part.text, source=name, origin=origin) for part in question.parts for name in names
    )
    trace.decide("look up", "every_part_every_source", lookups=len(lookups), sources=len(names))
    return Plan(1, lookups)
