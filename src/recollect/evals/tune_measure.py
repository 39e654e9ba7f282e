"""How good answers are, as tuning counts it: one number to fit by for each stage, and a table before and after.

Rankings and the cut-off count where a question has gold documents, verdict and confidence where it is labelled
answerable or not, as in `scores.py`. Intervals are bootstrapped over the questions, both sides together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from recollect.evals.layout import LabelledSet
from recollect.evals.metrics import (
    OUTSIDE,
    RESAMPLES,
    SEED,
    Estimate,
    auroc,
    calibration_error,
    mean_estimates,
    ndcg_at,
    recall_at,
)
from recollect.evals.tune_ask import Asked
from recollect.values import Label, VerdictKind

LABELS = tuple(label.value for label in Label)  # from low to high
DRAWS = 200  # resamples that tell how sure a gain is
# What no stage may cost: a measure, and whether more of it is better.
PROTECTED = {"recall@5": True, "nDCG@10": True, "cut-off recall": True, "Brier": False}

Objective = Callable[[Sequence[Asked], LabelledSet], float | None]


class Line(NamedTuple):
    """One measure on the held-out questions: before, after, and the difference question by question."""

    questions: int
    before: Estimate
    after: Estimate
    change: Estimate


# --- one number to fit by; the more, the better; None where it cannot be told ---------------------


def ranking(asked: Sequence[Asked], given: LabelledSet) -> float | None:
    """The mean of recall@5 and nDCG@10."""
    judged = [(each.ranking, gold) for each in asked if (gold := given.gold(each.query))]
    if not judged:
        return None
    return sum(recall_at(found, gold, 5) + ndcg_at(found, gold, 10) for found, gold in judged) / (2 * len(judged))


def cut_off(asked: Sequence[Asked], given: LabelledSet) -> float | None:
    """F2 of the evidence, of its mean precision and mean recall: missing an answer costs more than showing too much."""
    judged = [(each.evidence, gold) for each in asked if (gold := given.gold(each.query))]
    if not judged:
        return None
    precision = sum(_precision(found, gold) for found, gold in judged) / len(judged)
    recall = sum(recall_at(found, gold, len(found)) for found, gold in judged) / len(judged)
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def verdicts(asked: Sequence[Asked], given: LabelledSet) -> float | None:
    """The mean of the shares of answerable and unanswerable questions that were told apart rightly."""
    return balanced([each.verdict == VerdictKind.ANSWERABLE for each in asked], _labels(asked, given))


def labels(asked: Sequence[Asked], given: LabelledSet) -> float | None:
    """How often an answerable question has the higher label of confidence than one that is not."""
    known = [(float(LABELS.index(each.label)), label) for each, label in _labelled(asked, given)]
    return auroc([place for place, _ in known], [label for _, label in known])


def calibration(asked: Sequence[Asked], given: LabelledSet) -> float | None:
    """One minus the Brier score of the confidence."""
    known = _labelled(asked, given)
    if len({label for _, label in known}) < 2:
        return None
    return 1 - sum((each.confidence - label) ** 2 for each, label in known) / len(known)


def balanced(said: Sequence[bool], labels: Sequence[bool | None]) -> float | None:
    """The mean of the two shares that are right; None without both sorts.

    >>> balanced([True, True, False], [True, True, False]), balanced([True, True, True], [True, True, False])
    (1.0, 0.5)
    """
    shares = []
    for wanted in (True, False):
        right = [each is wanted for each, label in zip(said, labels, strict=True) if label is wanted]
        if not right:
            return None
        shares.append(sum(right) / len(right))
    return sum(shares) / 2


def chance_of_gain(objective: Objective, before: Sequence[Asked], after: Sequence[Asked], given: LabelledSet) -> float:
    """In which share of resamples of the questions the objective is better after than before."""
    random, better, counted = Random(SEED), 0, 0
    for _ in range(DRAWS):
        chosen = random.choices(range(len(before)), k=len(before))
        one, other = (objective([side[row] for row in chosen], given) for side in (before, after))
        if one is not None and other is not None:
            counted += 1
            better += other > one
    return better / counted if counted else 0.0


def costs(lines: Mapping[str, Line]) -> list[str]:
    """The protected measures whose change lies wholly on the wrong side of zero."""
    found = []
    for name, more_is_better in PROTECTED.items():
        change = lines[name].change if name in lines else None
        worst = None if change is None else change.high if more_is_better else change.low
        if worst is not None and (worst < 0 if more_is_better else worst > 0):
            found.append(name)
    return found


# --- the table -----------------------------------------------------------------------------------


def table(before: Sequence[Asked], after: Sequence[Asked], given: LabelledSet) -> dict[str, Line]:
    """Every measure before and after; those that cannot be measured on this set are left out."""
    judged = [pair for pair in zip(before, after, strict=True) if given.gold(pair[0].query)]
    labelled = [pair for pair in zip(before, after, strict=True) if _label(pair[0], given) is not None]
    rows: dict[str, Line] = {}
    for name, measure in _BY_GOLD.items():
        rows |= _meant(name, [tuple(measure(each, given.gold(each.query)) for each in pair) for pair in judged])
    flags = [bool(_label(one, given)) for one, _ in labelled]
    for name, score in _BY_LABEL.items():
        pairs = zip(labelled, flags, strict=True)
        rows |= _meant(name, [tuple(score(each, label) for each in pair) for pair, label in pairs])
    sides = [[each.confidence for each in side] for side in zip(*labelled, strict=True)] if labelled else []
    for name, whole in (("AUROC", auroc), ("ECE", calibration_error)):
        rows |= _resampled(name, sides, flags, whole)
    return rows


def _precision(found: Sequence[str], gold: Mapping[str, int]) -> float:
    return len(gold.keys() & set(found)) / len(found) if found else 0.0


_BY_GOLD: Mapping[str, Callable[[Asked, Mapping[str, int]], float]] = {
    "recall@5": lambda each, gold: recall_at(each.ranking, gold, 5),
    "nDCG@10": lambda each, gold: ndcg_at(each.ranking, gold, 10),
    "cut-off precision": lambda each, gold: _precision(each.evidence, gold),
    "cut-off recall": lambda each, gold: recall_at(each.evidence, gold, len(each.evidence)),
}
_BY_LABEL: Mapping[str, Callable[[Asked, bool], float]] = {
    "verdicts": lambda each, label: float((each.verdict == VerdictKind.ANSWERABLE) is label),
    "Brier": lambda each, label: (each.confidence - label) ** 2,
}


def _meant(name: str, pairs: Sequence[tuple[float, ...]]) -> dict[str, Line]:
    if not pairs:
        return {}
    before, after = ([pair[side] for pair in pairs] for side in (0, 1))
    change = [new - old for old, new in zip(before, after, strict=True)]
    found = mean_estimates({"before": before, "after": after, "change": change})
    return {name: Line(len(pairs), found["before"], found["after"], found["change"])}


def _resampled(
    name: str,
    sides: Sequence[Sequence[float]],
    flags: Sequence[bool],
    whole: Callable[[Sequence[float], Sequence[bool]], float | None],
) -> dict[str, Line]:
    """A measure of all questions together; a resample it cannot be told of does not count."""
    if len(set(flags)) < 2:
        return {}
    random, drawn = Random(SEED), []
    for _ in range(RESAMPLES):
        chosen = random.choices(range(len(flags)), k=len(flags))
        labels = [flags[row] for row in chosen]
        if len(set(labels)) == 2:
            one, other = (whole([side[row] for row in chosen], labels) or 0.0 for side in sides)
            drawn.append((one, other, other - one))
    values = [whole(side, flags) or 0.0 for side in sides]
    found = [
        Estimate(value, *_inner([each[place] for each in drawn]))
        for place, value in enumerate((*values, values[1] - values[0]))
    ]
    return {name: Line(len(flags), *found)}


def _inner(drawn: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(drawn)
    outside = int(OUTSIDE * len(ordered))
    return ordered[outside], ordered[-outside - 1]


def _label(each: Asked, given: LabelledSet) -> bool | None:
    return given.labels_of(each.query).answerable


def _labels(asked: Sequence[Asked], given: LabelledSet) -> list[bool | None]:
    return [_label(each, given) for each in asked]


def _labelled(asked: Sequence[Asked], given: LabelledSet) -> list[tuple[Asked, bool]]:
    return [(each, label) for each in asked if (label := _label(each, given)) is not None]
