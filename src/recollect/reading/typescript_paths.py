"""Which file an import of TypeScript or JavaScript means, from the paths of the project alone.

A module's key is its path without suffix. A relative import is looked up beside its file, a bare one first as a package
this project declares, then as a path from the usual roots, and is otherwise a package of somebody else.
"""

from __future__ import annotations

from posixpath import dirname, join, normpath

from recollect.reading.outline import Layout

SUFFIXES = (".d.ts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
ROOTS = ("", "src/", "app/", "lib/")  # where bare paths start in projects that set a base folder
SHORTHANDS = ("@/", "~/", "#/")  # the usual names for that base folder
ENTRIES = ("src/index", "index", "lib/index", "src/main")  # where a package starts, when its folder is known


def module_key(path: str) -> str:
    """The key of a file.

    >>> module_key("src/user.service.ts"), module_key("lib/types.d.ts")
    ('ts:src/user.service', 'ts:lib/types')
    """
    return f"ts:{_bare(path)}"


def imported_key(specifier: str, path: str, layout: Layout) -> str:
    """The key of the module an import in the file at `path` means.

    >>> here = Layout("shop", frozenset({"src/db/index.ts", "src/user.ts"}), 1500)
    >>> imported_key("./db", "src/user.ts", here), imported_key("react", "src/user.ts", here)
    ('ts:src/db/index', 'ts:react')
    """
    if specifier.startswith("."):
        base = normpath(join(dirname(path), specifier))
        return f"ts:{_file(base, layout) or _bare(base)}"
    bare = specifier
    for shorthand in SHORTHANDS:
        bare = bare.removeprefix(shorthand)
    is_path = bare != specifier or "/" in bare
    found = _declared(specifier, layout) or (is_path and _under_roots(bare, layout))
    return f"ts:{found or specifier.removeprefix('node:')}"


def _bare(path: str) -> str:
    for suffix in SUFFIXES:
        if path.endswith(suffix):
            return path.removesuffix(suffix)
    return path


def _file(base: str, layout: Layout) -> str:
    """The file of the project that a path without suffix, or with that of the compiled file, stands for."""
    for stem in dict.fromkeys((base, _bare(base))):
        for full in (stem, join(stem, "index")):
            if any(full + suffix in layout.paths for suffix in SUFFIXES):
                return full
    return ""


def _under_roots(bare: str, layout: Layout) -> str:
    return next((found for root in ROOTS if (found := _file(root + bare, layout))), "")


def _declared(specifier: str, layout: Layout) -> str:
    for manifest, name in layout.declared:
        if not manifest.endswith("package.json") or not (specifier + "/").startswith(name + "/"):
            continue
        folder, inner = dirname(manifest), specifier[len(name) + 1 :]
        starts = (inner, f"src/{inner}") if inner else ENTRIES
        found = next((file for start in starts if (file := _file(join(folder, start), layout))), "")
        if found:
            return found
    return ""


def packages_of(path: str, layout: Layout) -> list[str]:
    """The packages of this project that start at a file, by the names others import them by."""
    start = _bare(path)
    names = (name for manifest, name in layout.declared if manifest.endswith("package.json"))
    return [name for name in names if _declared(name, layout) == start]
