"""What the functions of a TypeScript or JavaScript module call and use, and the addresses it answers.

Goes through calls, declarations and types in the order of the text, with the names that are visible at each. A call
counts when its name leads to an import, to something of this file, or to a method of a value whose type can be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from recollect.knowledge import Relation
from recollect.reading.noting import UNKNOWN, Levels, Meaning, Notes, endpoint_key, joined
from recollect.reading.trees import child_of, children_of, field_of, nodes_of, text_of
from recollect.reading.typescript_routes import (
    DECORATORS,
    HANDLERS,
    ROUTE_VERBS,
    ROUTERS,
    decorators_in,
    decorators_of,
    is_router_made,
    routed_path,
)

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = (
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
)
BLOCKS = ("statement_block", "for_statement", "for_in_statement", "catch_clause")
CLASSES = ("class_declaration", "class")
TAGS = ("jsx_opening_element", "jsx_self_closing_element")
COMMON = (*FUNCTIONS, *BLOCKS, *CLASSES, "class_body", "variable_declarator", "call_expression", "new_expression")
TYPED = (
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "method_signature",
    "abstract_method_signature",
    "type_identifier",
)
NODES = {
    "javascript": (*COMMON, *TAGS),
    "typescript": (*COMMON, *TYPED),
    "tsx": (*COMMON, *TYPED, *TAGS),
}
OWNED = {*FUNCTIONS, *CLASSES, *TYPED[:-1]}
DEEPEST = 8  # unions within unions
NAMED_BY = {*CLASSES, *TYPED[:-2], "type_parameter", "extends_clause", "implements_clause", "extends_type_clause"}


class Module:
    """One file while it is read: the names at its top, the types of fields, the bases of classes, whose a node is."""

    def __init__(self, notes: Notes, grammar: str, root: Node) -> None:
        self.notes = notes
        self.grammar = grammar
        self.root = root
        self.names: dict[str, Meaning] = {}
        self.fields: dict[tuple[str, str], str] = {}
        self.bases: dict[str, str] = {}
        self.owners: dict[int, tuple[str, str]] = {}
        self.variables: list[tuple[str, Node]] = []
        self.routers: set[str] = set()

    def type_key(self, node: Node | None, depth: int = 0) -> str:
        """The key of the one type a type expression names: `Order`, `api.Order`, `Order<T>`, `Order | null`."""
        while node is not None and node.type in {"type_annotation", "generic_type", "parenthesized_type"}:
            node = node.named_children[0] if node.named_children else None
        if node is None:
            return ""
        if node.type == "union_type":
            named = [
                each for each in node.named_children if each.type != "literal_type" and text_of(each) != "undefined"
            ]
            return self.type_key(named[0], depth + 1) if len(named) == 1 and depth < DEEPEST else ""
        parts = text_of(node).split(".")
        if node.type not in {"type_identifier", "nested_type_identifier", "identifier", "member_expression"}:
            return ""
        meaning = self.names.get(parts[0])
        return reach(meaning, parts[1:]) if meaning is not None and not meaning.is_value else ""

    def type_of(self, node: Node) -> str:
        """The key of the type of a variable, field or parameter, where it is plain to see."""
        key = self.type_key(node.child_by_field_name("type"))
        value = node.child_by_field_name("value")
        if not key and value is not None and value.type == "new_expression":
            key = self.type_key(value.child_by_field_name("constructor"))
        return key

    def field(self, key: str, name: str, node: Node) -> None:
        found = self.type_of(node)
        if found:
            self.fields[(key, name)] = found

    def construct(self, node: Node, key: str) -> None:
        """Fields that a constructor makes: parameters with `private` and the like, and `this.x = new X()`."""
        typed: dict[str, str] = {}
        for each in children_of(node.child_by_field_name("parameters"), "required_parameter", "optional_parameter"):
            name = field_of(each, "pattern")
            typed[name] = self.type_of(each)
            if child_of(each, "accessibility_modifier", "override_modifier") or "readonly" in text_of(each).split():
                self.field(key, name, each)
        for each in children_of(node.child_by_field_name("body"), "expression_statement"):
            inner = child_of(each, "assignment_expression")
            right = inner.child_by_field_name("right") if inner is not None else None
            left = field_of(inner, "left") if inner is not None else ""
            if right is None or not left.startswith("this.") or left.count(".") != 1:
                continue
            found = typed.get(text_of(right), "")
            if right.type == "new_expression":
                found = self.type_key(right.child_by_field_name("constructor"))
            if found:
                self.fields.setdefault((key, left[5:]), found)

    def heritage(self, node: Node, key: str) -> None:
        """What a class or interface extends and implements."""
        clauses = [node, *children_of(node, "class_heritage")]
        for clause in clauses:
            parts = children_of(clause, "extends_clause", "implements_clause", "extends_type_clause")
            for part in parts or ([clause] if clause.type == "class_heritage" else []):
                for each in part.named_children:
                    base = self.type_key(each) if each.type != "type_arguments" else ""
                    self.notes.say(key, Relation.INHERITS, base, each)
                    if base and part.type != "implements_clause":
                        self.bases.setdefault(key, base)


def reach(meaning: Meaning, rest: list[str]) -> str:
    """The key of what a dotted name reaches from what its first part means."""
    if not meaning.key:
        return ""
    if not rest:
        return meaning.key
    if "#" in meaning.key:
        return f"{meaning.key}.{rest[0]}" if len(rest) == 1 else ""
    return f"{meaning.key}#{'.'.join(rest)}" if len(rest) <= 2 else ""


def read_uses(module: Module, imported: Callable[[str], str]) -> None:
    """Note what the functions of a module call and use."""
    for name, node in module.variables:
        key = module.type_of(node)
        module.names[name] = Meaning(key, is_value=True) if key else UNKNOWN
        if is_router_made(node.child_by_field_name("value")):
            module.routers.add(name)
    _Uses(module, imported).run()


class _Uses:
    def __init__(self, module: Module, imported: Callable[[str], str]) -> None:
        self.module = module
        self.notes = module.notes
        self.imported = imported
        self.levels = Levels(module.notes.module)
        self.levels.here.names = module.names

    def run(self) -> None:
        for node in nodes_of(self.module.grammar, self.module.root, NODES[self.module.grammar]):
            self.levels.move(node)
            kind = node.type
            if kind in OWNED:
                self.owned(node)
            elif kind in BLOCKS:
                self.block(node)
            elif kind == "class_body":
                self.decorated(node)
            elif kind == "variable_declarator":
                self.variable(node)
            elif kind == "call_expression":
                self.call(node)
            elif kind == "new_expression":
                target = node.child_by_field_name("constructor")
                self.notes.say(self.levels.here.owner, Relation.CALLS, self.target(target), node)
            elif kind == "type_identifier":
                self.type_use(node)
            else:
                self.tag(node)

    # --- levels and names ---

    def owned(self, node: Node) -> None:
        owner, this = self.module.owners.get(node.id, (None, None))
        name = field_of(node, "name")
        if owner is None:
            if node.type in {"function_declaration", "class_declaration"} and not self.levels.is_outermost:
                self.levels.here.names[name] = UNKNOWN
            this = None if node.type == "arrow_function" else ""  # only an arrow keeps the `this` around it
        level = self.levels.enter(node, owner=owner, type=this)
        for each in children_of(node.child_by_field_name("type_parameters"), "type_parameter"):
            level.names[field_of(each, "name")] = UNKNOWN
        for each in _parameters(node):
            key = self.module.type_of(each) if each.child_by_field_name("type") else ""
            pattern = each.child_by_field_name("pattern") or each
            for one in _bound(pattern):
                level.names[one] = Meaning(key, is_value=True) if key and pattern.type == "identifier" else UNKNOWN

    def block(self, node: Node) -> None:
        level = self.levels.enter(node)
        bound = node.child_by_field_name("left" if node.type == "for_in_statement" else "parameter")
        if bound is not None and node.type in {"for_in_statement", "catch_clause"}:
            level.names.update(dict.fromkeys(_bound(bound), UNKNOWN))

    def variable(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if self.levels.is_outermost or name is None:
            return
        value = node.child_by_field_name("value")
        key = self.module.type_of(node) if name.type == "identifier" else ""
        if key and self.hidden(node):
            key = ""
        meaning = Meaning(key, is_value=True) if key else UNKNOWN
        if value is not None and field_of(value, "function") == "require":
            source = self.imported(text_of(child_of(child_of(value, "arguments") or value, "string"))[1:-1])
            meaning = Meaning(source) if name.type == "identifier" else UNKNOWN
        for one in _bound(name):
            self.levels.here.names[one] = meaning
        if name.type == "identifier" and is_router_made(value):
            self.module.routers.add(text_of(name))

    def hidden(self, node: Node) -> bool:
        """Whether the type of a variable is called like something that is hidden here."""
        value = node.child_by_field_name("value")
        named = value.child_by_field_name("constructor") if value is not None else None
        return named is not None and self.levels.meaning(text_of(named).partition(".")[0]) == UNKNOWN

    # --- calls ---

    def target(self, node: Node | None) -> str:
        """The key of what is called, where the file shows it."""
        chain = _chain(node)
        if not chain:
            return ""
        first, rest = chain[0], chain[1:]
        here = self.levels.here.type
        if first == "this":
            return self.of_value(here, rest)
        if first == "super":
            base = self.module.bases.get(here, "")
            return f"{base}.{rest[0]}" if base and len(rest) == 1 else ""
        meaning = self.levels.meaning(first)
        if meaning is None:
            return ""
        if meaning.is_value:
            return self.of_value(meaning.key, rest)
        if not rest and meaning.key and "#" not in meaning.key:
            return f"{meaning.key}#default"
        return reach(meaning, rest)

    def of_value(self, key: str, rest: list[str]) -> str:
        for name in rest[:-1]:
            key = self.module.fields.get((key, name), "")
        return f"{key}.{rest[-1]}" if key and rest else ""

    def call(self, node: Node) -> None:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return
        if function.type == "import" or text_of(function) == "require":
            string = child_of(arguments, "string") if arguments is not None else None
            source = self.imported(text_of(string)[1:-1]) if string is not None else ""
            self.notes.say(self.notes.module, Relation.IMPORTS, source, node)
            return
        if function.type == "member_expression" and self.route(node, function, arguments):
            return
        self.notes.say(self.levels.here.owner, Relation.CALLS, self.target(function), node)

    def type_use(self, node: Node) -> None:
        parent = node.parent
        if parent is None or parent.type in NAMED_BY:
            return
        above = parent.parent
        if parent.type == "generic_type" and above is not None and above.type in NAMED_BY:
            return
        meaning = self.levels.meaning(text_of(node))
        if parent.type == "nested_type_identifier":
            key = self.module.type_key(parent)
        else:
            key = meaning.key if meaning is not None and not meaning.is_value else ""
        if key != self.levels.here.owner:
            self.notes.say(self.levels.here.owner, Relation.USES, key, node)

    def tag(self, node: Node) -> None:
        """A component in JSX; a name in lower case is a tag of the page."""
        chain = _chain(node.child_by_field_name("name"))
        meaning = self.levels.meaning(chain[0]) if chain and chain[0][:1].isupper() else None
        if meaning is not None and not meaning.is_value:
            self.notes.say(self.levels.here.owner, Relation.USES, reach(meaning, chain[1:]), node)

    # --- addresses ---

    def route(self, node: Node, function: Node, arguments: Node | None) -> bool:
        """`app.get("/x", handler)` and `router.route("/x").get(handler)`."""
        verb = ROUTE_VERBS.get(field_of(function, "property"), "")
        given = arguments.named_children if arguments is not None else []
        router = function.child_by_field_name("object")
        if not verb or not given or router is None or given[-1].type not in HANDLERS:
            return False
        path = routed_path(router)
        if path and router.type == "call_expression":
            handler = given[-1]
        elif self.is_router(router) and len(given) > 1 and given[0].type == "string":
            path, handler = text_of(given[0])[1:-1], given[-1]
        else:
            return False
        if not path.startswith(("/", "*")):
            return False
        self.notes.endpoint(verb, path, self.target(handler), node)
        if handler.type in FUNCTIONS:  # written on the spot: what it calls, the address calls
            self.module.owners[handler.id] = (endpoint_key(verb, path), "")
        return True

    def is_router(self, node: Node) -> bool:
        name = text_of(node)
        return name in self.module.routers or name in ROUTERS or name.endswith(("Router", "Routes"))

    def decorated(self, body: Node) -> None:
        """Methods of a class with `@Get(":id")` and the like, under the path of its `@Controller`."""
        base = None
        whole = body.parent
        outer = whole.parent if whole is not None else None
        for holder in (whole, outer):
            for name, path, _ in decorators_of(holder) if holder is not None else ():
                base = path if name == "Controller" else base
        waiting: list[tuple[str, str, Node]] = []
        for each in body.named_children if base is not None else ():
            if each.type == "decorator":
                waiting += decorators_in([each])
            elif each.type == "method_definition":
                handler = self.module.owners.get(each.id, ("", ""))[0]
                for name, path, node in [*waiting, *decorators_of(each)]:
                    if name in DECORATORS:
                        self.notes.endpoint(DECORATORS[name], joined(base or "", path), handler, node)
                waiting = []
            elif each.type != "comment":
                waiting = []


def _parameters(node: Node) -> list[Node]:
    single = node.child_by_field_name("parameter")
    parameters = node.child_by_field_name("parameters")
    return [single] if single is not None else parameters.named_children if parameters is not None else []


def _bound(node: Node) -> Iterator[str]:
    """The names a pattern binds."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type in {"identifier", "shorthand_property_identifier_pattern"}:
            yield text_of(each)
        elif each.type == "assignment_pattern":
            waiting += [child for child in (each.child_by_field_name("left"),) if child is not None]
        elif each.type == "pair_pattern":
            waiting += [child for child in (each.child_by_field_name("value"),) if child is not None]
        elif each.type.endswith("pattern") or each.type == "object_assignment_pattern":
            waiting += each.named_children


def _chain(node: Node | None) -> list[str]:
    """The parts of a dotted name, `this` and `super` included; nothing for any other expression."""
    parts: list[str] = []
    while node is not None:
        if node.type in {"identifier", "this", "super"}:
            return [text_of(node), *reversed(parts)]
        if node.type not in {"member_expression", "non_null_expression"}:
            return []
        if node.type == "member_expression":
            parts.append(field_of(node, "property"))
            node = node.child_by_field_name("object")
        else:
            node = node.named_children[0] if node.named_children else None
    return []
