"""What was fitted, as files: a settings file that says where it comes from, and one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.configure import names
from recollect.evals.metrics import Estimate
from recollect.evals.tune import Tried, Tuned
from recollect.evals.tune_ask import Changes, value_of
from recollect.evals.tune_measure import Line
from recollect.settings import Settings

DIGITS = 4
NOT_WRITTEN = frozenset({"store.path", "embedder.api_key", "remote.api_key"})


def as_json(tuned: Tuned, *, made: Mapping[str, Any]) -> dict[str, Any]:
    """Everything; `made` says by what and when."""
    return {
        **made,
        "set": tuned.name,
        "embedder": tuned.embedder,
        "questions": {"fit": tuned.fit, "held_out": tuned.held_out},
        "stages": [_stage(each, tuned) for each in tuned.tried],
        "settings": dict(tuned.changes),
        "held_out": {name: _line(each) for name, each in tuned.lines.items()},
        "notes": list(tuned.notes),
    }


def settings_text(tuned: Tuned, *, by: str, at: datetime) -> str:
    """A settings file: what was given before, and what helps; the comment names data, date and figures."""
    head = [
        f"Fitted by {by} on {at:%Y-%m-%d} to {tuned.name!r}, embedder {tuned.embedder}:",
        f"{tuned.fit} questions to fit on, {tuned.held_out} held out. On those held out, before and after:",
        *(f"  {name} {_figure(each.before)} -> {_figure(each.after)}" for name, each in tuned.lines.items()),
    ]
    lines = [f"# {line}" for line in head]
    return "\n".join([*lines, *_toml({**_given(tuned.settings), **tuned.changes})]) + "\n"


def _given(settings: Settings) -> dict[str, Any]:
    """What differs from the defaults, since the fit holds only with it; but for where a store is, and secrets."""
    defaults = {name: value for name, _, value in names()}
    return {
        name: value
        for name, _, value in names(settings)
        if value is not None and value != defaults[name] and name not in NOT_WRITTEN
    }


def _toml(values: Changes) -> Iterator[str]:
    """Settings by dotted name as TOML: those of no table first, then table by table."""
    tables: dict[str, dict[str, Any]] = {}
    for name, value in sorted(values.items()):
        table, _, last = name.rpartition(".")
        tables.setdefault(table, {})[last] = value
    for table, inside in sorted(tables.items()):
        yield ""
        if table:
            yield f"[{table}]"
        yield from (f"{name} = {_written(value)}" for name, value in inside.items())


def _written(value: Any) -> str:
    """A value as TOML writes it; a JSON string is one of its strings.

    >>> _written(True), _written(0.25), _written("a b")
    ('true', '0.25', '"a b"')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(round(value, 6))
    return json.dumps(str(value) if isinstance(value, Path) else value)


def _figure(estimate: Estimate) -> str:
    interval = "" if estimate.low is None else f" ({estimate.low:.3f} to {estimate.high:.3f})"
    return f"{estimate.value:.3f}{interval}"


def _stage(tried: Tried, tuned: Tuned) -> dict[str, Any]:
    return {
        "stage": tried.stage,
        "settings": {name: [value_of(tuned.settings, name), value] for name, value in tried.changes.items()},
        "fit": _pair(tried.fit),
        "held_out": _pair(tried.held_out),
        "gains_in": None if tried.sure is None else round(tried.sure, DIGITS),
        "kept": not tried.refused,
        "refused": tried.refused or None,
    }


def _line(line: Line) -> dict[str, Any]:
    sides = {"before": line.before, "after": line.after, "change": line.change}
    return {"questions": line.questions, **{name: _estimate(each) for name, each in sides.items()}}


def _pair(values: tuple[float, float] | None) -> list[float] | None:
    return None if values is None else [round(value, DIGITS) for value in values]


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {name: None if part is None else round(part, DIGITS) for name, part in estimate._asdict().items()}
