"""How sure an answer is: a logistic curve over the components of the confidence, weighed as the settings say.

Relevance is a chance already, so that it counts by its log-odds: with a weight of 1 and nothing else, the confidence
is the relevance. `benchmarks/fit_confidence.py` fits the weights that are shipped, `recollect tune` others.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from recollect.rank.model import logistic
from recollect.settings import ConfidenceSettings

COMPONENTS = ("relevance", "evidence", "coverage", "reliability")
SUREST = 0.99  # a chance beyond that, either way, counts as that


def signs_of_confidence(components: Mapping[str, float]) -> dict[str, float]:
    """What the weights are multiplied with.

    >>> signs_of_confidence({"relevance": 0.5, "evidence": 1.0, "coverage": 1.0, "reliability": 1.0})["relevance"]
    0.0
    """
    chance = min(max(components["relevance"], 1 - SUREST), SUREST)
    return {**components, "relevance": log(chance / (1 - chance))}


def confidence(components: Mapping[str, float], weights: ConfidenceSettings) -> float:
    """The chance that the answer is there.

    >>> plain = ConfidenceSettings(bias=0.0, relevance=1.0, evidence=0.0, coverage=0.0, reliability=0.0)
    >>> confidence(dict.fromkeys(COMPONENTS, 0.5), plain)
    0.5
    """
    signs = signs_of_confidence(components)
    odds = weights.bias + sum(getattr(weights, name) * signs[name] for name in COMPONENTS)
    return round(logistic(odds), 6)
