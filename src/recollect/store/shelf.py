"""A store for some thousand memories that live elsewhere: searched often, changed seldom, gone with the process.

It answers as the reference does (`inmemory.py`), from lists and arrays that are kept until something changes; the
reference works everything out anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from recollect.records import Filters, Match, Term, Vector
from recollect.store.contents import Contents
from recollect.store.halves import from_halves
from recollect.store.inmemory import K1, B, InMemoryStore
from recollect.store.lexical import bm25_idf
from recollect.store.terms import MAX_TERMS, query_terms
from recollect.store.writing import title_key

DECIMALS = 9  # of a cosine, so that the order of summing does not show


class _Texts(NamedTuple):
    """What is derived from the texts: who holds a term and how often, how long each is, what each is called."""

    holders: Mapping[str, Mapping[str, int]]
    lengths: Mapping[str, int]
    average: float
    called: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Derived:
    """Everything that is kept, and the contents it was derived from."""

    contents: Contents
    texts: _Texts
    places: Mapping[str, int]
    floats: NDArray[np.float32]


class Shelf(InMemoryStore):
    """The reference store with its searches made quick. Thread-safe: what is derived is replaced, never changed."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(now)
        self._derived: dict[str, _Derived] = {}

    def match(self, space: str, text: str, *, filters: Filters, limit: int) -> tuple[list[Match], list[Term]]:
        contents, texts = self._contents(space), self._derive(space).texts
        passing = {held.memory.id for held in self._passing(contents, filters)}
        if not passing:
            return [], []
        counts = {term: len(texts.holders.get(term, ())) for term in query_terms(text)}
        terms = [Term(term, bm25_idf(count, len(texts.lengths)), count) for term, count in counts.items()]
        if len(terms) > MAX_TERMS:
            terms = sorted(terms, key=lambda term: (-term.idf, term.text))[:MAX_TERMS]
        scores: dict[str, float] = {}
        for term in terms:
            for id, count in texts.holders.get(term.text, {}).items():
                if id in passing:
                    long = 1 - B + B * texts.lengths[id] / texts.average
                    scores[id] = scores.get(id, 0.0) + term.idf * count * (K1 + 1) / (count + K1 * long)
        return _best([Match(id, score) for id, score in scores.items() if score > 0], limit), terms

    def nearest(self, space: str, vector: Vector, *, filters: Filters, limit: int) -> list[Match]:
        contents = self._comparable(space, vector)
        passing = [held.memory.id for held in self._passing(contents, filters) if held.vector is not None]
        compared = self._compared(space, vector, passing)
        if limit < len(compared):  # those that may be among the best, before any of them is made a match
            least = sorted((cosine for _, cosine in compared), reverse=True)[: max(limit, 1)][-1]
            compared = [each for each in compared if each[1] >= least]
        return _best([Match(id, cosine) for id, cosine in compared], limit)

    def cosines(self, space: str, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        self._comparable(space, vector)
        return dict(self._compared(space, vector, ids))

    def titled(self, space: str, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        called = self._derive(space).texts.called
        return {name: called[name] for name in sorted(set(names)) if name in called}

    def _compared(self, space: str, vector: Vector, ids: Sequence[str]) -> list[tuple[str, float]]:
        derived = self._derive(space)
        known = [id for id in ids if id in derived.places]
        if not known:
            return []
        floats = derived.floats[[derived.places[id] for id in known]].astype(np.float64)
        cosines = (floats * np.frombuffer(vector.data, dtype="<f4")).sum(axis=1)
        return list(zip(known, cosines.round(DECIMALS).tolist(), strict=True))

    def _derive(self, space: str) -> _Derived:
        contents, kept = self._contents(space), self._derived.get(space)
        if kept is None or kept.contents is not contents:
            texts = kept.texts if kept and _same_texts(kept.contents, contents) else _texts_of(contents)
            kept = self._derived[space] = _Derived(contents, texts, *_vectors_of(contents))
        return kept


def _same_texts(one: Contents, other: Contents) -> bool:
    """Whether only vectors differ: a text that is put anew has its terms counted anew."""
    if one.memories.keys() != other.memories.keys():
        return False
    return all(held.terms is other.memories[id].terms for id, held in one.memories.items())


def _texts_of(contents: Contents) -> _Texts:
    holders: dict[str, dict[str, int]] = {}
    called: dict[str, list[str]] = {}
    lengths: dict[str, int] = {}
    for id, held in sorted(contents.memories.items()):
        lengths[id] = sum(held.terms.values())
        for term, count in held.terms.items():
            holders.setdefault(term, {})[id] = count
        if key := title_key(held.memory.title, held.memory.body):
            called.setdefault(key, []).append(id)
    average = sum(lengths.values()) / (len(lengths) or 1)
    return _Texts(holders, lengths, average, {key: tuple(ids) for key, ids in called.items()})


def _vectors_of(contents: Contents) -> tuple[dict[str, int], NDArray[np.float32]]:
    held = {id: each.vector for id, each in contents.memories.items() if each.vector is not None}
    data = b"".join(map(from_halves, held.values()))
    floats = np.frombuffer(data, dtype="<f4").reshape(len(held), -1) if held else np.zeros((0, 0), dtype=np.float32)
    return {id: place for place, id in enumerate(held)}, floats


def _best(matches: list[Match], limit: int) -> list[Match]:
    return sorted(matches, key=lambda match: (-match.source_score, match.id))[: max(limit, 0)]
