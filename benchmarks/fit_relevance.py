"""Fit the weights of rank/relevance.py on half of the questions of labelled sets, and report on the other half.

A set is a folder with corpus.jsonl.gz, queries.jsonl and qrels.jsonl; documents of one `meta.group` are one space.
Each of a question's first ten hits is a case: relevant or not. Every set weighs the same, whatever its size.

    python benchmarks/fit_relevance.py FOLDER [FOLDER …] [--questions 300]
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

import corpus as texts
import numpy as np

from recollect.rank.identity import content_hash
from recollect.rank.relevance import WITH_COSINE, strength
from recollect.records import Filters, Memory, PutMemory, Vector
from recollect.settings import StoreSettings
from recollect.store.sqlite import SqliteStore

IDENTITY = "all-MiniLM-L6-v2/int8"
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
FIRST = 10
RIDGE = 1e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=300)
    options = parser.parse_args()
    fit, check = [], []
    for folder in options.folders:
        cases = np.array(list(_cases(folder, options.questions)))
        held_out = cases[:, 0] > 0.5
        fit.append(cases[~held_out])
        check.append((folder.name, cases[held_out]))
    weights = _fit(np.concatenate([_weighted(cases) for cases in fit]))
    print(f"bias {weights[0]:.2f}  cosine {weights[1]:.2f}  strength {weights[2]:.2f}")
    keyword = _fit(np.concatenate([_weighted(cases * [1, 0, 1, 1]) for cases in fit]))
    print(f"keyword only: bias {keyword[0]:.2f}  strength {keyword[2]:.2f}")
    current = [WITH_COSINE.bias, WITH_COSINE.cosine, WITH_COSINE.strength]
    print(f"{'held-out half':18} {'cases':>6} {'relevant':>9} {'AUROC':>7} {'Brier':>7} {'ECE':>7}   (as in the code: Brier ECE)")
    for name, cases in check:
        found, now = _scores(cases, weights), _scores(cases, np.array(current))
        print(
            f"{name:18} {len(cases):6} {cases[:, 3].mean():9.3f} {found['auroc']:7.3f} {found['brier']:7.3f} "
            f"{found['ece']:7.3f}   {now['brier']:7.3f} {now['ece']:7.3f}"
        )


def _cases(folder: Path, questions: int) -> Iterator[tuple[float, float, float, float]]:
    """(half, cosine, strength, relevant) for the first hits of each question."""
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
        for query, vector in zip(asked, vectors, strict=True):
            half = int(hashlib.sha256(query["id"].encode()).hexdigest()[-1], 16) / 15
            for id, cosine, share in _first_hits(store, query, Vector(IDENTITY, vector.tobytes())):
                yield half, cosine, share, float(id in gold.get(query["id"], ()))
        store.close()


def _first_hits(store: SqliteStore, query: dict[str, Any], vector: Vector) -> Iterator[tuple[str, float, float]]:
    space = _space(query)
    near = store.nearest(space, vector, filters=Filters(), limit=FIRST)
    matches, terms = store.match(space, query["text"], filters=Filters(), limit=50)
    shares = {match.id: strength(match.source_score, terms) for match in matches}
    cosines = {match.id: match.source_score for match in near}
    wanted = list(dict.fromkeys([*cosines, *list(shares)[:FIRST]]))
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
    features = np.column_stack([np.ones(len(cases)), cases[:, 1], cases[:, 2]])
    relevant, share = cases[:, 3], cases[:, 4]
    weights = np.zeros(3)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (share * (chance - relevant)) + RIDGE * weights * [0, 1, 1]
        bend = (features.T * (share * chance * (1 - chance))) @ features + RIDGE * np.diag([1e-6, 1, 1])
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def _scores(cases: np.ndarray, weights: np.ndarray) -> dict[str, float]:
    chance = 1 / (1 + np.exp(-(weights[0] + cases[:, 1] * weights[1] + cases[:, 2] * weights[2])))
    relevant = cases[:, 3]
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
