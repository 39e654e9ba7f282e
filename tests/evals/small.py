"""Small labelled sets for tests, written as files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Lines = Sequence[dict[str, Any]]

CORPUS: Lines = (
    {"id": "d1", "title": "Lighthouse", "text": "The lighthouse on Brenn island was built in 1871 by Ada Kern."},
    {"id": "d2", "title": "Ferry", "text": "The ferry to Brenn leaves the harbour at seven every morning."},
    {"id": "d3", "title": "Bakery", "text": "Olm's bakery sells rye bread and poppy seed rolls."},
    {"id": "d4", "title": "Museum", "text": "The whaling museum is closed on Mondays and in winter."},
    {"id": "d5", "title": "Library", "text": "The town library lends boats as well as books."},
    {"id": "d6", "title": "Ada Kern", "text": "Ada Kern was an engineer who also designed the harbour crane."},
)
QUERIES: Lines = (
    {"id": "q1", "text": "Who built the lighthouse on Brenn island?", "meta": {"answerable": True, "category": "who"}},
    {"id": "q2", "text": "When does the ferry to Brenn leave?", "meta": {"answerable": True, "category": "when"}},
    {"id": "q3", "text": "What does Olm's bakery sell?", "meta": {"answerable": True, "category": "what"}},
    {"id": "q4", "text": "Which quark decays into a muon?", "meta": {"answerable": False, "category": "what"}},
)
QRELS: Lines = (
    {"query_id": "q1", "doc_id": "d1", "grade": 2},
    {"query_id": "q1", "doc_id": "d6", "grade": 1},
    {"query_id": "q2", "doc_id": "d2", "grade": 1},
    {"query_id": "q3", "doc_id": "d3", "grade": 1},
)


def write_set(
    folder: Path, *, corpus: Lines = CORPUS, queries: Lines = QUERIES, qrels: Lines = QRELS, zipped: bool = True
) -> Path:
    """The folder, with a set of these lines in it."""
    folder.mkdir(parents=True, exist_ok=True)
    text = as_lines(corpus)
    if zipped:
        (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (folder / "corpus.jsonl").write_text(text, encoding="utf-8")
    (folder / "queries.jsonl").write_text(as_lines(queries), encoding="utf-8")
    (folder / "qrels.jsonl").write_text(as_lines(qrels), encoding="utf-8")
    return folder


def as_lines(values: Lines) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)
