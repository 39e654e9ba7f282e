"""Go: what a file adds to its package. Calls and uses inside functions are left to `go_uses`.

A key is the import path of the package and the name in it. The import path follows from the go.mod above the file; in a
project that shows none, it is the folder, and an import of the longest path that ends in a folder of the project.
"""

from __future__ import annotations

import re
from posixpath import dirname
from typing import TYPE_CHECKING

from recollect.knowledge import Named, Relation
from recollect.reading.go_uses import Package, read_uses
from recollect.reading.noting import UNKNOWN, Meaning, Notes
from recollect.reading.outline import CodeReading, Layout, clean
from recollect.reading.trees import (
    child_of,
    children_of,
    field_of,
    is_wrong,
    last_line_of,
    line_of,
    parse,
    signature_of,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MANIFEST = "go.mod"
UNNAMED = {"_", "init"}  # may be there several times, and nobody can call them
KINDS = {"struct_type": "struct", "interface_type": "interface"}
_VERSION = re.compile(r"v\d+")
_DOTTED_VERSION = re.compile(r"\.v\d+$")


def read_go(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a file of Go gives."""
    text = clean(source)
    root = parse("go", text)
    key = f"go:{import_path(dirname(path), layout)}"
    notes = Notes(path, key)
    name = text_of(child_of(child_of(root, "package_clause") or root, "package_identifier"))
    notes.define(Named(key, name or key.rpartition("/")[2], "package", 1, last_line_of(root)))
    package = Package(notes, root)
    sweep = _Sweep(package, layout)
    for each in root.named_children:
        sweep.names(each)
    for each in root.named_children:
        sweep.members(each)
    read_uses(package)
    return notes.reading(text, layout, ("not all of it could be parsed",) if is_wrong(root) else ())


def import_path(folder: str, layout: Layout) -> str:
    """The path a folder of the project is imported by.

    >>> import_path("svc/pay", Layout("shop", frozenset(), 1500, (("svc/go.mod", "acme.io/svc"),)))
    'acme.io/svc/pay'
    """
    above = folder
    while True:
        for manifest, name in layout.declared:
            if manifest == (f"{above}/{MANIFEST}" if above else MANIFEST):
                return name + folder[len(above) :] if above else "/".join(part for part in (name, folder) if part)
        if not above:
            return folder or layout.name
        above = dirname(above)


def imported_path(path: str, layout: Layout) -> str:
    """The path of an imported package as its own files have it."""
    if any(manifest.endswith(MANIFEST) for manifest, _ in layout.declared) or "." not in path.partition("/")[0]:
        return path
    folders = {dirname(each) for each in layout.paths if each.endswith(".go")}
    parts = path.split("/")
    return next((ending for at in range(2, len(parts)) if (ending := "/".join(parts[at:])) in folders), path)


def package_name(path: str) -> str:
    """What a package is most likely called, from its import path.

    >>> [package_name(each) for each in ("net/http", "acme.io/pay/v2", "gopkg.in/yaml.v3", "x.io/go-redis")]
    ['http', 'pay', 'yaml', 'redis']
    """
    parts = path.split("/")
    last = parts[-2] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts[-1]
    return _DOTTED_VERSION.sub("", last).removeprefix("go-").removesuffix("-go")


class _Sweep:
    def __init__(self, package: Package, layout: Layout) -> None:
        self.package = package
        self.notes = package.notes
        self.layout = layout

    def names(self, node: Node) -> None:
        """The first sweep: imports and the names at the top."""
        if node.type == "import_declaration":
            specs = children_of(node, "import_spec") + children_of(child_of(node, "import_spec_list"), "import_spec")
            for spec in specs:
                self.imported(spec)
        elif node.type == "function_declaration":
            entity = self.entity(node, field_of(node, "name"), "function")
            self.package.owners[node.id] = entity.key if entity.name not in UNNAMED else self.notes.module
        elif node.type == "type_declaration":
            for spec in children_of(node, "type_spec", "type_alias"):
                inner = spec.child_by_field_name("type")
                kind = KINDS.get(inner.type if inner is not None else "", "type")
                entity = self.entity(spec, field_of(spec, "name"), kind, whole=node)
                self.package.owners[spec.id] = entity.key
                self.package.types.add(entity.key)
        elif node.type in {"var_declaration", "const_declaration"}:
            specs = children_of(node, "var_spec", "const_spec")
            for spec in specs + children_of(child_of(node, "var_spec_list"), "var_spec"):
                self.variable(spec)

    def imported(self, spec: Node) -> None:
        path = field_of(spec, "path").strip('"`')
        if not path:
            return
        key = f"go:{imported_path(path, self.layout)}"
        self.notes.say(self.notes.module, Relation.IMPORTS, key, spec)
        name = field_of(spec, "name") or package_name(path)
        if name == ".":
            self.package.has_open_import = True
        elif name != "_":
            self.package.names[name] = Meaning(key)
            self.package.imports.add(key)

    def entity(self, node: Node, name: str, kind: str, *, whole: Node | None = None, owner: str = "") -> Named:
        """Note a thing at the top of the file; methods stand there too."""
        outer = owner or self.notes.module
        at = whole if whole is not None and len(whole.named_children) == 1 else node
        detail = signature_of(node) if kind in {"function", "method"} else ""
        entity = Named(f"{outer}.{name}", name, kind, line_of(at), last_line_of(at), detail)
        if name and name not in UNNAMED:
            self.notes.define(entity, within=outer, relation=Relation.CONTAINS if owner else Relation.DEFINES)
        self.notes.lay(entity)
        if not owner:
            self.package.names[name] = Meaning(entity.key)
        return entity

    def variable(self, spec: Node) -> None:
        self.package.variables.append(spec)
        for name in spec.children_by_field_name("name"):
            text = text_of(name)
            self.package.names[text] = UNKNOWN
            if text[:1].isupper():
                entity = Named(f"{self.notes.module}.{text}", text, "variable", line_of(spec), last_line_of(spec))
                self.notes.define(entity, relation=Relation.DEFINES)

    def members(self, node: Node) -> None:
        """The second sweep: methods, fields, what is embedded, and what functions give back."""
        if node.type == "method_declaration":
            receiver = child_of(node.child_by_field_name("receiver") or node, "parameter_declaration")
            owner = self.package.type_key(receiver.child_by_field_name("type") if receiver is not None else None)
            if owner:
                entity = self.entity(node, field_of(node, "name"), "method", owner=owner)
                self.package.owners[node.id] = entity.key
                self.package.result(entity.key, node)
        elif node.type == "function_declaration":
            self.package.result(f"{self.notes.module}.{field_of(node, 'name')}", node)
        elif node.type == "type_declaration":
            for spec in children_of(node, "type_spec"):
                inner, key = spec.child_by_field_name("type"), f"{self.notes.module}.{field_of(spec, 'name')}"
                if inner is not None and inner.type == "struct_type":
                    self.struct(inner, key)
                elif inner is not None and inner.type == "interface_type":
                    self.interface(inner, key)

    def struct(self, node: Node, key: str) -> None:
        for each in children_of(child_of(node, "field_declaration_list"), "field_declaration"):
            typed = each.child_by_field_name("type")
            found = self.package.type_key(typed)
            names = [text_of(name) for name in each.children_by_field_name("name")]
            if found and not names:
                self.notes.say(key, Relation.INHERITS, found, each)
                self.package.embedded.add(typed.id if typed is not None else 0)
                names = [found.rpartition(".")[2]]
            for name in names if found else ():
                self.package.fields[(key, name)] = found

    def interface(self, node: Node, key: str) -> None:
        for each in node.named_children:
            if each.type == "method_elem":
                name = field_of(each, "name")
                detail = " ".join(text_of(each).split())
                entity = Named(f"{key}.{name}", name, "method", line_of(each), last_line_of(each), detail)
                self.notes.define(entity, within=key, relation=Relation.CONTAINS)
                self.package.owners[each.id] = entity.key
                self.package.result(entity.key, each)
            elif each.type == "type_elem" and len(each.named_children) == 1:
                found = self.package.type_key(each.named_children[0])
                self.notes.say(key, Relation.INHERITS, found, each)
                self.package.embedded.add(each.named_children[0].id)
