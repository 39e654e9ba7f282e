"""The relevance model: clues to a chance, by curves whose weights are kept in a readable file.

A hit's relevance is a product of two chances. The first says whether the list answers at all: it looks at absolute
signs only, so that a question about something else gets little whatever its list looks like. The second says how a hit
stands beside the best of its list. Takes clues, gives numbers; `data/relevance.json` holds the weights, what they were
fitted on and how they did on questions they were not (`benchmarks/fit_relevance.py`).
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import exp
from typing import Any

from recollect.rank.clues import Clues, Mention, Shape

Weights = Mapping[str, float]

# Which clues count differently where the text is code, all texts are, the question has names, an arm falls steeply, the
# keyword scores are strong, or both arms find the same.
BY_CODE = ("keyword_share", "cosine", "coverage", "sentence", "length")
BY_CODES = ("cosine_share",)  # by how far it is below 1, so that no list gains by it as a whole
BY_NAMES = ("keyword_share", "cosine")
BY_KEYWORD_FALL = ("keyword_share", "cosine")
BY_COSINE_FALL = ("cosine",)
BY_STRENGTH = ("keyword_share", "coverage", "sentence", "cosine")
BY_AGREEMENT = ("keyword_share", "sentence", "cosine")
BY_TITLE = ("title_share",)
# The best keyword score means something from this share of the highest one possible on; below, less in proportion: the
# best of texts that share a stray word with the question is best at nothing. Hand-set, with our own sets in view.
BELIEVED_FROM = 0.4
LEAST_CHANCE = 0.001
PLAIN = tuple(name for name in Clues._fields if name != "code")


@dataclass(frozen=True, slots=True)
class Arms:
    """The weights for lists with vectors, or for those of words alone."""

    own: Weights  # of a text by itself beside its list
    mentions: Weights  # of what other texts say for it
    complement: float  # what it adds to bring words of the question that better ones lack
    chance: Weights  # bias and slope from the score to the chance of being right, if anything is
    answers: Weights  # of the signs that anything is
    curve: tuple[tuple[float, float], ...]  # from their sum to a chance, rising, straight between the points
    joined: Weights = field(
        default_factory=dict
    )  # of what it has in common with the best ones, where statements are known


@dataclass(frozen=True, slots=True)
class Model:
    """All of it."""

    with_vectors: Arms
    keyword_only: Arms


@cache
def shipped_model() -> Model:
    """The model that comes with the package."""
    return read_model((files("recollect") / "data" / "relevance.json").read_text(encoding="utf-8"))


def read_model(text: str) -> Model:
    """A model from the file's text."""
    found = json.loads(text)
    return Model(_arms(found["with_vectors"]), _arms(found["keyword_only"]))


def _arms(found: Mapping[str, Any]) -> Arms:
    curve = tuple((float(at), float(chance)) for at, chance in found["curve"])
    fitted = found["own"], found["mentions"], found["complement"], found["chance"], found["answers"]
    return Arms(*fitted, curve, found.get("joined", {}))


# --- within a list -----------------------------------------------------------------------------------


def terms_of(clues: Clues, shape: Shape) -> dict[str, float]:
    """What the weights are multiplied with: each clue, and some of them once more where they count differently.

    >>> found = terms_of(Clues(cosine=0.5, code=0.5), Shape(names=1.0))
    >>> found["cosine"], found["code_cosine"], found["names_cosine"]
    (0.5, 0.25, 0.5)
    """
    terms = clues._asdict()
    code = terms.pop("code")
    terms["keyword_share"] *= _believed(shape)
    of_the_text = (("code", code, BY_CODE), ("titled", clues.titled, BY_TITLE))
    for prefix, factor, names in (*_of_the_list(shape), *of_the_text):
        for name in names:
            terms[f"{prefix}_{name}"] = factor * terms[name]
    for name in BY_CODES:
        terms[f"codes_{name}"] = shape.code * (terms[name] - 1)
    return terms


def _of_the_list(shape: Shape) -> tuple[tuple[str, float, tuple[str, ...]], ...]:
    """What some clues are multiplied with in every text of a list."""
    return (
        ("names", shape.names, BY_NAMES),
        ("keyword_fall", shape.keyword_fall, BY_KEYWORD_FALL),
        ("cosine_fall", shape.cosine_fall, BY_COSINE_FALL),
        ("strength", shape.keyword_strength, BY_STRENGTH),
        ("agreement", shape.agreement, BY_AGREEMENT),
    )


def _believed(shape: Shape) -> float:
    return min(1.0, shape.keyword_strength / BELIEVED_FROM)


def own_score(clues: Clues, shape: Shape, weights: Weights) -> float:
    """How a text stands by itself; only differences within one list mean anything."""
    terms = terms_of(clues, shape)
    return sum([weight * terms[name] for name, weight in weights.items()])


def scorer(shape: Shape, weights: Weights) -> Callable[[Clues], float]:
    """`own_score` for all texts of one list: what depends on the list alone is worked out once."""
    factors = {name: weights.get(name, 0.0) for name in PLAIN}
    for prefix, factor, names in _of_the_list(shape):
        for name in names:
            factors[name] += factor * weights.get(f"{prefix}_{name}", 0.0)
    codes = {name: shape.code * weights.get(f"codes_{name}", 0.0) for name in BY_CODES}
    for name, weight in codes.items():
        factors[name] += weight
    below = sum(codes.values())
    code = {name: weights.get(f"code_{name}", 0.0) for name in BY_CODE}
    for found in (factors, code):
        found["keyword_share"] *= _believed(shape)
    everywhere = list(factors.values())
    in_code = [(Clues._fields.index(name), weight) for name, weight in code.items()]
    in_title = [(Clues._fields.index(name), weights.get(f"titled_{name}", 0.0)) for name in BY_TITLE]

    def score(clues: Clues) -> float:
        total = sum([factor * clue for factor, clue in zip(everywhere, clues, strict=False)]) - below  # code comes last
        if clues.code:
            total += clues.code * sum([weight * clues[place] for place, weight in in_code])
        if clues.titled:
            total += clues.titled * sum([weight * clues[place] for place, weight in in_title])
        return total

    return score


def full_score(own: float, mention: Mention, weights: Weights) -> float:
    """The same with what other texts say for it."""
    return own + sum([weights[name] * value for name, value in zip(Mention._fields, mention, strict=True) if value])


def chance_in_list(score: float, weights: Weights) -> float:
    """The chance that a text is right, if its list holds one that is."""
    return logistic(weights["bias"] + weights["slope"] * score)


# --- whether the list answers ------------------------------------------------------------------------


def chance_of_answer(signs: Mapping[str, float], weights: Arms) -> float:
    """The chance that a list answers. Never none at all: what stands higher in a list still comes first."""
    return max(LEAST_CHANCE, on_curve(answer_sum(signs, weights.answers), weights.curve))


def answer_sum(signs: Mapping[str, float], weights: Weights) -> float:
    """The weighted signs that a list answers."""
    return sum([weight * signs[name] for name, weight in weights.items()])


def on_curve(at: float, curve: Sequence[tuple[float, float]]) -> float:
    """The chance at a place on the curve.

    >>> on_curve(1.5, [(1.0, 0.2), (2.0, 0.6)]), on_curve(9.0, [(1.0, 0.2), (2.0, 0.6)])
    (0.4, 0.6)
    """
    place = bisect_right(curve, (at, 1.0))
    if place == 0:
        return curve[0][1]
    if place == len(curve):
        return curve[-1][1]
    (left, low), (right, high) = curve[place - 1], curve[place]
    return low + (high - low) * (at - left) / (right - left)


def logistic(odds: float) -> float:
    """Log-odds to a chance.

    >>> logistic(0.0)
    0.5
    """
    return 1 / (1 + exp(-odds)) if odds > -700 else 0.0
