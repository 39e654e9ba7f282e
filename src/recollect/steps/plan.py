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
    wanted = [(part, part.text, origin) for part in question.parts]
    if question.rewritten and question.parts:  # a reference may have been filled wrongly: also as it was asked
        wanted.append((question.parts[0], question.text, Origin.QUESTION))
    lookups = tuple(scope.lookup(part, text, source=name, origin=how) for part, text, how in wanted for name in names)
    trace.decide("look up", "every_part_every_source", lookups=len(lookups), sources=len(names))
    return Plan(1, lookups)
