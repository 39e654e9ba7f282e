"""The sample settings file, generated from the settings themselves: every one, commented out, with what it does."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import Field
from pathlib import Path
from typing import Any

from recollect.configure import names

HEADER = """\
# Settings of this recollect store. Every line shows a default; take away the leading "# " to change it.
# A setting given on the command line (--set name=value) comes before this file, this file before the environment.
"""
WIDTH = 110


def sample_settings() -> str:
    """The whole file as TOML."""
    table, lines = "", [HEADER]
    for name, field, default in names():
        head, _, leaf = name.rpartition(".")
        if head != table:
            table = head
            lines.append(f"[{table}]\n")
        lines += [*_comments(field), f"# {leaf} = {_toml(default)}\n"]
    return "\n".join(lines)


def _comments(field: Field[Any]) -> Iterator[str]:
    about = field.metadata
    said = about["what"]
    if about.get("among"):
        said += f" (one of {', '.join(about['among'])})"
    elif about.get("low") is not None:
        said += f" ({about['low']} to {about['high']})"
    yield from (f"# {line}" for line in textwrap.wrap(said[0].upper() + said[1:], WIDTH))


def _toml(value: Any) -> str:
    """A value as TOML writes it; there is no word for "not set", so an example stands for it.

    >>> _toml(True), _toml(Path("~/x")), _toml(None)
    ('true', '"~/x"', '…  (not set)')
    """
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str() | Path():
            return json.dumps(str(value), ensure_ascii=False)
    return "…  (not set)"
