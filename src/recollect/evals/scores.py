"""What the outcomes of a set are worth: averages over the questions they can be averaged over.

Rankings count where a question has gold documents and is not labelled unanswerable; confidence where `answerable` is
labelled; times and tokens everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.evals.baselines import SAYS_NOTHING_OF_ANSWERS, Scored
from recollect.evals.layout import LabelledSet
from recollect.evals.metrics import (
    Bin,
    Estimate,
    all_at,
    auroc_estimate,
    brier,
    calibration_error,
    mean_estimates,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
    reliability,
)
from recollect.evals.run import Outcome, Ran

MEASURES = ("recall@2", "recall@5", "recall@10", "all@5", "nDCG@10", "MRR")
UPDATES = ("newest first", "flagged")
CUT_OFF = ("precision", "recall", "precision@10", "recall@10")


class Ranked(NamedTuple):
    """How good rankings are, by measure, over so many questions."""

    questions: int
    measures: Mapping[str, Estimate]


class Calibrated(NamedTuple):
    """How good a confidence is over the questions labelled answerable or not; no AUROC without both."""

    questions: int
    answerable: int
    auroc: Estimate | None
    ece: float
    brier: float
    bins: tuple[Bin, ...]
    verdicts: Mapping[str, Mapping[str, int]]


class Cost(NamedTuple):
    """What it takes: seconds of a call with the question's embedding, tokens of context, pieces of evidence, rounds."""

    p50_seconds: float
    p95_seconds: float
    tokens: float
    p95_tokens: float
    pieces: float
    rounds: float
    load_seconds: float


class Baseline(NamedTuple):
    """A plain method: its rankings, and how well its best score tells what is answerable."""

    ranked: Ranked
    auroc: Estimate | None


class Scores(NamedTuple):
    """Everything measured on one set."""

    name: str
    documents: int
    queries: int
    ranked: Ranked
    categories: Mapping[str, Ranked]
    cut_off: Mapping[str, Estimate]
    updates: Mapping[str, Estimate]
    calibrated: Calibrated | None
    cost: Cost
    stops: Mapping[str, int]
    baselines: Mapping[str, Baseline]
    notes: tuple[str, ...]


def score_set(ran: Ran) -> Scores:
    """The figures of one set."""
    given, outcomes = ran.given, ran.outcomes
    rankings = [each.ranking for each in outcomes]
    degraded = Counter(note for each in outcomes for note in each.degraded)
    return Scores(
        given.name,
        len(given.documents),
        len(outcomes),
        score_rankings(given, rankings),
        _by_category(given, rankings),
        _cut_off(given, outcomes),
        _updates(given, outcomes),
        _calibrated(given, outcomes),
        _cost(ran),
        _sorted(Counter(each.stop for each in outcomes)),
        {name: _baseline(given, ranked, name) for name, ranked in ran.baselines.items()},
        (*ran.notes, *(f"{note}: {count} of {len(outcomes)} questions" for note, count in _sorted(degraded).items())),
    )


def score_rankings(given: LabelledSet, rankings: Sequence[Sequence[Scored]], *, category: str | None = None) -> Ranked:
    """The measures over the questions that have gold, of one category or of all."""
    columns: dict[str, list[float]] = {name: [] for name in MEASURES}
    for query, ranking in zip(given.queries, rankings, strict=True):
        gold = given.gold(query.id)
        if not gold or (category is not None and given.labels_of(query.id).category != category):
            continue
        ids = [each.id for each in ranking]
        for k in (2, 5, 10):
            columns[f"recall@{k}"].append(recall_at(ids, gold, k))
        columns["all@5"].append(all_at(ids, gold, 5))
        columns["nDCG@10"].append(ndcg_at(ids, gold, 10))
        columns["MRR"].append(reciprocal_rank(ids, gold))
    return Ranked(len(columns["MRR"]), mean_estimates(columns))


def _by_category(given: LabelledSet, rankings: Sequence[Sequence[Scored]]) -> dict[str, Ranked]:
    names = {name for query in given.queries if (name := given.labels_of(query.id).category)}
    scored = {name: score_rankings(given, rankings, category=name) for name in sorted(names)}
    return {name: ranked for name, ranked in scored.items() if ranked.questions}


def _cut_off(given: LabelledSet, outcomes: Sequence[Outcome]) -> dict[str, Estimate]:
    """Precision and recall of the evidence, beside those of the first ten before the cut-off."""
    columns: dict[str, list[float]] = {name: [] for name in CUT_OFF}
    for outcome in outcomes:
        gold = given.gold(outcome.query)
        if gold:
            first = [each.id for each in outcome.ranking[:10]]
            columns["precision"].append(_precision(outcome.evidence, gold))
            columns["recall"].append(recall_at(outcome.evidence, gold, len(outcome.evidence)))
            columns["precision@10"].append(_precision(first, gold))
            columns["recall@10"].append(recall_at(first, gold, 10))
    return mean_estimates(columns)


def _precision(found: Sequence[str], gold: Mapping[str, int]) -> float:
    return len(gold.keys() & set(found)) / len(found) if found else 0.0


def _updates(given: LabelledSet, outcomes: Sequence[Outcome]) -> dict[str, Estimate]:
    """For each gold document that a later one contradicts: is the later one above it, and the conflict flagged?"""
    columns: dict[str, list[float]] = {name: [] for name in UPDATES}
    for outcome in outcomes:
        places = {found.id: place for place, found in enumerate(outcome.ranking)}
        for old in given.gold(outcome.query):
            for new in given.contradictions.get(old, ()):
                above = new in places and places[new] < places.get(old, len(places))
                columns["newest first"].append(float(above))
                columns["flagged"].append(float(frozenset((old, new)) in outcome.conflicts))
    return mean_estimates(columns)


def _calibrated(given: LabelledSet, outcomes: Sequence[Outcome]) -> Calibrated | None:
    labelled = [(each, label) for each in outcomes if (label := given.labels_of(each.query).answerable) is not None]
    if not labelled:
        return None
    scores = [each.confidence for each, _ in labelled]
    labels = [label for _, label in labelled]
    verdicts = {
        name: _sorted(Counter(each.verdict for each, label in labelled if label is wanted))
        for name, wanted in (("answerable", True), ("unanswerable", False))
    }
    return Calibrated(
        len(labelled),
        sum(labels),
        auroc_estimate(scores, labels),
        calibration_error(scores, labels),
        brier(scores, labels),
        reliability(scores, labels),
        verdicts,
    )


def _cost(ran: Ran) -> Cost:
    outcomes = ran.outcomes
    seconds, tokens = [each.seconds for each in outcomes], [each.tokens for each in outcomes]
    return Cost(
        percentile(seconds, 0.5),
        percentile(seconds, 0.95),
        sum(tokens) / len(tokens),
        percentile(tokens, 0.95),
        sum(each.pieces for each in outcomes) / len(outcomes),
        sum(each.rounds for each in outcomes) / len(outcomes),
        ran.load_seconds,
    )


def _baseline(given: LabelledSet, rankings: Sequence[Sequence[Scored]], name: str) -> Baseline:
    labelled = [
        (ranking[0].score if ranking else 0.0, label)
        for query, ranking in zip(given.queries, rankings, strict=True)
        if (label := given.labels_of(query.id).answerable) is not None
    ]
    tells = name not in SAYS_NOTHING_OF_ANSWERS
    found = auroc_estimate([score for score, _ in labelled], [label for _, label in labelled]) if tells else None
    return Baseline(score_rankings(given, rankings), found)


def _sorted(counted: Counter[str]) -> dict[str, int]:
    """Most frequent first, ties by name."""
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
