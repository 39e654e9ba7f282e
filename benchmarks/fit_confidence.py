"""Fit the weights of the confidence (settings.confidence) on half of labelled sets, and report on the other half.

Every question goes through the public `retrieve`; what is fitted are the components its confidence is made of: on sets
that have questions with and without an answer, each with a level of its own, and the bias on all. A set weighs by how
many of its questions have no answer, as in `fit_relevance.py`. No lookup fails on a quiet machine, so that the weight
of reliability cannot be fitted: it is set by hand, and the bias takes back what it gives where all came back.

    python benchmarks/fit_confidence.py FOLDER [FOLDER …] [--questions 400]
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fit_relevance import _auroc, _ece, _logistic
from recollect.evals.layout import LabelledSet, limited, read_set
from recollect.evals.load import loaded
from recollect.evals.split import in_fit_half
from recollect.evals.tune_ask import Asked, Bench
from recollect.models.cached import CachedEmbedder, cache_folder
from recollect.rank.confidence import COMPONENTS, signs_of_confidence
from recollect.settings import Settings
from recollect.wiring import make_embedder

FITTED = tuple(name for name in COMPONENTS if name != "reliability")
RELIABILITY = 2.0  # log-odds lost when no lookup came back: even odds become one in eight
LEAST_WEIGHT, BY_UNANSWERED = 0.4, 5.0
RIDGE = 1e-3


class Known(NamedTuple):
    """One question: which half, what its confidence is made of, what it is now, and whether there is an answer."""

    fit: bool
    signs: Sequence[float]
    now: float
    answerable: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=400, help="of each set, at most, spread evenly over it")
    options = parser.parse_args()
    asyncio.run(_fit(options.folders, options.questions))


async def _fit(folders: Sequence[Path], questions: int) -> None:
    sets = {folder.name: await _ask(limited(read_set(folder), questions)) for folder in folders}
    fitted = _fitted(sets)
    print(f"\nbias {fitted[0] - RELIABILITY:.2f}, reliability {RELIABILITY}")
    print(", ".join(f"{name} {value:.2f}" for name, value in zip(FITTED, fitted[1:], strict=True)))
    print("\nheld-out half: questions, AUROC and ECE as it is, AUROC and ECE as fitted")
    everything = []
    for name, found in sets.items():
        held = [each for each in found if not each.fit]
        chances = _chances(held, fitted)
        everything += list(zip(held, chances, strict=True))
        _line(name, held, chances)
    _line("all", [each for each, _ in everything], np.array([chance for _, chance in everything]))


def _fitted(sets: Mapping[str, Sequence[Known]]) -> np.ndarray:
    """Bias and weights: the weights on sets that have both sorts, each with a level of its own, the bias on all."""
    mixed = [found for found in sets.values() if len({each.answerable for each in found}) > 1]
    known = [(place, each) for place, found in enumerate(mixed) for each in found if each.fit]
    levels = np.array([np.eye(len(mixed))[place] for place, _ in known])
    signs = np.array([each.signs for _, each in known])
    weight = np.array([_weight(mixed[place]) for place, _ in known])
    right = np.array([float(each.answerable) for _, each in known])
    ridge = np.r_[np.full(len(mixed), 1e-6), np.full(len(FITTED), RIDGE)]
    weights = _logistic(np.column_stack([levels, signs]), right, weight, ridge=ridge)[len(mixed) :]
    everything = [(each, _weight(found)) for found in sets.values() for each in found if each.fit]
    value = np.array([np.asarray(each.signs) @ weights for each, _ in everything])
    bias, slope = _logistic(
        np.column_stack([np.ones_like(value), value]),
        np.array([float(each.answerable) for each, _ in everything]),
        np.array([share for _, share in everything]),
        ridge=np.zeros(2),
    )
    return np.r_[bias, slope * weights]


async def _ask(given: LabelledSet) -> list[Known]:
    settings = Settings()
    embedder = CachedEmbedder(make_embedder(settings, None), cache_folder(settings.embedder.cache))
    labels = {query.id: given.labels_of(query.id).answerable for query in given.queries}
    async with loaded(given, settings=settings, embedder=embedder, progress=lambda *_: None) as ready:
        asked = await Bench(given, ready, recipe=None).ask({}, given.queries, progress=lambda *_: None)
    print(f"{given.name}: {len(asked)} questions", flush=True)
    pairs = zip(given.queries, asked, strict=True)
    return [
        Known(in_fit_half(query.text), _signs(each), each.confidence, label)
        for query, each in pairs
        if (label := labels[query.id]) is not None and each.signs
    ]


def _signs(each: Asked) -> list[float]:
    signs = signs_of_confidence(each.signs)
    return [signs[name] for name in FITTED]


def _weight(found: Sequence[Known]) -> float:
    unanswered = sum(not each.answerable for each in found) / len(found)
    whole = LEAST_WEIGHT + BY_UNANSWERED * min(unanswered, 1 - unanswered)
    return whole / sum(each.fit for each in found)


def _chances(found: Sequence[Known], fitted: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.array([[1.0, *each.signs] for each in found]) @ fitted)))


def _line(name: str, held: Sequence[Known], chances: np.ndarray) -> None:
    right = np.array([each.answerable for each in held])
    now = np.array([each.now for each in held])
    cells = [f"{name:16} {len(held):5}"]
    for said in (now, chances):
        auroc = _auroc(said, right)
        cells.append(f"{'-' if auroc is None else f'{auroc:.3f}'} {_ece(said, right.astype(float)):.3f}")
    print("   ".join(cells), flush=True)


if __name__ == "__main__":
    main()
