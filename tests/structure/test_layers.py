"""The table is the architecture: who may import whom. A change of architecture is a diff to this table."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .source_tree import PACKAGE, imports_of, modules, name_of, tree, unit_of

VALUES = {"errors", "knowledge", "memories", "paths", "records", "questions", "findings", "judgements", "values"}
CORE = VALUES | {"settings", "trace", "recipes", "ports", "rank", "readings"}

ALLOWED: dict[str, set[str]] = {
    "errors": set(),
    "ids": set(),
    "readings": set(),
    "clock": set(),
    "knowledge": set(),
    "memories": {"errors"},
    "paths": set(),
    "records": {"errors", "memories", "paths"},
    "questions": {"records"},
    "findings": {"records", "questions"},
    "judgements": {"questions", "findings"},
    "values": {"records", "questions", "findings", "judgements"},
    "offload": VALUES | {"ports"},
    "aftermath": {"errors"},
    "observing": VALUES | {"aftermath", "ports"},
    "journal": VALUES,
    "setting_groups": set(),
    "project_settings": {"setting_groups"},
    "service_settings": {"setting_groups"},
    "remote_settings": {"setting_groups"},
    "telemetry_settings": {"setting_groups"},
    "settings": {"errors", "setting_groups", "project_settings", "remote_settings", "service_settings"}
    | {"telemetry_settings"},
    "recipes": {"errors"},
    "configure": {"errors", "settings"},
    "trace": {"values"},
    "ports": {"knowledge", "records", "values"},
    "reading": VALUES | {"language", "settings"},
    "graph": VALUES | {"settings", "store"},
    "explore": CORE | {"language"},
    "rank": {"knowledge", "records", "values", "settings", "readings", "language"},
    "language": {"paths", "records", "questions", "values"},
    "citations": VALUES,
    "steps": CORE | {"citations", "language"},
    "ingest": CORE | {"ids", "language", "offload", "reading"},
    "inputs": VALUES | {"ingest"},
    "checkup": VALUES | {"ports"},
    "verbs": CORE
    | {"aftermath", "checkup", "clock", "ids", "ingest", "inputs", "journal", "language", "models", "offload"}
    | {"explore", "observing", "retrieve", "steps"},
    "candidates": VALUES | {"rank"},
    "lineup": VALUES | {"candidates", "explore", "ports", "rank", "readings", "language"},
    "hybrid": VALUES | {"candidates", "lineup", "offload", "ports", "rank", "settings"},
    "sources": VALUES
    | {"ports", "rank", "readings", "offload", "settings", "language", "lineup", "explore"}
    | {"client", "hybrid", "reading"},
    "models": VALUES | {"ports", "offload", "readings"},
    "store": VALUES | {"settings"},
    "retrieve": CORE | {"steps"},
    "engine": {"clock", "configure", "offload", "ports", "verbs", "wiring"},
    "wiring": {"errors", "graph", "models", "ports", "settings", "sources"},
    "blocking": set(),
    "sync": {"blocking", "engine", "settings"},
    "evals": VALUES
    | {"clock", "configure", "engine", "ingest", "journal", "language", "models", "ports", "rank", "settings", "store"}
    | {"trace", "wiring"},
    "doors": VALUES
    | {
        "citations",
        "client",
        "configure",
        "engine",
        "evals",
        "journal",
        "language",
        "offload",
        "ports",
        "recipes",
        "settings",
        "sync",
        "telemetry",
        "trace",
    },
    "telemetry": VALUES | {"observing", "settings", "trace"},
    "client": VALUES | {"blocking", "journal", "settings", "trace"},
    "adapters": VALUES | {"citations", "client", "engine", "language", "ports", "rank", "settings", "sync"},
    "testing": VALUES | {"ports"},
    "__init__": VALUES | {"engine", "sync", "settings", "trace"},
    "__main__": {"doors"},
}
# A step does not know another step, nor a source another source: they meet in retrieve.py and engine.py.
STRANGERS = {"steps", "sources"}
MAY_LOAD_LATE = ("models", "store", "reading", "graph", "configure", "sources", "testing")


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_module_imports_only_what_its_layer_allows(path: Path) -> None:
    unit = unit_of(name_of(path))
    foreign = {unit_of(name) for name in imports_of(path)} - {unit}
    assert foreign <= ALLOWED[unit], f"{name_of(path)} may not import {sorted(foreign - ALLOWED[unit])}"


@pytest.mark.parametrize("unit", sorted(STRANGERS))
def test_strangers_do_not_import_each_other(unit: str) -> None:
    for path in sorted((PACKAGE / unit).glob("*.py")):
        siblings = {name for name in imports_of(path) if unit_of(name) == unit and name != unit}
        assert not siblings, f"{name_of(path)} imports {sorted(siblings)}"


def test_the_table_has_no_cycle() -> None:
    left = {unit: set(allowed) & ALLOWED.keys() for unit, allowed in ALLOWED.items()}
    while left:
        free = {unit for unit, needs in left.items() if not needs & left.keys()}
        assert free, f"cycle among {sorted(left)}"
        left = {unit: needs for unit, needs in left.items() if unit not in free}


def test_no_two_modules_import_each_other() -> None:
    graph = {name_of(path): imports_of(path) for path in modules()}
    left = {name: needs & graph.keys() - {name} for name, needs in graph.items()}
    while left:
        free = {name for name, needs in left.items() if not needs & left.keys()}
        assert free, f"cycle among {sorted(left)}"
        left = {name: needs for name, needs in left.items() if name not in free}


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_stand_at_the_top_except_heavy_ones_in_adapters(path: Path) -> None:
    late = [
        node.lineno
        for function in ast.walk(tree(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not late or unit_of(name_of(path)) in MAY_LOAD_LATE, f"{name_of(path)} imports inside functions: {late}"


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_blind_excepts_stand_only_at_the_boundary_and_in_doors(path: Path) -> None:
    blind = [
        node.lineno
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or (isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}))
        and not _passes_on(node)
    ]
    allowed = name_of(path) == "steps.search" or unit_of(name_of(path)) == "doors"
    assert not blind or allowed, f"{name_of(path)} catches everything at {blind}"


def _passes_on(handler: ast.ExceptHandler) -> bool:
    """Whether the handler raises again, or hands the error itself on to whoever waits for it."""
    raises = any(isinstance(node, ast.Raise) for node in ast.walk(handler))
    hands_on = any(
        isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == handler.name
        for node in handler.body
    )
    return raises or hands_on
