"""Fit the weights of rank/ordering.py on half of the questions of labelled sets, and report on the other half.

A set is a folder as `fit_relevance.py` takes it. The weights are fitted listwise, so that the right texts stand above
the others of their question; a logistic curve over that score then makes it a chance. Every set weighs the same. With
`--write` the average of the fits on both halves goes to `data/ordering.json`.

    python benchmarks/fit_ordering.py FOLDER [FOLDER …] [--questions 500] [--write]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import corpus as texts
from fit_relevance import IDENTITY, MOMENT, _load, _space
from recollect.language.spellings import spellings
from recollect.rank.fuse import fuse_ranks
from recollect.rank.ordering import Clues, codeness, coverage, length, ordering_chance
from recollect.rank.relevance import highest_score, named, strength
from recollect.records import Filters, Vector
from recollect.settings import StoreSettings
from recollect.steps.understand import find_entities
from recollect.store.sqlite import SqliteStore

SHIPPED = Path(__file__).resolve().parents[1] / "src" / "recollect" / "data" / "ordering.json"
VERSION, DATE = 2, "2026-11-15"  # of the file `--write` makes
OPEN_SPACES = 128  # questions jump from space to space
LISTED = 50  # of each list
CANDIDATES = 25  # of both lists fused: the hits that are ordered
RIDGE, STEPS, PACE = 3e-3, 400, 0.05
WITH_VECTORS = (
    *(name for name in Clues._fields if name != "code"),
    "code_keyword_share", "code_cosine", "code_cosine_share", "code_coverage",
)  # fmt: skip
NEEDS_VECTORS = {"cosine", "cosine_share", "semantic_place", "code_cosine", "code_cosine_share"}
KEYWORD_ONLY = tuple(name for name in WITH_VECTORS if name not in NEEDS_VECTORS)


@dataclass(frozen=True)
class Cases:
    """One set: a row for each text either list gave for a question, in the order of their fused ranks."""

    name: str
    clues: np.ndarray  # rows by the fields of Clues
    relevant: np.ndarray
    place: np.ndarray  # in the fused list, from 0
    question: np.ndarray  # the number of each row's question; rows of one question stand together
    gold: np.ndarray  # how many texts are right, for each question
    second_half: np.ndarray  # for each question

    def clue(self, name: str) -> np.ndarray:
        return self.clues[:, Clues._fields.index(name)]

    def features(self, names: Sequence[str]) -> np.ndarray:
        """One column for each weight; a `code_` one is that clue where the text is code."""
        columns = [
            self.clue("code") * self.clue(name.removeprefix("code_")) if name.startswith("code_") else self.clue(name)
            for name in names
        ]
        return np.column_stack(columns)


class Measured(NamedTuple):
    """How well an order does on the held-out half; no AUROC where every question has an answer."""

    ndcg: float
    recall5: float
    ece: float
    auroc: float | None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=500)
    parser.add_argument("--write", action="store_true", help="write src/recollect/data/ordering.json")
    options = parser.parse_args()
    sets = [_cases(folder, options.questions) for folder in options.folders]
    held_out: dict[str, dict[str, Measured]] = {}
    shipped: dict[str, dict[str, float]] = {}
    for label, names in (("with_vectors", WITH_VECTORS), ("keyword_only", KEYWORD_ONLY)):
        weights = fitted(sets, names, halves=(False,))
        held_out[label] = {cases.name: _measure(cases, weights) for cases in sets}
        shipped[label] = {name: round(value, 4) for name, value in fitted(sets, names, halves=(False, True)).items()}
        _report(label, sets, held_out[label], left_out=_left_out(sets, names))
        print("  ".join(f"{name} {value:.2f}" for name, value in shipped[label].items()), end="\n\n")
    if options.write:
        found = {"version": VERSION, "fitted": _provenance(sets, options.questions, held_out), **shipped}
        SHIPPED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


# --- the cases -----------------------------------------------------------------------------------


def _cases(folder: Path, questions: int) -> Cases:
    gold: dict[str, set[str]] = {}
    for line in (folder / "qrels.jsonl").read_text(encoding="utf-8").splitlines():
        judged = json.loads(line)
        if judged["grade"] > 0:
            gold.setdefault(judged["query_id"], set()).add(judged["doc_id"])
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = sorted(asked, key=lambda query: _digest(query["id"]))[:questions]
    vectors = texts.embed([query["text"] for query in asked])
    rows = []
    with tempfile.TemporaryDirectory() as root:
        store = SqliteStore(Path(root), now=lambda: MOMENT, settings=StoreSettings(open_spaces=OPEN_SPACES))
        _load(store, folder)
        for number, (query, vector) in enumerate(zip(asked, vectors, strict=True)):
            right = gold.get(query["id"], set())
            found = _clues(store, query, Vector(IDENTITY, vector.tobytes()))
            rows += [(number, place, id in right, *clues) for place, (id, clues) in enumerate(found)]
        store.close()
    table = np.array(rows, dtype=float)
    return Cases(
        folder.name,
        clues=table[:, 3:],
        relevant=table[:, 2],
        place=table[:, 1].astype(int),
        question=table[:, 0].astype(int),
        gold=np.array([len(gold.get(query["id"], ())) for query in asked]),
        second_half=np.array([int(_digest(query["id"])[-1], 16) > 7 for query in asked]),
    )


def _digest(id: str) -> str:
    return hashlib.sha256(id.encode()).hexdigest()


def _clues(store: SqliteStore, query: dict[str, Any], vector: Vector) -> Iterator[tuple[str, Clues]]:
    """What the memory source knows about each text of both lists when it orders them."""
    space, text = _space(query), query["text"]
    near = store.nearest(space, vector, filters=Filters(), limit=LISTED)
    matches, terms = store.match(space, text, filters=Filters(), limit=LISTED)
    keyword = {match.id: match.source_score for match in matches}
    cosines = {match.id: match.source_score for match in near}
    keyword_places = {id: place for place, id in enumerate(keyword, start=1)}
    semantic_places = {id: place for place, id in enumerate(cosines, start=1)}
    ids = [id for id, _ in fuse_ranks({"keyword": list(keyword), "semantic": list(cosines)})]
    cosines |= store.cosines(space, vector, [id for id in ids if id not in cosines])
    memories = {memory.id: memory for memory in store.read(space, ids)}
    names = find_entities(text)
    written = [spellings(name) for name in names]
    highest, best_keyword = highest_score(terms), max(keyword.values(), default=0.0)
    best_cosine = max(cosines.values(), default=0.0)
    for id in ids:
        memory, bm25, cosine = memories[id], keyword.get(id, 0.0), cosines.get(id, 0.0)
        low = f"{memory.author or ''}\n{memory.title}\n{memory.body}".lower()
        yield (
            id,
            Clues(
                cosine=cosine,
                strength=strength(bm25, highest=highest),
                named=named(names, memory, spellings=written),
                keyword_share=bm25 / best_keyword if best_keyword else 0.0,
                cosine_share=cosine / best_cosine if best_cosine > 0 else 0.0,
                keyword_place=1 / keyword_places[id] if id in keyword_places else 0.0,
                semantic_place=1 / semantic_places[id] if id in semantic_places else 0.0,
                coverage=coverage(terms, low),
                length=length(low),
                code=codeness(memory),
            ),
        )


# --- the fit -------------------------------------------------------------------------------------


def fitted(sets: Sequence[Cases], names: Sequence[str], *, halves: Sequence[bool]) -> dict[str, float]:
    """The weights as `ordering_chance` takes them, averaged over the halves (False the first, True the second)."""
    score = np.mean([_listwise(sets, names, half) for half in halves], axis=0)
    bias, slope, code = np.mean([_curve(sets, names, score, half) for half in halves], axis=0)
    return {"bias": bias, **dict(zip(names, (slope * score).tolist(), strict=True)), "code": code}


def _listwise(sets: Sequence[Cases], names: Sequence[str], half: bool) -> np.ndarray:
    """Softmax over the texts of each question, by Adam: the right ones should take all of it, in equal shares."""
    features, target, share, starts, rows = [], [], [], [], 0
    for cases in sets:
        right = np.bincount(cases.question, cases.relevant, len(cases.gold))
        use = ((right > 0) & (cases.second_half == half))[cases.question]
        question = cases.question[use]
        first = np.flatnonzero(np.diff(question, prepend=-1))
        features.append(cases.features(names)[use])
        target.append(cases.relevant[use] / right[question])
        share.append(np.full(len(question), 1 / max(len(first), 1)))
        starts.append(first + rows)
        rows += len(question)
    raw, begin = np.concatenate(features), np.concatenate(starts)
    wanted, weight = np.concatenate(target), np.concatenate(share) / len(sets)
    sizes, spread = np.diff(begin, append=rows), raw.std(axis=0) + 1e-9
    scaled = (raw - raw.mean(axis=0)) / spread
    weights = np.zeros(len(names))
    drift, swing = np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, STEPS + 1):
        score = scaled @ weights
        raised = np.exp(score - np.repeat(np.maximum.reduceat(score, begin), sizes))
        chance = raised / np.repeat(np.add.reduceat(raised, begin), sizes)
        slope = scaled.T @ (weight * (chance - wanted)) + RIDGE * weights
        drift, swing = 0.9 * drift + 0.1 * slope, 0.999 * swing + 0.001 * slope**2
        weights -= PACE * drift / (1 - 0.9**step) / (np.sqrt(swing / (1 - 0.999**step)) + 1e-8)
    return weights / spread


def _curve(sets: Sequence[Cases], names: Sequence[str], score: np.ndarray, half: bool) -> np.ndarray:
    """Bias, slope and code weight of the logistic curve from the score to a chance, by Newton's method."""
    inputs, right, share = [], [], []
    for cases in sets:
        use = (cases.place < CANDIDATES) & (cases.second_half == half)[cases.question]
        inputs.append(np.column_stack([np.ones(len(use)), cases.features(names) @ score, cases.clue("code")])[use])
        right.append(cases.relevant[use])
        share.append(np.full(use.sum(), 1 / max(use.sum(), 1)))
    features, relevant, weight = np.concatenate(inputs), np.concatenate(right), np.concatenate(share) / len(sets)
    curve = np.zeros(3)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-features @ curve))
        bend = (features.T * (weight * chance * (1 - chance))) @ features + 1e-9 * np.eye(3)
        step = np.linalg.solve(bend, features.T @ (weight * (chance - relevant)))
        curve -= step
        if np.abs(step).max() < 1e-9:
            break
    return curve


# --- the held-out half ---------------------------------------------------------------------------


def _chances(cases: Cases, weights: Mapping[str, float]) -> np.ndarray:
    """The chance of each candidate of the held-out half, as the memory source computes it; -inf for all other rows."""
    chances = np.full(len(cases.place), -np.inf)
    for row in np.flatnonzero((cases.place < CANDIDATES) & cases.second_half[cases.question]):
        chances[row] = ordering_chance(Clues(*cases.clues[row].tolist()), weights)
    return chances


def _measure(cases: Cases, weights: Mapping[str, float]) -> Measured:
    chances = _chances(cases, weights)
    ndcg, recall5 = _found(cases, chances)
    best = np.zeros(len(cases.gold))
    np.maximum.at(best, cases.question, chances)
    used, held = np.isfinite(chances), cases.second_half
    return Measured(ndcg, recall5, _ece(chances[used], cases.relevant[used]), _auroc(best[held], cases.gold[held] > 0))


def _found(cases: Cases, score: np.ndarray) -> tuple[float, float]:
    """nDCG at 10 and recall at 5 over the answerable questions of the held-out half; a row at -inf is not found."""
    starts = np.searchsorted(cases.question, np.arange(len(cases.gold) + 1))
    discount = 1 / np.log2(np.arange(2, 12))
    gains, recalls = [], []
    for number in np.flatnonzero(cases.second_half & (cases.gold > 0)):
        rows = slice(starts[number], starts[number + 1])
        order = np.argsort(-score[rows], kind="stable")[:10]
        right = cases.relevant[rows][order] * np.isfinite(score[rows][order])
        gold = cases.gold[number]
        gains.append(right @ discount[: len(right)] / discount[:gold].sum())
        recalls.append(right[:5].sum() / gold)
    return (float(np.mean(gains)), float(np.mean(recalls))) if gains else (float("nan"), float("nan"))


def _ece(chances: np.ndarray, relevant: np.ndarray) -> float:
    bins = np.minimum((chances * 10).astype(int), 9)
    return float(
        sum(abs((chances - relevant)[bins == each].mean()) * (bins == each).mean() for each in np.unique(bins))
    )


def _auroc(best: np.ndarray, answerable: np.ndarray) -> float | None:
    """How well the best chance tells the answerable questions from the others."""
    if answerable.all() or not answerable.any():
        return None
    above = best[answerable][:, None] - best[~answerable]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


def _left_out(sets: Sequence[Cases], names: Sequence[str]) -> dict[str, float]:
    """nDCG on each set with weights fitted on the others alone."""
    found = {}
    for cases in sets if len(sets) > 1 else ():
        weights = fitted([other for other in sets if other is not cases], names, halves=(False,))
        found[cases.name] = _found(cases, _chances(cases, weights))[0]
    return found


def _plain(cases: Cases) -> dict[str, float]:
    """nDCG of the plain orders of the same two lists."""
    keyword, cosine = cases.clue("keyword_share"), cases.clue("cosine")
    orders = {
        "bm25": np.where(cases.clue("keyword_place") > 0, keyword, -np.inf),
        "dense": np.where(cases.clue("semantic_place") > 0, cosine, -np.inf),
        "rrf": -cases.place.astype(float),
        "linear": 0.5 * keyword + 0.5 * cosine,
    }
    return {name: _found(cases, order)[0] for name, order in orders.items()}


def _report(
    label: str, sets: Sequence[Cases], measured: Mapping[str, Measured], *, left_out: Mapping[str, float]
) -> None:
    heads = ("nDCG@10", "recall@5", "ECE", "AUROC", "left out", "bm25", "dense", "rrf", "linear")
    print(f"{label + ', held-out half':30} " + " ".join(f"{head:>8}" for head in heads))
    rows = []
    for cases in sets:
        ndcg, recall5, ece, auroc = measured[cases.name]
        unknown = float("nan")
        auroc = unknown if auroc is None else auroc
        rows.append([ndcg, recall5, ece, auroc, left_out.get(cases.name, unknown), *_plain(cases).values()])
        print(f"{cases.name:30} " + " ".join(_cell(value) for value in rows[-1]))
    columns = [[value for value in column if not np.isnan(value)] for column in zip(*rows, strict=True)]
    print(f"{'mean':30} " + " ".join(_cell(np.mean(column) if column else float("nan")) for column in columns))


def _cell(value: float) -> str:
    return f"{'-':>8}" if np.isnan(value) else f"{value:8.3f}"


def _provenance(
    sets: Sequence[Cases], questions: int, held_out: Mapping[str, Mapping[str, Measured]]
) -> dict[str, Any]:
    names = ", ".join(cases.name for cases in sets)
    return {
        "on": f"listwise on half of the questions of {len(sets)} labelled sets ({names}), up to {questions} each, then "
        "averaged with the other half; held_out is the first half's fit on the other half",
        "date": DATE,
        "command": f"python benchmarks/fit_ordering.py FOLDER... --questions {questions} --write",
        "held_out": {
            label: {
                name: {key: round(value, 3) for key, value in scores._asdict().items() if value is not None}
                for name, scores in found.items()
            }
            for label, found in held_out.items()
        },
    }


if __name__ == "__main__":
    main()
