"""Findings of all rounds -> Evidence: the same thing once, ranked over rounds and parts, every good part covered.

The same is what has one id, one text, one fact, or nearly one meaning with the same numbers, names and polarity. What
a score is made of is in `rank/standing.py`; whether pieces contradict each other is left to `reconcile`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.language.suspicion import suspicious
from recollect.rank.alike import pairs_alike
from recollect.rank.denial import SHORT, deny_each_other, may_deny_each_other
from recollect.rank.identity import details_agree, evidence_key, fact_key
from recollect.rank.snippet import best_snippets
from recollect.rank.standing import Share, Standing, explained, score, shares
from recollect.readings import remembered
from recollect.records import Memory
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Evidence, Findings, Found, Hit, Judgement, Lookup, Part

MOST_COMPARED = 60  # pieces compared for near repeats, best first: 1,770 pairs, more than are ever returned
MOST_LOOKUPS = 12
SNIPPETS = 2
PERHAPS_SHARE = 0.5  # of the gate: what only may deny has to be about the question itself
DENIAL_SHARE = 0.02  # of the gate: a denial may share little more with the question than its subject


class Sighting(NamedTuple):
    """A hit where it was found: by which lookup, in which round, at which place of which list."""

    hit: Hit
    lookup: Lookup
    round: int
    place: int
    in_list: int


class Group(NamedTuple):
    """Sightings of the same thing, best first, and the parts it serves."""

    sightings: Sequence[Sighting]
    parts: tuple[int, ...]

    @property
    def best(self) -> Hit:
        return self.sightings[0].hit

    @property
    def serving(self) -> Sequence[Sighting]:
        """Those for a part it serves: in a small store every lookup brings everything."""
        return [each for each in self.sightings if each.lookup.part in self.parts]


class Ranked(NamedTuple):
    """A group with its score, and who else says the same."""

    group: Group
    score: float
    made_of: Sequence[Share]
    members: Sequence[Memory]
    corroborated_by: tuple[str, ...]
    evidences: int
    texts: int


class Ground(NamedTuple):
    """What all groups are ranked against."""

    parts: dict[int, Part]
    lists: dict[int, int]
    projects: frozenset[str]
    asks_local: bool
    now: datetime
    settings: Settings


def merge(
    findings: Sequence[Findings], *, judgement: Judgement, settings: Settings, now: datetime, trace: Recorder
) -> tuple[Evidence, ...]:
    """One piece of evidence per distinct thing that passes the gate, best first, cut to what is worth returning."""
    sightings = list(_sightings(findings))
    same = _grouped(sightings, gate=settings.quality_threshold)
    passing, below = _by_gate(same, gate=settings.quality_threshold)
    distinct = _without_repeats(passing, settings=settings, trace=trace)
    ground = _ground(findings, judgement=judgement, now=now, settings=settings)
    ranked = [_ranked(_group(each, settings.quality_threshold), ground=ground) for each in distinct]
    ranked.sort(key=lambda each: (-each.score, each.group.best.memory.id))
    kept = _select(ranked, parts=sorted(ground.parts), settings=settings)
    kept = _with_denials(kept, ranked, below=below, ground=ground)
    evidence = tuple(_piece(each, ground=ground) for each in kept)
    trace.note(projects_searched=len({each.hit.memory.project for each in sightings} - {None}))
    _tell(trace, hits=len(sightings), distinct=len(same) - len(passing) + len(distinct), ranked=ranked, kept=evidence)
    return evidence


def _tell(trace: Recorder, *, hits: int, distinct: int, ranked: Sequence[Ranked], kept: Sequence[Evidence]) -> None:
    """Counters are set, not added to: merging once more after a search for replacements counts anew."""
    trace.decide("merge", "by_identity", hits=hits, distinct=distinct)
    trace.decide("cut", "relevance_ratio", before=len(ranked), after=len(kept))
    trace.note(
        duplicates_merged=sum(len(each.members) - 1 for each in ranked),
        source_agreement=sum(bool(piece.corroborated_by) for piece in kept),
        pre_count=len(ranked),
        post_count=len(kept),
        top_score=round(kept[0].score, 9) if kept else 0.0,
    )


def _sightings(findings: Sequence[Findings]) -> Iterator[Sighting]:
    lists = 0
    for finding in findings:
        for outcome in finding.outcomes:
            if isinstance(outcome, Found):
                lists += 1
                for place, hit in enumerate(outcome.hits, start=1):
                    yield Sighting(hit, outcome.lookup, finding.round, place, lists)


def _by_gate(same: Sequence[list[Sighting]], *, gate: float) -> tuple[list[list[Sighting]], list[list[Sighting]]]:
    """The groups that pass the gate, and those that do not."""
    passing: list[list[Sighting]] = []
    below: list[list[Sighting]] = []
    for group in same:
        (passing if group[0].hit.relevance >= gate else below).append(group)
    return passing, below


def _ground(findings: Sequence[Findings], *, judgement: Judgement, now: datetime, settings: Settings) -> Ground:
    lookups = [outcome.lookup for finding in findings for outcome in finding.outcomes]
    lists: dict[int, int] = {}
    for finding in findings:
        for outcome in finding.outcomes:
            if isinstance(outcome, Found) and outcome.hits:
                lists[outcome.lookup.part] = lists.get(outcome.lookup.part, 0) + 1
    return Ground(
        parts={state.part.number: state.part for state in judgement.states},
        lists=lists,
        projects=frozenset[str]().union(*(lookup.filters.projects for lookup in lookups)),
        asks_local=any(lookup.source == "local" for lookup in lookups),
        now=now,
        settings=settings,
    )


# --- the same thing once -------------------------------------------------------------------------


def _grouped(sightings: Sequence[Sighting], *, gate: float) -> list[list[Sighting]]:
    """Sightings of the same thing together, best first: the same id, the same text, or the same fact.

    What is below the gate wherever it was found is not read for what it says.
    """
    leads_to: list[int] = []
    ids: dict[str, int] = {}
    texts: dict[str, int] = {}
    facts: dict[str, int] = {}
    read: set[tuple[str, str]] = set()

    def end(node: int) -> int:
        while leads_to[node] != node:
            leads_to[node] = leads_to[leads_to[node]]  # half as far the next time
            node = leads_to[node]
        return node

    def join(node: int, known: dict[str, int], key: str) -> None:
        other = known.setdefault(key, node)
        if other != node:
            leads_to[end(node)] = end(other)

    for sighting in sightings:
        memory = sighting.hit.memory
        this = (memory.id, memory.content_hash)
        if this in read:
            continue
        node = ids.setdefault(memory.id, len(leads_to))
        if node == len(leads_to):
            leads_to.append(node)
        if memory.content_hash:
            join(node, texts, memory.content_hash)
        if sighting.hit.relevance >= gate:
            join(node, facts, fact_key(memory))
            read.add(this)
    groups: dict[int, list[Sighting]] = {}
    for sighting in sightings:
        groups.setdefault(end(ids[sighting.hit.memory.id]), []).append(sighting)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=_order)
    return list(groups.values())


def _order(sighting: Sighting) -> tuple[float | int | str, ...]:
    """Best first, and whatever the order they came in, the same one of equals."""
    hit, lookup, round, place, _ = sighting
    memory = hit.memory
    same = (memory.id, memory.content_hash, hit.source, memory.source_uri or "")
    return -hit.relevance, *same, round, lookup.part, lookup.text, place


def _without_repeats(
    groups: Sequence[list[Sighting]], *, settings: Settings, trace: Recorder
) -> Sequence[list[Sighting]]:
    """Groups that mean nearly the same as a better one become part of it, unless a detail differs."""
    groups = sorted(groups, key=lambda group: _order(group[0]))
    vectors = [next((each.hit.vector for each in group if each.hit.vector), None) for group in groups[:MOST_COMPARED]]
    into: dict[int, int] = {}
    for better, other, cosine in pairs_alike(vectors, threshold=settings.similarity_threshold):
        if better in into or other in into:
            continue
        one, two = groups[better][0].hit.memory, groups[other][0].hit.memory
        if _details_agree(one, two):
            into[other] = better
            trace.decide("absorb", "near_repeat", id=one.id, other=two.id, cosine=round(cosine, 6))
        else:
            trace.decide("keep apart", "details_differ", id=one.id, other=two.id, cosine=round(cosine, 6))
    if not into:
        return groups
    joined = {place: list(group) for place, group in enumerate(groups) if place not in into}
    for other, better in into.items():
        joined[better] += groups[other]
    return list(joined.values())


def _details_agree(one: Memory, other: Memory) -> bool:
    """Titles count where both have one: they often hold the name that the text leaves out."""
    if may_deny_each_other(one, other):
        return False
    if one.title and other.title:
        return details_agree(f"{one.title}. {one.body}", f"{other.title}. {other.body}")
    return details_agree(one.body, other.body)


# --- rank ----------------------------------------------------------------------------------------


def _group(sightings: list[Sighting], gate: float) -> Group:
    return Group(sightings, tuple(sorted({each.lookup.part for each in sightings if each.hit.relevance >= gate})))


def _ranked(group: Group, *, ground: Ground) -> Ranked:
    best = group.best
    members, speakers = _members(group)
    places: dict[int, int] = {}
    for each in group.serving:
        places[each.in_list] = min(each.place, places.get(each.in_list, each.place))
    at_hand = best.memory.project in ground.projects or any(each.hit.source == "local" for each in group.sightings)
    texts = len({each.lookup.text.casefold() for each in group.serving})
    standing = Standing(
        memory=best.memory,
        relevance=best.relevance,
        places=sorted(places.values()),
        lists=sum(ground.lists[part] for part in group.parts),
        agreeing=len(speakers),
        evidences=len(speakers) + 1,
        first_round=min(each.round for each in group.sightings),
        texts=texts,
        asked=[ground.parts[part] for part in group.parts],
        at_hand=at_hand if ground.projects or ground.asks_local else None,
        merits=best.merits,
    )
    made_of = shares(standing, now=ground.now, settings=ground.settings)
    others = tuple(sorted(speakers.values()))
    return Ranked(group, score(made_of), made_of, members, others, len(speakers) + 1, texts)


def _members(group: Group) -> tuple[list[Memory], dict[str, str]]:
    """The memories that say this, the best first, and by evidence key who says it beside the best.

    Several places of one source are one speaker, and so is one memory that two sources found.
    """
    best = group.best.memory
    others = {
        each.hit.memory.id: each.hit.memory for each in reversed(group.sightings) if each.hit.memory.id != best.id
    }
    speakers: dict[str, str] = {}
    for id in sorted(others):
        speakers.setdefault(evidence_key(others[id]), id)
    if speakers:
        speakers.pop(evidence_key(best), None)
    return [best, *others.values()], speakers


def _select(ranked: Sequence[Ranked], *, parts: Sequence[int], settings: Settings) -> list[Ranked]:
    """The best piece of every part, then the rest above the cut-off, up to the cap; parts take turns, by rank."""
    if not ranked or settings.max_results == 0:
        return []
    reserved = [next((n for n, each in enumerate(ranked) if part in each.group.parts), None) for part in parts]
    chosen = dict.fromkeys(n for n in reserved if n is not None)
    chosen = dict.fromkeys(list(chosen)[: settings.max_results])
    floor = ranked[0].score * settings.relevance_ratio
    for n, each in enumerate(ranked):
        if len(chosen) >= settings.max_results or each.score < floor:
            break
        chosen[n] = None
    return _parts_in_turn([ranked[n] for n in sorted(chosen)])


def _with_denials(
    kept: list[Ranked], ranked: Sequence[Ranked], *, below: Sequence[list[Sighting]], ground: Ground
) -> list[Ranked]:
    """What was cut off and may deny an older piece that was kept, or did not quite pass the gate and surely denies it:
    without it, that would look true. It comes last; what to make of the two is for `reconcile`."""
    room, floor = ground.settings.max_results - len(kept), ground.settings.quality_threshold * DENIAL_SHARE
    short = [each for each in kept if len(each.group.best.memory.body) <= SHORT]
    if room <= 0 or not short:
        return kept
    chosen = {id(each) for each in kept}
    found = [
        each
        for each in ranked[:MOST_COMPARED]
        if id(each) not in chosen and _denies_one(each.group, short, ground, perhaps=True)
    ]
    near = sorted((group for group in below if group[0].hit.relevance >= floor), key=lambda group: _order(group[0]))
    groups = [_group(group, floor) for group in near[:MOST_COMPARED]]
    found += [
        _ranked(group, ground=ground)
        for group in groups
        if _denies_one(group, short, ground, perhaps=_nearly_passes(group, ground))
    ]
    return kept + found[:room]


def _nearly_passes(group: Group, ground: Ground) -> bool:
    return group.best.relevance >= ground.settings.quality_threshold * PERHAPS_SHARE


def _denies_one(group: Group, kept: Sequence[Ranked], ground: Ground, *, perhaps: bool) -> bool:
    memory = group.best.memory
    if len(memory.body) > SHORT:
        return False
    for other in kept:
        old = other.group.best.memory
        if old.created_at < memory.created_at:
            shared = [ground.parts[part] for part in group.parts if part in other.group.parts]
            if deny_each_other(old, memory, parts=shared) or (perhaps and may_deny_each_other(old, memory)):
                return True
    return False


def _parts_in_turn(kept: list[Ranked]) -> list[Ranked]:
    """The best of each part first, then the second of each: what one part has plenty of hides no other's."""
    met: dict[int, int] = {}
    turns = []
    for each in kept:
        turns.append(min(met.get(part, 0) for part in each.group.parts))
        for part in each.group.parts:
            met[part] = met.get(part, 0) + 1
    order = sorted(range(len(kept)), key=lambda n: (turns[n], n))
    return [kept[n] for n in order]


def _piece(ranked: Ranked, *, ground: Ground) -> Evidence:
    """Only what is kept is read for its sentences and for what looks suspicious."""
    (sightings, parts), best = ranked.group, ranked.group.best
    memory, shown = best.memory, best.shown
    ids = {member.id for member in ranked.members}
    sources = {each.hit.source for each in sightings}
    found_by = sorted({(each.round, _named(each.lookup)) for each in ranked.group.serving})
    return Evidence(
        memory=memory,
        score=ranked.score,
        relevance=best.relevance,
        parts=parts,
        sources=(best.source, *sorted(sources - {best.source})),
        rounds=tuple(sorted({each.round for each in sightings})),
        explanation=explained(ranked.made_of, because=shown.explanation),
        snippets=best_snippets(memory.body, questions=[ground.parts[part].text for part in parts], most=SNIPPETS),
        fact_key=fact_key(memory),
        evidence_key=evidence_key(memory),
        lookups=tuple(dict.fromkeys(name for _, name in found_by))[:MOST_LOOKUPS],
        absorbed=tuple(sorted(ids - {memory.id})),
        corroborated_by=ranked.corroborated_by,
        novelty_added=min(each.round for each in sightings),
        supporting_evidence_count=ranked.evidences,
        query_coverage_count=ranked.texts,
        signals=shown.signals,
        reached_by=best.reached_by,
        contradicts=tuple(sorted({id for each in sightings for id in each.hit.contradicts} - ids)),
        supersedes=tuple(sorted({id for each in sightings for id in each.hit.supersedes} - ids)),
        flags=_flags("\n".join([memory.title, memory.body, *filter(None, best.around[:2])])),
        around=best.around,
        coexists=tuple(sorted({id for each in sightings for id in each.hit.coexists} - ids)),
    )


_flags = remembered(suspicious)


def _named(lookup: Lookup) -> str:
    return f"{lookup.source} {lookup.origin.value}: {lookup.text}"
