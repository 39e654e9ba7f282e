"""Questions of one, two and three hops over a graph of films: how many are answered, how well and how fast.

    python benchmarks/metaqa.py FOLDER

FOLDER holds `kb.txt.gz` (subject|relation|object) and `queries.jsonl` (text, meta.hops, meta.answers). The triples go
into a temporary graph; the graph source is asked with the text alone. The tables of `explore/` may be made with the
questions of the fit half in view; the other half is what counts.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.evals.split import half_of
from recollect.graph.sqlite import SqliteKnowledge
from recollect.knowledge import Triple
from recollect.records import name_key
from recollect.settings import Settings
from recollect.sources.graph import ANSWER, GraphSource
from recollect.values import Lookup

SPACE = "films"


class Asked(NamedTuple):
    """One question: where it belongs, what came of it."""

    half: str
    hops: int
    first_is_right: bool
    is_exact: bool
    f1: float
    seconds: float


def load(folder: Path, root: Path) -> SqliteKnowledge:
    """The triples of a folder as a graph."""
    with gzip.open(folder / "kb.txt.gz", "rt", encoding="utf-8") as lines:
        triples = [Triple(*line.rstrip("\n").split("|")) for line in lines]
    knowledge = SqliteKnowledge(root, settings=Settings().store)
    knowledge.state(SPACE, "kb", triples)
    knowledge.settle(SPACE)
    return knowledge


def ask(source: GraphSource, query: dict[str, object]) -> Asked:
    """One question through the source."""
    text, meta = str(query["text"]), query["meta"]
    assert isinstance(meta, dict)
    began = time.perf_counter()
    reply = source.search_now(Lookup(text, SPACE, source.name, 10))
    seconds = time.perf_counter() - began
    told = next((hit.memory for hit in reply.hits if hit.memory.kind == ANSWER), None)
    found = [_same(name) for name in (told.metadata["answers"] if told else ())]
    gold = {_same(name) for name in meta["answers"]}
    shared = len(gold & set(found))
    f1 = 2 * shared / (len(gold) + len(set(found)))
    return Asked(half_of(text), meta["hops"], bool(found) and found[0] in gold, set(found) == gold, f1, seconds)


def _same(name: str) -> str:
    return name_key(name) or name


def table(asked: Sequence[Asked]) -> str:
    """By half and hops."""
    lines = ["| half | hops | questions | Hits@1 | exact | F1 | p50 ms | p95 ms |", "|---|---|---|---|---|---|---|---|"]
    for half, hops in sorted({(each.half, each.hops) for each in asked}):
        rows = [each for each in asked if (each.half, each.hops) == (half, hops)]
        times = sorted(each.seconds * 1000 for each in rows)
        means = [sum(values) / len(rows) for values in zip(*(row[2:5] for row in rows), strict=True)]
        p50, p95 = times[len(times) // 2], times[int(len(times) * 0.95)]
        numbers = " | ".join(f"{mean:.3f}" for mean in means)
        lines.append(f"| {half} | {hops} | {len(rows)} | {numbers} | {p50:.1f} | {p95:.1f} |")
    return "\n".join(lines)


def main(folder: Path) -> None:
    """Load, ask everything, print the table."""
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as root:
        began = time.perf_counter()
        knowledge = load(folder, Path(root))
        print(f"graph of {folder.name} made in {time.perf_counter() - began:.1f} s")
        source = GraphSource(knowledge=knowledge)
        ask(source, queries[0])  # opens the graph
        print(table([ask(source, query) for query in queries]))
        knowledge.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
