"""Where a Rust file stands in its crate, and what the paths in it mean.

A crate is called as its Cargo.toml says, or like the folder that holds it. A file's module follows from its path below
`src`; what lies beside `src` (tests, examples) is a module of that name.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname
from typing import TYPE_CHECKING, NamedTuple

from recollect.reading.outline import Layout
from recollect.reading.trees import field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

MANIFEST = "Cargo.toml"
ROOTS = {"lib", "main", "mod"}  # files that stand for the folder they are in
DEEPEST = 20  # braces within braces of one `use`


class Used(NamedTuple):
    """One name that a `use` brings: its path, and what it is called here; `*` for all that is below."""

    path: tuple[str, ...]
    name: str


def crate_and_module(path: str, layout: Layout) -> tuple[str, str]:
    """The keys of the crate and of the module that a file is.

    >>> layout = Layout("shop", frozenset({"pay/Cargo.toml"}), 1500, (("pay/Cargo.toml", "acme-pay"),))
    >>> crate_and_module("pay/src/card/mod.rs", layout), crate_and_module("src/lib.rs", layout)
    (('rs:acme_pay', 'rs:acme_pay::card'), ('rs:shop', 'rs:shop'))
    """
    folder = dirname(path)
    while folder and f"{folder}/{MANIFEST}" not in layout.paths:
        folder = dirname(folder)
    manifest = f"{folder}/{MANIFEST}" if folder else MANIFEST
    name = next((name for at, name in layout.declared if at == manifest), folder.rpartition("/")[2] or layout.name)
    crate = f"rs:{name.replace('-', '_')}"
    inside = path[len(folder) :].lstrip("/").removesuffix(".rs").split("/")
    if inside[0] == "src":
        inside = inside[1:]
    if inside and inside[-1] in ROOTS:
        inside = inside[:-1]
    return crate, "::".join([crate, *inside])


def path_of(node: Node | None) -> tuple[str, ...]:
    """The parts of a path, without what stands in angle brackets; nothing for what is no plain path.

    A part is `crate`, `self`, `super`, `Self` or a name.
    """
    parts: list[str] = []
    while node is not None:
        if node.type in {"identifier", "type_identifier", "crate", "self", "super", "metavariable"}:
            return (text_of(node), *reversed(parts))
        if node.type in {"generic_type", "generic_type_with_turbofish"}:
            node = node.child_by_field_name("type")
        elif node.type == "generic_function":
            node = node.child_by_field_name("function")
        elif node.type in {"scoped_identifier", "scoped_type_identifier"}:
            parts.append(field_of(node, "name"))
            node = node.child_by_field_name("path")
        else:
            return ()
    return ()


def used(node: Node | None, base: tuple[str, ...] = (), depth: int = 0) -> Iterator[Used]:
    """The names a `use` brings."""
    if node is None or depth > DEEPEST:
        return
    if node.type == "use_as_clause":
        yield Used((*base, *path_of(node.child_by_field_name("path"))), field_of(node, "alias"))
    elif node.type == "use_wildcard":
        inner = node.named_children[0] if node.named_children else None
        yield Used((*base, *path_of(inner)), "*")
    elif node.type == "scoped_use_list":
        below = (*base, *path_of(node.child_by_field_name("path")))
        yield from used(node.child_by_field_name("list"), below, depth + 1)
    elif node.type == "use_list":
        for each in node.named_children:
            yield from used(each, base, depth + 1)
    elif node.type == "self" and base:
        yield Used(base, base[-1])
    else:
        path = (*base, *path_of(node))
        if path_of(node):
            yield Used(path, path[-1])


def above(module: str) -> str:
    """The module around a module.

    >>> above("rs:shop::card"), above("rs:shop")
    ('rs:shop', 'rs:shop')
    """
    return module.rpartition("::")[0] or module
