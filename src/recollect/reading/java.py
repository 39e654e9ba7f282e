"""Java: the types of a file and their members. Calls and uses inside methods are left to `java_uses`.

A type's key is its package and name. A simple name means a type of the file, an import, a file of the same package or
of a package that is imported whole; where none of these is to be seen, it is taken to be in the same package.
"""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from recollect.knowledge import Named, Relation
from recollect.reading.java_uses import Unit, read_uses
from recollect.reading.noting import Notes
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

TYPES = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "annotation_type_declaration": "annotation",
}
METHODS = {
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "annotation_type_element_declaration",
}
HERITAGE = {"superclass", "super_interfaces", "extends_interfaces"}


def read_java(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a file of Java gives."""
    text = clean(source)
    root = parse("java", text)
    declared = child_of(root, "package_declaration")
    name = text_of(child_of(declared, "scoped_identifier", "identifier")) if declared is not None else ""
    key = f"java:{name}" if name else f"file:{path}"
    notes = Notes(path, key)
    notes.define(Named(key, name.rpartition(".")[2] or path.rpartition("/")[2], "package", 1, last_line_of(root)))
    unit = Unit(notes, root, f"java:{name}." if name else "java:", _Files(path, name, layout).find)
    for each in root.named_children:
        if each.type == "import_declaration":
            _imported(unit, each)
    types = _types(unit, root)
    for node, type_key in types:
        _members(unit, node, type_key)
    for node, type_key in types:
        _heritage(unit, node, type_key)
    read_uses(unit)
    return notes.reading(text, layout, ("not all of it could be parsed",) if is_wrong(root) else ())


class _Files:
    """Types by where their files lie: those of a package are all in one folder below the same root."""

    def __init__(self, path: str, package: str, layout: Layout) -> None:
        self.layout = layout
        self.folder = dirname(path)
        inside = package.replace(".", "/")
        self.root = self.folder.removesuffix(inside) if inside and self.folder.endswith(inside) else None

    def find(self, package: str, name: str) -> bool:
        """Whether the project has a file for this type, in the package, or with none named in that of the file."""
        if not package:
            return f"{self.folder}/{name}.java".lstrip("/") in self.layout.paths
        return self.root is not None and f"{self.root}{package.replace('.', '/')}/{name}.java" in self.layout.paths


def _imported(unit: Unit, node: Node) -> None:
    path = text_of(child_of(node, "scoped_identifier", "identifier"))
    is_static = any(child.type == "static" for child in node.children)
    if child_of(node, "asterisk") is not None:
        (unit.open_statics if is_static else unit.open_packages).append(path)
    elif is_static:
        unit.statics[path.rpartition(".")[2]] = f"java:{path}"
    else:
        unit.types[path.rpartition(".")[2]] = f"java:{path}"
    unit.notes.say(unit.notes.module, Relation.IMPORTS, f"java:{path}", node)


def _types(unit: Unit, root: Node) -> list[tuple[Node, str]]:
    """Note the types of the file, outer before inner."""
    found: list[tuple[Node, str]] = []
    waiting = [(node, "") for node in reversed(root.named_children)]
    while waiting:
        node, outer = waiting.pop()
        if node.type in {"class_body", "interface_body", "enum_body", "enum_body_declarations", "annotation_type_body"}:
            waiting += [(each, outer) for each in reversed(node.named_children)]
        elif node.type in TYPES and (name := field_of(node, "name")):
            key = f"{outer}.{name}" if outer else f"{unit.package}{name}"
            entity = Named(key, name, TYPES[node.type], line_of(node), last_line_of(node), _signature(node))
            relation = Relation.CONTAINS if outer else Relation.DEFINES
            unit.notes.define(entity, within=outer or unit.notes.module, relation=relation)
            unit.notes.lay(entity, within=outer)
            unit.types[name] = key
            unit.outer[key] = outer
            unit.owners[node.id] = (key, key)
            found.append((node, key))
            body = node.child_by_field_name("body")
            waiting += [(body, key)] if body is not None else []
    return found


def _members(unit: Unit, node: Node, key: str) -> None:
    """The methods and fields of a type."""
    body = node.child_by_field_name("body")
    inside = list(body.named_children) if body is not None else []
    for each in children_of(body, "enum_body_declarations"):
        inside += each.named_children
    for each in inside:
        if each.type in METHODS:
            _method(unit, each, key)
        elif each.type in {"field_declaration", "constant_declaration"}:
            for name in children_of(each, "variable_declarator"):
                unit.fields[(key, field_of(name, "name"))] = unit.type_key(each.child_by_field_name("type"))
    for each in children_of(node.child_by_field_name("parameters"), "formal_parameter"):  # of a record
        unit.fields[(key, field_of(each, "name"))] = unit.type_key(each.child_by_field_name("type"))


def _method(unit: Unit, node: Node, key: str) -> None:
    name = field_of(node, "name")
    if not name:
        return
    own = f"{key}.{name}"
    entity = Named(own, name, "method", line_of(node), last_line_of(node), _signature(node))
    unit.notes.define(entity, within=key, relation=Relation.CONTAINS)
    unit.notes.lay(entity, within=key)
    unit.owners[node.id] = (own, key)
    unit.methods.add(own)
    result = unit.type_key(node.child_by_field_name("type"))
    if unit.results.setdefault(own, result) != result:  # overloads that differ
        unit.results[own] = ""


def _heritage(unit: Unit, node: Node, key: str) -> None:
    """What a type extends and implements."""
    for clause in children_of(node, *HERITAGE):
        listed = child_of(clause, "type_list") or clause
        for each in listed.named_children:
            base = unit.type_key(each)
            unit.notes.say(key, Relation.INHERITS, base, each)
            if clause.type == "superclass":
                unit.bases[key] = base


def _signature(node: Node) -> str:
    """A definition without its annotations and its body."""
    annotations = children_of(child_of(node, "modifiers"), "annotation", "marker_annotation")
    return signature_of(node, after=annotations[-1] if annotations else None)
