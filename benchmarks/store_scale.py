"""How the store does at 1,000, 10,000 and 100,000 memories, against the bare engines in the same run.

Lone times mean little on a shared machine, so every figure stands beside what SQLite, tantivy, hnswlib and numpy
take for the same work, interleaved call by call. Targets are at 100,000.

    python benchmarks/store_scale.py [--sizes 1000,10000,100000] [--corpus FOLDER] [--json FILE] [--markdown]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hnswlib
import numpy as np
import tantivy

import corpus as texts
from recollect.engine import Recollect
from recollect.ports import TextKind
from recollect.rank.identity import content_hash
from recollect.records import Filters, Memory, PutMemory, Vector
from recollect.settings import Settings, StoreSettings
from recollect.sources.memory import MemorySource
from recollect.store.rows import COLUMNS, memory_row
from recollect.store.sqlite import SqliteStore
from recollect.values import Lookup

IDENTITY = "all-MiniLM-L6-v2/int8"
BATCH = 1_000
SPACE = "default"
WHOLE, NARROW = COLUMNS, ("id", "title", "body")
EXACT, HNSW_M, HNSW_EF_BUILD, HNSW_EF = 10, 16, 200, 128

Row = dict[str, Any]


def main() -> None:
    options = _options()
    if options.child:
        print(json.dumps(_child(Path(options.child[0]), int(options.child[1]))))
        return
    sizes = [int(size) for size in options.sizes.split(",")]
    given = texts.load(max(sizes), queries=options.queries, corpus=options.corpus)
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows.append({"memories": size} | _measure(Path(folder), given, size))
        _show(rows[-1])
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    if options.markdown:
        print("\n" + _table(rows))


def _measure(folder: Path, given: texts.Corpus, size: int) -> Row:
    memories = [_memory(number, text) for number, text in enumerate(given.texts[:size])]
    vectors = [Vector(IDENTITY, row.tobytes()) for row in given.vectors[:size]]
    store = _open(folder / "ours")
    row: Row = {}
    narrow, bare = Bare(folder / "narrow", columns=NARROW), Bare(folder / "bare", columns=WHOLE)
    few_seconds = _load_bare(narrow, memories, vectors)
    bare_seconds = _load_bare(bare, memories, vectors)
    ours_seconds = _load_ours(store, memories, vectors)
    row["load, memories/s"] = size / ours_seconds
    row["load, of the bare rate"] = bare_seconds / ours_seconds
    row["load, of the bare rate, narrow table"] = few_seconds / ours_seconds
    bare.build_vectors(given.vectors[:size])
    row |= _searches(store, bare, given, size)
    row |= asyncio.run(_remembers(store, bare, given))
    store.close()
    row |= _fresh_process(folder / "ours", given)
    row["disk, MB"] = sum(path.stat().st_size for path in (folder / "ours").rglob("*") if path.is_file()) / 1e6
    return row


def _load_bare(bare: Bare, memories: list[Memory], vectors: list[Vector]) -> float:
    """Seconds from the first batch until everything is searchable."""
    began = time.perf_counter()
    for start in range(0, len(memories), BATCH):
        bare.insert(memories[start : start + BATCH], vectors[start : start + BATCH])
    bare.commit()
    return time.perf_counter() - began


def _load_ours(store: SqliteStore, memories: list[Memory], vectors: list[Vector]) -> float:
    """The same for the store."""
    began = time.perf_counter()
    for start in range(0, len(memories), BATCH):
        pairs = zip(memories[start : start + BATCH], vectors[start : start + BATCH], strict=True)
        store.apply(SPACE, [PutMemory(memory, vector) for memory, vector in pairs])
    store.catch_up(SPACE)
    return time.perf_counter() - began


def _searches(store: SqliteStore, bare: Bare, given: texts.Corpus, size: int) -> Row:
    source = MemorySource(store)
    lookups = [
        Lookup(query, SPACE, "memory", 25, vector=Vector(IDENTITY, vector.tobytes()))
        for query, vector in zip(given.queries, given.query_vectors, strict=True)
    ]
    times: dict[str, list[float]] = {name: [] for name in ("hybrid", "match", "nearest", "tantivy", "hnsw", "exact")}
    for lookup, vector in zip(lookups, given.query_vectors, strict=True):
        text, found = lookup.text, lookup.vector
        assert found is not None
        plain = re.sub(r"\W+", " ", text)  # or its parser would take "word:" for the name of a field
        times["tantivy"].append(_seconds(lambda: bare.search(plain)))  # noqa: B023 - called at once, here and below
        times["hnsw"].append(_seconds(lambda: bare.graph.knn_query(vector, k=25)))  # noqa: B023
        times["hybrid"].append(_seconds(lambda: source.search_now(lookup)))  # noqa: B023
        times["match"].append(_seconds(lambda: store.match(SPACE, text, filters=Filters(), limit=25)))  # noqa: B023
        times["nearest"].append(_seconds(lambda: store.nearest(SPACE, found, filters=Filters(), limit=25)))  # noqa: B023
    # Apart from the others: reading every vector empties the processor's caches for whatever comes next.
    held, recall = given.vectors[:size], []
    for lookup, vector in zip(lookups, given.query_vectors, strict=True):
        times["exact"].append(_seconds(lambda: held @ vector))  # noqa: B023
        best = set(np.argsort(-(held @ vector), kind="stable")[:EXACT].tolist())
        assert lookup.vector is not None
        near = store.nearest(SPACE, lookup.vector, filters=Filters(), limit=EXACT)
        recall.append(len(best & {int(match.id) for match in near}) / min(EXACT, size))
    middle = {name: statistics.median(values) * 1e3 for name, values in times.items()}
    late = {name: float(np.percentile(values, 95)) * 1e3 for name, values in times.items()}
    return {
        "hybrid p50, ms": middle["hybrid"],
        "hybrid p95, ms": late["hybrid"],
        "bare tantivy p50, ms": middle["tantivy"],
        "bare hnswlib p50, ms": middle["hnsw"],
        "bare numpy exact p50, ms": middle["exact"],
        "our match p50, ms": middle["match"],
        "our nearest p50, ms": middle["nearest"],
        "hybrid / (tantivy + hnswlib)": middle["hybrid"] / (middle["tantivy"] + middle["hnsw"]),
        "hybrid / (tantivy + exact)": middle["hybrid"] / (middle["tantivy"] + middle["exact"]),
        "match + nearest / (tantivy + hnswlib)": (middle["match"] + middle["nearest"])
        / (middle["tantivy"] + middle["hnsw"]),
        "vector recall@10": statistics.mean(recall),
    }


async def _remembers(store: SqliteStore, bare: Bare, given: texts.Corpus) -> Row:
    """One acknowledged `remember` (gate, duplicate check, commit) beside one committed insert into both engines."""
    engine = Recollect(Settings(), store=store, embedder=Known(given), sources=[MemorySource(store)])
    ours, plain = [], []
    worded = [(number, text) for number, text in enumerate(given.queries) if re.search(r"[^\W\d_]{3}", text)]
    for number, text in worded[:200]:  # the write gate would refuse the others
        memory = _memory(10_000_000 + number, text)
        vector = Vector(IDENTITY, given.query_vectors[number].tobytes())
        plain.append(_seconds(lambda: bare.insert_committed(memory, vector)))  # noqa: B023
        began = time.perf_counter()
        await engine.remember(text)
        ours.append(time.perf_counter() - began)
    middle = statistics.median(ours)
    return {
        "remember p50, ms": middle * 1e3,
        "bare committed insert p50, ms": statistics.median(plain) * 1e3,
        "remember / bare insert": middle / statistics.median(plain),
    }


class Known:
    """An embedder that knows its vectors already, so that only our own work is timed."""

    identity, note = IDENTITY, None

    def __init__(self, given: texts.Corpus) -> None:
        self._vectors = dict(zip(given.queries, given.query_vectors, strict=True))

    async def embed(self, wanted: list[str], *, kind: TextKind) -> list[Vector]:
        return [Vector(IDENTITY, self._vectors[text].tobytes()) for text in wanted]

    async def close(self) -> None:
        pass


class Bare:
    """The engines by themselves: a SQLite table (all of a memory or three fields), a tantivy index, an HNSW graph."""

    def __init__(self, folder: Path, *, columns: tuple[str, ...]) -> None:
        self.columns = columns
        (folder / "index").mkdir(parents=True)
        self.db = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self.db.execute("pragma journal_mode = wal")
        self.db.execute("pragma synchronous = full")
        self.db.execute(f"create table memories (id text primary key, {', '.join(columns[1:])}, vector blob)")
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", tokenizer_name="en_stem")
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        self.index = tantivy.Index(builder.build(), path=str(folder / "index"))
        self.writer = self.index.writer(heap_size=64_000_000, num_threads=1)

    def insert(self, memories: list[Memory], vectors: list[Vector]) -> None:
        self.db.execute("begin")
        marks = ", ".join("?" * (len(self.columns) + 1))
        whole = self.columns == WHOLE
        self.db.executemany(
            f"insert into memories values ({marks})",
            (
                (*memory_row(memory), vector.data) if whole else (memory.id, memory.title, memory.body, vector.data)
                for memory, vector in zip(memories, vectors, strict=True)
            ),
        )
        self.db.execute("commit")
        for memory in memories:
            self.writer.add_document(tantivy.Document(id=memory.id, text=f"{memory.title}\n{memory.body}"))

    def commit(self) -> None:
        self.writer.commit()
        self.writer.wait_merging_threads()
        self.writer = self.index.writer(heap_size=15_000_000, num_threads=1)
        self.index.reload()
        self.searcher = self.index.searcher()

    def insert_committed(self, memory: Memory, vector: Vector) -> None:
        self.insert([memory], [vector])
        self.writer.commit()

    def search(self, text: str) -> list[str]:
        query, _ = self.index.parse_query_lenient(text, ["text"])
        return [self.searcher.doc(address)["id"][0] for _, address in self.searcher.search(query, 25).hits]

    def build_vectors(self, vectors: np.ndarray) -> None:
        self.graph = hnswlib.Index(space="ip", dim=vectors.shape[1])
        self.graph.init_index(max_elements=len(vectors), M=HNSW_M, ef_construction=HNSW_EF_BUILD)
        self.graph.add_items(vectors)
        self.graph.set_ef(HNSW_EF)
        self.graph.set_num_threads(1)


def _fresh_process(folder: Path, given: texts.Corpus) -> Row:
    """Opening and memory, in a process that did nothing else."""
    command = [sys.executable, __file__, "--child", str(folder), str(len(given.queries))]
    with tempfile.NamedTemporaryFile(suffix=".npz", delete=False) as file:
        np.savez(file, vectors=given.query_vectors, queries=np.array(given.queries))
    try:
        done = subprocess.run(
            command, capture_output=True, check=True, text=True, env=os.environ | {"BENCH_QUERIES": file.name}
        )
    finally:
        Path(file.name).unlink()
    found: Row = json.loads(done.stdout)
    return found


def _child(folder: Path, count: int) -> Row:
    given = np.load(os.environ["BENCH_QUERIES"])
    began = time.perf_counter()
    store = _open(folder)
    store.stats(SPACE)
    opened = time.perf_counter() - began
    source = MemorySource(store)
    queries, vectors = given["queries"], given["vectors"]
    for number in range(count):
        vector = Vector(IDENTITY, vectors[number].tobytes())
        source.search_now(Lookup(str(queries[number]), SPACE, "memory", 25, vector=vector))
        if number == 0:
            first = time.perf_counter() - began
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) / 1024
    return {"open, s": opened, "open and first search, s": first, "peak RSS, MB": peak}


def _memory(number: int, text: str) -> Memory:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number)
    return Memory(str(number), SPACE, "fact", "", text, moment, moment, content_hash("", text))


def _open(folder: Path) -> SqliteStore:
    return SqliteStore(folder, now=lambda: datetime.now(UTC), settings=StoreSettings())


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _show(row: Row) -> None:
    print(f"\n{row['memories']:,} memories")
    for name, value in row.items():
        if name != "memories":
            print(f"  {name:38} {value:12,.3f}")


def _table(rows: list[Row]) -> str:
    head = "| | " + " | ".join(f"{row['memories']:,}" for row in rows) + " |\n|---|" + "---:|" * len(rows)
    lines = [
        f"| {name} | "
        + " | ".join(f"{row[name]:,.0f}" if row[name] >= 100 else f"{row[name]:.3g}" for row in rows)
        + " |"
        for name in rows[0]
        if name != "memories"
    ]
    return "\n".join([head, *lines])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--corpus", type=Path, help="a folder with corpus.jsonl.gz files; default: Python files")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/benchmarks.md")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
