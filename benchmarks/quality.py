"""All figures of retrieval quality, as `docs/quality.md`: the project's own sets and the labelled folders given.

Runs what `recollect eval --baselines` runs, set by set, and writes the page with its diagrams. The report of each set
is kept in a folder, by commit, source and arguments, so that a run that was broken off goes on where it was. A folder
may hold one set, or a set in each of its folders. With `--floors` nothing is written: it shows the figures of the
project's own sets beside their floors.

    python benchmarks/quality.py [FOLDER …] [--half held-out] [--limit N] [--recipe NAME] [--set NAME=VALUE]
    python benchmarks/quality.py --floors
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from floors import OWN_SETS, Held, hold, own_sets, read_floors
from quality_page import Made, page
from recollect.configure import configure
from recollect.evals.layout import read_set
from recollect.evals.report import as_json, confidence_svg
from recollect.evals.run import Manner, Ran, run_set
from recollect.evals.scores import score_set
from recollect.evals.split import Half
from recollect.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "recollect"
SECRET = "embedder.api_key"


def main(given: Sequence[str] | None = None) -> int:
    chosen = _arguments().parse_args(given)
    settings = configure(dict(each.partition("=")[::2] for each in chosen.set), environment={})
    if chosen.floors:
        return show_floors(settings)
    commit = _commit()
    half = Half(chosen.half) if chosen.half != "all" else None
    source, shared = _digest(PACKAGE.rglob("*.py"), PACKAGE.rglob("*.json")), _sets_in(chosen.folders)
    measured = []
    for folder in [*own_sets(), *shared]:
        own = folder.parent == OWN_SETS
        manner = Manner(chosen.recipe or settings.recipe, chosen.limit, baselines=True, half=None if own else half)
        key = _key(commit, source, _digest(folder.glob("*.jsonl*")), repr(manner), repr(settings))
        kept = chosen.cache / f"{folder.resolve().name}-{key}.json"
        measured.append({**_measured(folder, kept, settings, manner), "own": own})
    names = [each["set"] for each in measured]
    if len(set(names)) < len(names):
        sys.exit("two sets have the same name, and so would their diagrams; rename a folder")
    _write(measured, _made(measured, chosen, settings, commit), chosen.out)
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, help="labelled sets, or folders that hold some")
    parser.add_argument("--half", choices=[*Half, "all"], default=str(Half.HELD_OUT), help="of the sets given")
    parser.add_argument("--limit", type=int, help="ask so many questions of each set")
    parser.add_argument("--recipe", help="fast, balanced or deep")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting; repeatable")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "quality", help="where reports are kept")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "quality.md", help="the page")
    parser.add_argument("--floors", action="store_true", help="show the own sets beside their floors, write nothing")
    return parser


def show_floors(settings: Settings) -> int:
    """The figures of the own sets beside their floors; 1 where one is below."""
    floors = read_floors()
    held: list[Held] = []
    for folder in own_sets():
        held += hold(_asked(folder, settings, Manner()), floors.get(folder.name, {}))
    print(f"{'set':16} {'measure':14} {'seen':>6} {'floor':>6} {'earned':>7}")
    for each in held:
        mark = "  BELOW" if not each.holds else "  could rise" if each.earned > each.floor else ""
        print(f"{each.set:16} {each.measure:14} {each.seen:6.3f} {each.floor:6.3f} {each.earned:7.3f}{mark}")
    fallen = [each for each in held if not each.holds]
    for each in fallen:
        print(f"\n{each}")
    return 1 if fallen else 0


# --- measuring -----------------------------------------------------------------------------------


def _sets_in(folders: Sequence[Path]) -> list[Path]:
    """Each folder that holds a set, else those of its folders that do."""
    found: list[Path] = []
    for folder in folders:
        inner = sorted(path for path in folder.iterdir() if _is_set(path)) if folder.is_dir() else []
        if not _is_set(folder) and not inner:
            sys.exit(f"{folder} holds no labelled set")
        found += [folder] if _is_set(folder) else inner
    return found


def _is_set(folder: Path) -> bool:
    return any((folder / f"corpus.jsonl{ending}").is_file() for ending in ("", ".gz"))


def _measured(folder: Path, kept: Path, settings: Settings, manner: Manner) -> dict[str, Any]:
    """A set's report with its diagram, from the kept file where there is one."""
    if kept.is_file():
        print(f"{folder.name}: kept from before", file=sys.stderr)
        found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return found
    ran = _asked(folder, settings, manner)
    scores = score_set(ran)
    (report,) = as_json([scores], made={})["sets"]
    told = scores.calibrated and scores.calibrated.auroc
    made = {**report, "embedder": ran.embedder, "half": manner.half, "svg": confidence_svg(scores) if told else None}
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    part.write_text(json.dumps(made, ensure_ascii=False, indent=1), encoding="utf-8")
    part.replace(kept)
    return made


def _asked(folder: Path, settings: Settings, manner: Manner) -> Ran:
    def progress(what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{folder.name}: {what} {done}/{total}\033[K", end="", file=sys.stderr)

    ran = asyncio.run(run_set(read_set(folder), settings=settings, manner=manner, progress=progress))
    print(f"{chr(13) if sys.stderr.isatty() else ''}{folder.name}: {len(ran.outcomes)} questions", file=sys.stderr)
    return ran


# --- by what it was made -------------------------------------------------------------------------


def _made(measured: Sequence[Mapping[str, Any]], chosen: Any, settings: Settings, commit: str) -> Made:
    fitted = []
    for path in sorted((PACKAGE / "data").glob("*.json")):
        about = json.loads(path.read_text(encoding="utf-8")).get("fitted")
        if about:
            fitted.append((path.name, str(about.get("on", "")), str(about.get("date", ""))))
    return Made(
        commit,
        _version(),
        dict(_changes(asdict(settings), asdict(Settings()))),
        chosen.recipe or settings.recipe,
        ", ".join(dict.fromkeys(each["embedder"] for each in measured)),
        datetime.now(UTC).date().isoformat(),
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}",
        chosen.limit,
        chosen.half,
        tuple(fitted),
    )


def _version() -> str:
    from importlib.metadata import version

    return version("recollect")


def _changes(given: Mapping[str, Any], usual: Mapping[str, Any], under: str = "") -> Iterator[tuple[str, str]]:
    """The settings that are not as they come, by dotted name."""
    for name, value in given.items():
        full = f"{under}{name}"
        if isinstance(value, dict):
            yield from _changes(value, usual[name], f"{full}.")
        elif value != usual[name] and full != SECRET:
            yield full, str(value)


def _commit() -> str:
    """The commit, and whether the package differs from it."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    changed = " with changes not committed" if git("status", "--porcelain", "--", "src") else ""
    return (git("rev-parse", "--short", "HEAD") or "unknown") + changed


def _digest(*found: Iterator[Path]) -> str:
    seen = sha256()
    for path in sorted(path for paths in found for path in paths):
        seen.update(path.name.encode() + b"\0" + path.read_bytes())
    return seen.hexdigest()


def _key(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


def _write(measured: Sequence[Mapping[str, Any]], made: Made, out: Path) -> None:
    """The page, and beside it a folder of its name with the diagrams."""
    pictures = out.with_suffix("")
    pictures.mkdir(parents=True, exist_ok=True)
    drawn = {f"{each['set']}.svg": each["svg"] for each in measured if each["svg"]}
    for old in pictures.glob("*.svg"):
        if old.name not in drawn:
            old.unlink()
    for name, picture in drawn.items():
        (pictures / name).write_text(picture, encoding="utf-8")
    out.write_text(page(measured, made, pictures=pictures.name), encoding="utf-8")
    print(out, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
