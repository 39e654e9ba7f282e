"""One walk over the syntax tree of a Python module: its scopes, what each binds, and which names each refers to.

Nothing is resolved here, since a name may be bound after it is used. Every node is visited once, in the order of the
text, from a stack rather than by recursion: a tree may be deeper than Python's own stack.
"""

from __future__ import annotations

import ast
from ast import Attribute, Call, Constant, Load, Name
from collections import deque
from collections.abc import Callable
from types import NoneType
from typing import Any

from recollect.reading.python_modules import Module, absolute, member, relative
from recollect.reading.python_names import KEY, As, Chain, Imported, Scope, Sort, Typed, annotated, chain_of

USED, CALLED = As.USED, As.CALLED  # looked up once: the walk below is what reading Python costs, beside parsing
CLASS_METHODS = frozenset({"classmethod", "__new__", "__init_subclass__", "__class_getitem__"})


class Walk:
    """The scopes of a module after its walk, in the order they were met, and what it imports and assigns."""

    def __init__(self, module: Module, tree: ast.Module) -> None:
        self.module = module
        self.top = Scope(Sort.MODULE, KEY + module.name, None, tree)
        self.scopes: list[Scope] = [self.top]
        self.classes: dict[str, Scope] = {}
        self.functions: set[str] = set()
        self.imported: list[Imported] = []
        self.aliases: dict[str, str] = {}  # of names the module imports at its top
        self.stars: list[str] = []
        self.variables: dict[str, ast.stmt] = {}  # at the top, and where first assigned
        self._waiting: deque[tuple[Scope, list[Any]]] = deque([(self.top, tree.body)])
        while self._waiting:
            self._walk(*self._waiting.popleft())

    def _walk(self, scope: Scope, body: list[Any]) -> None:
        stack: list[Any] = body[::-1]
        note = scope.refs.append
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is Name:
                if node.ctx.__class__ is Load:
                    note((USED, node.id, (), node.lineno))
                else:
                    self._bind(scope, node.id)
            elif kind is Call:
                chain = chain_of(node.func)
                if chain is None:
                    stack.append(node.func)
                else:
                    note((CALLED, *chain, node.lineno))
                if node.keywords:
                    stack += [each.value for each in node.keywords[::-1]]
                stack += node.args[::-1]
            elif kind is Attribute:
                chain = chain_of(node)
                if chain is None:
                    stack.append(node.value)
                elif node.ctx.__class__ is Load:
                    note((USED, *chain, node.lineno))
                else:
                    self._store(scope, chain, Typed(scope))
            elif kind is not Constant:
                special = SPECIAL.get(kind)
                if special is not None:
                    special(self, scope, node, stack)
                else:
                    _push(node, stack)

    def let_go(self) -> None:
        """Undoes the circles among scopes, so that all of the tree is freed at once and not by a collection."""
        for scope in self.scopes:
            scope.inside.clear()
            scope.types.clear()
            scope.attributes.clear()

    # --- binding

    def _bind(self, scope: Scope, name: str) -> None:
        """The name is bound to something unknown. At the top of a module it stays what it was."""
        home = self.top if name in scope.globals else scope
        if home.sort is not Sort.MODULE:
            home.bound[name] = None
        else:
            home.bound.setdefault(name, None)
        home.types.setdefault(name, []).append(Typed(scope))

    def _assign(self, scope: Scope, name: str, typed: Typed, node: ast.stmt) -> None:
        """The name is assigned by a statement of its own; constants say nothing of its type."""
        home = self.top if name in scope.globals else scope
        known = home.bound.get(name)
        if home.sort is Sort.FUNCTION or home.sort is Sort.INNER:
            if not typed.is_constant or known is None:
                home.bound[name] = None
        elif home is not self.top:
            home.bound.setdefault(name, None)
        elif known is None:
            home.bound[name] = f"{home.key}.{name}"
            self.variables[name] = node
        reasons = home.attributes if home.sort is Sort.CLASS else home.types
        reasons.setdefault(name, [])
        if not typed.is_constant:
            reasons[name].append(typed)

    def _store(self, scope: Scope, chain: Chain, typed: Typed) -> None:
        """`self.x = value`: an attribute of the instances of the class around."""
        name, attributes = chain
        if len(attributes) == 1 and (owner := self._instance(scope, name)) is not None:
            reasons = owner.attributes.setdefault(attributes[0], [])
            if not typed.is_constant:
                reasons.append(typed)

    def _instance(self, scope: Scope, name: str) -> Scope | None:
        """The class whose instance, or which itself, a name is by being the first parameter of a method."""
        around: Scope | None = scope
        while around is not None and name not in around.bound:
            around = around.around
        if around is None or around.sort is not Sort.FUNCTION:
            return None
        reasons = around.types.get(name)
        key = around.bound[name] or (reasons[0].instance if reasons else "")
        return self.classes.get(key)

    def _bring(self, scope: Scope, name: str, target: str) -> None:
        """An import binds the name. The first import wins; a name the module also defines stays its own."""
        if scope.sort is not Sort.MODULE:
            if scope.bound.get(name, target) is not None:
                scope.bound.setdefault(name, target)
            return
        known = scope.bound.get(name)
        if known is None or (name in self.variables and not scope.types.get(name)):
            scope.bound[name] = target
            self.variables.pop(name, None)
            if target != f"{scope.key}.{name}":
                self.aliases[name] = target

    # --- statements and expressions that bind or open a scope

    def _define(self, scope: Scope, node: Any, sort: Sort) -> Scope:
        """A definition: its name bound, a scope for its header and one for its body."""
        key = f"{scope.key}.{node.name}"
        if scope.sort is Sort.FUNCTION and scope.bound.get(node.name, key) != key:
            scope.bound[node.name] = None
        else:
            scope.bound[node.name] = key
            self.aliases.pop(node.name, None)
        inner = Scope(sort, key, scope.around if scope.sort is Sort.CLASS else scope, node)
        scope.inside.append(inner)
        return inner

    def _open(self, scope: Scope, body: list[Any]) -> None:
        self.scopes.append(scope)
        self._waiting.append((scope, body))

    def function(self, scope: Scope, node: Any, stack: list[Any]) -> None:
        inner = self._define(scope, node, Sort.FUNCTION)
        self.functions.add(inner.key)
        header = Scope(Sort.HEADER, inner.key, scope)
        for each in node.decorator_list:
            self._decorator(header, each)
        self._parameters(header, inner, node.args)
        if node.returns is not None:
            self._annotation(header, node.returns)
        for each in getattr(node, "type_params", ()):
            header.bound[each.name] = inner.bound[each.name] = None
        self._open(header, [each for each in (*node.args.defaults, *node.args.kw_defaults) if each is not None])
        if scope.sort is Sort.CLASS:
            scope.methods.add(node.name)
            self._first_parameter(scope, inner, node)
        self._open(inner, node.body)

    def _parameters(self, header: Scope, inner: Scope, arguments: ast.arguments) -> None:
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            inner.bound[each.arg] = None
            inner.types[each.arg] = [Typed(header, annotation=each.annotation)]
            if each.annotation is not None:
                self._annotation(header, each.annotation)
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                self._bind(inner, rest.arg)
                if rest.annotation is not None:
                    self._annotation(header, rest.annotation)

    def _first_parameter(self, scope: Scope, inner: Scope, node: Any) -> None:
        first = [*node.args.posonlyargs, *node.args.args][:1]
        marks = {each.id for each in node.decorator_list if each.__class__ is ast.Name}
        if not first or "staticmethod" in marks:
            return
        if CLASS_METHODS & {node.name, *marks}:
            inner.bound[first[0].arg] = scope.key
        inner.types[first[0].arg] = [Typed(inner, instance=scope.key)]

    def _decorator(self, header: Scope, node: Any) -> None:
        """What decorates is used, also where the decorator is made by a call."""
        called = node.func if node.__class__ is ast.Call else node
        chain = chain_of(called)
        if chain is None:
            self._waiting.append((header, [node]))
            return
        header.refs.append((USED, *chain, node.lineno))
        if called is not node:
            self._waiting.append((header, [*node.args, *(each.value for each in node.keywords)]))

    def _annotation(self, scope: Scope, node: Any) -> None:
        """Names in an annotation are used."""
        scope.refs += [(USED, name, attributes, line) for (name, attributes), line in annotated(node)]

    def class_(self, scope: Scope, node: ast.ClassDef, stack: list[Any]) -> None:
        inner = self._define(scope, node, Sort.CLASS)
        self.classes.setdefault(inner.key, inner)
        header = Scope(Sort.HEADER, inner.key, scope)
        rest: list[Any] = [each.value for each in node.keywords]
        base: Any
        for base in node.bases:
            name = base.value if base.__class__ is ast.Subscript else base
            chain = chain_of(name)
            if chain is None:
                rest.append(base)
                continue
            header.refs.append((As.BASE, *chain, base.lineno))
            if name is not base:
                rest.append(base.slice)
        for each in node.decorator_list:
            self._decorator(header, each)
        for each in getattr(node, "type_params", ()):
            header.bound[each.name] = inner.bound[each.name] = None
        self._open(header, rest)
        self._open(inner, node.body)

    def assignment(self, scope: Scope, node: ast.Assign, stack: list[Any]) -> None:
        stack.append(node.value)
        for target in node.targets:
            if target.__class__ is ast.Name:
                self._assign(scope, target.id, Typed(scope, value=node.value), node)
            elif target.__class__ is ast.Attribute and (chain := chain_of(target)) is not None:
                self._store(scope, chain, Typed(scope, value=node.value))
            else:
                stack.append(target)

    def annotated_assignment(self, scope: Scope, node: ast.AnnAssign, stack: list[Any]) -> None:
        self._annotation(scope, node.annotation)
        if node.value is not None:
            stack.append(node.value)
        if node.target.__class__ is ast.Name:
            self._assign(scope, node.target.id, Typed(scope, annotation=node.annotation), node)
        elif (chain := chain_of(node.target)) is not None:
            self._store(scope, chain, Typed(scope, annotation=node.annotation))

    def import_(self, scope: Scope, node: ast.Import, stack: list[Any]) -> None:
        for each in node.names:
            name = absolute(self.module, each.name)
            self.imported.append(Imported(name, "", node.lineno))
            if each.asname:
                self._bring(scope, each.asname, KEY + name)
                continue
            first = each.name.partition(".")[0]
            self._bring(scope, first, KEY + name.removesuffix(each.name[len(first) :]))

    def import_from(self, scope: Scope, node: ast.ImportFrom, stack: list[Any]) -> None:
        if node.module == "__future__":
            return
        named = node.module or ""
        base = relative(self.module, node.level, named) if node.level else absolute(self.module, named)
        for each in node.names:
            if each.name == "*":
                self.imported.append(Imported(base, "", node.lineno))
                self.stars.append(KEY + base)
                continue
            target = f"{base}.{each.name}" if node.level else member(self.module, named, each.name)
            target = target.removeprefix(".")
            self.imported.append(Imported(base, target, node.lineno))
            self._bring(scope, each.asname or each.name, KEY + target)

    def declaration(self, scope: Scope, node: Any, stack: list[Any]) -> None:
        """`global`: the names are the module's. `nonlocal` needs nothing but that they are not bound here."""
        if node.__class__ is ast.Global:
            scope.globals.update(node.names)

    def lambda_(self, scope: Scope, node: ast.Lambda, stack: list[Any]) -> None:
        inner = self._inner(scope, [node.body])
        arguments = node.args
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if each is not None:
                inner.bound[each.arg] = None
        stack += [each for each in (*arguments.kw_defaults, *arguments.defaults) if each is not None]

    def comprehension(self, scope: Scope, node: Any, stack: list[Any]) -> None:
        produced = [node.key, node.value] if node.__class__ is ast.DictComp else [node.elt]
        self._inner(scope, [*node.generators, *produced])

    def _inner(self, scope: Scope, body: list[Any]) -> Scope:
        inner = Scope(Sort.INNER, scope.key, scope.around if scope.sort is Sort.CLASS else scope)
        self._open(inner, body)
        return inner

    def named(self, scope: Scope, node: Any, stack: list[Any]) -> None:
        """`except E as name`, and what a `match` captures: names that are plain text in the tree."""
        name = node.rest if node.__class__ is ast.MatchMapping else node.name
        if name:
            self._bind(scope, name)
        _push(node, stack)

    def walrus(self, scope: Scope, node: ast.NamedExpr, stack: list[Any]) -> None:
        """Bound in the function around, also from within a comprehension."""
        home: Scope | None = scope
        while home is not None and home.sort is Sort.INNER:
            self._bind(home, node.target.id)
            home = home.around
        if home is not None:
            self._bind(home, node.target.id)
        stack.append(node.value)


def _push(node: Any, stack: list[Any]) -> None:
    for field in FIELDS[node.__class__]:
        value = getattr(node, field)
        if value.__class__ is list:
            stack += value[::-1]
        elif value is not None:
            stack.append(value)


# Fields that hold text, numbers or operators, not nodes.
NO_NODES = frozenset(
    "ctx id attr op ops kind type_comment name names arg module level rest simple is_async conversion type_ignores "
    "kwd_attrs str tag lineno".split()
)
# The fields of each sort of node that hold nodes, last first, as a stack wants them.
FIELDS: dict[type, tuple[str, ...]] = {
    kind: tuple(field for field in kind._fields[::-1] if field not in NO_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
} | {NoneType: (), ast.MatchSingleton: ()}
SPECIAL: dict[type, Callable[[Walk, Scope, Any, list[Any]], None]] = {
    ast.FunctionDef: Walk.function,
    ast.AsyncFunctionDef: Walk.function,
    ast.ClassDef: Walk.class_,
    ast.Assign: Walk.assignment,
    ast.AnnAssign: Walk.annotated_assignment,
    ast.Import: Walk.import_,
    ast.ImportFrom: Walk.import_from,
    ast.Global: Walk.declaration,
    ast.Nonlocal: Walk.declaration,
    ast.Lambda: Walk.lambda_,
    ast.ListComp: Walk.comprehension,
    ast.SetComp: Walk.comprehension,
    ast.DictComp: Walk.comprehension,
    ast.GeneratorExp: Walk.comprehension,
    ast.ExceptHandler: Walk.named,
    ast.MatchAs: Walk.named,
    ast.MatchStar: Walk.named,
    ast.MatchMapping: Walk.named,
    ast.NamedExpr: Walk.walrus,
}
