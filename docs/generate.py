"""Write what is derived from code: docs/settings.md, docs/cli.md and src/recollect/sync.pyi. A test checks them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from recollect.configure import PREFIX, names

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "src" / "recollect" / "engine.py"
VERBS = ROOT / "src" / "recollect" / "verbs"


def settings_page() -> str:
    """Every setting in one table."""
    lines = [
        "# Settings",
        "",
        "Generated from `settings.py` by `make docs`. Precedence: arguments, file, environment, defaults.",
        "",
        '- Python: `Recollect.open(path, quality_threshold=0.3, embedder="static", store__candidates=800)`',
        "- File (`--config`; the command line also reads `recollect.toml` in the store folder): TOML, or YAML with the"
        ' extra `yaml`; nested names are tables, `[embedder]` then `name = "static"`',
        f"- Environment: `{PREFIX}QUALITY_THRESHOLD=0.3`, `{PREFIX}EMBEDDER__NAME=static`",
        "- Command line: `--set quality_threshold=0.3`",
        "",
        "| setting | default | what it does | allowed | where the number came from |",
        "|---|---|---|---|---|",
    ]
    for name, each, default in names():
        about = each.metadata
        lines.append(f"| `{name}` | `{default}` | {about['what']} | {_allowed(about)} | {about.get('origin') or ''} |")
    return "\n".join(lines) + "\n"


def _allowed(about: dict[str, object]) -> str:
    if about.get("among"):
        return ", ".join(about["among"])  # type: ignore[call-overload]
    if about.get("low") is not None:
        return f"{about['low']} to {about['high']}"
    return ""


def facade_stub() -> str:
    """The blocking facade's types: every verb of the engine without its `async`."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ENGINE, *sorted(VERBS.glob("*.py")))]
    members = [member for tree in trees for node in tree.body if isinstance(node, ast.ClassDef) for member in node.body]
    verbs = [
        node
        for node in members
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_") and node.name != "close"
    ]
    opener = next(node for node in members if isinstance(node, ast.FunctionDef) and node.name == "open")
    body = [_signature(verb) for verb in verbs]
    used = {node.id for verb in [*verbs, opener] for node in ast.walk(verb.args) if isinstance(node, ast.Name)}
    used |= {node.id for verb in verbs if verb.returns for node in ast.walk(verb.returns) if isinstance(node, ast.Name)}
    lines = [
        "# Generated from engine.py and verbs/ by `make docs`; do not edit.",
        *_imports(trees, used | {"Self", "Settings"}),
        "from recollect.engine import Recollect",
        "",
        "class BlockingRecollect:",
        "    def __init__(self, engine: Recollect) -> None: ...",
        "    @classmethod",
        f"    def open({_arguments(opener.args)}) -> Self: ...",
        "    @property",
        "    def settings(self) -> Settings: ...",
        "    def close(self) -> None: ...",
        "    def __enter__(self) -> Self: ...",
        "    def __exit__(self, *_: object) -> None: ...",
        *body,
        "",
        "def verbs() -> dict[str, Callable[..., Any]]: ...",
    ]
    return "\n".join(lines) + "\n"


def _signature(verb: ast.AsyncFunctionDef) -> str:
    returns = ast.unparse(verb.returns) if verb.returns else "None"
    return f"    def {verb.name}({_arguments(verb.args)}) -> {returns}: ..."


def _arguments(arguments: ast.arguments) -> str:
    """The parameters, with every default as `...`: a stub says that there is one, not which."""
    copied = ast.parse(f"def f({ast.unparse(arguments)}): ...").body[0]
    assert isinstance(copied, ast.FunctionDef)
    copied.args.defaults = [ast.Constant(...) for _ in copied.args.defaults]
    copied.args.kw_defaults = [None if each is None else ast.Constant(...) for each in copied.args.kw_defaults]
    return ast.unparse(copied.args)


def _imports(trees: list[ast.Module], used: set[str]) -> list[str]:
    wanted = {
        (node.module, alias.name)
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
        if alias.name in used | {"Any", "Callable"}
    }
    modules = sorted({str(module) for module, _ in wanted})
    return [
        f"from {each} import {', '.join(sorted(name for module, name in wanted if module == each))}" for each in modules
    ]


def derived() -> dict[Path, str]:
    """Every generated file and what it should hold."""
    sys.path.insert(0, str(ROOT / "docs"))
    from generate_cli import cli_page

    return {
        ROOT / "docs" / "settings.md": settings_page(),
        ROOT / "docs" / "cli.md": cli_page(),
        ROOT / "src" / "recollect" / "sync.pyi": facade_stub(),
    }


if __name__ == "__main__":
    for path, text in derived().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
