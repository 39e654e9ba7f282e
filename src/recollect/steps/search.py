"""Plan -> Findings: all lookups at once, under the deadline, failures kept as values.

The only place that waits for many things, and the only one where any exception of a source becomes a value.
What has not come back at its deadline is abandoned, never awaited. Outcomes are put back in plan order.
What a source returns is checked here, so that later steps can rely on it, and above all that it is of the space asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite
from typing import Any

from recollect.ports import Clock, Embedder, Source, TextKind
from recollect.rank.fuse import fuse_ranks
from recollect.rank.scopes import NO_SCOPE, cut_to_scope, narrowed
from recollect.records import Memory, Vector
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import (
    Explanation,
    Failed,
    Findings,
    Found,
    Hit,
    Later,
    Lookup,
    Narrowing,
    Origin,
    Outcome,
    Part,
    Plan,
    Reply,
    Scope,
    SearchResult,
    Shown,
    Signal,
    Skipped,
    TimedOut,
)

EMBEDDING_SHARE = 2 / 3  # of the time left, so that a keyword search still fits behind an embedder that hangs
SCOPE_SHARE = 1 / 2  # of a lookup's time: so long it waits for the scope another source may give
LONGEST_TEXT = 120  # characters of a lookup's text in the trace
LONGEST_ERROR = 300  # characters of what a source says about its failure: a stranger may say anything


@dataclass(frozen=True, slots=True)
class Means:
    """What a search works with."""

    sources: Mapping[str, Source]
    embedder: Embedder
    clock: Clock
    settings: Settings


async def search(plan: Plan, *, means: Means, deadline: float, trace: Recorder) -> Findings:
    """Send every lookup, wait until all are back or the deadline has come, and say how each fared."""
    lookups = plan.lookups
    degraded: tuple[str, ...] = ()
    if means.clock.monotonic() < deadline:
        lookups, degraded = await _embedded(lookups, means=means, deadline=deadline)
    for note in degraded:
        trace.decide("go on without", "degraded", note=note)
    began = means.clock.monotonic()
    outcomes = await _all(lookups, means=means, deadline=deadline)
    outcomes, decisions = cut_to_scope(outcomes, gate=means.settings.quality_threshold)
    for each in decisions:
        trace.decide(each.what, each.because, **each.numbers)
    for outcome in outcomes:
        _record(outcome, began=began, trace=trace)
    _count(outcomes, trace)
    notes = [note for outcome in outcomes for note in _notes(outcome)]
    return Findings(plan.round, tuple(outcomes), tuple(dict.fromkeys([*degraded, *notes])))


async def search_plainly(text: str, *, scope: Scope, means: Means, trace: Recorder | None = None) -> SearchResult:
    """One text to every source, ranks of the sources fused; no verdict, and a failing source raises nothing."""
    part = Part(0, text)
    lookups = tuple(scope.lookup(part, text, source=name, origin=Origin.QUESTION) for name in means.sources)
    deadline = means.clock.monotonic() + means.settings.timeout_seconds
    trace = trace or Recorder("", started_at=means.clock.now(), monotonic=means.clock.monotonic)
    findings = await search(Plan(1, lookups), means=means, deadline=deadline, trace=trace)
    found = [outcome for outcome in findings.outcomes if isinstance(outcome, Found)]
    hits = {hit.memory.id: hit for outcome in reversed(found) for hit in outcome.hits}
    lists = {outcome.lookup.source: [hit.memory.id for hit in outcome.hits] for outcome in found}
    ranked = fuse_ranks(lists, limit=scope.limit)
    return SearchResult(tuple(hits[id] for id, _ in ranked), findings.degraded)


# --- embedding -----------------------------------------------------------------------------------


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
            return lookups, (f"embedding failed: keyword search only ({_said(error)})",)
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
    source = means.sources.get(lookup.source)
    return source is not None and source.abilities.semantic


# --- sending and waiting ---------------------------------------------------------------------------


async def _all(lookups: Sequence[Lookup], *, means: Means, deadline: float) -> list[Outcome]:
    """The outcome of each lookup, in their order."""
    clock = means.clock
    began = clock.monotonic()
    if began >= deadline:
        return [Skipped(lookup, "deadline") for lookup in lookups]
    until = min(deadline, began + means.settings.lookup_timeout)
    sent = [(lookup, source) for lookup in lookups if (source := means.sources.get(lookup.source)) is not None]
    scopes = _Scopes(lookups, until=began + SCOPE_SHARE * (until - began), clock=clock)
    results = iter(await _until(until, [_one(*each, clock=clock, scopes=scopes) for each in sent], clock=clock))
    late = clock.monotonic() - began
    outcomes: list[Outcome] = []
    for lookup in lookups:
        if lookup.source not in means.sources:
            outcomes.append(Skipped(lookup, "no_such_source"))
            continue
        result = next(results)
        if isinstance(result, BaseException):
            raise result  # `_one` turns every Exception into a value; this is a cancellation or an exit
        outcomes.append(TimedOut(lookup, late) if result is None else result)
    return outcomes


async def _one(lookup: Lookup, source: Source, *, clock: Clock, scopes: _Scopes) -> Found | Failed | Skipped:
    began = clock.monotonic()
    try:
        within = await scopes.told(lookup) if lookup.scoped_by else Narrowing()
        if lookup.repeats and not within:
            return Skipped(lookup, NO_SCOPE)
        asked = replace(lookup, filters=narrowed(lookup.filters, within)) if within else lookup
        reply = await source.search(asked)
        hits, notes = _checked(reply, asked)
        scopes.tell(lookup, reply.narrowing)
        return Found(lookup, hits, clock.monotonic() - began, notes, reply.narrowing, within)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # we abandoned it; otherwise the source's own work was cancelled, which is its failure
        return Failed(lookup, _said(error), clock.monotonic() - began)
    except Exception as error:  # noqa: BLE001 - the one boundary: whatever a source raises becomes a value
        return Failed(lookup, _said(error), clock.monotonic() - began)
    finally:
        scopes.tell(lookup, Narrowing())  # where nothing was said yet, nothing will be


def _said(error: BaseException) -> str:
    """An error in one line; a stranger's may be long, or unable to say what it is."""
    try:
        said = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - the same boundary: its text is the source's work too
        said = type(error).__name__
    return " ".join(said.split())[:LONGEST_ERROR]


class _Scopes:
    """Where the lookups of a round say to look, for those that wait for it: by source, part and text.

    Whoever waits goes on without a scope at `until`, so that a source that hangs takes no other with it.
    """

    def __init__(self, lookups: Sequence[Lookup], *, until: float, clock: Clock) -> None:
        loop = asyncio.get_running_loop()
        wanted = {(each.scoped_by, each.part, each.text) for each in lookups if each.scoped_by}
        told_by = [(each.source, each.part, each.text) for each in lookups]
        self._told = {key: loop.create_future() for key in told_by if key in wanted}
        self._until = until
        self._clock = clock

    def tell(self, lookup: Lookup, narrowing: Narrowing) -> None:
        told = self._told.get((lookup.source, lookup.part, lookup.text))
        if told is not None and not told.done():
            told.set_result(narrowing)

    async def told(self, lookup: Lookup) -> Narrowing:
        """What was said, or nothing by then."""
        told = self._told.get((lookup.scoped_by, lookup.part, lookup.text))
        if told is None:
            return Narrowing()
        (said,) = await _until(self._until, [_held(told)], clock=self._clock)
        return said if isinstance(said, Narrowing) else Narrowing()


async def _held(future: asyncio.Future[Narrowing]) -> Narrowing:
    return await asyncio.shield(future)


async def _until(moment: float, work: Sequence[Coroutine[Any, Any, Any]], *, clock: Clock) -> list[Any]:
    """Each result, or the exception it raised, or None for what was not done by then."""
    if not work:
        return []
    tasks = [asyncio.ensure_future(each) for each in work]
    alarm = asyncio.ensure_future(clock.sleep(max(0.0, moment - clock.monotonic())))
    over = asyncio.get_running_loop().create_future()
    left = len(tasks)

    def came_back(task: asyncio.Future[Any]) -> None:
        nonlocal left
        left -= task is not alarm
        if (task is alarm or not left) and not over.done():
            over.set_result(None)

    for task in (*tasks, alarm):
        task.add_done_callback(came_back)
    try:
        await over  # one future for all: cheaper than asyncio.wait, which would be asked again for each that is back
    finally:
        for task in (*tasks, alarm):
            if not task.done():
                task.cancel()  # abandoned: nobody awaits it
    return [_result(task) for task in tasks]


def _result(task: asyncio.Future[Any]) -> Any:
    if not task.done() or task.cancelled():
        return None
    return task.exception() or task.result()


# --- what a source returns -------------------------------------------------------------------------


def _checked(reply: object, lookup: Lookup) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    """Hits and notes as later steps rely on them; a source that does not keep to the contract has failed."""
    if not isinstance(reply, Reply):
        raise TypeError(f"expected a Reply, got {type(reply).__name__}")
    if not isinstance(reply.hits, Iterable):
        raise TypeError(f"expected hits, got {type(reply.hits).__name__}")
    if not isinstance(reply.narrowing, Narrowing):
        raise TypeError(f"expected a Narrowing, got {type(reply.narrowing).__name__}")
    if not isinstance(reply.notes, tuple | list) or not all(isinstance(note, str) for note in reply.notes):
        raise TypeError("expected notes to be texts")
    hits: dict[str, Hit] = {}
    notes = tuple(reply.notes)
    for place, hit in enumerate(islice(reply.hits, lookup.limit + 1)):
        if place == lookup.limit:
            notes += (f"source {lookup.source!r} gave more than the {lookup.limit} hits asked for; the rest is cut",)
            break
        _check_hit(hit, lookup)
        hits.setdefault(hit.memory.id, hit)
    if lookup.via:
        hits.pop(lookup.via, None)  # what a lookup's words were taken from would always agree with them
    if lookup.belief < 1:
        return tuple(_believed(hit, lookup) for hit in hits.values()), notes
    return tuple(hits.values()), notes


def _check_hit(hit: object, lookup: Lookup) -> None:
    if not isinstance(hit, Hit):
        raise TypeError(f"expected hits, got {type(hit).__name__}")
    memory = hit.memory
    if not isinstance(memory, Memory):
        raise TypeError(f"expected the memory of a hit, got {type(memory).__name__}")
    if memory.space != lookup.space:  # neither its id nor its space is named: they are not the caller's to know
        raise ValueError("gave a memory of another space than the one asked")
    if not (isinstance(memory.id, str) and isinstance(memory.title, str) and isinstance(memory.body, str)):
        raise TypeError("expected id, title and body of a memory to be texts")
    if not _is_number(hit.relevance) or not 0 <= hit.relevance <= 1:
        raise ValueError(f"relevance of {memory.id!r} is {hit.relevance!r}, not within 0 and 1")
    if not _is_number(hit.source_score):
        raise ValueError(f"source_score of {memory.id!r} is {hit.source_score!r}, not a number")
    _check_reasons(hit.reasons, memory.id)
    if hit.vector is not None and not isinstance(hit.vector, Vector):
        raise TypeError(f"expected the vector of {memory.id!r}, got {type(hit.vector).__name__}")


def _check_reasons(reasons: object, id: str) -> None:
    if isinstance(reasons, Later | Explanation):
        return
    if not isinstance(reasons, Shown) or not isinstance(reasons.explanation, Explanation):
        raise TypeError(f"expected the explanation of {id!r}, got {type(reasons).__name__}")
    if not all(isinstance(signal, Signal) for signal in reasons.signals):
        raise TypeError(f"expected the signals of {id!r} to be signals")


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and isfinite(value)


def _believed(hit: Hit, lookup: Lookup) -> Hit:
    """A hit as relevant as it is likely that its lookup was on the way at all; the explanation says what that took."""
    relevance = hit.relevance * lookup.belief
    shown = hit.shown
    own = Explanation(hit.relevance, "relevance by itself", (shown.explanation,))
    off = Explanation(relevance - hit.relevance, f"taken off: believed to {lookup.belief:.3f} by way of {lookup.via}")
    whole = Explanation(relevance, "relevance", (own, off), sums=True)
    return replace(hit, relevance=relevance, reasons=Shown(whole, shown.signals))


# --- writing it down -------------------------------------------------------------------------------


def _notes(outcome: Outcome) -> tuple[str, ...]:
    """What an answer has to do without because of this lookup."""
    source = outcome.lookup.source
    match outcome:
        case Found(notes=notes):
            return notes
        case Failed(_, error):
            return (f"source {source!r} failed: {error}",)
        case TimedOut():
            return (f"source {source!r} timed out",)
        case Skipped(_, "no_scope"):
            return ()
        case Skipped(_, "no_such_source"):
            return (f"source {source!r} is not there",)
        case Skipped():
            return (f"source {source!r} was not asked: the deadline had passed",)


def _record(outcome: Outcome, *, began: float, trace: Recorder) -> None:
    lookup = outcome.lookup
    numbers: dict[str, str | int] = {
        "source": lookup.source,
        "part": lookup.part,
        "origin": lookup.origin.value,
        "text": lookup.text[:LONGEST_TEXT],
    }
    if lookup.via:
        numbers["via"] = lookup.via
    because, seconds, hits = "skipped", 0.0, 0
    match outcome:
        case Found(_, found, seconds):
            because, hits = "found" if found else "empty", len(found)
        case Failed(_, error, seconds):
            because, numbers["error"] = "failed", error
        case TimedOut(_, seconds):
            because = "timed_out"
        case Skipped(_, reason):
            numbers["reason"] = reason
    trace.ran(f"lookup {lookup.source}", began=began, seconds=seconds, because=because, hits=hits, **numbers)


def _count(outcomes: Sequence[Outcome], trace: Recorder) -> None:
    trace.count(
        queries_executed=sum(not isinstance(each, Skipped) for each in outcomes),
        hits=sum(len(each.hits) for each in outcomes if isinstance(each, Found)),
        timed_out=sum(isinstance(each, TimedOut) for each in outcomes),
        failed=sum(isinstance(each, Failed) for each in outcomes),
    )
