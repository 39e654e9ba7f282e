"""Plan -> Findings: all lookups at once, under the deadline, failures kept as values.

The only place that waits for many things, and the only one where any exception of a source becomes a value.
What has not come back at its deadline is abandoned, never awaited. Outcomes are put back in plan order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any

from recollect.ports import Clock, Embedder, Source, TextKind
from recollect.rank.fuse import fuse_ranks
from recollect.records import Vector
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import (
    Failed,
    Findings,
    Found,
    Hit,
    Lookup,
    Origin,
    Outcome,
    Part,
    Plan,
    Reply,
    Scope,
    SearchResult,
    TimedOut,
)

EMBEDDING_SHARE = 2 / 3  # of the time left, so that a keyword search still fits behind an embedder that hangs


@dataclass(frozen=True, slots=True)
class Means:
    """What a search works with."""

    sources: Mapping[str, Source]
    embedder: Embedder
    clock: Clock
    settings: Settings


async def search(plan: Plan, *, means: Means, deadline: float, trace: Recorder) -> Findings:
    """Send every lookup, wait until all are back or the deadline has come, and say how each fared."""
    lookups, degraded = await _embedded(plan.lookups, means=means, deadline=deadline)
    for note in degraded:
        trace.decide("go on without", "degraded", note=note)
    limit = min(deadline, means.clock.monotonic() + means.settings.lookup_timeout)
    outcomes = await _all(lookups, means=means, until=limit)
    for outcome in outcomes:
        _record(outcome, trace)
        match outcome:
            case Failed(lookup, error):
                degraded += (f"source {lookup.source!r} failed: {error}",)
            case TimedOut(lookup):
                degraded += (f"source {lookup.source!r} timed out",)
            case Found(notes=notes):
                degraded += notes
            case _:
                pass
    return Findings(plan.round, tuple(outcomes), tuple(dict.fromkeys(degraded)))


async def search_plainly(text: str, *, scope: Scope, means: Means) -> SearchResult:
    """One text to every source, ranks of the sources fused; no verdict, and a failing source raises nothing."""
    part = Part(0, text)
    lookups = tuple(scope.lookup(part, text, source=name, origin=Origin.QUESTION) for name in means.sources)
    deadline = means.clock.monotonic() + means.settings.timeout_seconds
    now = means.clock.now()
    trace = Recorder("", started_at=now, monotonic=means.clock.monotonic)
    findings = await search(Plan(1, lookups), means=means, deadline=deadline, trace=trace)
    found = [outcome for outcome in findings.outcomes if isinstance(outcome, Found)]
    hits = {hit.memory.id: hit for outcome in reversed(found) for hit in outcome.hits}
    lists = {outcome.lookup.source: [hit.memory.id for hit in outcome.hits] for outcome in found}
    ranked = fuse_ranks(lists, limit=scope.limit)
    return SearchResult(tuple(hits[id] for id, _ in ranked), findings.degraded)


async def _embedded(
    lookups: tuple[Lookup, ...], *, means: Means, deadline: float
) -> tuple[tuple[Lookup, ...], tuple[str, ...]]:
    """Lookups with the vectors of their texts, all texts in one batch; without them when there are none to be had."""
    semantic = [lookup for lookup in lookups if lookup.vector is None and _is_semantic(lookup, means)]
    texts = sorted({text for lookup in semantic for text in (lookup.text, lookup.about) if text})
    if not texts:
        return lookups, ()
    now = means.clock.monotonic()
    until = now + min(means.settings.lookup_timeout, EMBEDDING_SHARE * (deadline - now))
    (result,) = await _until(until, [means.embedder.embed(texts, kind=TextKind.QUERY)], clock=means.clock)
    match result:
        case None:
            return lookups, ("embedding timed out: keyword search only",)
        case Exception() as error:
            return lookups, (f"embedding failed: keyword search only ({error})",)
        case BaseException() as error:
            raise error
    if len(result) != len(texts):
        note = f"embedding failed: keyword search only ({len(texts)} texts gave {len(result)} vectors)"
        return lookups, (note,)
    vectors: dict[str, Vector] = dict(zip(texts, result, strict=True))
    embedded = tuple(
        replace(each, vector=each.vector or vectors.get(each.text), about_vector=vectors.get(each.about))
        for each in lookups
    )
    return embedded, (means.embedder.note,) if means.embedder.note else ()


def _is_semantic(lookup: Lookup, means: Means) -> bool:
    return means.sources[lookup.source].abilities.semantic


async def _all(lookups: tuple[Lookup, ...], *, means: Means, until: float) -> list[Outcome]:
    clock = means.clock
    began = clock.monotonic()
    work = [_one(lookup, means.sources[lookup.source], clock=clock) for lookup in lookups]
    results = await _until(until, work, clock=clock)
    late = clock.monotonic() - began
    outcomes: list[Outcome] = []
    for lookup, result in zip(lookups, results, strict=True):
        if isinstance(result, BaseException):
            raise result  # `_one` turns every Exception into a value; this is a cancellation or an exit
        outcomes.append(TimedOut(lookup, late) if result is None else result)
    return outcomes


async def _one(lookup: Lookup, source: Source, *, clock: Clock) -> Found | Failed:
    began = clock.monotonic()
    try:
        reply = await source.search(lookup)
        _check_reply(reply)
        return Found(lookup, tuple(reply.hits), clock.monotonic() - began, tuple(reply.notes))
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # we abandoned it; otherwise the source's own work was cancelled, which is its failure
        return Failed(lookup, f"{type(error).__name__}: {error}", clock.monotonic() - began)
    except Exception as error:  # noqa: BLE001 - the one boundary: whatever a source raises becomes a value
        return Failed(lookup, f"{type(error).__name__}: {error}", clock.monotonic() - began)


def _check_reply(reply: object) -> None:
    """What later steps rely on; a source that does not keep to it has failed."""
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {type(reply).__name__}")
    for hit in reply.hits:
        if not isinstance(hit, Hit):
            raise TypeError(f"expected hits, got {type(hit).__name__}")
        if not 0 <= hit.relevance <= 1:
            raise ValueError(f"relevance of {hit.memory.id!r} is {hit.relevance}, not within 0 and 1")


async def _until(moment: float, work: list[Coroutine[Any, Any, Any]], *, clock: Clock) -> list[Any]:
    """Each result, or the exception it raised, or None for what was not done by then."""
    tasks = [asyncio.ensure_future(each) for each in work]
    alarm = asyncio.ensure_future(clock.sleep(max(0.0, moment - clock.monotonic())))
    pending: set[asyncio.Future[Any]] = set(tasks)
    try:
        while pending and not alarm.done():
            _, rest = await asyncio.wait({*pending, alarm}, return_when=asyncio.FIRST_COMPLETED)
            pending = rest - {alarm}
    finally:
        for task in (*tasks, alarm):
            if not task.done():
                task.cancel()  # abandoned: nobody awaits it
    return [_result(task) for task in tasks]


def _result(task: asyncio.Future[Any]) -> Any:
    if not task.done() or task.cancelled():
        return None
    return task.exception() or task.result()


def _record(outcome: Outcome, trace: Recorder) -> None:
    lookup = outcome.lookup
    where: dict[str, str | int] = {"source": lookup.source, "part": lookup.part, "origin": lookup.origin.value}
    match outcome:
        case Found(_, hits, seconds):
            trace.decide("found", "found" if hits else "empty", hits=len(hits), seconds=round(seconds, 6), **where)
        case Failed(_, error, seconds):
            trace.decide("lost", "failed", error=error, seconds=round(seconds, 6), **where)
        case TimedOut(_, seconds):
            trace.decide("abandoned", "timed_out", seconds=round(seconds, 6), **where)
        case _:
            trace.decide("left out", outcome.reason, **where)
