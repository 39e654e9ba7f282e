"""Rust: the items of a module and what they implement. Calls and uses inside functions are left to `rust_uses`.

Two sweeps over the items, also of the modules written inside the file: what is declared and used, then what types and
traits hold. A method belongs to its type, whichever `impl` it stands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.knowledge import Named, Relation
from recollect.reading.noting import Meaning, Notes
from recollect.reading.outline import CodeReading, Layout, clean
from recollect.reading.rust_paths import crate_and_module, path_of, used
from recollect.reading.rust_uses import Crate, read_uses
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

KINDS = {
    "struct_item": "struct",
    "union_item": "struct",
    "enum_item": "enum",
    "trait_item": "trait",
    "type_item": "type",
    "function_item": "function",
    "mod_item": "module",
    "const_item": "variable",
    "static_item": "variable",
    "macro_definition": "macro",
}
METHODS = {"function_item", "function_signature_item"}


def read_rust(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a file of Rust gives."""
    text = clean(source)
    root = parse("rust", text)
    crate, module = crate_and_module(path, layout)
    notes = Notes(path, module)
    notes.define(Named(module, module.rpartition("::")[2].removeprefix("rs:"), "module", 1, last_line_of(root)))
    state = Crate(notes, root, crate)
    sweep = _Sweep(state)
    sweep.names(root, module)
    for node, where in sweep.later:
        sweep.members(node, where)
    read_uses(state)
    return notes.reading(text, layout, ("not all of it could be parsed",) if is_wrong(root) else ())


class _Sweep:
    def __init__(self, crate: Crate) -> None:
        self.crate = crate
        self.notes = crate.notes
        self.later: list[tuple[Node, str]] = []

    def names(self, root: Node, module: str) -> None:
        """The first sweep: what is declared and used, module by module."""
        waiting = [(root, module)]
        while waiting:
            node, where = waiting.pop(0)
            declared = [(each, field_of(each, "name")) for each in node.named_children if each.type in KINDS]
            for each, name in declared:
                self.item(each, name, where)
                body = each.child_by_field_name("body") if each.type == "mod_item" else None
                if body is not None:
                    waiting.append((body, f"{where}::{name}"))
            for each in children_of(node, "use_declaration"):
                self.use(each, where)
            self.later += [(each, where) for each in node.named_children]

    def item(self, node: Node, name: str, where: str) -> None:
        key = f"{where}::{name}"
        if not name:
            return
        self.crate.names_of(where)[name] = Meaning(key)
        if node.type == "mod_item" and node.child_by_field_name("body") is None:
            self.notes.say(where, Relation.CONTAINS, key, node)
            return
        kind = KINDS[node.type]
        if kind != "variable" or child_of(node, "visibility_modifier") is not None:
            detail = signature_of(node) if kind not in {"macro", "module"} else ""
            entity = Named(key, name, kind, line_of(node), last_line_of(node), detail)
            inside = where if where != self.notes.module else ""
            relation = Relation.CONTAINS if kind == "module" else Relation.DEFINES
            self.notes.define(entity, within=where, relation=relation)
            self.notes.lay(entity, within=inside)
        self.crate.owners[node.id] = (key, key if kind in {"struct", "enum", "trait"} else None)

    def use(self, node: Node, where: str) -> None:
        is_public = child_of(node, "visibility_modifier") is not None
        for path, name in used(node.child_by_field_name("argument")):
            target = self.crate.absolute(path, where)
            if not target:
                continue
            self.notes.say(where, Relation.IMPORTS, target, node)
            if name == "*":
                if is_public:
                    self.notes.alias(f"{where}::*", f"{target}::*")
            elif name != "_":
                self.crate.names_of(where).setdefault(name, Meaning(target))
                if is_public:
                    self.notes.alias(f"{where}::{name}", target)

    # --- the second sweep ---

    def members(self, node: Node, where: str) -> None:
        name = field_of(node, "name")
        key = f"{where}::{name}"
        if node.type == "function_item":
            self.crate.result(key, node, where, "")
        elif node.type in {"struct_item", "union_item"}:
            for each in children_of(node.child_by_field_name("body"), "field_declaration"):
                found = self.crate.type_key(each.child_by_field_name("type"), where)
                self.crate.fields[(key, field_of(each, "name"))] = found
        elif node.type == "trait_item":
            for each in children_of(node.child_by_field_name("bounds"), "type_identifier", "scoped_type_identifier"):
                self.notes.say(key, Relation.INHERITS, self.crate.absolute(path_of(each), where), each)
            self.methods(node, key, where)
        elif node.type == "impl_item":
            self.implementation(node, where)

    def implementation(self, node: Node, where: str) -> None:
        """`impl Type` and `impl Trait for Type`; of a type that is not named plainly, nothing is kept."""
        path = path_of(node.child_by_field_name("type"))
        key = self.crate.absolute(path, where) if path else ""
        if not key or (len(path) == 1 and self.crate.is_parameter(node, path[0])):
            return
        trait = node.child_by_field_name("trait")
        if trait is not None:
            self.notes.say(key, Relation.INHERITS, self.crate.absolute(path_of(trait), where), trait)
        self.crate.owners[node.id] = (key, key)
        self.methods(node, key, where)
        entity = Named(key, text_of(node.child_by_field_name("type")), "impl", line_of(node), last_line_of(node))
        self.notes.lay(entity, within=where if where != self.notes.module else "")

    def methods(self, node: Node, outer: str, where: str) -> None:
        for each in children_of(node.child_by_field_name("body"), *METHODS):
            name = field_of(each, "name")
            key = f"{outer}::{name}"
            entity = Named(key, name, "method", line_of(each), last_line_of(each), signature_of(each))
            self.notes.define(entity, within=outer, relation=Relation.CONTAINS)
            self.notes.lay(entity, within=outer)
            self.crate.owners[each.id] = (key, outer)
            self.crate.result(key, each, where, outer)
