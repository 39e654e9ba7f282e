"""The options commands share, as groups: a command takes a group as one value, the command line shows its options.

`expand` turns a function that takes groups into one that takes each option, which is what typer reads.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from recollect.engine import DEFAULT_SPACE
from recollect.errors import InvalidInput
from recollect.records import VISIBLE, Filters, Lifecycle, TimeAxis, TimeRange

COMMON, NARROW, ABOUT = "Common options", "Filters", "About the memory"

Texts = list[str] | None


def argument(help: str, name: str) -> Any:
    """A positional argument with its help text."""
    return typer.Argument(help=help, metavar=name, show_default=False)


def option(help: str, *names: str, panel: str | None = None, metavar: str | None = None) -> Any:
    """An option with its help text; names only where they differ from the parameter's."""
    return typer.Option(*names, help=help, rich_help_panel=panel, metavar=metavar, show_default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every command takes."""

    store: Annotated[
        Path | None, option("Folder of the store. Default: ~/.recollect.", panel=COMMON, metavar="FOLDER")
    ] = None
    space: Annotated[str, option("Space to work in. Default: default.", panel=COMMON, metavar="NAME")] = DEFAULT_SPACE
    config: Annotated[
        Path | None,
        option("Settings file. Default: recollect.toml in the store, if there.", panel=COMMON, metavar="FILE"),
    ] = None
    as_json: Annotated[bool, option("Print one JSON value and nothing else.", "--json", panel=COMMON)] = False
    quiet: Annotated[bool, option("No progress and no notes on stderr.", "--quiet", "-q", panel=COMMON)] = False
    overrides: Annotated[
        Texts, option("Override a setting; repeatable.", "--set", panel=COMMON, metavar="NAME=VALUE")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How hard to search, and for how long."""

    recipe: Annotated[str | None, option("How hard to search: fast, balanced or deep.", metavar="RECIPE")] = None
    deadline: Annotated[float | None, option("Seconds until it must answer.", metavar="SECONDS")] = None

    def given(self) -> dict[str, Any]:
        """The same as the engine takes it."""
        return {"recipe": self.recipe, "deadline": self.deadline}


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """Which memories may come back."""

    kind: Annotated[Texts, option("Only this kind; repeat for any of several.", panel=NARROW, metavar="KIND")] = None
    tag: Annotated[Texts, option("Only with this tag; repeat for all of several.", panel=NARROW, metavar="TAG")] = None
    cluster: Annotated[Texts, option("Only in this cluster; repeatable.", panel=NARROW, metavar="CLUSTER")] = None
    project: Annotated[Texts, option("Only of this project; repeatable.", panel=NARROW, metavar="PROJECT")] = None
    path: Annotated[
        Texts,
        option("Only from paths like this (*, ?, ** for any folders); repeatable.", panel=NARROW, metavar="PATTERN"),
    ] = None
    trust: Annotated[Texts, option("Only of this trust; repeatable.", panel=NARROW, metavar="TRUST")] = None
    lifecycle: Annotated[
        list[Lifecycle] | None,
        option(
            "Only active, weak, dormant or archived ones; repeatable. Default: all but archived.",
            panel=NARROW,
            metavar="LIFECYCLE",
        ),
    ] = None
    since: Annotated[str | None, option("From this time on.", panel=NARROW, metavar="TIME")] = None
    until: Annotated[str | None, option("Before this time.", panel=NARROW, metavar="TIME")] = None
    time_axis: Annotated[
        TimeAxis | None,
        option("Which time is meant: event, stored or any. Default: any.", panel=NARROW, metavar="AXIS"),
    ] = None
    as_of: Annotated[str | None, option("What held at this time.", panel=NARROW, metavar="TIME")] = None
    superseded: Annotated[bool, option("Also what was superseded.", "--superseded", panel=NARROW)] = False

    def filters(self) -> Filters:
        """The same as the engine takes it."""
        since, until = parse_time(self.since, field="since"), parse_time(self.until, field="until")
        axis = self.time_axis or TimeAxis.ANY
        return Filters(
            kinds=frozenset(self.kind or ()),
            lifecycles=frozenset(self.lifecycle or VISIBLE),
            projects=frozenset(self.project or ()),
            paths=frozenset(self.path or ()),
            trusts=frozenset(self.trust or ()),
            tags=frozenset(self.tag or ()),
            clusters=frozenset(self.cluster or ()),
            time=TimeRange(since, until, axis) if since or until else None,
            as_of=parse_time(self.as_of, field="as_of"),
            superseded=self.superseded,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What can be said about a memory besides its text; None where nothing was said."""

    title: Annotated[str | None, option("Short title.", panel=ABOUT, metavar="TITLE")] = None
    kind: Annotated[
        str | None, option("What it is: fact, lesson, decision … Default: fact.", panel=ABOUT, metavar="KIND")
    ] = None
    tag: Annotated[Texts, option("A tag; repeatable.", panel=ABOUT, metavar="TAG")] = None
    cluster: Annotated[Texts, option("A cluster it belongs to; repeatable.", panel=ABOUT, metavar="CLUSTER")] = None
    project: Annotated[str | None, option("Project it belongs to.", panel=ABOUT, metavar="PROJECT")] = None
    author: Annotated[str | None, option("Who said it.", panel=ABOUT, metavar="AUTHOR")] = None
    trust: Annotated[str | None, option("How far it is trusted. Default: user.", panel=ABOUT, metavar="TRUST")] = None
    event_time: Annotated[
        str | None, option("When it happened, ISO 8601; without a zone it is UTC.", panel=ABOUT, metavar="TIME")
    ] = None
    source: Annotated[str | None, option("Where it is from, such as a URL.", panel=ABOUT, metavar="SOURCE")] = None
    metadata: Annotated[str | None, option("Anything else, as a JSON object.", panel=ABOUT, metavar="JSON")] = None

    def fields(self) -> dict[str, Any]:
        """Fields of a draft, only those given."""
        given = {
            "title": self.title,
            "kind": self.kind,
            "tags": tuple(self.tag) if self.tag else None,
            "clusters": tuple(self.cluster) if self.cluster else None,
            "project": self.project,
            "author": self.author,
            "trust": self.trust,
            "event_time": parse_time(self.event_time, field="event_time"),
            "source_uri": self.source,
            "metadata": parse_metadata(self.metadata),
        }
        return {name: value for name, value in given.items() if value is not None}


def parse_time(text: str | None, *, field: str) -> datetime | None:
    """An ISO-8601 date or time; without a zone it is taken as UTC.

    >>> parse_time("2026-03-01", field="since").isoformat()
    '2026-03-01T00:00:00+00:00'
    """
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        message = f"{field} {text!r} is not a time; write it like 2026-03-01 or 2026-03-01T14:30+01:00"
        raise InvalidInput(message, field=field) from error


def parse_metadata(text: str | None) -> Mapping[str, Any] | None:
    """A JSON object, as a mapping."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"metadata is not valid JSON: {error}", field="metadata") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"metadata must be a JSON object, not {type(value).__name__}", field="metadata")
    return value


def parse_overrides(texts: Texts) -> dict[str, str]:
    """Settings by dotted name from `name=value` texts.

    >>> parse_overrides(["embedder=static"])
    {'embedder': 'static'}
    """
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InvalidInput(f"--set {text!r} has no value; write it like --set recipe=fast", field="set")
        found[name.strip()] = value
    return found


def expand(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with each option group spread out into its options."""
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}

    @wraps(function)
    def spread(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        return function(**given)

    parameters = [each for name in hints if name != "return" for each in _parameters(name, hints, groups, function)]
    spread.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread.__annotations__ = {each.name: each.annotation for each in parameters}
    return spread


def _parameters(
    name: str, hints: Mapping[str, Any], groups: Mapping[str, type], function: Callable[..., Any]
) -> list[inspect.Parameter]:
    if name not in groups:
        default = inspect.signature(function).parameters[name].default
        return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])]
    spread = get_type_hints(groups[name], include_extras=True)
    return [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each.default is MISSING else each.default,
            annotation=spread[each.name],
        )
        for each in fields(groups[name])
    ]
