"""What the functions of a Rust file call and use, and the addresses they answer.

Goes through calls, declarations and types in the order of the text. A method counts where the type of its value can
be seen in this file: `self`, a parameter or variable with a type, a field of a type of the file, `Type::new()`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.knowledge import Relation
from recollect.reading.noting import UNKNOWN, Levels, Meaning, Notes
from recollect.reading.rust_paths import above, path_of
from recollect.reading.rust_routes import attributed, routed
from recollect.reading.trees import children_of, field_of, nodes_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Names that every file has without a `use`, and the primitive types.
PRELUDE = frozenset(
    "Option Some None Result Ok Err Box String Vec ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut FnOnce "
    "Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator Default Eq PartialEq Ord PartialOrd "
    "AsRef AsMut Into From TryFrom TryInto Debug Hash drop str bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 "
    "i128 isize f32 f64".split()
)
POINTERS = frozenset({"Box", "Rc", "Arc"})  # a method called on them is one of what they hold
OF_POINTERS = frozenset({"clone", "as_ref", "as_mut", "borrow", "borrow_mut", "into", "to_owned", "downgrade"})
OUTCOMES = frozenset({"Result", "Option"})
UNWRAPPING = frozenset({"unwrap", "expect", "unwrap_or_default"})
KEEPING = frozenset(  # give an outcome of the same thing
    {
        "as_ref",
        "as_mut",
        "as_deref",
        "as_deref_mut",
        "cloned",
        "take",
        "ok",
        "ok_or",
        "ok_or_else",
        "map_err",
        "context",
    }
)
CLONES = {("Arc", "clone"), ("Rc", "clone")}
MAKERS = frozenset({"new", "default"})  # give back the type they are called on, as everybody takes for granted
ITEMS = (
    "function_item",
    "function_signature_item",
    "impl_item",
    "trait_item",
    "struct_item",
    "enum_item",
    "mod_item",
    "macro_definition",
)
BLOCKS = ("block", "closure_expression", "match_arm", "for_expression", "if_expression", "while_expression")
NODES = (
    *ITEMS,
    *BLOCKS,
    "let_declaration",
    "let_condition",
    "call_expression",
    "token_tree",
    "type_identifier",
    "scoped_type_identifier",
    "attribute_item",
)
DEEPEST = 8  # calls on the result of calls that types are followed through


class Held(NamedTuple):
    """The type of a value: its key, and whether it is wrapped in an outcome that has to be opened first."""

    key: str = ""
    is_wrapped: bool = False


NOTHING = Held()


class Crate:
    """One file while it is read: names by module, fields and results by type, whose a node is."""

    def __init__(self, notes: Notes, root: Node, crate: str) -> None:
        self.notes = notes
        self.root = root
        self.crate = crate
        self.names: dict[str, dict[str, Meaning]] = {}
        self.fields: dict[tuple[str, str], Held] = {}
        self.results: dict[str, Held] = {}
        self.owners: dict[int, tuple[str, str | None]] = {}

    def names_of(self, module: str) -> dict[str, Meaning]:
        return self.names.setdefault(module, {})

    def absolute(self, path: tuple[str, ...], where: str) -> str:
        """The key of a path in a module; nothing for a name that nobody declares there or around."""
        if not path:
            return ""
        first, rest = path[0], path[1:]
        if first == "crate":
            return "::".join([self.crate, *rest])
        if first == "self":
            return "::".join([where, *rest])
        if first == "super":
            outer = above(where)
            while rest and rest[0] == "super":
                outer, rest = above(outer), rest[1:]
            return "::".join([outer, *rest])
        meaning = self._declared(first, where)
        if meaning is not None:
            return "::".join([meaning.key, *rest]) if meaning.key else ""
        is_crate = rest and first not in PRELUDE and first.islower()
        return "::".join([f"rs:{first}", *rest]) if is_crate else ""

    def _declared(self, name: str, where: str) -> Meaning | None:
        while True:
            found = self.names.get(where, {}).get(name)
            if found is not None or where == self.notes.module or above(where) == where:
                return found
            where = above(where)

    def type_key(self, node: Node | None, where: str, this: str = "") -> Held:
        """The type an expression names, behind references and pointers, and inside an outcome."""
        is_wrapped = False
        for _ in range(DEEPEST):
            if node is None:
                return NOTHING
            if node.type in {"reference_type", "pointer_type"}:
                node = node.child_by_field_name("type")
            elif node.type in {"dynamic_type", "abstract_type"}:
                node = node.child_by_field_name("trait")
            elif node.type == "generic_type" and field_of(node, "type").rpartition("::")[2] in POINTERS | OUTCOMES:
                is_wrapped |= field_of(node, "type").rpartition("::")[2] in OUTCOMES
                arguments = node.child_by_field_name("type_arguments")
                node = arguments.named_children[0] if arguments is not None and arguments.named_children else None
            else:
                break
        path = path_of(node)
        key = this if path == ("Self",) else self.absolute(path, where)
        return Held(key, is_wrapped) if key else NOTHING

    def is_parameter(self, node: Node, name: str) -> bool:
        """Whether a name is a type parameter of an item."""
        return name in parameters_of(node)

    def result(self, key: str, node: Node, where: str, this: str) -> None:
        """Remember what a function gives back."""
        typed = node.child_by_field_name("return_type")
        path = path_of(typed)
        if typed is not None and not (len(path) == 1 and self.is_parameter(node, path[0])):
            self.results.setdefault(key, self.type_key(typed, where, this))


def parameters_of(node: Node) -> list[str]:
    """The names of the type parameters of an item."""
    inside = children_of(node.child_by_field_name("type_parameters"), "type_parameter", "constrained_type_parameter")
    return [field_of(each, "name") or field_of(each, "left") for each in inside]


def read_uses(crate: Crate) -> None:
    """Note what the functions of a file call and use."""
    _Uses(crate).run()


class _Uses:
    def __init__(self, crate: Crate) -> None:
        self.crate = crate
        self.notes = crate.notes
        self.levels = Levels(crate.notes.module)
        self.levels.here.names = crate.names_of(crate.notes.module)
        self.modules = [(1 << 62, crate.notes.module)]
        self.waiting: list[tuple[str, str]] = []  # addresses of attributes, for the function after them

    @property
    def where(self) -> str:
        return self.modules[-1][1]

    def run(self) -> None:
        for node in nodes_of("rust", self.crate.root, NODES):
            self.levels.move(node)
            while self.modules[-1][0] <= node.start_byte:
                self.modules.pop()
            kind = node.type
            if kind in ITEMS:
                self.item(node)
            elif kind in BLOCKS:
                self.block(node)
            elif kind == "let_declaration":
                self.let(node)
            elif kind == "let_condition":
                self.bind(node.child_by_field_name("pattern"))
            elif kind == "call_expression":
                self.call(node)
            elif kind == "token_tree":
                self.tokens(node)
            elif kind == "attribute_item":
                self.waiting += attributed(node)
            else:
                self.type_use(node)

    # --- levels and names ---

    def item(self, node: Node) -> None:
        owner, this = self.crate.owners.get(node.id, (None, None))
        if owner is None and node.type == "function_item":  # inside another function
            self.levels.here.names[field_of(node, "name")] = UNKNOWN
        level = self.levels.enter(node, owner=owner, type=this)
        if node.type == "mod_item" and owner is not None:
            self.modules.append((node.end_byte, owner))
            level.names = self.crate.names_of(owner)
            level.type = ""
        for name in parameters_of(node):
            level.names[name] = UNKNOWN
        parameters = node.child_by_field_name("parameters") if node.type == "function_item" else None
        for each in children_of(parameters, "parameter"):
            pattern = each.child_by_field_name("pattern")
            held = self.typed(each)
            self.bind(pattern, _value(held) if pattern is not None and pattern.type == "identifier" else UNKNOWN)
        if node.type == "function_item":
            for verb, path in self.waiting:
                self.notes.endpoint(verb, path, owner or "", node)
        self.waiting = []

    def block(self, node: Node) -> None:
        self.levels.enter(node)
        if node.type == "closure_expression":
            parameters = node.child_by_field_name("parameters")
            for each in parameters.named_children if parameters is not None else ():
                self.bind(each.child_by_field_name("pattern") or each)
        elif node.type in {"match_arm", "for_expression"}:
            self.bind(node.child_by_field_name("pattern"))

    def bind(self, pattern: Node | None, meaning: Meaning = UNKNOWN) -> None:
        """The names a pattern binds; those in capitals are constants and variants."""
        if pattern is None:
            return
        for each in nodes_of("rust", pattern, ("identifier", "shorthand_field_identifier")):
            name = text_of(each)
            if name[:1].islower() or name[:1] == "_":
                self.levels.here.names[name] = meaning

    def typed(self, node: Node) -> Held:
        """The type written after a name, unless it is a parameter."""
        typed = node.child_by_field_name("type")
        path = path_of(typed)
        if len(path) == 1 and self.levels.meaning(path[0]) == UNKNOWN:
            return NOTHING
        return self.crate.type_key(typed, self.where, self.levels.here.type)

    def let(self, node: Node) -> None:
        pattern = node.child_by_field_name("pattern")
        if pattern is None:
            return
        is_typed = node.child_by_field_name("type") is not None
        held = self.typed(node) if is_typed else self.type_of(node.child_by_field_name("value"))
        for each in nodes_of("rust", pattern, ("identifier", "shorthand_field_identifier")):
            name = text_of(each)
            if name[:1].islower() or name[:1] == "_":
                meaning = _value(held) if pattern.type in {"identifier", "mut_pattern"} else UNKNOWN
                self.levels.declare(name, meaning, after=node)

    def type_of(self, node: Node | None, depth: int = 0) -> Held:
        """The type of a value."""
        if node is None or depth > DEEPEST:
            return NOTHING
        if node.type == "self":
            return Held(self.levels.here.type)
        if node.type == "identifier":
            meaning = self.levels.meaning(text_of(node))
            return Held(meaning.key) if meaning is not None and meaning.is_value else NOTHING
        if node.type == "struct_expression":
            return Held(self.path(path_of(node.child_by_field_name("name"))))
        if node.type in {"reference_expression", "parenthesized_expression", "await_expression", "try_expression"}:
            inner = node.child_by_field_name("value") or (node.named_children[0] if node.named_children else None)
            held = self.type_of(inner, depth + 1)
            return Held(held.key) if node.type == "try_expression" else held
        if node.type == "field_expression":
            outer = self.type_of(node.child_by_field_name("value"), depth + 1)
            return self.crate.fields.get((outer.key, field_of(node, "field")), NOTHING)
        return self.type_of_call(node, depth) if node.type == "call_expression" else NOTHING

    def type_of_call(self, node: Node, depth: int) -> Held:
        function = node.child_by_field_name("function")
        if function is not None and function.type == "field_expression":
            inner = self.type_of(function.child_by_field_name("value"), depth + 1)
            if inner.is_wrapped and field_of(function, "field") in KEEPING:
                return inner
            if inner.is_wrapped:
                return Held(inner.key) if field_of(function, "field") in UNWRAPPING else NOTHING
        arguments = node.child_by_field_name("arguments")
        if path_of(function)[-2:] in CLONES and arguments is not None and arguments.named_children:
            return self.type_of(arguments.named_children[0], depth + 1)
        target = self.target(function, depth + 1)
        if target in self.crate.results:
            return self.crate.results[target]
        outer, _, name = target.rpartition("::")
        return Held(outer) if name in MAKERS and outer.rpartition("::")[2][:1].isupper() else NOTHING

    # --- calls and uses ---

    def path(self, path: tuple[str, ...]) -> str:
        """The key of a path here; nothing where it starts with a variable."""
        if not path:
            return ""
        if path[0] == "Self":
            this = self.levels.here.type
            return "::".join([this, *path[1:]]) if this else ""
        meaning = self.levels.meaning(path[0])
        if meaning is not None and (meaning.is_value or not meaning.key):
            return ""
        return self.crate.absolute(path, self.where)

    def target(self, node: Node | None, depth: int = 0) -> str:
        """The key of what is called, where the file shows it."""
        if node is None:
            return ""
        if node.type == "field_expression":
            outer = self.type_of(node.child_by_field_name("value"), depth + 1)
            name = field_of(node, "field")
            return f"{outer.key}::{name}" if outer.key and not outer.is_wrapped and name not in OF_POINTERS else ""
        return self.path(path_of(node))

    def call(self, node: Node) -> None:
        for verb, path, handler in routed(node):
            self.notes.endpoint(verb, path, self.path(path_of(handler)), node)
        target = self.target(node.child_by_field_name("function"))
        outer, _, name = target.rpartition("::")
        is_variant = name[:1].isupper() and outer.rpartition("::")[2][:1].isupper()
        self.say(Relation.USES if is_variant else Relation.CALLS, outer if is_variant else target, node)

    def tokens(self, node: Node) -> None:
        """Calls inside a macro, whose text is not parsed: a name of this file or of a `use`, before parentheses."""
        before = ""
        for each, after in zip(node.children, node.children[1:], strict=False):
            if each.type == "identifier" and after.type == "token_tree" and before not in {".", "::", "fn", "!"}:
                meaning = self.levels.meaning(text_of(each))
                is_call = after.children and after.children[0].type == "(" and text_of(each)[:1].islower()
                if is_call and meaning is not None and not meaning.is_value:
                    self.say(Relation.CALLS, meaning.key, each)
            before = text_of(each) if each.type in {".", "::", "fn", "!"} else ""

    def type_use(self, node: Node) -> None:
        parent = node.parent
        if parent is None or parent.type in {"scoped_type_identifier", "type_parameter"}:
            return
        above_it = parent.parent if parent.type == "generic_type" else parent
        if above_it is not None and above_it.type in {"impl_item", "trait_bounds"}:
            return
        if parent.child_by_field_name("name") == node and parent.type in {*ITEMS, "type_item", "union_item"}:
            return
        self.say(Relation.USES, self.path(path_of(node)), node)

    def say(self, relation: Relation, key: str, node: Node) -> None:
        owner = self.levels.here.owner
        if relation is Relation.CALLS or (key != owner and not owner.startswith(f"{key}::")):
            self.notes.say(owner, relation, key, node)


def _value(held: Held) -> Meaning:
    return Meaning(held.key, is_value=True) if held.key and not held.is_wrapped else UNKNOWN
