"""Findings of all rounds -> Evidence: the same thing once, ranked over rounds and parts, every good part covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.rank.snippet import best_snippet
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Evidence, Explanation, Findings, Found, Hit, Judgement, Lookup

Sighting = tuple[Hit, Lookup, int]


def merge(
    findings: Sequence[Findings], *, judgement: Judgement, settings: Settings, trace: Recorder
) -> tuple[Evidence, ...]:
    """One piece of evidence per distinct text that passes the gate, best first, cut to what is worth returning."""
    groups = _grouped(list(_sightings(findings)))
    passing = [group for group in groups if max(hit.relevance for hit, _, _ in group) >= settings.quality_threshold]
    pieces = [_piece(group, settings=settings) for group in passing]
    ranked = sorted(pieces, key=lambda piece: (-piece.score, piece.memory.id))
    kept = _select(ranked, parts=len(judgement.states), settings=settings)
    trace.decide("merge", "by_identity", hits=sum(map(len, groups)), distinct=len(groups))
    trace.decide("cut", "relevance_ratio", before=len(ranked), after=len(kept))
    return tuple(replace(piece, snippet=_snippet(piece, judgement)) for piece in kept)


def _snippet(piece: Evidence, judgement: Judgement) -> str:
    """Only what is kept is read for its best sentence."""
    asked = judgement.states[piece.parts[0]].part.text
    return best_snippet(piece.memory.body, question=asked)


def _sightings(findings: Sequence[Findings]) -> Iterator[Sighting]:
    for finding in findings:
        for outcome in finding.outcomes:
            if isinstance(outcome, Found):
                yield from ((hit, outcome.lookup, finding.round) for hit in outcome.hits)


def _grouped(sightings: Sequence[Sighting]) -> list[list[Sighting]]:
    """Sightings of the same thing together: the same id, or the same text."""
    leads_to: dict[str, str] = {}

    def end(key: str) -> str:
        while leads_to.setdefault(key, key) != key:
            key = leads_to[key]
        return key

    for hit, _, _ in sightings:
        leads_to[end(f"id {hit.memory.id}")] = end(f"text {hit.memory.content_hash or hit.memory.id}")
    groups: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        groups.setdefault(end(f"id {sighting[0].memory.id}"), []).append(sighting)
    return list(groups.values())


def _piece(group: Sequence[Sighting], *, settings: Settings) -> Evidence:
    best, _, _ = min(group, key=_place)
    served = {found.part for hit, found, _ in group if hit.relevance >= settings.quality_threshold}
    return Evidence(
        memory=best.memory,
        score=best.relevance,
        relevance=best.relevance,
        parts=tuple(sorted(served)),
        sources=tuple(sorted({hit.source for hit, _, _ in group})),
        rounds=tuple(sorted({round for _, _, round in group})),
        explanation=Explanation(best.relevance, "relevance", (best.explanation,)),
        absorbed=tuple(sorted({hit.memory.id for hit, _, _ in group} - {best.memory.id})),
    )


def _place(sighting: Sighting) -> tuple[float, str, str, str, int, int, str]:
    """Best first, and whatever the order they came in, the same one of equals."""
    hit, lookup, round = sighting
    memory = hit.memory
    return -hit.relevance, memory.id, memory.content_hash, hit.source, round, lookup.part, lookup.text


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
