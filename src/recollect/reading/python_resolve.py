"""What the names in a Python module mean, as keys: by scope, by import, and by class where the code says it plainly.

A name is followed through its scopes as Python does. An attribute is followed only below a module, a class, `self` and
names that are of one class for all that can be seen: assigned from it once, or annotated. All else stays unresolved:
no key rather than a wrong one.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from recollect.reading.python_names import KEY, SUPER, As, Chain, Ref, Scope, Sort, Typed, chain_of, split
from recollect.reading.python_scopes import Walk

BUILTINS = frozenset(dir(builtins))
WRAPPERS = frozenset({"Optional", "Annotated", "ClassVar", "Final"})  # say nothing of the class within
MOST_STEPS = 12  # from name to name, on the way to a class
NOT_CLASSES = ("py:typing.", "py:typing_extensions.", "py:collections.abc.")


class Meaning:
    """The meanings of the names in one module, worked out on demand and remembered."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._types: dict[tuple[int, str], str | None] = {}
        self._steps = 0
        self._bases: dict[str, list[str]] = {}

    def of(self, scope: Scope, ref: Ref) -> str | None:
        """The key a reference means; none where the code does not show it, or for a builtin."""
        how, name, attributes, _ = ref
        if not attributes and scope.bound.get(name, KEY) is None:
            return None  # a local: most names are
        home = _home(scope, name, self._walk.top)
        if home is None:
            return self._from_super(scope, attributes) if name == SUPER else self._undefined(ref)
        key = home.bound[name]
        is_variable = key is not None and home is self._walk.top and name in self._walk.variables
        if key is None or is_variable:
            if not attributes:
                return key
            of_class = self.class_of_name(home, name)
            if of_class is not None:
                return self._member(of_class, attributes, how)
            return key if how is As.USED else None
        return self._below(key, attributes, how)

    def class_of_name(self, home: Scope, name: str) -> str | None:
        """The class a name of this scope is an instance of."""
        return self._agreed(id(home), name, home.types.get(name, ()))

    def bases(self, key: str) -> list[str]:
        """The keys of the bases of a class of this module, those that are known."""
        return self._bases.get(key, [])

    def note_base(self, key: str, base: str) -> None:
        self._bases.setdefault(key, []).append(base)

    # --- names

    def _undefined(self, ref: Ref) -> str | None:
        """A name nobody binds: a builtin, or from the one module all names were imported of; of several, one knows."""
        how, name, attributes, _ = ref
        stars = self._walk.stars
        if not stars or name in BUILTINS:
            return None
        head = stars[0] if len(stars) == 1 else self._walk.top.key
        return _outside(f"{head}.{name}", attributes, how)

    def _below(self, key: str, attributes: tuple[str, ...], how: As) -> str | None:
        """What a chain means that starts at a definition or an import."""
        if key in self._walk.classes:
            return self._member(key, attributes, how) if attributes else key
        if attributes and key in self._walk.functions:
            return None
        return _outside(key, attributes, how)

    def _member(self, key: str, attributes: tuple[str, ...], how: As) -> str | None:
        """What an attribute of a class or its instances means; `how` it is referred to tells whether to dare."""
        cls = self._walk.classes.get(key)
        name, *rest = attributes
        if cls is None:
            if rest:
                return None
            return f"{key}.{name}" if how is not As.USED else key
        if rest:
            of_class = self._agreed(id(cls), name, cls.attributes.get(name, ()))
            if of_class is not None:
                return self._member(of_class, tuple(rest), how)
            inner = f"{key}.{name}"
            return self._member(inner, tuple(rest), how) if inner in self._walk.classes else None
        if name in cls.methods or f"{key}.{name}" in self._walk.classes:
            return f"{key}.{name}"
        if how is As.USED:
            return None
        return f"{key}.{name}" if name not in cls.attributes and self.bases(key) else None

    def _from_super(self, scope: Scope, attributes: tuple[str, ...]) -> str | None:
        around: Scope | None = scope
        classes = self._walk.classes
        while around is not None and (around.sort is not Sort.FUNCTION or _parent(around.key) not in classes):
            around = around.around
        if around is None or len(attributes) != 1:
            return None
        bases = self.bases(_parent(around.key))
        return f"{bases[0]}.{attributes[0]}" if bases else None

    # --- classes of values

    def _agreed(self, owner: int, name: str, reasons: Sequence[Typed]) -> str | None:
        """The class all reasons name."""
        place = (owner, name)
        if place not in self._types:
            self._types[place] = None  # what leads back to itself leads nowhere
            if self._steps < MOST_STEPS:
                self._steps += 1
                found = {self._class_of(reason) for reason in reasons}
                self._steps -= 1
                self._types[place] = found.pop() if len(found) == 1 else None
        return self._types[place]

    def _class_of(self, reason: Typed) -> str | None:
        if reason.instance:
            return reason.instance
        if reason.annotation is not None:
            return self._annotated(reason.scope, reason.annotation)
        return None if reason.value is None else self._made_by(reason.scope, reason.value)

    def _made_by(self, scope: Scope, value: Any) -> str | None:
        """The class of a value: of a constructor's call, of a name that is of one, of `a or Class()`."""
        either = [value]
        if isinstance(value, ast.BoolOp | ast.IfExp):
            either = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        found = {self._made_plainly(scope, each) for each in either if each.__class__ is not ast.Constant}
        return found.pop() if len(found) == 1 else None

    def _made_plainly(self, scope: Scope, value: Any) -> str | None:
        if value.__class__ is ast.Call:
            chain = chain_of(value.func)
            return None if chain is None else self._as_class(scope, chain)
        home = _home(scope, value.id, self._walk.top) if value.__class__ is ast.Name else None
        return None if home is None or home.bound[value.id] else self.class_of_name(home, value.id)

    def _annotated(self, scope: Scope, node: Any) -> str | None:
        """The class an annotation names: `Class`, `"Class"`, `Class | None`, `Optional[Class]`."""
        if node.__class__ is ast.Constant and node.value.__class__ is str:
            text = node.value.removesuffix(" | None").strip()
            return self._as_class(scope, split(text)) if text.replace(".", "_").isidentifier() else None
        if node.__class__ is ast.BinOp:
            sides = [each for each in (node.left, node.right) if each.__class__ is not ast.Constant or each.value]
            is_one = len(sides) == 1 and sides[0].__class__ is not ast.BinOp
            return self._annotated(scope, sides[0]) if is_one else None
        if node.__class__ is ast.Subscript:
            chain = chain_of(node.value)
            if chain is None or (chain[0], *chain[1])[-1] not in WRAPPERS:
                return None
            inner = node.slice.elts[0] if node.slice.__class__ is ast.Tuple and node.slice.elts else node.slice
            return self._annotated(scope, inner)
        chain = chain_of(node)
        return None if chain is None else self._as_class(scope, chain)

    def _as_class(self, scope: Scope, chain: Chain) -> str | None:
        """The key of a class; elsewhere defined ones are known by their capital."""
        key = self.of(scope, (As.BASE, *chain, 0))
        if key is None or key in self._walk.classes:
            return key
        parent, _, name = key.rpartition(".")
        own = key in self._walk.functions or (parent == self._walk.top.key and name in self._walk.variables)
        return key if name[:1].isupper() and not own and not key.startswith(NOT_CLASSES) else None


def _parent(key: str) -> str:
    return key.rpartition(".")[0]


def _home(scope: Scope, name: str, top: Scope) -> Scope | None:
    """The scope that binds a name, seen from this one."""
    around: Scope | None = scope
    while around is not None:
        if name in around.globals:
            return top if name in top.bound else None
        if name in around.bound:
            return around
        around = around.around
    return None


def _outside(key: str, attributes: tuple[str, ...], how: As) -> str | None:
    """The key of something below an import: an attribute of a module; of a class, a method that is called."""
    if not attributes:
        return key
    parts = [*key.removeprefix(KEY).split("."), *attributes]
    first = len(parts) - len(attributes)
    for at in range(first - 1, len(parts)):
        if parts[at][:1].isupper() and not parts[at].isupper():  # a class
            rest = len(parts) - at - 1
            if how is As.USED:
                parts = parts[: at + 1]
            elif rest > 1:
                return None
            break
    return KEY + ".".join(parts)
