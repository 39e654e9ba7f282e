"""A conversation answered from memory: what is asked, which searches that takes, and the reply.

Without a channel one search brings facts and messages. With one there are two at once, because a channel narrows the
messages and not the facts; then the surer answer speaks for both.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from recollect.doors import wire
from recollect.doors.http.bodies import ConversationBody
from recollect.doors.http.wired import Wired
from recollect.doors.wire_stored import Json, moment, number, numbers
from recollect.errors import InvalidInput
from recollect.recipes import RECIPES, recipe_named
from recollect.records import Filters
from recollect.values import Answer, Evidence, Label, RoundGain, Stop, VerdictKind

MESSAGE = frozenset({"message"})


@dataclass(frozen=True, slots=True)
class Conversed:
    """What was found for a conversation: the answers, the surest first, and what of them may be shown."""

    answers: tuple[Answer, ...]
    facts: tuple[Evidence, ...] = ()
    messages: tuple[Evidence, ...] = ()
    seconds: float = 0.0
    weak_below: float = 0.0
    nothing: str = Stop.TRIVIAL

    @property
    def stop(self) -> str:
        """Why the search ended, or why there was none."""
        return self.answers[0].stop.value if self.answers else self.nothing


async def converse(wired: Wired, body: ConversationBody, *, space: str) -> Conversed:
    """Search for the last message that says something; the ones before it fill in what it refers to."""
    began = time.monotonic()
    said = [each.value() for each in body.messages if each.content.strip()]
    searches = list(_searches(body))  # also where none is made: a mistake in the filters is one all the same
    deadline = wired.deadline(body.deadline)
    if not said:
        return Conversed(())
    if body.max_iterations == 0:
        return Conversed((), nothing=Stop.MAX_ROUNDS)
    recipe = recipe_within(body.max_iterations, usual=wired.settings.recipe)
    *before, asked = said

    async def ask(filters: Filters) -> Answer:
        async with wired.turns:
            return await wired.engine.retrieve(
                asked.text, space=space, filters=filters, messages=before, recipe=recipe, deadline=deadline
            )

    answers = await asyncio.gather(*(ask(filters) for filters in searches))
    answers.sort(key=lambda answer: -answer.confidence.score)
    found = [each for answer in answers for each in answer.evidence]
    return Conversed(
        tuple(answers),
        tuple([each for each in found if each.memory.kind not in MESSAGE][: body.max_facts]),
        tuple([each for each in found if each.memory.kind in MESSAGE][: body.max_messages]),
        time.monotonic() - began,
        wired.settings.answerable_threshold,
    )


def recipe_within(rounds: int, *, usual: str) -> str:
    """The usual recipe if it makes no more rounds than these, or else the hardest that does not.

    >>> recipe_within(10, usual="balanced"), recipe_within(2, usual="balanced"), recipe_within(4, usual="deep")
    ('balanced', 'fast', 'balanced')
    """
    if recipe_named(usual).max_rounds <= rounds:
        return usual
    fitting = [recipe for recipe in RECIPES.values() if recipe.max_rounds <= rounds]
    return max(fitting, key=lambda recipe: recipe.max_rounds).name


def _searches(body: ConversationBody) -> Iterator[Filters]:
    """The filters of each search that is needed."""
    filters = body.filters.value() if body.filters else Filters()
    if body.time_range is not None:
        if filters.time is not None:
            raise InvalidInput("time_range and filters.time are both given; give one of them", field="time_range")
        filters = replace(filters, time=body.time_range.value(), strict=True)
    facts = body.max_facts > 0 or body.max_messages == 0
    messages = body.max_messages > 0 or body.max_facts == 0
    if facts and messages and body.channel_id is None:
        yield filters
        return
    if facts:
        yield replace(filters, without_kinds=filters.without_kinds | MESSAGE)
    if messages and (not filters.kinds or filters.kinds & MESSAGE):
        channel = frozenset({body.channel_id}) if body.channel_id is not None else filters.clusters
        yield replace(filters, kinds=MESSAGE, clusters=channel, strict=True)


# --- the reply -----------------------------------------------------------------------------------


def told(value: Conversed) -> Json:
    """What is shown of it."""
    best = value.answers[0] if value.answers else None
    return {
        "facts": [_fact(each, weak_below=value.weak_below) for each in value.facts],
        "messages": [_message(each, weak_below=value.weak_below) for each in value.messages],
        "context_summary": "\n".join(answer.text for answer in value.answers if answer.text),
        "confidence": best.confidence.label.value if best else Label.LOW.value,
        "confidence_score": number(best.confidence.score) if best else 0.0,
        "metadata": _metadata(value),
    }


def debugged(value: Conversed) -> Json:
    """The same with every answer and its trace."""
    whole = {
        "answers": [wire.answer(each, weak_below=value.weak_below) for each in value.answers],
        "traces": [wire.trace(each.trace) for each in value.answers],
    }
    return {**told(value), "debug": whole}


def _metadata(value: Conversed) -> Json:
    answers = value.answers
    return {
        "queries_executed": sum(int(answer.trace.counters.get("queries_executed", 0)) for answer in answers),
        "facts_retrieved": len(value.facts),
        "messages_retrieved": len(value.messages),
        "processing_time_ms": round(value.seconds * 1000, 3),
        "iterations_used": max((len(answer.gains) for answer in answers), default=0),
        "tool_calls": [call for answer in answers for call in _lookups(answer)],
        "novelty": _novelty([gain for answer in answers for gain in answer.gains]),
        "stop_reason": value.stop,
        "verdict": answers[0].verdict.value if answers else VerdictKind.NONE.value,
        "degraded": list(dict.fromkeys(note for answer in answers for note in answer.degraded)),
        "trace_id": answers[0].trace.id if answers else "",
    }


def _novelty(gains: list[RoundGain]) -> Json:
    rounds = sorted({gain.round for gain in gains})

    def summed(name: str) -> list[int]:
        return [sum(getattr(gain, name) for gain in gains if gain.round == each) for each in rounds]

    return {
        "new_facts_per_round": summed("new_facts"),
        "new_evidence_per_round": summed("new_evidence"),
        "total_new_facts": sum(gain.new_facts for gain in gains),
        "no_gain_streak": min((gain.no_gain_streak for gain in gains if gain.round == rounds[-1]), default=0),
    }


def _lookups(answer: Answer) -> Iterator[dict[str, Any]]:
    """Every lookup of one answer, in order."""
    for step in answer.trace.spans:
        for inner in step.inside:
            for decision in inner.decisions:
                yield {
                    "tool": str(decision.numbers.get("source", inner.name)),
                    "outcome": decision.because,
                    "seconds": number(inner.seconds),
                    **{name: said for name, said in numbers(decision.numbers).items() if name != "source"},
                }


def _fact(value: Evidence, *, weak_below: float) -> Json:
    memory = value.memory
    return {
        "id": memory.id,
        "content": memory.body,
        "title": memory.title,
        "kind": memory.kind,
        "source": value.sources[0] if value.sources else None,
        "relevance": number(value.relevance),
        "weak": value.relevance < weak_below,
        "superseded": value.superseded or memory.valid_to is not None,
        "contradicted_by": list(value.contradicted_by),
        "flags": list(value.flags),
        "timestamp": moment(memory.event_time or memory.created_at),
        "author": memory.author,
        "tags": list(memory.tags),
    }


def _message(value: Evidence, *, weak_below: float) -> Json:
    memory = value.memory
    return {
        "id": memory.id,
        "content": memory.body,
        "author_name": memory.author,
        "channel_ids": list(memory.clusters),
        "timestamp": moment(memory.event_time or memory.created_at),
        "relevance": number(value.relevance),
        "weak": value.relevance < weak_below,
        "flags": list(value.flags),
    }
