"""What the functions of a Go file call and use, and the addresses they answer.

Goes through calls, declarations and types in the order of the text. A name nobody in the file declares is one of the
same package, in another file; a method counts where the type of its value can be seen in this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.knowledge import Relation
from recollect.reading.noting import ANY_VERB, UNKNOWN, VERBS, Levels, Meaning, Notes, endpoint_key, joined
from recollect.reading.trees import child_of, children_of, field_of, nodes_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

BUILT_IN = frozenset(
    "append cap clear close complex copy delete imag len make max min new panic print println real recover any bool "
    "byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 "
    "uint16 uint32 uint64 uintptr nil true false iota".split()
)
FUNCTIONS = ("function_declaration", "method_declaration", "func_literal", "method_elem", "type_spec", "type_alias")
BLOCKS = (
    "block",
    "if_statement",
    "for_statement",
    "expression_switch_statement",
    "type_switch_statement",
    "communication_case",
)
DECLARED = ("short_var_declaration", "var_spec", "const_spec", "range_clause", "receive_statement")
NODES = (*FUNCTIONS, *BLOCKS, *DECLARED, "call_expression", "type_identifier")
ROUTERS = {"r", "router", "app", "mux", "api", "g", "group", "e", "s"}
TITLED_VERBS = {verb.capitalize(): verb for verb in VERBS}
HANDLERS = {"identifier", "selector_expression", "func_literal"}
DEEPEST = 8  # calls on the result of calls that types are followed through


class Package:
    """One file while it is read: the names at its top, fields and results by type, whose a node is."""

    def __init__(self, notes: Notes, root: Node) -> None:
        self.notes = notes
        self.root = root
        self.names: dict[str, Meaning] = {}
        self.imports: set[str] = set()
        self.types: set[str] = set()
        self.fields: dict[tuple[str, str], str] = {}
        self.results: dict[str, str] = {}
        self.owners: dict[int, str] = {}
        self.embedded: set[int] = set()
        self.variables: list[Node] = []
        self.has_open_import = False

    def type_key(self, node: Node | None) -> str:
        """The key of the type an expression names: `Order`, `*Order`, `pay.Order`, `Order[T]`."""
        while node is not None and node.type in {"pointer_type", "generic_type", "parenthesized_type"}:
            node = node.child_by_field_name("type") or (node.named_children[0] if node.named_children else None)
        if node is None:
            return ""
        if node.type == "qualified_type":
            meaning = self.names.get(field_of(node, "package"))
            name = field_of(node, "name")
            return f"{meaning.key}.{name}" if meaning is not None and meaning.key in self.imports else ""
        name = text_of(node)
        if node.type != "type_identifier" or (name in BUILT_IN and name not in self.names):
            return ""
        return self.own(name)

    def own(self, name: str) -> str:
        """The key of a name of this package; nothing where it may be one of an open import."""
        meaning = self.names.get(name)
        if meaning is not None:
            return "" if meaning.is_value or meaning.key in self.imports else meaning.key
        return "" if self.has_open_import else f"{self.notes.module}.{name}"

    def result(self, key: str, node: Node) -> None:
        """Remember the type a function gives back, or the first of several."""
        result = node.child_by_field_name("result")
        if result is not None and result.type == "parameter_list":
            first = child_of(result, "parameter_declaration")
            result = first.child_by_field_name("type") if first is not None else None
        found = self.type_key(result)
        if found:
            self.results[key] = found


def read_uses(package: Package) -> None:
    """Note what the functions of a file call and use."""
    uses = _Uses(package)
    for spec in package.variables:
        uses.declare(spec)
    uses.run()


class _Uses:
    def __init__(self, package: Package) -> None:
        self.package = package
        self.notes = package.notes
        self.levels = Levels(package.notes.module)
        self.levels.here.names = package.names
        self.routed: set[int] = set()

    def run(self) -> None:
        for node in nodes_of("go", self.package.root, NODES):
            self.levels.move(node)
            kind = node.type
            if kind in FUNCTIONS:
                self.function(node)
            elif kind in BLOCKS:
                self.block(node)
            elif kind in DECLARED:
                if not self.levels.is_outermost:
                    self.declare(node)
            elif kind == "call_expression":
                self.call(node)
            else:
                self.type_use(node)

    # --- levels and names ---

    def function(self, node: Node) -> None:
        if node.type in {"type_spec", "type_alias"} and not self.levels.is_outermost:
            self.levels.here.names[field_of(node, "name")] = UNKNOWN
            return
        level = self.levels.enter(node, owner=self.package.owners.get(node.id))
        for each in children_of(node.child_by_field_name("type_parameters"), "type_parameter_declaration"):
            level.names.update((text_of(name), UNKNOWN) for name in each.children_by_field_name("name"))
        receiver = node.child_by_field_name("receiver")
        for each in nodes_of("go", receiver, ("type_arguments",)) if receiver is not None else ():
            level.names.update((text_of(name), UNKNOWN) for name in each.named_children)
        for field in ("receiver", "parameters", "result"):
            self.parameters(node.child_by_field_name(field), level.names)

    def parameters(self, node: Node | None, names: dict[str, Meaning]) -> None:
        for each in children_of(node, "parameter_declaration", "variadic_parameter_declaration"):
            key = (
                self.package.type_key(each.child_by_field_name("type")) if each.type == "parameter_declaration" else ""
            )
            for name in each.children_by_field_name("name"):
                names[text_of(name)] = _value(key)

    def block(self, node: Node) -> None:
        level = self.levels.enter(node)
        alias = node.child_by_field_name("alias") if node.type == "type_switch_statement" else None
        for name in alias.named_children if alias is not None else ():
            level.names[text_of(name)] = UNKNOWN

    def declare(self, node: Node) -> None:
        """The names of a declaration, with their types where each has one that can be seen."""
        left = node.child_by_field_name("left")
        names = left.named_children if left is not None else node.children_by_field_name("name")
        right = node.child_by_field_name("right") or node.child_by_field_name("value")
        values = right.named_children if right is not None and right.type == "expression_list" else []
        typed = self.package.type_key(node.child_by_field_name("type"))
        found = [self.type_of(value) for value in values]
        if node.type not in {"short_var_declaration", "var_spec"}:
            found = []
        for at, name in enumerate(names):
            is_first_of_call = at == 0 and len(values) == 1
            key = typed or (found[at] if at < len(found) and (len(values) == len(names) or is_first_of_call) else "")
            if self.levels.is_outermost:
                self.levels.here.names[text_of(name)] = _value(key)
            else:
                self.levels.declare(text_of(name), _value(key), after=node)
        if len(names) == 1 and len(values) == 1:
            self.group(text_of(names[0]), values[0])

    def type_of(self, node: Node | None, depth: int = 0) -> str:
        """The key of the type of a value."""
        if node is None or depth > DEEPEST:
            return ""
        if node.type in {"unary_expression", "parenthesized_expression"}:
            inner = node.child_by_field_name("operand") or (node.named_children[0] if node.named_children else None)
            return self.type_of(inner, depth + 1)
        if node.type in {"composite_literal", "type_assertion_expression"}:
            return self.package.type_key(node.child_by_field_name("type"))
        if node.type == "identifier":
            meaning = self.levels.meaning(text_of(node))
            return meaning.key if meaning is not None and meaning.is_value else ""
        if node.type == "selector_expression":
            outer = self.type_of(node.child_by_field_name("operand"), depth + 1)
            return self.package.fields.get((outer, field_of(node, "field")), "")
        if node.type == "call_expression":
            function = node.child_by_field_name("function")
            if text_of(function) == "new" and self.levels.meaning("new") is None:
                arguments = node.child_by_field_name("arguments")
                return self.package.type_key(
                    arguments.named_children[0] if arguments and arguments.named_children else None
                )
            return self.package.results.get(self.target(function, depth + 1), "")
        return ""

    # --- calls ---

    def target(self, node: Node | None, depth: int = 0) -> str:
        """The key of what is called, where the file shows it."""
        if node is not None and node.type in {"index_expression", "type_instantiation_expression"}:
            node = node.child_by_field_name("operand") or node.child_by_field_name("type")
        if node is None:
            return ""
        if node.type in {"identifier", "type_identifier"}:
            name = text_of(node)
            meaning = self.levels.meaning(name)
            if meaning is None:
                return "" if name in BUILT_IN else self.package.own(name)
            return "" if meaning.is_value or meaning.key in self.package.imports else meaning.key
        if node.type != "selector_expression":
            return ""
        operand, name = node.child_by_field_name("operand"), field_of(node, "field")
        if operand is not None and operand.type == "identifier":
            meaning = self.levels.meaning(text_of(operand))
            if meaning is not None:
                return f"{meaning.key}.{name}" if meaning.key else ""
        outer = self.type_of(operand, depth + 1)
        return f"{outer}.{name}" if outer else ""

    def call(self, node: Node) -> None:
        if node.id in self.routed or self.route(node):
            return
        target = self.target(node.child_by_field_name("function"))
        relation = Relation.USES if target in self.package.types else Relation.CALLS
        self.notes.say(self.levels.here.owner, relation, target, node)

    def type_use(self, node: Node) -> None:
        parent = node.parent
        if parent is None or node.id in self.package.embedded or parent.id in self.package.embedded:
            return
        if parent.type in {"type_spec", "type_alias"} and parent.child_by_field_name("name") == node:
            return
        if parent.type == "qualified_type":
            key = self.package.type_key(parent)
        else:
            key = self.package.type_key(node) if self.levels.meaning(text_of(node)) != UNKNOWN else ""
        owner = self.levels.here.owner
        if key != owner and not owner.startswith(f"{key}."):
            self.notes.say(owner, Relation.USES, key, node)

    # --- addresses ---

    def prefix(self, name: str) -> str:
        """The path of the group of routes that a name stands for."""
        meaning = self.levels.meaning(f"/{name}")
        return meaning.key if meaning is not None else ""

    def group(self, name: str, value: Node) -> None:
        """`api := r.Group("/api")`: addresses of `api` start so. No name has a slash, so the two are kept together."""
        function = value.child_by_field_name("function") if value.type == "call_expression" else None
        if function is None or field_of(function, "field") != "Group":
            return
        path = _string(value.child_by_field_name("arguments"))
        if path:
            outer = self.prefix(field_of(function, "operand"))
            self.levels.here.names[f"/{name}"] = Meaning(joined(outer, path))

    def route(self, node: Node) -> bool:
        """`HandleFunc("/x", f)`, also with `.Methods("POST")`, `r.GET("/x", f)`, `r.Route("/x", func(r ...) {})`."""
        function = node.child_by_field_name("function")
        if function is None or function.type != "selector_expression":
            return False
        field, operand = field_of(function, "field"), function.child_by_field_name("operand")
        if field == "Methods" and operand is not None and operand.type == "call_expression":
            strings = children_of(node.child_by_field_name("arguments"), "interpreted_string_literal")
            verbs = [text_of(each).strip('"').upper() for each in strings]
            verbs += [each for each in VERBS if f"http.Method{each.capitalize()}" in field_of(node, "arguments")]
            return bool(verbs) and self.handled(operand, [verb for verb in verbs if verb in VERBS])
        if field == "Route":
            self.subroutes(node, text_of(operand))
            return False
        return self.handled(node, [])

    def subroutes(self, node: Node, outer: str) -> None:
        arguments = node.child_by_field_name("arguments")
        path, literal = _string(arguments), child_of(arguments, "func_literal") if arguments is not None else None
        parameter = (
            child_of(literal.child_by_field_name("parameters") or literal, "parameter_declaration") if literal else None
        )
        body = literal.child_by_field_name("body") if literal is not None else None
        if path and parameter is not None and body is not None:
            level = self.levels.enter(node)
            level.names[f"/{field_of(parameter, 'name')}"] = Meaning(joined(self.prefix(outer), path))

    def handled(self, node: Node, verbs: list[str]) -> bool:
        """Note the addresses of one call that binds a path to a function; false where it is some other call."""
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        given = arguments.named_children if arguments is not None else []
        if function is None or function.type != "selector_expression" or len(given) < 2:
            return False
        field, router, path = field_of(function, "field"), field_of(function, "operand"), _string(arguments)
        prefix = self.prefix(router)
        if field in {"HandleFunc", "Handle"}:
            verb, _, rest = path.partition(" ")
            if verb in VERBS and rest.startswith("/"):
                verbs, path = [verb], rest
        elif given[-1].type not in HANDLERS:
            return False
        elif field in VERBS:
            verbs = [field]
        elif field in TITLED_VERBS and (router in ROUTERS or prefix or router.lower().endswith(("router", "group"))):
            verbs = [TITLED_VERBS[field]]
        else:
            return False
        if not path.startswith("/") and not prefix:
            return False
        handler = given[1] if field in {"HandleFunc", "Handle"} else given[-1]
        for verb in verbs or [ANY_VERB]:
            self.notes.endpoint(verb, joined(prefix, path), self.handler(handler), node)
        if handler.type == "func_literal":  # written on the spot: what it calls, the address calls
            self.package.owners[handler.id] = endpoint_key((verbs or [ANY_VERB])[0], joined(prefix, path))
        self.routed.add(node.id)
        return True

    def handler(self, node: Node) -> str:
        return self.target(node) if node.type in {"identifier", "selector_expression"} else ""


def _value(key: str) -> Meaning:
    return Meaning(key, is_value=True) if key else UNKNOWN


def _string(arguments: Node | None) -> str:
    """The first argument, if it is a string."""
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    is_string = first is not None and first.type in {"interpreted_string_literal", "raw_string_literal"}
    return text_of(first)[1:-1] if is_string else ""
