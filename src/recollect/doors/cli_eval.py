"""The command that measures retrieval on labelled sets: eval."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from recollect.configure import configure
from recollect.doors import cli_render
from recollect.doors.cli_call import Call, environment
from recollect.doors.cli_files import STANDARD, write_text
from recollect.doors.cli_options import COMMON, Common, Texts, argument, option, parse_overrides
from recollect.doors.cli_text import clean
from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput
from recollect.evals.layout import LabelledSet, read_set, read_triples
from recollect.evals.metrics import Estimate
from recollect.evals.report import as_json, confidence_svg, run_lines, verdict_lines
from recollect.evals.run import Manner, Ran, run_set
from recollect.evals.scores import Ranked, Scores, score_set
from recollect.evals.split import Half
from recollect.evals.triples import Triples
from recollect.settings import Settings

# The measures as they stand in tables, in order.
SHORT = {"recall@2": "R@2", "recall@5": "R@5", "recall@10": "R@10", "all@5": "all@5", "nDCG@10": "nDCG", "MRR": "MRR"}
NOTHING = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every command takes, but for --json: here it names a file."""

    store: Annotated[
        Path | None, option("Not used: sets are loaded into a temporary store.", panel=COMMON, metavar="FOLDER")
    ] = None
    space: Annotated[str, option("Not used: each group of a set has its own space.", panel=COMMON, metavar="NAME")] = (
        DEFAULT_SPACE
    )
    config: Annotated[Path | None, option("Settings file. Default: none.", panel=COMMON, metavar="FILE")] = None
    quiet: Annotated[bool, option("No progress and no notes on stderr.", "--quiet", "-q", panel=COMMON)] = False
    overrides: Annotated[
        Texts, option("Override a setting; repeatable.", "--set", panel=COMMON, metavar="NAME=VALUE")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Which files to write."""

    report: Annotated[
        Path | None,
        option("Write the whole report here as JSON; - prints it instead of the tables.", "--json", metavar="FILE"),
    ] = None
    run: Annotated[
        Path | None,
        option(
            "Write the rankings before the cut-off here, as a TREC run; several sets get a file each, with the set's "
            "name in front of its ending.",
            metavar="FILE",
        ),
    ] = None
    verdicts: Annotated[
        Path | None, option("Write verdict and confidence of every question here, as JSON lines.", metavar="FILE")
    ] = None
    svg: Annotated[Path | None, option("Write a reliability diagram of the confidence here.", metavar="FILE")] = None


async def evaluate(
    folders: Annotated[list[Path], argument("Folders with a labelled set each.", "DIR")],
    common: Surroundings,
    written: Written,
    recipe: Annotated[str | None, option("How hard to search: fast, balanced or deep.", metavar="RECIPE")] = None,
    limit: Annotated[
        int | None, option("Ask so many questions of each set, spread evenly over it.", metavar="N")
    ] = None,
    baselines: Annotated[
        bool, option("Also rank by BM25, dense, RRF and linear fusion on the same store.", "--baselines")
    ] = False,
    half: Annotated[
        Half | None, option("Ask one half of the questions: fit or held-out. Default: both.", metavar="HALF")
    ] = None,
    triples: Annotated[
        Triples | None,
        option(
            "Fill the graph: own reads what the documents state, given takes the set's own triples. Default: no graph.",
            metavar="WHOSE",
        ),
    ] = None,
) -> None:
    """Measure retrieval on labelled sets: recall, nDCG, confidence, what the cut-off does, time and tokens."""
    if limit is not None and limit < 1:
        raise InvalidInput(f"limit is {limit}; give at least 1", field="limit")
    call = Call(
        Common(config=common.config, quiet=common.quiet, overrides=common.overrides, as_json=written.report == STANDARD)
    )
    settings = _settings(common)
    manner = Manner(recipe=recipe or settings.recipe, limit=limit, baselines=baselines, half=half, triples=triples)
    sets = [_read(folder, triples) for folder in folders]
    _check_files(written, [given.name for given in sets])
    scored: list[Scores] = []
    made: dict[str, Any] = {}
    with call.bars:
        for given in sets:
            progress = partial(_count, call, given.name)
            ran = await run_set(given, settings=settings, manner=manner, progress=progress, download=call.bars.download)
            scores = score_set(ran)
            _write(ran, scores, written, several=len(sets) > 1)
            scored.append(scores)
            made = _made(ran, manner, common)
    report = as_json(scored, made=made)
    if written.report and written.report != STANDARD:
        write_text(written.report, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    call.emit(report, lambda: _picture(scored))


def _read(folder: Path, triples: Triples | None) -> LabelledSet:
    given = read_set(folder)
    return given._replace(triples=read_triples(folder)) if triples is Triples.GIVEN else given


def _settings(common: Surroundings) -> Settings:
    """The settings given here and in the environment; those of the user's own store have no say in a measurement."""
    return configure(parse_overrides(common.overrides), file=common.config, environment=environment())


def _check_files(written: Written, sets: Sequence[str]) -> None:
    """What cannot be written is said before anything is measured."""
    for path in filter(None, (written.report, written.run, written.verdicts, written.svg)):
        if path != STANDARD and not path.parent.is_dir():
            raise InvalidInput(f"{str(path)!r} cannot be written: there is no such folder", field="file")
    own = written.run or written.verdicts or written.svg
    if own and len(set(sets)) < len(sets):
        raise InvalidInput("two sets have the same name, and so would their files; give them one by one", field="file")


def _count(call: Call, name: str, what: str, done: int, total: int) -> None:
    call.bars.count(f"{name}: {what}", done, total)


def _made(ran: Ran, manner: Manner, common: Surroundings) -> dict[str, Any]:
    return {
        "recollect": version("recollect"),
        "recipe": manner.recipe,
        "limit": manner.limit,
        "half": manner.half,
        "triples": manner.triples,
        "embedder": ran.embedder,
        "config": str(common.config) if common.config else None,
        "settings": parse_overrides(common.overrides),
    }


def _write(ran: Ran, scores: Scores, written: Written, *, several: bool) -> None:
    """The files of one set, as soon as it is done."""

    def path(given: Path) -> Path:
        return given.with_name(f"{given.stem}.{scores.name}{given.suffix}") if several else given

    if written.run:
        write_text(path(written.run), _joined(run_lines(ran.outcomes)))
    if written.verdicts:
        write_text(path(written.verdicts), _joined(verdict_lines(ran.outcomes)))
    if written.svg and (picture := confidence_svg(scores)):
        write_text(path(written.svg), picture)


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


# --- for people ----------------------------------------------------------------------------------


def _picture(scored: Sequence[Scores]) -> Iterator[RenderableType]:
    yield _table(scored)
    for scores in scored:
        yield cli_render.heading(scores.name)
        yield _intervals(scores)
        yield cli_render.facts(_facts(scores))


def _table(scored: Sequence[Scores]) -> Table:
    """A line for each set, and under it one for each plain method."""
    table = _grid(("set", "n", *SHORT.values(), "AUROC", "ECE", "p50 ms", "p95"))
    for scores in scored:
        found, cost = scores.calibrated, scores.cost
        table.add_row(
            Text(clean(scores.name), style="bold"),
            str(scores.ranked.questions),
            *_measures(scores.ranked),
            _figure(found.auroc) if found else NOTHING,
            _share(found.ece) if found else NOTHING,
            f"{cost.p50_seconds * 1_000:.1f}",
            f"{cost.p95_seconds * 1_000:.1f}",
        )
        for name, plain in scores.baselines.items():
            table.add_row(f"  {name}", "", *_measures(plain.ranked), _figure(plain.auroc), style="dim")
    return table


def _intervals(scores: Scores) -> Table:
    """Each measure with its 95 % interval, over all and by category."""
    table = _grid(("95 %", "n", *SHORT.values()))
    for name, ranked in {"all": scores.ranked, **scores.categories}.items():
        cells = [f"{_figure(each)}\n{_interval(each)}" for each in _of(ranked)]
        table.add_row(Text(clean(name)), str(ranked.questions), *cells)
    return table


def _facts(scores: Scores) -> dict[str, str]:
    """What else was measured, a line each."""
    cut, cost, found = scores.cut_off, scores.cost, scores.calibrated
    lines = {"documents": f"{scores.documents:,}, loaded in {cost.load_seconds:.1f} s"}
    if cut:
        lines["cut-off"] = (
            f"precision {_figure(cut['precision'])} (first ten {_figure(cut['precision@10'])}), "
            f"recall {_figure(cut['recall'])} (first ten {_figure(cut['recall@10'])})"
        )
    if scores.updates:
        figures = (f"{name} {_figure(each)} ({_interval(each)})" for name, each in scores.updates.items())
        lines["updates"] = ", ".join(figures)
    lines["context"] = f"{cost.pieces:.1f} pieces, {cost.tokens:.0f} tokens (p95 {cost.p95_tokens:.0f})"
    if found:
        told = f", AUROC {_figure(found.auroc)} ({_interval(found.auroc)})" if found.auroc else ""
        lines["confidence"] = f"ECE {_share(found.ece)}, Brier {_share(found.brier)}{told}"
        lines |= {f"if {name}": _counts(counts) for name, counts in found.verdicts.items() if counts}
    lines["rounds"] = f"{cost.rounds:.2f}; stopped by: {_counts(scores.stops)}"
    return lines | {f"note {number}": clean(note) for number, note in enumerate(scores.notes, start=1)}


def _grid(columns: Sequence[str]) -> Table:
    """A table whose first column gives way when the screen is narrow, and no other."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left", no_wrap=bool(number), overflow="fold")
    return table


def _of(ranked: Ranked) -> list[Estimate | None]:
    return [ranked.measures.get(name) for name in SHORT]


def _measures(ranked: Ranked) -> list[str]:
    return [_figure(each) for each in _of(ranked)]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _share(value: float) -> str:
    """A figure from 0 to 1 without the zero that says nothing.

    >>> _share(0.9333), _share(1)
    ('.933', '1.00')
    """
    return f"{value:.2f}" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


def _figure(estimate: Estimate | None) -> str:
    return NOTHING if estimate is None else _share(estimate.value)


def _interval(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.2f}-{estimate.high:.2f}".replace("0.", ".")
