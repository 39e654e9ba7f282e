"""The command that fits settings to a labelled set: tune."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
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
from recollect.evals.layout import read_set
from recollect.evals.metrics import Estimate
from recollect.evals.tune import HALF, Manner, Tuned, tune
from recollect.evals.tune_ask import value_of
from recollect.evals.tune_report import as_json, settings_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every command takes, but for --json: here it names a file."""

    store: Annotated[
        Path | None, option("Not used: the set is loaded into a temporary store.", panel=COMMON, metavar="FOLDER")
    ] = None
    space: Annotated[
        str, option("Not used: each group of the set has its own space.", panel=COMMON, metavar="NAME")
    ] = DEFAULT_SPACE
    config: Annotated[
        Path | None, option("Settings file to start from. Default: none.", panel=COMMON, metavar="FILE")
    ] = None
    quiet: Annotated[bool, option("No progress and no notes on stderr.", "--quiet", "-q", panel=COMMON)] = False
    overrides: Annotated[
        Texts, option("Override a setting; repeatable.", "--set", panel=COMMON, metavar="NAME=VALUE")
    ] = None
    report: Annotated[
        Path | None,
        option("Write everything here as JSON; - prints it instead of the tables.", "--json", metavar="FILE"),
    ] = None

    def common(self) -> Common:
        """The same as every command has it."""
        return Common(
            config=self.config, quiet=self.quiet, overrides=self.overrides, as_json=self.report == STANDARD
        )  # fmt: skip


async def tune_settings(
    folder: Annotated[Path, argument("Folder with a labelled set.", "DIR")],
    common: Surroundings,
    out: Annotated[
        Path | None, option("Write the settings that help here, as a file for --config.", metavar="FILE")
    ] = None,
    fit: Annotated[
        float, option("Share of the questions to fit on; the rest is held out. Default: 0.5.", metavar="SHARE")
    ] = HALF,
    recipe: Annotated[str | None, option("How hard to search: fast, balanced or deep.", metavar="RECIPE")] = None,
    limit: Annotated[int | None, option("Use so many questions, spread evenly over the set.", metavar="N")] = None,
) -> None:
    """Fit thresholds and weights to your own labelled questions, and keep what helps on those held out."""
    _check(fit, limit, common.report, out)
    call = Call(common.common())
    settings = configure(parse_overrides(common.overrides), file=common.config, environment=environment())
    given = read_set(folder)
    manner = Manner(fit, limit, recipe or settings.recipe)
    with call.bars:
        tuned = await tune(
            given, settings=settings, manner=manner, progress=call.bars.count, download=call.bars.download
        )
    at = datetime.now(UTC)
    report = as_json(tuned, made=_made(common, manner, at))
    if common.report and common.report != STANDARD:
        write_text(common.report, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    if out and tuned.changes:
        write_text(out, settings_text(tuned, by=f"recollect {version('recollect')}", at=at))
    call.emit(report, lambda: _picture(tuned, out))


def _check(fit: float, limit: int | None, *files: Path | None) -> None:
    """What cannot be meant is said before anything is asked."""
    if not 0 < fit < 1:
        raise InvalidInput(f"fit is {fit:g}; give a share between 0 and 1", field="fit")
    if limit is not None and limit < 2:
        raise InvalidInput(f"limit is {limit}; give at least 2", field="limit")
    for path in filter(None, files):
        if path != STANDARD and not path.parent.is_dir():
            raise InvalidInput(f"{str(path)!r} cannot be written: there is no such folder", field="file")


def _made(common: Surroundings, manner: Manner, at: datetime) -> dict[str, Any]:
    return {
        "recollect": version("recollect"),
        "date": at.date().isoformat(),
        "recipe": manner.recipe,
        "fit": manner.fit,
        "limit": manner.limit,
        "config": str(common.config) if common.config else None,
        "given": parse_overrides(common.overrides),
    }


# --- for people ----------------------------------------------------------------------------------


def _picture(tuned: Tuned, out: Path | None) -> Iterator[RenderableType]:
    yield Text(f"{clean(tuned.name)}: {tuned.fit} questions to fit on, {tuned.held_out} held out", style="bold")
    yield _stages(tuned)
    yield cli_render.heading("On the held-out questions")
    yield _lines(tuned)
    yield from (Text(clean(note), style="dim") for note in tuned.notes)
    yield cli_render.plain("")
    if not tuned.changes:
        yield Text("Nothing helped on the held-out questions; nothing was written.")
    elif out:
        yield cli_render.done(f"Wrote {clean(str(out))}; use it with --config {clean(str(out))}")
    else:
        yield Text("Give --out FILE to have these settings written.")


def _stages(tuned: Tuned) -> Table:
    table = _grid(("stage", "settings", "to fit on", "held out", ""), wraps=4)
    for each in tuned.tried:
        changed = [(name, value_of(tuned.settings, name), value) for name, value in each.changes.items()]
        named = [f"{name.removeprefix(f'{each.stage}.')} {old:.3g} → {new:.3g}" for name, old, new in changed]
        sure = "" if each.sure is None else f" {each.sure:.0%}"
        outcome = Text(each.refused + sure, style="dim") if each.refused else Text(f"kept{sure}", style="green")
        table.add_row(each.stage, "\n".join(named), _pair(each.fit), _pair(each.held_out), outcome)
    return table


def _lines(tuned: Tuned) -> Table:
    table = _grid(("measure", "n", "before", "after", "change"))
    for name, line in tuned.lines.items():
        cells = [_figure(each) for each in (line.before, line.after)]
        table.add_row(name, str(line.questions), *cells, _change(line.change))
    return table


def _grid(columns: tuple[str, ...], *, wraps: int | None = None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, name in enumerate(columns):
        table.add_column(name, no_wrap=number != wraps, overflow="fold")
    return table


def _pair(values: tuple[float, float] | None) -> str:
    return "" if values is None else f"{_share(values[0])} → {_share(values[1])}"


def _figure(estimate: Estimate) -> str:
    interval = "" if estimate.low is None or estimate.high is None else f" {estimate.low:.2f}–{estimate.high:.2f}"
    return _share(estimate.value) + interval.replace("0.", ".")


def _change(estimate: Estimate) -> str:
    """The difference with its sign, and the interval; no digits where nothing changed at all."""
    if estimate.value == estimate.low == estimate.high == 0:
        return "0"
    bounds = [] if estimate.low is None or estimate.high is None else [estimate.low, estimate.high]
    interval = " to ".join(f"{bound:+.3f}" for bound in bounds)
    return f"{estimate.value:+.3f} ({interval})".replace("0.", ".") if bounds else f"{estimate.value:+.3f}"


def _share(value: float) -> str:
    """A figure from 0 to 1 without the zero that says nothing.

    >>> _share(0.9333), _share(1)
    ('.933', '1.00')
    """
    return f"{value:.2f}" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")
