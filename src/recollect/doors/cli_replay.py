"""The command that asks again and compares: replay."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from recollect.configure import configure
from recollect.doors import cli_render
from recollect.doors.cli_call import Call, Place, environment, locate
from recollect.doors.cli_files import STANDARD, read_lines, write_text
from recollect.doors.cli_options import COMMON, Common, Texts, argument, option, parse_overrides
from recollect.doors.cli_text import clean, one_line
from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput
from recollect.evals.metrics import Estimate
from recollect.evals.replay import Asking, Replayed, Way, replay
from recollect.evals.replay_compare import COSTS, Comparison, Confusion, Difference, compare
from recollect.evals.replay_gate import CHANGED, Bound, Sense, broken_bounds, check_bounds, parse_bounds
from recollect.evals.replay_report import as_json
from recollect.evals.replay_requests import Request, read_requests, traced_requests

BROKEN_EXIT = 1
LAST, MOST_TRACES = 100, 1_000
SHOWN = 20  # differences; all of them are in the file
IDS_SHOWN = 4  # memories of one sort in a difference
TITLE = 40  # characters of a memory's title
NOTHING = "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What every command takes, but for --json: here it names a file."""

    store: Annotated[
        Path | None, option("Folder of the store. Default: ~/.recollect.", panel=COMMON, metavar="FOLDER")
    ] = None
    space: Annotated[str, option("Space to work in. Default: default.", panel=COMMON, metavar="NAME")] = DEFAULT_SPACE
    config: Annotated[
        Path | None,
        option("Settings file. Default: recollect.toml in the store, if there.", panel=COMMON, metavar="FILE"),
    ] = None
    quiet: Annotated[bool, option("No progress and no notes on stderr.", "--quiet", "-q", panel=COMMON)] = False
    overrides: Annotated[
        Texts,
        option("Override a setting, of both configurations; repeatable.", "--set", panel=COMMON, metavar="NAME=VALUE"),
    ] = None
    report: Annotated[
        Path | None,
        option("Write everything here as JSON; - prints it instead of the tables.", "--json", metavar="FILE"),
    ] = None

    def common(self) -> Common:
        """The same as every command has it."""
        return Common(
            store=self.store, space=self.space, config=self.config, quiet=self.quiet, overrides=self.overrides,
            as_json=self.report == STANDARD,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """The second configuration."""

    against: Annotated[
        Path | None, option("Settings file of a second configuration to compare with.", metavar="CONFIG")
    ] = None
    against_overrides: Annotated[
        Texts, option("Override a setting of the second configuration only.", "--against-set", metavar="NAME=VALUE")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What must hold; a broken bound is exit code 1."""

    fail_under: Annotated[
        Texts, option("Least a measure may be, such as recall@5=.9; repeatable.", metavar="MEASURE=VALUE")
    ] = None
    fail_over: Annotated[
        Texts, option("Most a measure may be, such as tokens=2000; repeatable.", metavar="MEASURE=VALUE")
    ] = None
    max_changed: Annotated[float | None, option("Most of the questions, 0 to 1, that may change.", metavar="SHARE")] = (
        None
    )

    def bounds(self) -> list[Bound]:
        """The same as values."""
        if self.max_changed is not None and not 0 <= self.max_changed <= 1:
            raise InvalidInput(f"max_changed is {self.max_changed:g}; give a share from 0 to 1", field="max_changed")
        share = [] if self.max_changed is None else [Bound(CHANGED, Sense.AT_MOST, self.max_changed)]
        return [
            *parse_bounds(self.fail_under or (), Sense.AT_LEAST),
            *parse_bounds(self.fail_over or (), Sense.AT_MOST),
            *share,
        ]


async def replay_requests(
    common: Surroundings,
    other: Other,
    gate: Gate,
    file: Annotated[
        Path | None, argument("Requests as JSON lines; - is stdin. Without it, the stored traces.", "FILE")
    ] = None,
    last: Annotated[int | None, option("Replay so many of the newest traces. Default: 100.", metavar="N")] = None,
) -> None:
    """Ask again and compare: two configurations, or what was answered then with what is answered now."""
    call = Call(common.common())
    bounds = gate.bounds()
    if common.report and common.report != STANDARD and not common.report.parent.is_dir():
        raise InvalidInput(f"{str(common.report)!r} cannot be written: there is no such folder", field="file")
    place = locate(call.common)
    ways = _ways(place, other)
    requests, notes = await _requests(call, place, file=file, last=last)
    check_bounds(bounds, requests, sides=2 if file is None else len(ways))
    with call.bars:
        asking = Asking(call.space, call.bars.count, download=call.bars.download)
        replayed = await replay(requests, ways, asking=asking)
    replayed = replayed._replace(notes=(*notes, *replayed.notes))
    found = compare(replayed)
    broken = broken_bounds(found, bounds)
    report = as_json(replayed, found, made=_made(call, place, other), broken=broken)
    if common.report and common.report != STANDARD:
        write_text(common.report, json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    call.emit(report, lambda: _picture(replayed, found, broken))
    if broken:
        raise typer.Exit(BROKEN_EXIT)


def _ways(place: Place, other: Other) -> list[Way]:
    """The configuration at hand, and the second where one is given; both ask the same store unless it names another."""
    at = {"store.path": place.store}
    first = configure({**place.arguments, **at}, file=place.config, environment=environment())
    if other.against is None and not other.against_overrides:
        return [Way("now", first)]
    arguments = {**at, **place.arguments, **parse_overrides(other.against_overrides)}
    second = configure(arguments, file=other.against or place.config, environment=environment())
    return [Way("A", first), Way("B", second)]


async def _requests(
    call: Call, place: Place, *, file: Path | None, last: int | None
) -> tuple[list[Request], list[str]]:
    if file is not None:
        if last is not None:
            raise InvalidInput("last is for stored traces; give a file or last, not both", field="last")
        return read_requests(read_lines(file), name="stdin" if file == STANDARD else str(file)), []
    if last is not None and not 1 <= last <= MOST_TRACES:
        raise InvalidInput(f"last is {last}; give a number from 1 to {MOST_TRACES:,}", field="last")
    async with call.open(place) as engine:
        lines = await engine.traces(space=call.space, limit=LAST if last is None else last)
        requests, notes = traced_requests([await engine.trace(line.id, space=call.space) for line in lines])
    if not requests:
        raise InvalidInput(
            f"no trace to replay is kept in space {call.space!r}; ask something first, or give a file", field="file"
        )
    return requests, notes


def _made(call: Call, place: Place, other: Other) -> dict[str, Any]:
    return {
        "recollect": version("recollect"),
        "space": call.space,
        "config": str(place.config) if place.config else None,
        "settings": parse_overrides(call.common.overrides),
        "against": str(other.against) if other.against else None,
        "against_settings": parse_overrides(other.against_overrides),
    }


# --- for people ----------------------------------------------------------------------------------


def _picture(replayed: Replayed, found: Comparison, broken: Sequence[str]) -> Iterator[RenderableType]:
    yield _figures(found)
    if len(found.names) == 2:
        yield from _confusions(found)
        yield from _differences(found, replayed.titles)
    if found.notes:
        yield cli_render.heading("Notes")
        yield from (Text(f"  {clean(note)}", style="dim") for note in found.notes)
    if broken:
        yield cli_render.heading("Broken")
        yield from (Text(f"  {clean(each)}", style="bold red") for each in broken)


def _figures(found: Comparison) -> Table:
    table = _grid(("measure", "n", *found.names, *(("change", "95 %") if len(found.names) == 2 else ())))
    for name, figure in found.figures.items():
        show = _amount if name in COSTS else _share
        cells = [NOTHING if each is None else show(each.value) for each in figure.sides]
        if len(found.names) == 2:
            cells += [_signed(figure.change, show), _interval(figure.change, show)]
        table.add_row(name, str(figure.questions), *cells)
    for name, each in found.alike.items():
        table.add_row(name, str(found.questions), "", _share(each.value), "", _interval(each, _share))
    for verdict in found.verdicts[0]:
        counts = [each[verdict] for each in found.verdicts]
        change = [f"{counts[1] - counts[0]:+d}"] if len(counts) == 2 else []
        table.add_row(verdict, str(found.questions), *map(str, counts), *change)
    return table


def _confusions(found: Comparison) -> Iterator[RenderableType]:
    first, second = found.names
    yield cli_render.heading(f"{first} (rows) and {second} (columns)")
    side_by_side = Table.grid(padding=(0, 6, 0, 0))
    side_by_side.add_row(
        _confusion(found.label_confusion, "confidence"), _confusion(found.verdict_confusion, "verdict")
    )
    yield side_by_side


def _confusion(counts: Confusion, name: str) -> Table:
    table = _grid((name, *counts))
    for row, columns in counts.items():
        cells = [Text(str(count), style="bold" if row == column else "") for column, count in columns.items()]
        table.add_row(row, *cells)
    return table


def _differences(found: Comparison, titles: Mapping[str, str]) -> Iterator[RenderableType]:
    count = len(found.differences)
    yield cli_render.heading(f"Changed: {count} of {found.questions}")
    for each in found.differences[:SHOWN]:
        yield Group(Text(f"  {one_line(each.request.text, limit=200)}", style="bold"), *_lines(each, titles))
    if count > SHOWN:
        yield Text(f"  … and {count - SHOWN} more; --json FILE has them all", style="dim")


def _lines(each: Difference, titles: Mapping[str, str]) -> Iterator[Text]:
    if each.verdicts[0] != each.verdicts[1]:
        yield Text(f"    verdict {each.verdicts[0]} → {each.verdicts[1]}")
    if each.labels[0] != each.labels[1]:
        said = [f"{label} {sure:.2f}" for label, sure in zip(each.labels, each.confidences, strict=True)]
        yield Text(f"    confidence {said[0]} → {said[1]}")
    for word, ids in (("entered", each.entered), ("left", each.left)):
        if ids:
            yield Text(f"    {word}: {_named(ids, titles)}")
    if each.moved:
        moves = {moved.id: f" {moved.before}→{moved.after}" for moved in each.moved}
        yield Text(f"    moved: {_named(list(moves), titles, moves)}")


def _named(ids: Sequence[str], titles: Mapping[str, str], after: Mapping[str, str] | None = None) -> str:
    said = [one_line(titles.get(id) or id, limit=TITLE) + (after or {}).get(id, "") for id in ids[:IDS_SHOWN]]
    return "; ".join(said) + (f"; and {len(ids) - IDS_SHOWN} more" if len(ids) > IDS_SHOWN else "")


def _grid(columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    return table


def _share(value: float) -> str:
    """A figure from 0 to 1 without the zero that says nothing.

    >>> _share(0.9333), _share(1)
    ('.933', '1.00')
    """
    return f"{value:.2f}" if value >= 0.9995 else f"{value:.3f}".replace("0.", ".", 1)


def _amount(value: float) -> str:
    return f"{value:,.1f}"


def _signed(change: Estimate | None, show: Any) -> str:
    if change is None:
        return NOTHING
    return "0" if abs(change.value) < 0.0005 else ("+" if change.value > 0 else "-") + show(abs(change.value))


def _interval(change: Estimate | None, show: Any) -> str:
    if change is None or change.low is None or change.high is None:
        return ""
    return f"{show(change.low)} to {show(change.high)}"
