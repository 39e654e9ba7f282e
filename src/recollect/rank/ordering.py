"""In which order a lookup's hits stand: a logistic curve over what tells them apart within one list.

Beside meaning, words and names, it looks at each hit next to the others: its score as a share of the best, its places,
how many of the question's words it has, and whether it is code, where words say less than meaning. It orders and says
nothing about whether anything answers; that is `relevance`. The weights are in `data/ordering.json`, with what they
were fitted on (`benchmarks/fit_ordering.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp, log
from typing import NamedTuple

from recollect.records import Memory, Term

CODE_MARKS = "()=_{}[]"
LOOKED_AT = 1_000  # characters: code shows soon
ENOUGH_TO_TELL = 200  # characters: one pair of brackets in a short note says nothing
CODE_SHARE = 20  # one such mark in twenty characters, and a text is all code
TYPICAL_LENGTH, LENGTH_SPREAD = 6.0, 2.0  # of the logarithm of a text's characters


class Clues(NamedTuple):
    """What is known about one hit beside the others of its list; everything about 0..1. The order is the file's."""

    cosine: float
    strength: float
    named: float
    keyword_share: float
    cosine_share: float
    keyword_place: float
    semantic_place: float
    coverage: float
    length: float
    code: float


@cache
def shipped_weights() -> Mapping[str, Mapping[str, float]]:
    """The weights that come with the package, with vectors and without."""
    found = json.loads((files("recollect") / "data" / "ordering.json").read_text(encoding="utf-8"))
    return {name: found[name] for name in ("with_vectors", "keyword_only")}


def ordering_chance(clues: Clues, weights: Mapping[str, float]) -> float:
    """The chance that a hit is the one, if its list holds one: each clue times its weight, for code some once more."""
    total = weights["bias"] + sum(
        weights[name] * value for name, value in zip(Clues._fields, clues, strict=True) if name in weights
    )
    if clues.code:
        total += clues.code * (
            weights["code_keyword_share"] * clues.keyword_share
            + weights["code_coverage"] * clues.coverage
            + weights.get("code_cosine", 0.0) * clues.cosine
            + weights.get("code_cosine_share", 0.0) * clues.cosine_share
        )
    return 1 / (1 + exp(-total))


def coverage(terms: Sequence[Term], text: str) -> float:
    """The share of the question's words that occur in a text in small letters, each by how rare it is.

    >>> coverage([Term("harbour", 3.0), Term("crane", 1.0)], "the harbour opens")
    0.75
    """
    total = sum(term.idf for term in terms)
    return sum(term.idf for term in terms if term.text in text) / total if total else 0.0


def length(text: str) -> float:
    """How long a text is beside a typical one: 0 for four hundred characters, 1 for seven times that."""
    return (log(len(text) or 1) - TYPICAL_LENGTH) / LENGTH_SPREAD


def codeness(memory: Memory) -> float:
    """How much a text looks like code, 0..1.

    >>> from datetime import UTC, datetime
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> codeness(Memory("1", "s", "chunk", "", "f(x) = y[0]", now, now, "h"))
    0.5
    """
    body = memory.body[:LOOKED_AT]
    if "(" not in body and "_" not in body and "=" not in body:  # most prose
        return 0.0
    marks = sum(map(body.count, CODE_MARKS))
    return min(1.0, CODE_SHARE * marks / max(len(body), ENOUGH_TO_TELL)) if marks else 0.0
