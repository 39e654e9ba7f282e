"""From arguments, a file and the environment to one Settings value; whatever cannot be meant is refused.

Precedence: arguments, then file (TOML, or YAML with the extra), then environment (RECOLLECT_QUALITY_THRESHOLD,
RECOLLECT_EMBEDDER__NAME), then defaults. The environment is a parameter: only doors and the engine's opener read it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from recollect.errors import InvalidInput, MissingExtra, UnknownName
from recollect.settings import Settings

PREFIX = "RECOLLECT_"
FILE_VARIABLE = "RECOLLECT_CONFIG"  # names the settings file
NOT_SETTINGS = {FILE_VARIABLE, "RECOLLECT_DEBUG"}


def configure(
    arguments: Mapping[str, Any] | None = None,
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Resolve all layers once. Names are dotted: `{"embedder.name": "static"}`."""
    environment = environment or {}
    if file is None and environment.get(FILE_VARIABLE):
        file = Path(environment[FILE_VARIABLE])
    values: dict[str, Any] = {}
    for layer in (_from_environment(environment), dict(_flatten(read_file(file))) if file else {}, arguments or {}):
        # Later layers also stand later, so that `embedder` in one overrules `embedder.name` in another.
        values = {name: value for name, value in values.items() if name not in layer} | dict(layer)
    settings: Settings = _fill(Settings(), values)
    return settings


def changed(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with some of them changed, by dotted names."""
    filled: Settings = _fill(settings, changes)
    return filled


def names(tree: Any = None, *, prefix: str = "") -> Iterator[tuple[str, Field[Any], Any]]:
    """Every setting as dotted name, field and default, in order.

    >>> next(iter(names()))[0]
    'enabled'
    """
    tree = tree if tree is not None else Settings()
    for each in fields(tree):
        value = getattr(tree, each.name)
        if is_dataclass(value):
            yield from names(value, prefix=f"{prefix}{each.name}.")
        else:
            yield prefix + each.name, each, value


def read_file(path: Path) -> dict[str, Any]:
    """A settings file as nested tables."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"settings file {str(path)!r} cannot be read: {error.strerror}", field="config") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"settings file {str(path)!r} is not UTF-8 text: {error}", field="config") from error
    if path.suffix in {".yaml", ".yml"}:
        loaded = _read_yaml(text, path)
    else:
        try:
            loaded = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InvalidInput(f"settings file {str(path)!r} is not valid TOML: {error}", field="config") from error
    if not isinstance(loaded, dict):
        raise InvalidInput(f"settings file {str(path)!r} must hold a table of settings", field="config")
    return loaded


def _read_yaml(text: str, path: Path) -> Any:
    try:
        import yaml  # noqa: PLC0415 - an extra, loaded only for such a file
    except ImportError as error:
        raise MissingExtra(f"settings file {str(path)!r}", extra="yaml") from error
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise InvalidInput(f"settings file {str(path)!r} is not valid YAML: {error}", field="config") from error


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        key.removeprefix(PREFIX).lower().replace("__", "."): value
        for key, value in environment.items()
        if key.startswith(PREFIX) and key not in NOT_SETTINGS
    }


def _flatten(table: Mapping[str, Any], *, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, prefix=f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _fill(tree: Any, values: Mapping[str, Any], *, prefix: str = "") -> Any:
    known = [each.name for each in fields(tree)]
    hints = get_type_hints(type(tree))
    nested: dict[str, dict[str, Any]] = {}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        head, _, rest = name.partition(".")
        if not rest and isinstance(value, str) and head in known and "name" in _field_names(getattr(tree, head)):
            rest = "name"  # `embedder = "static"` says which one, as `embedder.name` does
        if head not in known or bool(rest) != is_dataclass(getattr(tree, head)):
            choices = ", ".join(known)
            raise UnknownName(f"unknown setting {prefix + name!r}; known here: {choices}", field=prefix + name)
        if rest:
            nested.setdefault(head, {})[rest] = value
        else:
            changes[head] = _convert(value, hints[head], name=prefix + name)
    for head, below in nested.items():
        changes[head] = _fill(getattr(tree, head), below, prefix=f"{prefix}{head}.")
    return replace(tree, **changes)


def _field_names(value: Any) -> list[str]:
    return [each.name for each in fields(value)] if is_dataclass(value) else []


def _convert(value: Any, hint: Any, *, name: str) -> Any:
    wanted = [each for each in get_args(hint) or (hint,) if each is not NoneType]
    if value is None and NoneType in get_args(hint):
        return None
    target = wanted[0]
    if target is bool:
        return _as_bool(value, name=name)
    if isinstance(value, bool) or not isinstance(value, str | int | float | Path):
        raise InvalidInput(f"setting {name!r} is {value!r}; give a {target.__name__}", field=name)
    if target is int and isinstance(value, float) and not value.is_integer():
        raise InvalidInput(f"setting {name!r} is {value!r}; give a whole number", field=name)
    try:
        return target(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"setting {name!r} is {value!r}; give a {target.__name__}", field=name) from error


def _as_bool(value: Any, *, name: str) -> bool:
    words = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    raise InvalidInput(f"setting {name!r} is {value!r}; give true or false", field=name)
