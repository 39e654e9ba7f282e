"""Write what is derived from code: docs/settings.md, docs/cli.md and the blocking facades' types. Tests check it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from recollect.configure import PREFIX, names

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "src" / "recollect" / "engine.py"
VERBS = ROOT / "src" / "recollect" / "verbs"
CLIENT = ROOT / "src" / "recollect" / "client"


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
    trees = _trees(ENGINE, *sorted(VERBS.glob("*.py")))
    opener = _method(trees, "open")
    lines = [
        "class BlockingRecollect:",
        "    def __init__(self, engine: Recollect) -> None: ...",
        "    @classmethod",
        f"    def open({_arguments(opener.args)}) -> Self: ...",
        "    @property",
        "    def settings(self) -> Settings: ...",
    ]
    return _stub(
        "# Generated from engine.py and verbs/ by `make docs`; do not edit.",
        trees,
        lines,
        also=opener,
        imports=["from recollect.engine import Recollect"],
        ending=["", "def verbs() -> dict[str, Callable[..., Any]]: ..."],
    )


def client_stub() -> str:
    """The blocking client's types: every verb of the client without its `async`."""
    trees = _trees(*sorted(path for path in CLIENT.glob("*.py") if path.name not in ("connection.py", "blocking.py")))
    maker = _method(trees, "__init__")
    lines = ["class BlockingClient:", f"    def __init__({_arguments(maker.args)}) -> None: ..."]
    return _stub("# Generated from client/ by `make docs`; do not edit.", trees, lines, also=maker)


def _trees(*paths: Path) -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in paths]


def _members(trees: list[ast.Module]) -> list[ast.stmt]:
    return [member for tree in trees for node in tree.body if isinstance(node, ast.ClassDef) for member in node.body]


def _method(trees: list[ast.Module], name: str) -> ast.FunctionDef:
    return next(node for node in _members(trees) if isinstance(node, ast.FunctionDef) and node.name == name)


def _stub(
    title: str,
    trees: list[ast.Module],
    opening: list[str],
    *,
    also: ast.FunctionDef,
    imports: list[str] | None = None,
    ending: list[str] | None = None,
) -> str:
    """A facade's class: its opening, then every public coroutine of these modules; `also` names types too."""
    verbs = [
        node
        for node in _members(trees)
        if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_") and node.name != "close"
    ]
    used = {node.id for verb in [*verbs, also] for node in ast.walk(verb.args) if isinstance(node, ast.Name)}
    used |= {node.id for verb in verbs if verb.returns for node in ast.walk(verb.returns) if isinstance(node, ast.Name)}
    lines = [
        title,
        *_imports(trees, used | {"Self", "Settings"}),
        *(imports or []),
        "",
        *opening,
        "    def close(self) -> None: ...",
        "    def __enter__(self) -> Self: ...",
        "    def __exit__(self, *_: object) -> None: ...",
        *[_signature(verb) for verb in verbs],
        *(ending or []),
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
        CLIENT / "blocking.pyi": client_stub(),
    }


if __name__ == "__main__":
    for path, text in derived().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
