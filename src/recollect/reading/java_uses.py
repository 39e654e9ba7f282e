"""What the methods of a Java file call and use, and the addresses they answer.

Goes through calls, declarations and types in the order of the text. A method counts where the type of its object can
be seen in this file: a variable, parameter or field with a type, `this`, the name of a type.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.knowledge import Relation
from recollect.reading.java_routes import routes_of
from recollect.reading.noting import UNKNOWN, Levels, Meaning, Notes
from recollect.reading.trees import child_of, children_of, field_of, nodes_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Types of java.lang that are met most; the compiler imports them, and nobody asks who uses them.
LANG = frozenset(
    "Object String StringBuilder StringBuffer CharSequence Character Boolean Byte Short Integer Long Float Double "
    "Number Void Math System Runtime Thread ThreadLocal Runnable Iterable Comparable Cloneable AutoCloseable "
    "Appendable Class ClassLoader Enum Record Process ProcessBuilder StackTraceElement Throwable Error Exception "
    "RuntimeException ArithmeticException ArrayIndexOutOfBoundsException ClassCastException ClassNotFoundException "
    "CloneNotSupportedException IllegalArgumentException IllegalStateException IndexOutOfBoundsException "
    "InterruptedException NoSuchFieldException NoSuchMethodException NullPointerException NumberFormatException "
    "SecurityException StringIndexOutOfBoundsException UnsupportedOperationException AssertionError OutOfMemoryError "
    "StackOverflowError Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs".split()
)
DECLARED = (
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
)
BLOCKS = (
    "block",
    "constructor_body",
    "class_body",
    "lambda_expression",
    "for_statement",
    "enhanced_for_statement",
    "catch_clause",
    "try_with_resources_statement",
    "switch_block_statement_group",
)
VARIABLES = ("local_variable_declaration", "resource", "instanceof_expression")
ANNOTATIONS = ("annotation", "marker_annotation")
CALLS = ("method_invocation", "object_creation_expression", "method_reference")
NODES = (*DECLARED, *BLOCKS, *VARIABLES, *ANNOTATIONS, *CALLS, "type_identifier", "scoped_type_identifier")
HERITAGE = {"superclass", "type_list", "extends_interfaces", "super_interfaces", "type_parameter"}
DEEPEST = 8  # calls on the result of calls that types are followed through


class Unit:
    """One file while it is read: what its type names mean, fields, results and bases by type, whose a node is."""

    def __init__(self, notes: Notes, root: Node, package: str, has_file: Callable[[str, str], bool]) -> None:
        self.notes = notes
        self.root = root
        self.package = package  # what the keys of its types start with
        self.has_file = has_file
        self.types: dict[str, str] = {}
        self.statics: dict[str, str] = {}
        self.open_packages: list[str] = []
        self.open_statics: list[str] = []
        self.outer: dict[str, str] = {}
        self.bases: dict[str, str] = {}
        self.methods: set[str] = set()
        self.fields: dict[tuple[str, str], str] = {}
        self.results: dict[str, str] = {}
        self.owners: dict[int, tuple[str, str]] = {}

    def named(self, name: str) -> str:
        """The key of the type of a simple name."""
        found = self.types.get(name)
        if found is None:
            found = self.types[name] = self._looked_up(name)
        return found

    def _looked_up(self, name: str) -> str:
        if self.has_file("", name):
            return f"{self.package}{name}"
        if name in LANG:
            return f"java:java.lang.{name}"
        for package in self.open_packages:
            if self.has_file(package, name):
                return f"java:{package}.{name}"
        if self.open_packages or not name[:1].isupper():
            return ""  # it may be in any of them
        return f"{self.package}{name}"

    def type_key(self, node: Node | None) -> str:
        """The key of the type an expression names: `Order`, `Order<T>`, `Map.Entry`, `com.acme.Order`."""
        while node is not None and node.type in {"generic_type", "annotated_type"}:
            node = child_of(node, "type_identifier", "scoped_type_identifier", "generic_type")
        if node is None or node.type not in {"type_identifier", "scoped_type_identifier"}:
            return ""
        first, _, rest = text_of(node).partition(".")
        if not rest:
            return self.named(first)
        if first[:1].isupper():
            outer = self.named(first)
            return f"{outer}.{rest}" if outer else ""
        return f"java:{first}.{rest}" if rest.replace(".", "").isidentifier() else ""


def read_uses(unit: Unit) -> None:
    """Note what the methods of a file call and use."""
    _Uses(unit).run()


class _Uses:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.notes = unit.notes
        self.levels = Levels(unit.notes.module)

    def run(self) -> None:
        for node in nodes_of("java", self.unit.root, NODES):
            self.levels.move(node)
            kind = node.type
            if kind in DECLARED:
                self.declared(node)
            elif kind in BLOCKS:
                self.block(node)
            elif kind in VARIABLES:
                self.variable(node)
            elif kind in ANNOTATIONS:
                self.use(self.unit.named(field_of(node, "name")), node)
            elif kind in CALLS:
                self.call(node)
            else:
                self.type_use(node)

    # --- levels and names ---

    def declared(self, node: Node) -> None:
        owner, type = self.unit.owners.get(node.id, (None, ""))
        if owner is None and node.type.endswith("class_declaration"):  # inside a method
            self.levels.here.names[field_of(node, "name")] = UNKNOWN
        level = self.levels.enter(node, owner=owner, type=type)
        for each in children_of(child_of(node, "type_parameters"), "type_parameter"):
            level.names[text_of(child_of(each, "type_identifier", "identifier"))] = UNKNOWN
        if owner is not None and owner == type:
            for (of, name), key in self.unit.fields.items():
                if of == owner:
                    level.names[name] = _value(key)
        else:
            for address in routes_of(node):
                self.notes.endpoint(*address, owner or "", node)
        for each in children_of(node.child_by_field_name("parameters"), "formal_parameter", "spread_parameter"):
            key = self.type_of_declared(each) if each.type == "formal_parameter" else ""
            level.names[field_of(each, "name")] = _value(key)

    def type_of_declared(self, node: Node) -> str:
        """The type written before a name, unless it is a parameter of a type or an array."""
        typed = node.child_by_field_name("type")
        if typed is None or node.child_by_field_name("dimensions") is not None:
            return ""
        hidden = self.levels.meaning(text_of(typed))
        return self.unit.type_key(typed) if hidden is None or hidden.is_value else ""

    def block(self, node: Node) -> None:
        parent = node.parent
        if node.type == "class_body" and parent is not None and parent.type in {*DECLARED, "enum_constant"}:
            if parent.type == "enum_constant":
                self.levels.enter(node)
            return
        level = self.levels.enter(node, type="" if node.type == "class_body" else None)  # a class without a name
        if node.type == "enhanced_for_statement":
            level.names[field_of(node, "name")] = _value(self.type_of_declared(node))
        elif node.type == "catch_clause":
            level.names[field_of(child_of(node, "catch_formal_parameter") or node, "name")] = UNKNOWN
        elif node.type == "lambda_expression":
            self.lambda_parameters(node.child_by_field_name("parameters"), level.names)

    def lambda_parameters(self, node: Node | None, names: dict[str, Meaning]) -> None:
        if node is not None and node.type == "identifier":
            names[text_of(node)] = UNKNOWN
        for each in node.named_children if node is not None else ():
            if each.type == "identifier":
                names[text_of(each)] = UNKNOWN
            elif each.type == "formal_parameter":
                names[field_of(each, "name")] = _value(self.type_of_declared(each))

    def variable(self, node: Node) -> None:
        names = self.levels.here.names
        if node.type == "instanceof_expression":
            name = node.child_by_field_name("name")
            if name is not None:
                names[text_of(name)] = _value(self.unit.type_key(node.child_by_field_name("right")))
            return
        if node.type == "resource":
            names[field_of(node, "name")] = self.typed(node, node)
        for each in children_of(node, "variable_declarator"):
            names[field_of(each, "name")] = self.typed(node, each)

    def typed(self, node: Node, declarator: Node) -> Meaning:
        if field_of(node, "type") == "var":
            return _value(self.type_of(declarator.child_by_field_name("value")))
        is_array = declarator.child_by_field_name("dimensions") is not None
        return UNKNOWN if is_array else _value(self.type_of_declared(node))

    def type_of(self, node: Node | None, depth: int = 0) -> str:
        """The key of the type of a value."""
        if node is None or depth > DEEPEST:
            return ""
        if node.type == "this":
            return self.levels.here.type
        if node.type == "object_creation_expression" and child_of(node, "class_body") is None:
            return self.type_made(node)
        if node.type == "parenthesized_expression":
            return self.type_of(node.named_children[0] if node.named_children else None, depth + 1)
        if node.type == "cast_expression":
            return self.unit.type_key(node.child_by_field_name("type"))
        if node.type == "identifier":
            meaning = self.levels.meaning(text_of(node))
            return meaning.key if meaning is not None and meaning.is_value else ""
        if node.type == "field_access":
            outer = self.type_of(node.child_by_field_name("object"), depth + 1)
            return self.unit.fields.get((outer, field_of(node, "field")), "")
        if node.type == "method_invocation":
            return self.unit.results.get(self.target(node, depth + 1), "")
        return ""

    def type_made(self, node: Node) -> str:
        """The type of a `new`, unless it is one declared inside a method."""
        typed = node.child_by_field_name("type")
        hidden = self.levels.meaning(re.split("[<.]", text_of(typed), maxsplit=1)[0].strip())
        return self.unit.type_key(typed) if hidden is None or hidden.is_value else ""

    # --- calls and uses ---

    def target(self, node: Node, depth: int = 0) -> str:
        """The key of the method that is called, where the file shows it."""
        name, object = field_of(node, "name"), node.child_by_field_name("object")
        if object is None:
            return self.unqualified(name)
        if object.type == "super":
            base = self.unit.bases.get(self.levels.here.type, "")
            return f"{base}.{name}" if base else ""
        outer = self.type_of(object, depth) or self.type_named(object)
        return f"{outer}.{name}" if outer else ""

    def type_named(self, node: Node) -> str:
        """The key of a type that is named where a value could stand."""
        text = text_of(node)
        if node.type not in {"identifier", "field_access"} or not all(part.isidentifier() for part in text.split(".")):
            return ""
        first, *rest = text.split(".")
        names_constant = any(_is_constant(part) for part in rest) or ("_" in first and _is_constant(first))
        if names_constant or self.levels.meaning(first) is not None:
            return ""
        if first[:1].isupper():
            outer = self.unit.named(first)
            return ".".join([outer, *rest]) if outer and all(part[:1].isupper() for part in rest) else ""
        return f"java:{text}" if len(rest) > 1 and rest[-1][:1].isupper() else ""

    def unqualified(self, name: str) -> str:
        """A method named alone: of the types around, of a static import, or inherited."""
        here = self.levels.here.type
        around = here
        while around:
            if f"{around}.{name}" in self.unit.methods:
                return f"{around}.{name}"
            around = self.unit.outer.get(around, "")
        if name in self.unit.statics:
            return self.unit.statics[name]
        return f"{here}.{name}" if here in self.unit.bases and not self.unit.open_statics else ""

    def call(self, node: Node) -> None:
        owner = self.levels.here.owner
        if node.type == "method_invocation":
            self.notes.say(owner, Relation.CALLS, self.target(node), node)
        elif node.type == "object_creation_expression":
            self.notes.say(owner, Relation.CALLS, self.type_made(node), node)
        elif len(node.named_children) == 2:
            left, right = node.named_children
            outer = self.type_of(left) or self.type_named(left)
            self.notes.say(owner, Relation.USES, f"{outer}.{text_of(right)}" if outer else "", node)

    def type_use(self, node: Node) -> None:
        parent = node.parent
        if parent is None or parent.type == "scoped_type_identifier" or parent.type in HERITAGE:
            return
        above = parent.parent
        if parent.type == "object_creation_expression" or (
            parent.type == "generic_type"
            and above is not None
            and (above.type in HERITAGE or above.type == "object_creation_expression")
        ):
            return
        hidden = self.levels.meaning(text_of(node))
        if hidden is None or hidden.is_value:
            self.use(self.unit.type_key(node), node)

    def use(self, key: str, node: Node) -> None:
        owner = self.levels.here.owner
        if key != owner and not owner.startswith(f"{key}.") and not key.startswith("java:java.lang."):
            self.notes.say(owner, Relation.USES, key, node)


def _is_constant(name: str) -> bool:
    """Whether a name is written as those of constants are."""
    return len(name) > 1 and name.isupper()


def _value(key: str) -> Meaning:
    return Meaning(key, is_value=True) if key else UNKNOWN
