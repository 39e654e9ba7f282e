"""Settings fitted to a labelled set: on one part of its questions, kept only where they help on the other.

Takes a set and settings; gives the changes that help, stage by stage, and every measure before and after on the
held-out part. What needs other retrieval (weights, gate, cut-off) is tried on a small grid, one setting after the
other; what only reads answers (verdict, confidence, labels) is worked out from answers. Files are in `tune_report.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import product
from typing import NamedTuple

from recollect.configure import names
from recollect.errors import InvalidInput
from recollect.evals import tune_measure as measure
from recollect.evals.layout import LabelledSet, Query, limited
from recollect.evals.load import Progress, loaded
from recollect.evals.logistic import fit_logistic
from recollect.evals.run import Download
from recollect.evals.tune_ask import Asked, Bench, Changes, OnceEmbedded, value_of, with_changes
from recollect.evals.tune_measure import Line, Objective
from recollect.models.cached import CachedEmbedder, cache_folder
from recollect.ports import TextKind
from recollect.rank.confidence import COMPONENTS, signs_of_confidence
from recollect.settings import Settings
from recollect.wiring import make_embedder

HALF = 0.5
FACTORS = (0.0, 0.5, 2.0)  # of a weight as it is
WEIGHTS = ("rank.places", "rank.recency", "rank.time", "rank.entity")
GATES = tuple(number / 20 for number in range(1, 11))
RATIOS = tuple(number / 10 for number in range(1, 10))
THRESHOLDS = tuple(number / 100 for number in range(5, 96))
BOUNDS = tuple(number / 20 for number in range(1, 20))
FITTED = tuple(name for name in COMPONENTS if name != "reliability")
LEAST = 0.001  # gained on the part to fit on, or it is not worth a change
SURE = 0.8  # of the resamples of those held out in which a change must gain
FEW = 30  # questions in a part, below which a note is due
DIGITS = 16  # of a hash, read as a number

Ask = Callable[[Changes], Awaitable[tuple[Asked, ...]]]
Propose = Callable[[Ask, Bench, Changes], Awaitable[Changes]]


class Stage(NamedTuple):
    """Some settings, what they are fitted by, and how values for them are found on the part to fit on."""

    name: str
    objective: Objective
    propose: Propose


class Tried(NamedTuple):
    """What became of a stage: what it proposed, its objective before and after on both parts, in which share of
    resamples of those held out it gains, and why it is not kept (empty: it is)."""

    stage: str
    changes: Changes
    fit: tuple[float, float] | None
    held_out: tuple[float, float] | None
    sure: float | None
    refused: str


class Tuned(NamedTuple):
    """What helps, how it came about, and what it does on the held-out part."""

    name: str
    settings: Settings
    changes: Changes
    tried: tuple[Tried, ...]
    lines: dict[str, Line]
    fit: int
    held_out: int
    embedder: str
    notes: tuple[str, ...]


class Manner(NamedTuple):
    """The share of the questions to fit on, how many questions in all, and the recipe; None: all, as the settings."""

    fit: float = HALF
    limit: int | None = None
    recipe: str | None = None


def in_fit_part(text: str, share: float) -> bool:
    """Whether a question is one to fit on, by its text alone: at one half, the halves of `split.py`.

    >>> in_fit_part("Who built the lighthouse?", 0.0), in_fit_part("Who built the lighthouse?", 1.0)
    (False, True)
    """
    plain = " ".join(text.lower().split())
    digits = sha256(plain.encode("utf-8")).hexdigest()[::-1][:DIGITS]
    below: bool = int(digits, 16) < share * 16**DIGITS
    return below


async def tune(
    given: LabelledSet, *, settings: Settings, manner: Manner, progress: Progress, download: Download | None = None
) -> Tuned:
    """Fit the settings to a set, in a store of its own that is gone afterwards."""
    given = limited(given, manner.limit)
    fit = [query for query in given.queries if in_fit_part(query.text, manner.fit)]
    held_out = [query for query in given.queries if not in_fit_part(query.text, manner.fit)]
    if not fit or not held_out:
        empty = "to fit on" if not fit else "held out"
        raise InvalidInput(
            f"{given.name!r} has no question {empty}; give more questions, or another --fit", field="fit"
        )
    embedder = make_embedder(settings, download)
    kept = CachedEmbedder(embedder, cache_folder(settings.embedder.cache), kinds=[TextKind.DOCUMENT])
    async with loaded(given, settings=settings, embedder=OnceEmbedded(kept), progress=progress) as ready:
        bench = Bench(given, ready, recipe=manner.recipe)
        asks = [partial(_ask, bench, part, progress) for part in (fit, held_out)]
        changes, tried = await _stages(bench, *asks)
        before, after = await asks[1]({}), await asks[1](changes)
    few = [
        f"only {len(part)} questions {what}: the figures are rough"
        for part, what in ((fit, "to fit on"), (held_out, "held out"))
        if len(part) < FEW
    ]
    lines = measure.table(before, after, given)
    return Tuned(given.name, settings, changes, tried, lines, len(fit), len(held_out), embedder.identity, tuple(few))


async def _ask(bench: Bench, queries: Sequence[Query], progress: Progress, changes: Changes) -> tuple[Asked, ...]:
    return await bench.ask(changes, queries, progress=progress)


async def _stages(bench: Bench, fit: Ask, held_out: Ask) -> tuple[Changes, tuple[Tried, ...]]:
    """Each stage on top of those before it that helped."""
    changes: Changes = {}
    tried = []
    for stage in STAGES:
        found = await _try(stage, bench, changes, fit=fit, held_out=held_out)
        tried.append(found)
        if not found.refused:
            changes = {**changes, **found.changes}
    return changes, tuple(tried)


async def _try(stage: Stage, bench: Bench, changes: Changes, *, fit: Ask, held_out: Ask) -> Tried:
    given = bench.given
    old = stage.objective(await fit(changes), given)
    before = await held_out(changes)
    old_held = stage.objective(before, given)
    if old is None or old_held is None:
        return Tried(stage.name, {}, None, None, None, "not labelled")
    proposed = await stage.propose(fit, bench, changes)
    new = stage.objective(await fit({**changes, **proposed}), given) or 0.0
    if not proposed or new < old + LEAST:
        return Tried(stage.name, proposed, (old, new), None, None, "no better fit")
    after = await held_out({**changes, **proposed})
    new_held = stage.objective(after, given) or 0.0
    sure = measure.chance_of_gain(stage.objective, before, after, given)
    refused = "" if new_held > old_held and sure >= SURE else "no sure gain"
    if not refused and (lost := measure.costs(measure.table(before, after, given))):
        refused = f"costs {', '.join(lost)}"
    return Tried(stage.name, proposed, (old, new), (old_held, new_held), sure, refused)


# --- what needs other retrieval ------------------------------------------------------------------


async def _weights(fit: Ask, bench: Bench, changes: Changes) -> Changes:
    """Each weight in turn at some factors of what it is, the best so far kept."""
    most = {name: each.metadata["high"] for name, each, _ in names(bench.settings) if name in WEIGHTS}
    grids = {name: [min(value_of(bench.settings, name) * factor, most[name]) for factor in FACTORS] for name in WEIGHTS}
    return await _descend(fit, bench, changes, grids, measure.ranking)


async def _gate(fit: Ask, bench: Bench, changes: Changes) -> Changes:
    allowed = [value for value in GATES if value <= bench.settings.strong_threshold]
    return await _descend(fit, bench, changes, {"quality_threshold": allowed}, measure.ranking)


async def _ratio(fit: Ask, bench: Bench, changes: Changes) -> Changes:
    return await _descend(fit, bench, changes, {"relevance_ratio": RATIOS}, measure.cut_off)


async def _descend(
    fit: Ask, bench: Bench, changes: Changes, grids: Mapping[str, Sequence[float]], objective: Objective
) -> Changes:
    """One setting after the other over its grid; a value must gain enough over the best so far."""
    best: dict[str, float] = {}
    score = objective(await fit(changes), bench.given) or 0.0
    for name, grid in grids.items():
        now = value_of(with_changes(bench.settings, changes), name)
        for value in grid:
            if value == now:
                continue
            tried = {**best, name: value}
            found = objective(await fit({**changes, **tried}), bench.given) or 0.0
            if found >= score + LEAST:
                best, score = tried, found
    return best


# --- what can be read from answers ---------------------------------------------------------------


async def _threshold(fit: Ask, bench: Bench, changes: Changes) -> Changes:
    return best_threshold(await fit(changes), bench.given, now=bench.settings.answerable_threshold)


async def _confidence(fit: Ask, bench: Bench, changes: Changes) -> Changes:
    """The weights of the confidence, by the questions known to be answerable or not. What failing lookups cost cannot
    be seen where none fails: that weight stays, and the bias takes back what it adds where all came back."""
    known = [
        (signs_of_confidence(each.signs), label)
        for each in await fit(changes)
        if each.signs and (label := bench.given.labels_of(each.query).answerable) is not None
    ]
    if len({label for _, label in known}) < 2:
        return {}
    cases = [{name: signs[name] for name in FITTED} for signs, _ in known]
    found = fit_logistic(cases, [label for _, label in known])
    bias = found.bias - value_of(bench.settings, "confidence.reliability")
    weights = {"bias": bias, **found.weights}
    return {f"confidence.{name}": round(value, 4) for name, value in weights.items()}


async def _labels(fit: Ask, bench: Bench, changes: Changes) -> Changes:
    now = (bench.settings.medium_confidence, bench.settings.high_confidence)
    return best_bounds(await fit(changes), bench.given, now=now)


def best_threshold(asked: Sequence[Asked], given: LabelledSet, *, now: float) -> dict[str, float]:
    """From which relevance of its weakest part on a question counts as answerable; the nearest of the best."""
    weakest = [min(each.bests, default=0.0) for each in asked]
    labels = [given.labels_of(each.query).answerable for each in asked]
    scored: dict[tuple[float, ...], float] = {
        (value,): measure.balanced([best >= value for best in weakest], labels) or 0.0 for value in (now, *THRESHOLDS)
    }
    return _nearest(scored, ("answerable_threshold",), (now,))


def best_bounds(asked: Sequence[Asked], given: LabelledSet, *, now: tuple[float, float]) -> dict[str, float]:
    """The two bounds between which labels tell most about answerability; the nearest of the best."""
    pairs = [now, *((low, high) for low, high in product(BOUNDS, BOUNDS) if low < high)]
    scored: dict[tuple[float, ...], float] = {
        pair: measure.labels([_labelled(each, *pair) for each in asked], given) or 0.0 for pair in pairs
    }
    return _nearest(scored, ("medium_confidence", "high_confidence"), now)


def _labelled(each: Asked, low: float, high: float) -> Asked:
    place = (each.confidence >= low) + (each.confidence >= high)
    return each._replace(label=measure.LABELS[place])


def _nearest(
    scored: Mapping[tuple[float, ...], float], settings: Sequence[str], now: tuple[float, ...]
) -> dict[str, float]:
    """Of the best values those nearest to what is now; only what differs from it."""
    best = max(scored.values())
    good = [values for values, score in scored.items() if score >= best - 1e-9]
    chosen = min(good, key=lambda values: (sum(abs(a - b) for a, b in zip(values, now, strict=True)), values))
    return {name: value for name, value, old in zip(settings, chosen, now, strict=True) if value != old}


STAGES = (
    Stage("weights", measure.ranking, _weights),
    Stage("gate", measure.ranking, _gate),
    Stage("cut-off", measure.cut_off, _ratio),
    Stage("verdict", measure.verdicts, _threshold),
    Stage("confidence", measure.calibration, _confidence),
    Stage("labels", measure.labels, _labels),
)
