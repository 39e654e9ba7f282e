"""Evidence -> a Plan for something better than its weak pieces; and afterwards, the evidence without them.

A piece is weak below `replacement_floor`. Its title is searched for, judged by what the part asks, unless every part is
served strongly without it: whatever is found competes in the merge that follows, and what is weak even then goes. The
single best piece always stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.recipes import Recipe
from recollect.records import Filters
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Evidence, Judgement, Lookup, Origin, Part, Plan, Scope

WORDS_OF_A_BODY = 12  # about as long as a title; more words than that find only the piece itself


def better_plan(
    evidence: Sequence[Evidence],
    *,
    judgement: Judgement,
    scope: Scope,
    recipe: Recipe,
    settings: Settings,
    trace: Recorder,
) -> Plan | None:
    """Lookups from the titles of weak pieces, best piece first, to every source; None when there is nothing to try.

    What is below the gate is there because it denies something better, and is not to be replaced.
    """
    gate, floor = settings.quality_threshold, settings.replacement_floor
    weak = [piece for piece in evidence if gate <= piece.relevance < floor]
    if not weak:
        return None
    if not recipe.replaces:
        trace.decide("keep weak", "recipe", weak=len(weak))
        return None
    if all(state.strong for state in judgement.states):
        trace.decide("look for nothing better", "parts_are_strong", weak=len(weak))
        return None
    tried = set(judgement.progress.tried)
    parts = {state.part.number: state.part for state in judgement.states}
    lookups: list[Lookup] = []
    searches = 0
    for piece in weak:
        if searches >= settings.max_replacements:
            break
        fresh = [each for each in _lookups(piece, part=parts[piece.parts[0]], scope=scope) if each.key not in tried]
        if not fresh:
            trace.decide("keep weak", "already_tried", id=piece.memory.id)
            continue
        searches += 1
        lookups += fresh
        tried.update(each.key for each in fresh)
        trace.decide("look for better", "replacement_floor", id=piece.memory.id, relevance=round(piece.relevance, 6))
    if not lookups:
        return None
    trace.count(replacements=searches, queries_generated=searches)
    return Plan(judgement.progress.rounds + 1, tuple(lookups))


def _lookups(piece: Evidence, *, part: Part, scope: Scope) -> list[Lookup]:
    text = " ".join((piece.memory.title or piece.memory.body).split()[:WORDS_OF_A_BODY])
    if not text:
        return []
    made = (scope.lookup(part, text, source=name, origin=Origin.REPLACEMENT) for name in scope.sources)
    filters = _filters(scope.filters, part)
    return [replace(each, filters=filters, via=piece.memory.id) for each in made]


def _filters(filters: Filters, part: Part) -> Filters:
    """What a part asks of one moment is not answered by what holds at another."""
    return replace(filters, as_of=part.as_of) if part.as_of and not filters.as_of else filters


def drop_weak(
    evidence: Sequence[Evidence], *, recipe: Recipe, settings: Settings, trace: Recorder
) -> tuple[Evidence, ...]:
    """The evidence without the pieces that are weak still; the best one stays, whatever it is worth, and so do the
    sides of a conflict: without the weaker, the other would look undisputed.

    A recipe that looks for nothing better keeps them all.
    """
    if not recipe.replaces:
        return tuple(evidence)
    kept: list[Evidence] = []
    for place, piece in enumerate(evidence):
        if place == 0 or piece.contradicted_by or piece.relevance >= settings.replacement_floor:
            kept.append(piece)
        else:
            trace.decide("drop", "replacement_floor", id=piece.memory.id, relevance=round(piece.relevance, 6))
    return tuple(kept)
