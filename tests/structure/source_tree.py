"""What the structure tests look at: our modules, parsed."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "recollect"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    """steps/search.py -> steps.search; engine.py -> engine; __init__.py -> __init__"""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


def unit_of(name: str) -> str:
    """The folder, or the module itself at the top."""
    return name.split(".")[0]


def imports_of(path: Path) -> set[str]:
    """Our own modules this one imports, at any depth, as dotted names below the package."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    known = {name_of(each) for each in modules()}
    names = {name.removeprefix("recollect.") for name in found if name.startswith("recollect.")}
    return {name for name in names if name in known or f"{name}.__init__" in known}
