"""TypeScript and JavaScript, with or without JSX: what a module defines, imports and exports.

Two sweeps over the top of the file: the names it declares and imports, then the members of its classes. What happens
inside functions is left to `typescript_uses`, which goes by what is found here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.knowledge import Named, Relation
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
from recollect.reading.typescript_paths import imported_key, module_key, packages_of
from recollect.reading.typescript_uses import Module, read_uses

if TYPE_CHECKING:
    from tree_sitter import Node

TYPESCRIPT = (".ts", ".mts", ".cts")
CLASSES = {"class_declaration": "class", "abstract_class_declaration": "class", "class": "class"}
TYPES = {**CLASSES, "interface_declaration": "interface", "enum_declaration": "enum", "type_alias_declaration": "type"}
FUNCTIONS = {"function_declaration", "generator_function_declaration", "function_signature"}
FUNCTION_VALUES = {"arrow_function", "function_expression", "generator_function"}
WRAPPERS = {"memo", "forwardRef", "observer", "asyncHandler", "catchAsync"}  # give back the function they are given
METHODS = {"method_definition", "abstract_method_signature", "method_signature"}
FIELDS = {"public_field_definition", "field_definition", "property_signature"}
SPACES = {"internal_module", "module"}


def read_typescript(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a file of TypeScript or JavaScript gives."""
    text = clean(source)
    grammar = "typescript" if path.lower().endswith(TYPESCRIPT) else "tsx" if path.lower().endswith("x") else ""
    grammar = grammar or "javascript"
    root = parse(grammar, text)
    key = module_key(path)
    notes = Notes(path, key)
    name = key.rpartition("/")[2].removeprefix("ts:")
    notes.define(Named(key, name, "module", 1, last_line_of(root)))
    module = Module(notes, grammar, root)
    for package in packages_of(path, layout):
        notes.alias(f"ts:{package}", key)
    _Sweep(module, path, layout).run(root)
    read_uses(module, lambda specifier: imported_key(specifier, path, layout))
    return notes.reading(text, layout, ("not all of it could be parsed",) if is_wrong(root) else ())


class _Sweep:
    """The two sweeps over the top of one file."""

    def __init__(self, module: Module, path: str, layout: Layout) -> None:
        self.module = module
        self.notes = module.notes
        self.path = path
        self.layout = layout
        self.classes: list[tuple[Node, str]] = []

    def run(self, root: Node) -> None:
        for node in root.named_children:
            self.top(node, "")
        for node, key in self.classes:
            self.members(node, key)

    def top(self, node: Node, space: str) -> None:
        """A statement at the top of the file or of a namespace."""
        kind = node.type
        if kind == "import_statement":
            self.imports(node)
        elif kind == "export_statement":
            self.exports(node, space)
        elif kind in TYPES:
            self.type(node, field_of(node, "name"), space)
        elif kind in FUNCTIONS:
            self.function(node, node, field_of(node, "name"), space)
        elif kind in {"lexical_declaration", "variable_declaration"}:
            for each in children_of(node, "variable_declarator"):
                self.variable(each, node, space)
        elif kind == "ambient_declaration":
            for each in node.named_children:
                self.top(each, space)
        elif kind == "expression_statement":
            self.expression(node, space)
        elif kind in SPACES:
            self.space(node, space)
        elif kind == "ERROR":
            self.broken(node, space)

    def broken(self, node: Node, space: str) -> None:
        """What is sound inside a stretch that is not; a function there is taken for a value."""
        waiting = [node]
        while waiting:
            for each in waiting.pop().named_children:
                if each.type == "ERROR":
                    waiting.append(each)
                elif each.type == "function_expression":
                    self.function(each, each, field_of(each, "name"), space)
                else:
                    self.top(each, space)

    def expression(self, node: Node, space: str) -> None:
        inner = node.named_children[0] if node.named_children else None
        if inner is not None and inner.type in SPACES:
            self.space(inner, space)
        elif inner is not None and inner.type == "assignment_expression":
            self.assigned(inner)

    def space(self, node: Node, space: str) -> None:
        name, body = field_of(node, "name"), node.child_by_field_name("body")
        if body is None or not name.isidentifier() or space.count(".") > 5:  # `declare module "x"` is somebody else's
            return
        entity = self.entity(node, node, name, "namespace", space)
        for each in body.named_children:
            self.top(each, entity.key.partition("#")[2])

    # --- names ---

    def key(self, name: str, space: str) -> str:
        return f"{self.notes.module}#{space}.{name}" if space else f"{self.notes.module}#{name}"

    def entity(self, node: Node, whole: Node, name: str, kind: str, space: str) -> Named:
        """Note a thing at the top; `whole` is the statement it stands in."""
        key = self.key(name, space)
        entity = Named(key, name, kind, line_of(whole), last_line_of(whole), signature_of(node))
        inside = f"{self.notes.module}#{space}" if space else ""
        self.notes.define(entity, within=inside, relation=Relation.CONTAINS if space else Relation.DEFINES)
        self.notes.lay(entity, within=inside)
        self.module.names[name] = Meaning(key)
        self.module.owners[node.id] = (key, "")
        return entity

    def function(self, node: Node, whole: Node, name: str, space: str) -> None:
        if name:
            self.entity(node, whole, name, "function", space)

    def type(self, node: Node, name: str, space: str) -> None:
        if not name:
            return
        entity = self.entity(node, node, name, TYPES[node.type], space)
        if node.type != "enum_declaration":
            self.module.owners[node.id] = (entity.key, entity.key if node.type in CLASSES else "")
            self.classes.append((node, entity.key))

    def variable(self, node: Node, whole: Node, space: str) -> None:
        """A variable at the top: a function, a class, what is required, or a value of a type that is plain to see."""
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        name = text_of(target)
        required = self.required(value)
        if required and target is not None:
            self.require(target, required, node)
        elif target is None or target.type != "identifier":
            for each in children_of(target, "shorthand_property_identifier_pattern"):
                self.module.names[text_of(each)] = UNKNOWN
        elif value is not None and (function := _function_in(value)) is not None:
            self.function(function, whole, name, space)
        elif value is not None and value.type == "class":
            self.type(value, name, space)
        elif value is not None and value.type == "object" and _functions_of(value):
            self.object(value, whole, name, space)
        else:
            self.module.names[name] = UNKNOWN
            self.module.variables.append((name, node))
            if (whole.parent is not None and whole.parent.type == "export_statement") or space:
                entity = Named(self.key(name, space), name, "variable", line_of(node), last_line_of(node))
                self.notes.define(entity, relation=Relation.DEFINES)
                self.notes.lay(entity)

    def object(self, value: Node, whole: Node, name: str, space: str) -> None:
        """An object that holds functions: they are its methods."""
        outer = self.entity(value, whole, name, "object", space)
        for member, function in _functions_of(value):
            self.member(function, function, member, outer.key, "method", this="")

    def member(self, node: Node, whole: Node, name: str, outer: str, kind: str, *, this: str) -> None:
        key = f"{outer}.{name}"
        entity = Named(key, name, kind, line_of(whole), last_line_of(whole), signature_of(node))
        self.notes.define(entity, within=outer, relation=Relation.CONTAINS)
        self.notes.lay(entity, within=outer)
        self.module.owners[node.id] = (key, this)

    # --- imports and exports ---

    def required(self, value: Node | None) -> str:
        """What a `require("...")` asks for."""
        if value is None or value.type != "call_expression" or field_of(value, "function") != "require":
            return ""
        return self.source(child_of(value, "arguments"))

    def source(self, node: Node | None) -> str:
        """The module named by a string, or by the string that is the first argument."""
        found = node if node is None or node.type == "string" else child_of(node, "string")
        specifier = text_of(found)[1:-1]
        return imported_key(specifier, self.path, self.layout) if specifier else ""

    def require(self, target: Node, source: str, node: Node) -> None:
        self.notes.say(self.notes.module, Relation.IMPORTS, source, node)
        if target.type == "identifier":
            self.module.names[text_of(target)] = Meaning(source)
        for each in target.named_children:
            if each.type == "shorthand_property_identifier_pattern":
                self.imported(text_of(each), text_of(each), source, each)
            elif each.type == "pair_pattern":
                self.imported(field_of(each, "key"), field_of(each, "value"), source, each)

    def imports(self, node: Node) -> None:
        source = self.source(node.child_by_field_name("source") or child_of(node, "import_require_clause"))
        if not source:
            return
        self.notes.say(self.notes.module, Relation.IMPORTS, source, node)
        clause = child_of(node, "import_clause", "import_require_clause")
        for each in clause.named_children if clause is not None else ():
            if each.type == "identifier":
                is_whole = clause is not None and clause.type == "import_require_clause"
                if is_whole:
                    self.module.names[text_of(each)] = Meaning(source)
                else:
                    self.imported("default", text_of(each), source, each)
            elif each.type == "namespace_import":
                self.module.names[text_of(child_of(each, "identifier"))] = Meaning(source)
            for one in children_of(each, "import_specifier"):
                name = field_of(one, "name").strip("'\"")
                self.imported(name, field_of(one, "alias") or name, source, one)

    def imported(self, name: str, local: str, source: str, node: Node) -> None:
        self.module.names[local] = Meaning(f"{source}#{name}")
        self.notes.say(self.notes.module, Relation.IMPORTS, f"{source}#{name}", node)

    def exports(self, node: Node, space: str) -> None:
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        is_default = any(child.type == "default" for child in node.children)
        if node.child_by_field_name("source") is not None:
            self.passed_on(node)
        elif declaration is not None:
            self.top(declaration, space)
            name = field_of(declaration, "name")
            if is_default and name:
                self.notes.alias(self.key("default", ""), self.key(name, ""))
        elif value is not None and is_default:
            self.default(value, node)
        for one in children_of(child_of(node, "export_clause"), "export_specifier"):
            alias = field_of(one, "alias")
            if alias and node.child_by_field_name("source") is None:
                self.notes.alias(self.key(alias, ""), self.local(field_of(one, "name")))

    def local(self, name: str) -> str:
        """The key of a name of this file, imported or its own."""
        meaning = self.module.names.get(name)
        return meaning.key if meaning is not None and meaning.key else self.key(name, "")

    def default(self, value: Node, whole: Node) -> None:
        """`export default` or `module.exports =` of something."""
        if value.type == "identifier":
            self.notes.alias(self.key("default", ""), self.local(text_of(value)))
        elif (function := _function_in(value)) is not None:
            self.function(function, whole, "default", "")
        elif value.type == "class":
            name = field_of(value, "name") or "default"
            self.type(value, name, "")
            self.notes.alias(self.key("default", ""), self.key(name, ""))
        elif value.type == "object" and _functions_of(value):
            self.object(value, whole, "default", "")

    def passed_on(self, node: Node) -> None:
        """`export ... from`: other names for what another module has."""
        source = self.source(node.child_by_field_name("source"))
        if not source:
            return
        self.notes.say(self.notes.module, Relation.IMPORTS, source, node)
        clause, whole = child_of(node, "export_clause"), child_of(node, "namespace_export")
        for one in children_of(clause, "export_specifier"):
            name = field_of(one, "name")
            self.notes.alias(self.key(field_of(one, "alias") or name, ""), f"{source}#{name}")
        if whole is not None:
            name = self.key(text_of(child_of(whole, "identifier")), "")
            self.notes.alias(name, source)
            self.notes.alias(f"{name}.*", f"{source}#*")
        elif clause is None:
            self.notes.alias(f"{self.notes.module}#*", f"{source}#*")

    def assigned(self, node: Node) -> None:
        """`module.exports = ...`, `exports.name = ...` and `Type.prototype.name = ...` of plain JavaScript."""
        left, right = field_of(node, "left"), node.child_by_field_name("right")
        parts = left.split(".")
        if right is None:
            return
        if parts == ["module", "exports"]:
            self.module_exports(right, node)
        elif parts[0] == "exports" or parts[:2] == ["module", "exports"]:
            function = _function_in(right)
            if function is not None and parts[-1].isidentifier():
                self.function(function, node, parts[-1], "")
            elif right.type == "object" and _functions_of(right):
                self.object(right, node, parts[-1], "")
            elif right.type == "class":
                self.type(right, parts[-1], "")
            elif right.type == "identifier" and text_of(right) != parts[-1]:
                self.notes.alias(self.key(parts[-1], ""), self.local(text_of(right)))
        elif len(parts) == 3 and parts[1] == "prototype" and (function := _function_in(right)) is not None:
            owner = self.module.names.get(parts[0])
            if owner is not None and owner.key.startswith(f"{self.notes.module}#"):
                self.member(function, node, parts[2], owner.key, "method", this=owner.key)

    def module_exports(self, right: Node, node: Node) -> None:
        required = self.required(right)
        if required:
            self.notes.say(self.notes.module, Relation.IMPORTS, required, right)
            self.notes.alias(f"{self.notes.module}#*", f"{required}#*")
        elif right.type != "object":
            self.default(right, node)
        for pair in children_of(right, "pair"):
            value = pair.child_by_field_name("value")
            name = field_of(pair, "key")
            if value is not None and value.type == "identifier" and text_of(value) != name:
                self.notes.alias(self.key(name, ""), self.local(text_of(value)))
        for name, function in _functions_of(right):
            self.function(function, function, name, "")

    # --- the second sweep ---

    def members(self, node: Node, key: str) -> None:
        """The members of a class or interface, and what it extends."""
        self.module.heritage(node, key)
        body = node.child_by_field_name("body")
        for each in body.named_children if body is not None else ():
            name = field_of(each, "name") or field_of(each, "property")
            if name.startswith(("[", '"', "'")):
                continue
            if each.type in METHODS:
                self.member(each, each, name, key, "method", this=key)
                if name == "constructor":
                    self.module.construct(each, key)
            elif each.type in FIELDS:
                value = each.child_by_field_name("value")
                function = _function_in(value) if value is not None else None
                if function is not None:
                    self.member(function, each, name, key, "method", this=key)
                else:
                    self.module.field(key, name, each)


def _function_in(value: Node) -> Node | None:
    """The function a value is, also inside a wrapper that gives it back."""
    if value.type in FUNCTION_VALUES:
        return value
    if value.type == "call_expression" and field_of(value, "function").rpartition(".")[2] in WRAPPERS:
        arguments = child_of(value, "arguments")
        return next((each for each in children_of(arguments, *FUNCTION_VALUES)), None)
    return None


def _functions_of(value: Node) -> list[tuple[str, Node]]:
    """The functions an object literal holds, by name."""
    found: list[tuple[str, Node]] = []
    for each in value.named_children:
        if each.type == "method_definition":
            found.append((field_of(each, "name"), each))
        elif each.type == "pair":
            inner = each.child_by_field_name("value")
            function = _function_in(inner) if inner is not None else None
            if function is not None:
                found.append((field_of(each, "key"), function))
    return [(name, node) for name, node in found if name.isidentifier()]
