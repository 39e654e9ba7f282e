"""The words for names in Python code: scopes, references, and the reasons for a name to be of some class."""

from __future__ import annotations

import ast
import re
from enum import Enum
from typing import Any, NamedTuple

KEY = "py:"
SUPER = "super()"  # the head of a chain that starts at the next class
WORD = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
Chain = tuple[str, tuple[str, ...]]  # a name, and the attributes read from it


class Sort(Enum):
    """What a scope is: only functions close over the names around them, and only classes hide theirs from within."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    HEADER = "header"  # decorators, annotations and defaults: said by the definition, looked up around it
    INNER = "inner"  # a lambda or a comprehension


class As(Enum):
    """How a name is referred to."""

    CALLED = "called"
    USED = "used"
    BASE = "base"


# A reference: how, the name, the attributes read from it, the line. Plain, since a file has hundreds of them.
Ref = tuple[As, str, tuple[str, ...], int]


class Typed(NamedTuple):
    """Why a name may be an instance of a class: the expression assigned, the annotation, or the class itself."""

    scope: Scope
    value: ast.expr | None = None
    annotation: ast.expr | None = None
    instance: str = ""

    @property
    def is_constant(self) -> bool:
        return self.annotation is None and self.value.__class__ is ast.Constant


class Imported(NamedTuple):
    """One name an import statement brings: the module it names, and the name in it (empty for the module itself)."""

    module: str
    target: str
    line: int


class Scope:
    """What is bound in one scope. `bound` gives the key of what a name means, or None for what cannot be told.

    `types` holds the reasons for a name to be of some class; one that says nothing is a reason against. `around` is the
    scope names are looked up in next. A class also knows its methods, and such reasons for attributes of its instances.
    """

    __slots__ = (
        "around",
        "attributes",
        "bound",
        "globals",
        "inside",
        "key",
        "methods",
        "node",
        "refs",
        "sort",
        "types",
    )

    def __init__(self, sort: Sort, key: str, around: Scope | None, node: Any = None) -> None:
        self.sort = sort
        self.key = key
        self.around = around
        self.node = node
        self.bound: dict[str, str | None] = {}
        self.types: dict[str, list[Typed]] = {}
        self.refs: list[Ref] = []
        self.globals: set[str] = set()
        self.inside: list[Scope] = []  # definitions, in order
        self.methods: set[str] = set()
        self.attributes: dict[str, list[Typed]] = {}


def chain_of(node: Any) -> Chain | None:
    """A name and the attributes read from it, if the expression is just that.

    >>> chain_of(ast.parse("a.b.c", mode="eval").body), chain_of(ast.parse("super().run", mode="eval").body)
    (('a', ('b', 'c')), ('super()', ('run',)))
    """
    if node.__class__ is ast.Name:
        return node.id, ()
    attributes: list[str] = []
    while node.__class__ is ast.Attribute:
        attributes.append(node.attr)
        node = node.value
    if node.__class__ is ast.Name:
        return node.id, tuple(attributes[::-1])
    if attributes and node.__class__ is ast.Call and node.func.__class__ is ast.Name and node.func.id == "super":
        return SUPER, tuple(attributes[::-1])
    return None


def annotated(node: Any) -> list[tuple[Chain, int]]:
    """The names in an annotation, also those in quotes, with their lines.

    >>> [name for name, _ in annotated(ast.parse("dict[str, 'a.B'] | Literal['C']", mode="eval").body)]
    [('dict', ()), ('str', ()), ('a', ('B',)), ('Literal', ())]
    """
    if node.__class__ is ast.Name:
        return [((node.id, ()), node.lineno)]
    found: list[tuple[Chain, int]] = []
    stack = [node]
    while stack:
        node = stack.pop()
        chain = chain_of(node)
        if chain is not None:
            found.append((chain, node.lineno))
            if node.__class__ is ast.Attribute or node.__class__ is ast.Name:
                continue
        if node.__class__ is ast.Constant:
            if node.value.__class__ is str:
                found += [(split(word), node.lineno) for word in WORD.findall(node.value)]
        elif node.__class__ is ast.Subscript and (chain_of(node.value) or ("", ()))[0] == "Literal":
            stack.append(node.value)
        else:
            stack += list(ast.iter_child_nodes(node))[::-1]
    return found


def split(dotted: str) -> Chain:
    """A dotted name as a chain."""
    name, *attributes = dotted.split(".")
    return name, tuple(attributes)
