"""The project's own sets, and the floors their figures may not fall below.

Takes a set that was asked and its lines of `evals/floors.toml`; gives what was seen beside each floor, and the
questions that cost something. Shared by `tests/evals/test_floors.py` and `benchmarks/quality.py --floors`.
"""

from __future__ import annotations

import math
import statistics
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from recollect.evals.layout import LabelledSet
from recollect.evals.run import Ran
from recollect.evals.scores import Scores, score_set
from recollect.values import VerdictKind

OWN_SETS = Path(__file__).resolve().parents[1] / "evals"
DIGITS = 3
SLACK = 1e-9  # a mean of thirds is not exact

Floors = dict[str, dict[str, float]]


class Held(NamedTuple):
    """One figure beside its floor. `missed` are questions that cost something, where it is below."""

    set: str
    measure: str
    seen: float
    floor: float
    questions: int
    missed: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.seen >= self.floor - SLACK

    @property
    def earned(self) -> float:
        """The floor that today's figure would justify: one question's worth below it."""
        return max(math.floor((self.seen - 1 / self.questions) * 10**DIGITS) / 10**DIGITS, 0.0)

    def __str__(self) -> str:
        said = f"{self.set}: {self.measure} is {self.seen:.{DIGITS}f}, its floor {self.floor:.{DIGITS}f}"
        return "\n  ".join([said, *self.missed])


def own_sets() -> list[Path]:
    """The folders of the project's own sets."""
    return sorted(path.parent for path in OWN_SETS.glob("*/corpus.jsonl"))


def read_floors(path: Path = OWN_SETS / "floors.toml") -> Floors:
    """Floors by set and measure."""
    return {
        name: {measure: float(floor) for measure, floor in lines.items()}
        for name, lines in tomllib.loads(path.read_text(encoding="utf-8")).items()
    }


def hold(ran: Ran, floors: Mapping[str, float]) -> list[Held]:
    """Each figure of a set that has a floor, beside it; a measure nobody knows is a mistake in the table."""
    seen = figures(score_set(ran))
    unknown = floors.keys() - seen.keys()
    if unknown:
        raise KeyError(f"{ran.given.name} has no {', '.join(sorted(unknown))}; it has {', '.join(seen)}")
    found = []
    for measure, floor in floors.items():
        each = Held(ran.given.name, measure, seen[measure], floor, _questions(ran.given, measure))
        found.append(each if each.holds else each._replace(missed=missed(ran, measure)))
    return found


def figures(scores: Scores) -> dict[str, float]:
    """What can have a floor. `answered` is the share of the answerable questions whose verdict is not none, `declined`
    the share of the others whose verdict is."""
    found = {name: each.value for name, each in {**scores.ranked.measures, **scores.updates}.items()}
    told = scores.calibrated
    if told and told.auroc:
        found["AUROC"] = told.auroc.value
    if told:
        for name, counts in told.verdicts.items():
            nothing = counts.get(VerdictKind.NONE, 0)
            total = sum(counts.values())
            if total and name == "answerable":
                found["answered"] = (total - nothing) / total
            elif total:
                found["declined"] = nothing / total
    return found


def missed(ran: Ran, measure: str) -> tuple[str, ...]:
    """The questions that keep a measure from being perfect, each with its text."""
    if measure == "AUROC":
        return _wrongly_sure(ran)
    found = []
    for query, outcome in zip(ran.given.queries, ran.outcomes, strict=True):
        alone = ran._replace(given=ran.given._replace(queries=(query,)), outcomes=(outcome,), baselines={})
        if figures(score_set(alone)).get(measure, 1.0) < 1 - SLACK:
            found.append(f"{query.id} {query.text}")
    return tuple(found)


def _wrongly_sure(ran: Ran) -> tuple[str, ...]:
    """Unanswerable questions surer than the middle answerable one, and answerable ones less sure than the middle of
    the others."""
    rows = [
        (query, outcome.confidence, label)
        for query, outcome in zip(ran.given.queries, ran.outcomes, strict=True)
        if (label := ran.given.labels_of(query.id).answerable) is not None
    ]
    middle = {
        wanted: statistics.median(confidence for _, confidence, label in rows if label is wanted)
        for wanted in (True, False)
    }
    return tuple(
        f"{query.id} {query.text} ({'answerable' if label else 'unanswerable'}, confidence {confidence:.2f})"
        for query, confidence, label in rows
        if (confidence < middle[False] if label else confidence > middle[True])
    )


def _questions(given: LabelledSet, measure: str) -> int:
    """How many questions a measure is a mean of; for AUROC, of the rarer sort."""
    labels = [given.labels_of(query.id).answerable for query in given.queries]
    counts = {True: labels.count(True), False: labels.count(False)}
    if measure == "AUROC":
        return min(counts.values())
    if measure in {"answered", "declined"}:
        return counts[measure == "answered"]
    gold = [given.gold(query.id) for query in given.queries]
    if measure in {"newest first", "flagged"}:
        return sum(any(document in given.contradictions for document in each) for each in gold)
    return sum(map(bool, gold))
