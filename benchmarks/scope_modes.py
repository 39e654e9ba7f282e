"""What the graph's scope does to the search of pieces: precision, recall and cost of the three modes.

Real packages as projects of one space. A question is what a function's first docstring sentence says (whole, and then
only its first words), without its own name, beside the name of the class or module it belongs to; the piece that holds
the function is right, and pieces of its project are in place. All modes are asked the same questions over the same
store, in turn.

    python benchmarks/scope_modes.py [--packages 10] [--questions 150] [--folder DIR]
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from projects import PACKAGES, fetch, unpack
from recollect.engine import Recollect
from recollect.knowledge import CHUNK
from recollect.records import Filters, Memory
from recollect.values import Answer

MODES = ("independent", "sequential", "parallel_then_rescope")
SEED = 7
FEWEST_WORDS = 6
VAGUE_WORDS = 3
FIRST = 5
DEADLINE_SECONDS = 10.0


class Asked(NamedTuple):
    """A question about a named thing, and where its answer stands."""

    said: str
    named: str
    project: str
    path: str
    line: int


class Seen(NamedTuple):
    """What one mode made of one question."""

    found: bool
    in_place: float
    seconds: float
    lookups: int
    scoped: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=int, default=10)
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        projects = unpack(fetch(PACKAGES[: options.packages], folder / "wheels"), folder / "projects")
        asyncio.run(measure(projects, Path(temporary) / "store", most=options.questions))


async def measure(projects: dict[str, Path], store: Path, *, most: int) -> None:
    """Read the projects in once, then ask in every mode."""
    questions = [asked for name, root in sorted(projects.items()) for asked in questions_of(name, root)]
    random.Random(SEED).shuffle(questions)
    questions = questions[:most]
    async with Recollect.open(store) as memory:
        for name, root in sorted(projects.items()):
            await memory.ingest(root, project=name)
    print(f"{len(projects)} projects, {len(questions)} questions\n")
    print(f"| questions | mode | recall@{FIRST} | right project@{FIRST} | scoped | lookups | p50 ms | p95 ms |")
    print("|---|---|---|---|---|---|---|---|")
    for mode in MODES:
        async with Recollect.open(store, scope_mode=mode) as memory:
            await memory.retrieve(questions[0].said)  # opens what is opened on use
            for name, words in (("whole", None), ("vague", VAGUE_WORDS)):
                seen = [await ask(memory, each, words=words) for each in questions]
                print(f"| {name} {row(mode, seen)}")


def questions_of(project: str, root: Path) -> Iterator[Asked]:
    """One question for each public function that says in a sentence what it does."""
    for file in sorted(root.rglob("*.py")):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            continue
        path = file.relative_to(root).as_posix()
        for owner in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
            named = owner.name if isinstance(owner, ast.ClassDef) else file.stem
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and (said := sentence_of(node)):
                    yield Asked(said, named, project, path, node.lineno)


def sentence_of(node: ast.FunctionDef) -> str:
    """The first sentence of its docstring without its own name; empty where that says too little."""
    said = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
    said = re.sub(rf"\b{re.escape(node.name)}\b", "", said.split(". ")[0]).strip(" .:`")
    fits = not node.name.startswith("_") and len(said.split()) >= FEWEST_WORDS and "http" not in said
    return said[:200] if fits else ""


async def ask(memory: Recollect, asked: Asked, *, words: int | None) -> Seen:
    text = f"{' '.join(asked.said.split()[:words])} in {asked.named}"
    began = time.perf_counter()
    answer = await memory.retrieve(text, deadline=DEADLINE_SECONDS)
    seconds = time.perf_counter() - began
    ids = [id for id, _ in answer.ranking]
    pieces = {piece.id: piece for piece in await _read(memory, ids)}
    first = [pieces[id] for id in ids if id in pieces][:FIRST]
    found = any(
        (piece.project, piece.source_uri) == (asked.project, asked.path) and _holds(piece.source_position, asked.line)
        for piece in first
    )
    place = sum(piece.project == asked.project for piece in first) / len(first) if first else 0.0
    return Seen(found, place, seconds, *_told(answer))


async def _read(memory: Recollect, ids: list[str]) -> list[Memory]:
    only = Filters(ids=frozenset(ids), kinds=frozenset({CHUNK}))
    return await memory.browse(filters=only, limit=len(ids)) if ids else []


def _holds(position: str | None, line: int) -> bool:
    lines = re.fullmatch(r"(\d+)-(\d+)", position or "")
    return lines is not None and int(lines[1]) <= line <= int(lines[2])


def _told(answer: Answer) -> tuple[int, bool]:
    lookups = sum(len(span.inside) for span in answer.trace.spans if span.name == "search")
    return lookups, any(each.what == "look within scope" for span in answer.trace.spans for each in span.decisions)


def row(mode: str, seen: list[Seen]) -> str:
    times = sorted(each.seconds * 1000 for each in seen)
    figures = (
        statistics.mean(each.found for each in seen),
        statistics.mean(each.in_place for each in seen),
        statistics.mean(each.scoped for each in seen),
        statistics.mean(each.lookups for each in seen),
    )
    told = " | ".join(f"{figure:.2f}" for figure in figures)
    return f"| {mode} | {told} | {times[len(times) // 2]:.1f} | {times[int(len(times) * 0.95)]:.1f} |"


if __name__ == "__main__":
    main()
