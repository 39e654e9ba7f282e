"""What Python modules are called: the dotted name of a file, and the module that an import statement means."""

from __future__ import annotations

from typing import NamedTuple

from recollect.reading.outline import Layout

ROOTS = frozenset({"src", "lib", "python"})  # folders that hold packages and are none themselves
PACKAGE = "__init__"
SUFFIXES = (".py", ".pyi")


class Module(NamedTuple):
    """A file as a module: its dotted name, the package relative imports start from, the folder its imports search."""

    name: str
    package: str
    folder: str
    layout: Layout


def module_of(path: str, layout: Layout) -> Module:
    """The module a file is.

    >>> layout = Layout("shop", frozenset({"src/shop/__init__.py", "src/shop/cart.py"}), 1500)
    >>> module_of("src/shop/cart.py", layout).name, module_of("src/shop/__init__.py", layout).name
    ('shop.cart', 'shop')
    """
    *folders, file = path.split("/")
    stem = file.rsplit(".", 1)[0] if file.endswith((*SUFFIXES, ".pyw")) else file
    top = _top(folders, layout)
    inside = [*folders[top:], stem]
    is_package = stem == PACKAGE and len(inside) > 1
    if is_package:
        inside.pop()
    package = inside if is_package else inside[:-1]
    return Module(".".join(inside), ".".join(package), "/".join(folders[: _first_folder(folders, layout)]), layout)


def _first_folder(folders: list[str], layout: Layout) -> int:
    """How many folders stand above the outermost package; all of them where the file is in none.

    What lies in a folder without an `__init__` inside a package is the package's: `tool/_vendor/yarl` is no `yarl`.
    """
    for above in range(len(folders)):
        if _is_package("/".join(folders[: above + 1]), layout.paths):
            return above
    return len(folders)


def _top(folders: list[str], layout: Layout) -> int:
    """Where the dotted name begins: at the outermost package, or else at the project's root or the `src` in it."""
    first = _first_folder(folders, layout)
    if first < len(folders):
        return first
    return 1 if folders and folders[0] in ROOTS else 0


def _is_package(folder: str, paths: frozenset[str]) -> bool:
    return f"{folder}/{PACKAGE}.py" in paths or f"{folder}/{PACKAGE}.pyi" in paths


def spelled_by_folders(path: str, layout: Layout) -> tuple[str, str] | None:
    """For the outermost `__init__` of a package under further folders: the name with these, and the one without.

    A folder above it may be part of the name without an `__init__` of its own (`google.cloud`), or be none; both are
    in use, and the file does not say which.
    """
    *folders, file = path.split("/")
    if not file.startswith(PACKAGE + ".") or len(folders) < 2:
        return None
    if folders[0] in ROOTS:
        folders = folders[1:]
    if len(folders) < 2 or _first_folder(path.split("/")[:-1], layout) != len(path.split("/")) - 2:
        return None
    return ".".join(folders), folders[-1]


def absolute(module: Module, name: str) -> str:
    """The dotted name of a module imported by a name without leading dots.

    A script finds the files beside it, and those beside the folders above it, under shorter names than their own.

    >>> layout = Layout("ops", frozenset({"tools/run.py", "tools/paths.py"}), 1500)
    >>> absolute(module_of("tools/run.py", layout), "paths"), absolute(module_of("tools/run.py", layout), "os.path")
    ('tools.paths', 'os.path')
    """
    return _found(module, name) or name


def member(module: Module, base: str, name: str) -> str:
    """The dotted name of what `from base import name` brings."""
    found = _found(module, base)
    if found is None and (below := _found(module, f"{base}.{name}")):
        return below
    return f"{found or base}.{name}"


def relative(module: Module, level: int, name: str | None) -> str:
    """The dotted name that so many dots and a name mean in this module; dots beyond the outermost package do not count.

    >>> relative(Module("a.b.c", "a.b", "", Layout("x", frozenset(), 1500)), 2, "d")
    'a.d'
    """
    parts = module.package.split(".") if module.package else []
    kept = parts[: max(len(parts) - (level - 1), 0)]
    return ".".join([*kept, name] if name else kept)


def _found(module: Module, name: str) -> str | None:
    paths = module.layout.paths
    below = name.replace(".", "/")
    folder = module.folder
    while folder:
        for beside in (f"{folder}/{below}", f"{folder}/src/{below}"):
            for path in (f"{beside}.py", f"{beside}/{PACKAGE}.py"):
                if path in paths:
                    return module_of(path, module.layout).name
        folder = folder.rpartition("/")[0]
    return None
