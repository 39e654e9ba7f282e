"""Evidence -> verdict, confidence and gaps: is this answerable, how sure, and what is missing?

Takes what was kept, what the rounds brought and how the lookups fared. Which words the answer is put into is left to
`answer`.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from recollect.language.particulars import another_than_asked
from recollect.rank.answering import told_by
from recollect.rank.confidence import confidence as calibrated
from recollect.records import Memory
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import (
    Confidence,
    Conflict,
    ConflictKind,
    Evidence,
    Failed,
    Findings,
    Found,
    Gap,
    Judgement,
    Label,
    Outcome,
    PartState,
    Progress,
    Skipped,
    TimedOut,
    VerdictKind,
    Weighed,
)

FACTS_FOR_FULL_STRENGTH = 3
CORROBORATION = 0.5  # another who says the same counts half as much as another fact
OPEN_CONFLICT = 0.1  # taken off the evidence's strength for each conflict nobody settled ...
MOST_TAKEN_OFF = 0.5  # ... but never more than half of it: conflicting evidence is evidence

NOTHING_RELEVANT = "nothing relevant is stored"
ONLY_WEAK = "only weak evidence"
ONLY_ANOTHER = "only another one is stored"  # and what tells that one apart
SOURCES_FAILED = "the sources failed"
OUT_OF_TIME = "ran out of time"
DEADLINE = "deadline"  # why a lookup was skipped that was due after the time was up


def weigh(
    evidence: Sequence[Evidence],
    *,
    judgement: Judgement,
    findings: Sequence[Findings],
    conflicts: Sequence[Conflict],
    settings: Settings,
    trace: Recorder,
) -> Weighed:
    """The verdict over all parts, and the confidence with its components, each within 0 and 1.

    Relevance is the mean of the best hit of each part. Evidence is its strength (`_strength`), less for conflicts that
    are open. Coverage is the mean of three: the share of parts that are covered, the share of what the parts name that
    good hits contain (`coverage_score` of the last round), and novelty, the share of rounds that brought a new fact or
    new evidence of one: a search that goes on finding nothing knows less than it hoped to. Reliability is the share
    of lookups that came back.
    """
    states = judgement.states
    bests = _bests(judgement, findings)
    missing = [state for state in states if bests[state.part.number] < settings.answerable_threshold]
    verdict = _verdict(len(missing), len(states))
    open_conflicts = sum(not each.settled and each.kind is not ConflictKind.SCOPE for each in conflicts)
    covered = 1 - len(missing) / len(states) if states else 0.0
    components = {
        "relevance": _mean(list(bests.values())),
        "evidence": _strength(evidence, settings) * (1 - min(MOST_TAKEN_OFF, OPEN_CONFLICT * open_conflicts)),
        "coverage": _mean([covered, judgement.progress.coverage_score, _novelty(judgement.progress)]),
        "reliability": _reliability(findings),
    }
    score = calibrated(components, settings.confidence)
    confidence = Confidence(score, _label(score, settings), MappingProxyType(components))
    trace.decide(verdict.value, "parts_covered", missing=len(missing), parts=len(states), confidence=score)
    trace.note(final_confidence=round(score, 9))
    if open_conflicts:
        trace.decide("trust less", "open_conflicts", conflicts=open_conflicts)
    gaps = tuple(_gap(state, best=bests[state.part.number], findings=findings, settings=settings) for state in missing)
    return Weighed(verdict, confidence, gaps)


def _bests(judgement: Judgement, findings: Sequence[Findings]) -> dict[int, float]:
    """The best relevance for each part: as judged, or as found since, while looking for something better."""
    bests = {state.part.number: state.best for state in judgement.states}
    for finding in findings:
        if finding.round > judgement.progress.rounds:
            for outcome in finding.outcomes:
                if isinstance(outcome, Found) and outcome.hits:
                    part = outcome.lookup.part
                    bests[part] = max(bests[part], *(hit.relevance for hit in outcome.hits))
    return bests


def _verdict(missing: int, parts: int) -> VerdictKind:
    if missing == 0:
        return VerdictKind.ANSWERABLE
    return VerdictKind.NONE if missing == parts else VerdictKind.PARTIAL


def _strength(evidence: Sequence[Evidence], settings: Settings) -> float:
    """How much speaks for it: good facts, and half as much each other who says the same; three facts are enough."""
    good = [piece for piece in evidence if piece.relevance >= settings.answerable_threshold and not piece.superseded]
    facts = len({piece.fact_key or piece.memory.id for piece in good})
    others = sum(len(piece.corroborated_by) for piece in good)
    return min(1.0, (facts + CORROBORATION * others) / FACTS_FOR_FULL_STRENGTH)


def _novelty(progress: Progress) -> float:
    return _mean([float(gain.new_facts + gain.new_evidence > 0) for gain in progress.gains])


def _reliability(findings: Sequence[Findings]) -> float:
    """The share of lookups that came back. An honest empty result came back; what was never sent is not counted."""
    sent = [outcome for finding in findings for outcome in finding.outcomes if not isinstance(outcome, Skipped)]
    return _mean([float(isinstance(outcome, Found)) for outcome in sent])


def _label(score: float, settings: Settings) -> Label:
    if score >= settings.high_confidence:
        return Label.HIGH
    return Label.MEDIUM if score >= settings.medium_confidence else Label.LOW


def _gap(state: PartState, *, best: float, findings: Sequence[Findings], settings: Settings) -> Gap:
    part = state.part
    if best >= settings.quality_threshold:
        return Gap(part.number, part.text, ONLY_WEAK)
    if other := another_than_asked(part.text, told_by(_memories_found(part.number, findings))):
        return Gap(part.number, part.text, f"{ONLY_ANOTHER}: {other}")
    return Gap(part.number, part.text, NOTHING_RELEVANT if state.served else _why_not_served(part.number, findings))


def _memories_found(part: int, findings: Sequence[Findings]) -> list[Memory]:
    """What was looked at for a part, the likeliest first."""
    hits = [hit for outcome in _outcomes_of(part, findings) if isinstance(outcome, Found) for hit in outcome.hits]
    in_order = sorted(hits, key=lambda hit: (-hit.relevance, hit.memory.id))
    return list({hit.memory.id: hit.memory for hit in in_order}.values())


def _why_not_served(part: int, findings: Sequence[Findings]) -> str:
    """What happened to a part no source answered for; a failure says more than the time that ran out meanwhile."""
    outcomes = _outcomes_of(part, findings)
    if any(isinstance(outcome, Failed) for outcome in outcomes):
        return SOURCES_FAILED
    return OUT_OF_TIME if any(map(_is_late, outcomes)) else SOURCES_FAILED


def _outcomes_of(part: int, findings: Sequence[Findings]) -> list[Outcome]:
    return [outcome for finding in findings for outcome in finding.outcomes if outcome.lookup.part == part]


def _is_late(outcome: Outcome) -> bool:
    return isinstance(outcome, TimedOut) or (isinstance(outcome, Skipped) and outcome.reason == DEADLINE)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
