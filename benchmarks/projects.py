"""Many real packages as projects: how fast they are read in, and whether the graph says what their syntax trees say.

Fetches wheels from the package index into a temporary folder, unpacks each as a project, and ingests all without
embedding: with a call for each, then in one call, cold and unchanged. Compares a few hundred sampled symbols
(fixed seed) with `python_truth.py`, which reads the files with `ast` and knows nothing of the program: first through
the graph, then through questions.

    python benchmarks/projects.py [--packages 40] [--folder DIR] [--show N]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, NamedTuple

from projects_check import Score, check_graph, check_questions
from python_truth import read_truth
from recollect.engine import Recollect
from recollect.knowledge import Ingested

PACKAGES = """
requests click flask jinja2 werkzeug rich httpx urllib3 attrs pydantic starlette fastapi sqlalchemy django celery kombu
networkx sympy pygments docutils sphinx pytest tornado aiohttp scrapy twisted black mypy poetry-core setuptools pip
jsonschema marshmallow boto3 botocore paramiko fabric typer uvicorn anyio
""".split()
DOWNLOAD = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:")
PEAK_EVERY_SECONDS = 0.25


class Ingest(NamedTuple):
    """One run over all projects."""

    files: int
    seconds: float
    cpu_seconds: float
    skipped: int
    entities: int
    statements: int


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        projects = unpack(fetch(PACKAGES[: options.packages], folder / "wheels"), folder / "projects")
        asyncio.run(measure(projects, Path(temporary) / "store", show=options.show))


async def measure(projects: dict[str, Path], store: Path, *, show: int) -> None:
    """Ingest twice, then compare."""
    async with Recollect.open(store / "one by one") as memory:
        singly = await timed(one_by_one(memory, projects))
    watch = PeakMemory()
    async with Recollect.open(store / "at once") as memory:
        cold = await timed(at_once(memory, projects))
        watch.stop()
        again = await timed(at_once(memory, projects))
        print(timings(cold, again, singly, watch.peak))
        truth = read_truth(projects)
        graph: Any = memory._knowledge
        print(f"\n{truth.files} Python files, {len(truth.defined)} definitions\n")
        print(table("through the graph", check_graph(graph, truth, show=show)))
        print(table("through questions", check_questions(graph, truth, show=show)))


async def at_once(memory: Recollect, projects: dict[str, Path]) -> list[Ingested]:
    """The folder that holds all projects, in one call."""
    (folder,) = {path.parent for path in projects.values()}
    return await memory.ingest_each(folder, embed=False)


async def one_by_one(memory: Recollect, projects: dict[str, Path]) -> list[Ingested]:
    """A call for each project."""
    return [await memory.ingest(path, project=name, embed=False) for name, path in sorted(projects.items())]


async def timed(ingest: Awaitable[list[Ingested]]) -> Ingest:
    """How long that takes."""
    begin, cpu = time.perf_counter(), _cpu()
    done = await ingest
    return Ingest(
        sum(each.read + each.unchanged for each in done),
        time.perf_counter() - begin,
        _cpu() - cpu,
        sum(len(each.skipped) for each in done),
        sum(each.entities for each in done),
        sum(each.statements for each in done),
    )


class PeakMemory:
    """The most that this process and its children held together, looked at now and then."""

    def __init__(self) -> None:
        self.peak = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(PEAK_EVERY_SECONDS):
            self.peak = max(self.peak, sum(_resident(pid) for pid in _family(os.getpid())))


def fetch(packages: list[str], folder: Path) -> list[Path]:
    """A wheel of each package; one that cannot be had is left out, and said."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        have = list(folder.glob(f"{package.replace('-', '_')}-*.whl"))
        if not have and subprocess.run([*DOWNLOAD, "-d", str(folder), package], check=False).returncode:
            print(f"{package} could not be fetched", file=sys.stderr)
    return sorted(folder.glob("*.whl"))


def unpack(wheels: list[Path], folder: Path) -> dict[str, Path]:
    """Each wheel as a folder of its own."""
    projects = {}
    for wheel in wheels:
        name = wheel.name.partition("-")[0].replace("_", "-").lower()
        projects[name] = folder / name
        if not projects[name].is_dir():
            with zipfile.ZipFile(wheel) as packed:
                packed.extractall(projects[name])
    return projects


def timings(cold: Ingest, again: Ingest, singly: Ingest, peak: int) -> str:
    rate, single_rate = cold.files / cold.seconds, singly.files / singly.seconds
    return "\n".join([
        "| measure | value | wanted |",
        "|---|---|---|",
        f"| files read | {cold.files} ({cold.skipped} skipped) | |",
        f"| entities, statements | {cold.entities}, {cold.statements} | |",
        f"| files a second, cold | {rate:.0f} ({cold.seconds:.1f} s, {cold.cpu_seconds:.1f} s of processor) | 300 |",
        f"| the same, a call for each project | {single_rate:.0f} ({singly.cpu_seconds:.1f} s of processor) | |",
        f"| unchanged, times faster | {cold.seconds / again.seconds:.0f} ({again.seconds:.2f} s) | 20 |",
        f"| peak memory of all processes | {peak / 2**20:.0f} MiB | bounded |",
    ])  # fmt: skip


def table(title: str, scores: list[Score]) -> str:
    lines = [f"| {title} | asked | expected | found | wrong | beyond | precision | recall |", "|---" * 8 + "|"]
    for each in scores:
        lines.append(
            f"| {each.name} | {each.asked} | {each.expected} | {each.found} | {each.wrong} | {each.beyond} "
            f"| {each.precision:.3f} | {each.recall:.3f} |"
        )
    return "\n".join(lines) + "\n"


def _cpu() -> float:
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in _family(int(child)))]


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=int, default=len(PACKAGES), help="how many of the packages")
    parser.add_argument("--folder", type=Path, help="where wheels and projects are kept for another run")
    parser.add_argument("--show", type=int, default=0, help="so many differences of each sort are printed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
