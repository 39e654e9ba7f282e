"""Fit the weights of rank/relevance.py on half of the questions of labelled sets, and report on the other half.

A set is a folder with corpus.jsonl.gz, queries.jsonl and qrels.jsonl; documents of one `meta.group` are one space.
Each of a question's first hits, by words and by meaning, is a case: relevant or not. With `--first 1` these are the
hits a verdict rests on. Every set weighs the same, whatever its size.

    python benchmarks/fit_relevance.py FOLDER [FOLDER …] [--questions 300] [--first 1]
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import corpus as texts
from recollect.rank.identity import content_hash
from recollect.rank.relevance import WITH_COSINE, highest_score, named, strength
from recollect.records import Filters, Memory, PutMemory, Vector
from recollect.settings import StoreSettings
from recollect.steps.understand import find_entities
from recollect.store.sqlite import SqliteStore

IDENTITY = "all-MiniLM-L6-v2/int8"
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
RIDGE = 1e-3
CUTS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    fit, check = [], []
    for folder in options.folders:
        cases = np.array(list(_cases(folder, options.questions, first=options.first)))
        held_out = cases[:, 0] > 0.5
        fit.append(cases[~held_out])
        check.append((folder.name, cases[held_out]))
    weights = _fit(np.concatenate([_weighted(cases) for cases in fit]))
    print(f"bias {weights[0]:.2f}  cosine {weights[1]:.2f}  strength {weights[2]:.2f}  named {weights[3]:.2f}")
    keyword = _fit(np.concatenate([_weighted(cases * [1, 0, 1, 1, 1, 1, 1]) for cases in fit]))
    print(f"keyword only: bias {keyword[0]:.2f}  strength {keyword[2]:.2f}  named {keyword[3]:.2f}")
    current = [WITH_COSINE.bias, WITH_COSINE.cosine, WITH_COSINE.strength, WITH_COSINE.named]
    print(
        f"{'held-out half':18} {'cases':>6} {'relevant':>9} {'AUROC':>7} {'Brier':>7} {'ECE':>7}"
        "   (as in the code: Brier, ECE)"
    )
    for name, cases in check:
        found, now = _scores(cases, weights), _scores(cases, np.array(current))
        print(
            f"{name:18} {len(cases):6} {cases[:, 4].mean():9.3f} {found['auroc']:7.3f} {found['brier']:7.3f} "
            f"{found['ece']:7.3f}   {now['brier']:7.3f} {now['ece']:7.3f}"
        )
    print("share of questions judged rightly (mean over answerable and not) by the best hit's relevance")
    print(f"{'held-out half':18} " + " ".join(f"{cut:6.2f}" for cut in CUTS))
    for name, cases in check:
        if 0 < cases[:, 5].mean() < 1:
            print(f"{name:18} " + " ".join(f"{share:6.3f}" for share in _by_threshold(cases, weights)))


def _by_threshold(cases: np.ndarray, weights: np.ndarray) -> Iterator[float]:
    chance = 1 / (1 + np.exp(-(weights[0] + cases[:, 1:4] @ weights[1:])))
    best = {number: chance[cases[:, 6] == number].max() for number in set(cases[:, 6])}
    label = {number: answerable for number, answerable in cases[:, [6, 5]]}
    for cut in CUTS:
        right = {kind: np.mean([(best[n] >= cut) == kind for n in best if label[n] == kind]) for kind in (0, 1)}
        yield float(np.mean(list(right.values())))


def _cases(folder: Path, questions: int, *, first: int) -> Iterator[tuple[float, ...]]:
    """(half, cosine, strength, named, relevant, answerable, question) for the first hits of each question."""
    with tempfile.TemporaryDirectory() as root:
        store = SqliteStore(Path(root), now=lambda: MOMENT, settings=StoreSettings(open_spaces=8))
        _load(store, folder)
        gold: dict[str, set[str]] = {}
        for line in (folder / "qrels.jsonl").read_text().splitlines():
            judged = json.loads(line)
            if judged["grade"] > 0:
                gold.setdefault(judged["query_id"], set()).add(judged["doc_id"])
        asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
        asked.sort(key=lambda query: hashlib.sha256(query["id"].encode()).hexdigest())
        asked = asked[:questions]
        vectors = texts.embed([query["text"] for query in asked])
        for number, (query, vector) in enumerate(zip(asked, vectors, strict=True)):
            half = int(hashlib.sha256(query["id"].encode()).hexdigest()[-1], 16) / 15
            names = find_entities(query["text"])
            found = list(_first_hits(store, query, Vector(IDENTITY, vector.tobytes()), first=first))
            texts_of = {memory.id: memory for memory in store.read(_space(query), [id for id, _, _ in found])}
            for id, cosine, share in found:
                known = named(names, texts_of[id])
                answerable, relevant = float(query["id"] in gold), float(id in gold.get(query["id"], ()))
                yield half, cosine, share, known, relevant, answerable, float(number)
        store.close()


def _first_hits(
    store: SqliteStore, query: dict[str, Any], vector: Vector, *, first: int
) -> Iterator[tuple[str, float, float]]:
    space = _space(query)
    near = store.nearest(space, vector, filters=Filters(), limit=first)
    matches, terms = store.match(space, query["text"], filters=Filters(), limit=50)
    highest = highest_score(terms)
    shares = {match.id: strength(match.source_score, highest=highest) for match in matches}
    cosines = {match.id: match.source_score for match in near}
    wanted = list(dict.fromkeys([*cosines, *list(shares)[:first]]))
    missing = [id for id in wanted if id not in cosines]
    for id, found in zip(missing, store.vectors(space, missing), strict=True):
        assert found is not None
        cosines[id] = float(np.frombuffer(found.data, "<f4") @ np.frombuffer(vector.data, "<f4"))
    for id in wanted:
        yield id, cosines[id], shares.get(id, 0.0)


def _load(store: SqliteStore, folder: Path) -> None:
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
        documents = [json.loads(line) for line in file]
    vectors = texts.embed([f"{document['title']}\n{document['text']}".strip() for document in documents])
    spaces: dict[str, list[PutMemory]] = {}
    for document, vector in zip(documents, vectors, strict=True):
        space, title, body = _space(document), document["title"] or "", document["text"]
        memory = Memory(
            document["id"], space, "document", title, body, MOMENT, MOMENT, content_hash(title, body),
            author=(document.get("meta") or {}).get("author"),
        )  # fmt: skip
        spaces.setdefault(space, []).append(PutMemory(memory, Vector(IDENTITY, vector.tobytes())))
    for space, puts in spaces.items():
        store.apply(space, puts)


def _space(record: dict[str, Any]) -> str:
    return str((record.get("meta") or {}).get("group") or "all")


def _weighted(cases: np.ndarray) -> np.ndarray:
    return np.column_stack([cases, np.full(len(cases), 1 / len(cases))])


def _fit(cases: np.ndarray) -> np.ndarray:
    """Logistic regression by Newton's method."""
    features = np.column_stack([np.ones(len(cases)), cases[:, 1:4]])
    relevant, share = cases[:, 4], cases[:, -1]
    weights = np.zeros(4)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (share * (chance - relevant)) + RIDGE * weights * [0, 1, 1, 1]
        bend = (features.T * (share * chance * (1 - chance))) @ features + RIDGE * np.diag([1e-6, 1, 1, 1])
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _scores(cases: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    chance = 1 / (1 + np.exp(-(weights[0] + cases[:, 1:4] @ weights[1:])))
    relevant = cases[:, 4]
    order = np.argsort(np.argsort(chance)) + 1
    positive = relevant.sum()
    pairs = positive * (len(cases) - positive)
    auroc = (order[relevant == 1].sum() - positive * (positive + 1) / 2) / pairs if pairs else float("nan")
    bins = np.minimum((chance * 10).astype(int), 9)
    ece = sum(
        abs(chance[bins == each].mean() - relevant[bins == each].mean()) * (bins == each).mean() for each in set(bins)
    )
    return {"auroc": auroc, "brier": float(((chance - relevant) ** 2).mean()), "ece": float(ece)}


if __name__ == "__main__":
    main()
