"""Real text with MiniLM vectors for the benchmarks: passages of the Python files on this machine, or a given corpus.

Vectors are made once and kept in the user's cache folder, since embedding 100,000 passages takes minutes.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import sys
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recollect.models.minilm import MiniLM
from recollect.ports import TextKind

PASSAGE_CHARACTERS = 400
QUERY_WORDS = 9
BATCH = 512


@dataclass(frozen=True)
class Corpus:
    """Passages and questions, each with its unit vector."""

    texts: list[str]
    vectors: np.ndarray
    queries: list[str]
    query_vectors: np.ndarray


def load(count: int, *, queries: int, corpus: Path | None) -> Corpus:
    """The first `count` passages; the questions are openings of passages left out of them."""
    passages: list[str] = []
    seen: set[str] = set()
    for passage in _from_folder(corpus) if corpus else _from_python_files():
        if passage not in seen:
            seen.add(passage)
            passages.append(passage)
        if len(passages) >= count + queries:
            break
    if len(passages) < count + queries:
        sys.exit(f"only {len(passages)} passages found, {count + queries} wanted")
    step = len(passages) // queries
    asked = {index * step for index in range(queries)}
    texts = [passage for index, passage in enumerate(passages) if index not in asked][:count]
    questions = [" ".join(passages[index].split()[:QUERY_WORDS]) for index in sorted(asked)]
    return Corpus(texts, embed(texts), questions, embed(questions))


def _from_python_files() -> Iterator[str]:
    roots = [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib")]
    for root in roots:
        for path in sorted(root.rglob("*.py")):
            yield from _passages(path.read_text(encoding="utf-8", errors="ignore"))


def _from_folder(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("corpus.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                yield from _passages(f"{record.get('title') or ''}\n{record['text']}")


def _passages(text: str) -> Iterator[str]:
    piece = ""
    for paragraph in text.split("\n"):
        piece += paragraph + "\n"
        if len(piece) >= PASSAGE_CHARACTERS:
            for start in range(0, len(piece), 2 * PASSAGE_CHARACTERS):
                if len(cut := piece[start : start + 2 * PASSAGE_CHARACTERS].strip()) > 40:
                    yield cut
            piece = ""


def embed(texts: list[str]) -> np.ndarray:
    """Vectors of the texts, from the cache where they are known."""
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "ignore")).hexdigest()[:16]
    folder = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "recollect" / "benchmarks"
    path = folder / f"minilm-int8-{len(texts)}-{digest}.npy"
    if path.exists():
        return np.load(path)
    folder.mkdir(parents=True, exist_ok=True)
    vectors = asyncio.run(_embed(texts))
    np.save(path, vectors)
    return vectors


async def _embed(texts: list[str]) -> np.ndarray:
    embedder = MiniLM()
    rows, began = [], time.monotonic()
    for start in range(0, len(texts), BATCH):
        batch = await embedder.embed(texts[start : start + BATCH], kind=TextKind.DOCUMENT)
        rows += [np.frombuffer(vector.data, dtype="<f4") for vector in batch]
        rate = len(rows) / (time.monotonic() - began)
        print(f"\rembedding {len(rows):,} of {len(texts):,} ({rate:.0f}/s)", end="", file=sys.stderr)
    print(file=sys.stderr)
    return np.stack(rows)
