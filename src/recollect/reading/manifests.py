"""The names that go.mod, Cargo.toml and package.json give: by these, other projects import what is in this one."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable

_GO_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)


def is_manifest(path: str) -> bool:
    """Whether a file of that path names a package."""
    return path.rpartition("/")[2] in {"go.mod", "Cargo.toml", "package.json"}


def declared_names(files: Iterable[tuple[str, bytes]]) -> tuple[tuple[str, str], ...]:
    """Path and name of each manifest that has one, the deepest first; for `Layout.declared`.

    >>> declared_names([("go.mod", b"module acme.io/shop"), ("web/package.json", b'{"name": "@acme/web"}')])
    (('web/package.json', '@acme/web'), ('go.mod', 'acme.io/shop'))
    """
    named = [(path, _name(path, data.decode("utf-8", errors="replace"))) for path, data in files]
    return tuple(sorted(((path, name) for path, name in named if name), key=lambda pair: (-pair[0].count("/"), pair)))


def _name(path: str, text: str) -> str:
    if path.endswith("go.mod"):
        found = _GO_MODULE.search(text)
        return found[1] if found else ""
    try:
        data = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError):  # both raise a kind of ValueError for what they cannot read
        return ""
    if path.endswith("Cargo.toml"):
        data = data.get("package")
    name = data.get("name") if isinstance(data, dict) else None
    return name if isinstance(name, str) else ""
