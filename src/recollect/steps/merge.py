"""Findings of all rounds -> Evidence: the same thing once, ranked over rounds and parts, every good part covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.rank.snippet import best_snippet
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Evidence, Findings, Found, Hit, Judgement, Lookup

Sighting = tuple[Hit, Lookup, int]


def merge(
    findings: Sequence[Findings], *, judgement: Judgement, settings: Settings, trace: Recorder
) -> tuple[Evidence, ...]:
    """One piece of evidence per distinct text that passes the gate, best first, cut to what is worth returning."""
    groups: dict[str, list[Sighting]] = {}
    for sighting in _sightings(findings):
        groups.setdefault(sighting[0].memory.content_hash, []).append(sighting)
    pieces = [_piece(group, settings=settings) for group in groups.values()]
    ranked = sorted(
        (piece for piece in pieces if piece.relevance >= settings.quality_threshold),
        key=lambda piece: (-piece.score, piece.memory.id),
    )
    kept = _select(ranked, parts=len(judgement.states), settings=settings)
    trace.decide("merge", "by_identity", hits=sum(map(len, groups.values())), distinct=len(pieces))
    trace.decide("cut", "relevance_ratio", before=len(ranked), after=len(kept))
    return kept


def _sightings(findings: Sequence[Findings]) -> Iterator[Sighting]:
    for finding in findings:
        for outcome in finding.outcomes:
            if isinstance(outcome, Found):
                yield from ((hit, outcome.lookup, finding.round) for hit in outcome.hits)


def _piece(group: Sequence[Sighting], *, settings: Settings) -> Evidence:
    best, lookup, _ = min(group, key=lambda each: (-each[0].relevance, each[0].memory.id))
    served = {found.part for hit, found, _ in group if hit.relevance >= settings.quality_threshold}
    return Evidence(
        memory=best.memory,
        score=best.relevance,
        relevance=best.relevance,
        parts=tuple(sorted(served)),
        sources=tuple(sorted({hit.source for hit, _, _ in group})),
        rounds=tuple(sorted({round for _, _, round in group})),
        explanation=best.explanation,
        snippet=best_snippet(best.memory.body, question=lookup.text),
        absorbed=tuple(sorted({hit.memory.id for hit, _, _ in group} - {best.memory.id})),
    )


def _select(ranked: Sequence[Evidence], *, parts: int, settings: Settings) -> tuple[Evidence, ...]:
    """The best piece of every part first, then the rest above the cut-off, up to the cap; in rank order."""
    if not ranked or settings.max_results == 0:
        return ()
    reserved = [next((piece for piece in ranked if part in piece.parts), None) for part in range(parts)]
    chosen = list(dict.fromkeys(piece.memory.id for piece in reserved if piece))[: settings.max_results]
    floor = ranked[0].score * settings.relevance_ratio
    for piece in ranked:
        if len(chosen) >= settings.max_results or piece.score < floor:
            break
        if piece.memory.id not in chosen:
            chosen.append(piece.memory.id)
    return tuple(piece for piece in ranked if piece.memory.id in chosen)
