"""What the Python files of several projects define, import, inherit and call, read directly with Python's own `ast`.

Independent of the program: nothing of it is imported here. Used by `projects.py` to check what the graph says. Only
what the code shows without running it is resolved: module-level names through scopes and imports (relative ones,
re-exports and stars too), `self.method` within a class and its bases, `Class.method`, `module.function`. Where a name
is bound in two ways, it stays unresolved. Decorators, defaults and bases count as said by their definition.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Symbol = tuple[str, str]  # project and dotted name; no project for what none of them defines
Site = tuple[str, str, int]  # project, path, line
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
VARIABLE = "variable"
MOST_STEPS = 40  # names passed on from module to module


@dataclass
class Scope:
    """Names bound in a module, class or function: to a definition, an import (`=` and a dotted name), or a variable."""

    name: str
    kind: str
    around: Scope | None = None
    bound: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    stars: list[str] = field(default_factory=list)
    inside: dict[int, Scope] = field(default_factory=dict)  # definitions by line
    bases: list[ast.expr] = field(default_factory=list)
    own_first: str = ""  # the name of the first parameter of a method
    attributes: set[str] = field(default_factory=set)  # of a class: what its methods assign to


@dataclass
class Module:
    """One file."""

    project: str
    name: str
    path: str
    file: Path
    is_package: bool
    scope: Scope


@dataclass
class Truth:
    """All relations as sets; the unresolved ones by place and last name."""

    defined: set[Symbol] = field(default_factory=set)
    kinds: dict[Symbol, str] = field(default_factory=dict)
    modules: set[Symbol] = field(default_factory=set)
    imports: set[tuple[Symbol, Symbol]] = field(default_factory=set)
    maybe_imports: set[tuple[Symbol, Symbol]] = field(default_factory=set)  # a name from a package that was not read
    inherits: set[tuple[Symbol, Symbol]] = field(default_factory=set)
    calls: set[tuple[Symbol, Symbol]] = field(default_factory=set)
    unresolved: set[tuple[Site, str]] = field(default_factory=set)
    files: int = 0


def read_truth(folders: dict[str, Path]) -> Truth:
    """Read all projects, each a folder that is an import root."""
    world = World()
    for project, folder in sorted(folders.items()):
        for path in sorted(folder.rglob("*.py")):
            world.add(project, folder, path)
    return world.read()


def parse(path: Path) -> ast.Module | None:
    """The tree of a file; None if it is not valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return None


class World:
    """The modules of all projects, and what names in them mean."""

    def __init__(self) -> None:
        self.modules: dict[str, dict[str, Module]] = defaultdict(dict)
        self.truth = Truth()
        self._classes: dict[Symbol, tuple[Module, Scope]] = {}
        self._lines: dict[Symbol, list[Symbol]] = {}
        self._resolved: dict[Symbol, Symbol | None] = {}

    def add(self, project: str, folder: Path, path: Path) -> None:
        relative = path.relative_to(folder)
        if not all(part.isidentifier() for part in relative.with_suffix("").parts):
            return
        tree = parse(path)
        if tree is None:
            return
        parts = relative.with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        if not name:
            return
        scope = Scope(name, "module")
        module = Module(project, name, relative.as_posix(), path, is_package, scope)
        _bind(tree.body, scope, module)
        self.modules[project][name] = module
        self.truth.files += 1
        self.truth.modules.add((project, name))
        self._enter(module, scope)

    def _enter(self, module: Module, scope: Scope) -> None:
        for inner in scope.inside.values():
            symbol = (module.project, inner.name)
            self.truth.defined.add(symbol)
            self.truth.kinds[symbol] = inner.kind
            if inner.kind == "class":
                self._classes.setdefault(symbol, (module, inner))
            self._enter(module, inner)

    def read(self) -> Truth:
        for modules in self.modules.values():
            for module in modules.values():
                tree = parse(module.file)  # once more: all trees at once would take gigabytes
                if tree is None:
                    continue
                for target, is_module in _imported(module, tree):
                    self._import(module, target, is_module)
                _Uses(self, module).visit_scope(tree, module.scope)
        return self.truth

    def _import(self, module: Module, target: str, is_module: bool) -> None:
        owner = self.owner_of_module(module.project, target)
        symbol = (owner, target)
        if symbol == (module.project, module.name) or target.partition(".")[0] == "__future__":
            return
        pairs = self.truth.imports if is_module or owner else self.truth.maybe_imports
        pairs.add(((module.project, module.name), symbol))

    def owner_of_module(self, project: str, name: str) -> str:
        return next((each for each in self.owners(project, name) if name in self.modules[each]), "")

    def owners(self, project: str, name: str) -> list[str]:
        """The project itself, then the one called like the name's top, then the others."""
        top = name.partition(".")[0]
        others = [each for each in self.modules if each != project and top in self.modules[each]]
        return [project, *sorted(others, key=lambda each: (each.replace("-", "_") != top, each))]

    # --- what names mean ---------------------------------------------------------------------------

    def resolve(self, project: str, dotted: str, seen: set[Symbol] | None = None) -> Symbol | None:
        """The definition or module of a dotted name; unowned if its top is nowhere here; None if it cannot be told."""
        if seen is None:
            if (project, dotted) not in self._resolved:
                self._resolved[project, dotted] = self.resolve(project, dotted, set())
            return self._resolved[project, dotted]
        if (project, dotted) in seen or len(seen) > MOST_STEPS:
            return None
        seen.add((project, dotted))
        parts = dotted.split(".")
        known = False
        for owner in self.owners(project, dotted):
            module = self.modules[owner].get(parts[0])
            if module is None:
                continue
            known = True
            found = self._below(module, parts[1:], seen)
            if found is not None:
                return found
        return None if known else ("", dotted)

    def _below(self, module: Module, rest: list[str], seen: set[Symbol]) -> Symbol | None:
        if not rest:
            return module.project, module.name
        name, submodule = rest[0], f"{module.name}.{rest[0]}"
        deeper = self.modules[module.project].get(submodule)
        bound = module.scope.bound.get(name, set())
        if deeper and bound <= {f"={submodule}"}:
            return self._below(deeper, rest[1:], seen)
        if len(bound) == 1:
            return self._bound(module, next(iter(bound)), rest, seen)
        if not bound:
            for star in module.scope.stars:
                found = self.resolve(module.project, f"{star}.{'.'.join(rest)}", seen)
                if found and found[0]:
                    return found
        return None

    def _bound(self, module: Module, to: str, rest: list[str], seen: set[Symbol]) -> Symbol | None:
        if to.startswith("="):
            return self.resolve(module.project, ".".join([to[1:], *rest[1:]]), seen)
        symbol = (module.project, f"{module.name}.{rest[0]}")
        if to == VARIABLE:
            return None
        return symbol if len(rest) == 1 else self.member(symbol, rest[1:])

    def member(self, symbol: Symbol, rest: list[str]) -> Symbol | None:
        """What a class has under these names, itself or from its bases."""
        if symbol not in self._classes:
            return None
        for base in self.line(symbol):
            if base not in self._classes:
                return None  # a base that was not read may have it
            bound = self._classes[base][1].bound.get(rest[0])
            if bound:
                found = (base[0], f"{base[1]}.{rest[0]}")
                if len(bound) > 1 or VARIABLE in bound or found not in self.truth.defined:
                    return None
                return found if len(rest) == 1 else self.member(found, rest[1:])
        return None

    def assigned(self, symbol: Symbol, name: str) -> bool:
        """Whether methods of the class or its bases assign to `self.name`."""
        return any(name in self._classes[base][1].attributes for base in self.line(symbol) if base in self._classes)

    def line(self, symbol: Symbol) -> list[Symbol]:
        """A class and its bases as Python orders them; a base that cannot be told stands as itself, unowned."""
        if symbol in self._lines or symbol not in self._classes:
            return self._lines.get(symbol, [symbol])
        self._lines[symbol] = [symbol]
        module, scope = self._classes[symbol]
        bases = [self.name_of(module, scope.around, base) or ("", ast.unparse(base)) for base in scope.bases]
        left = [list(self.line(base)) for base in bases] + [bases]
        ordered = [symbol]
        while left := [line for line in left if line]:
            free = [line[0] for line in left if not any(line[0] in other[1:] for other in left)]
            chosen = free[0] if free else left[0][0]
            ordered.append(chosen)
            left = [[each for each in line if each != chosen] for line in left]
        self._lines[symbol] = ordered
        return ordered

    def name_of(self, module: Module, scope: Scope | None, node: ast.expr) -> Symbol | None:
        """What a name or a chain of attributes means in a scope."""
        rest: list[str] = []
        if isinstance(node, ast.Subscript):
            node = node.value
        while isinstance(node, ast.Attribute):
            rest.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return self._named(module, scope, node.id, rest)

    def _named(self, module: Module, scope: Scope | None, name: str, rest: list[str]) -> Symbol | None:
        first = scope
        while scope is not None:
            visible = scope.kind != "class" or scope is first
            if visible and scope.own_first == name and len(rest) == 1 and scope.bound[name] == {VARIABLE}:
                return self._of_self(module, scope, rest[0])
            if visible and name in scope.bound and scope.kind != "module":
                bound = scope.bound[name]
                if len(bound) != 1 or VARIABLE in bound:
                    return None
                to = next(iter(bound))
                if to.startswith("="):
                    return self.resolve(module.project, ".".join([to[1:], *rest]))
                symbol = (module.project, f"{scope.name}.{name}")
                return symbol if not rest else self.member(symbol, rest)
            scope = scope.around
        if name not in module.scope.bound and not module.scope.stars:
            return None  # a builtin
        return self._below(module, [name, *rest], set())

    def _of_self(self, module: Module, scope: Scope, attribute: str) -> Symbol | None:
        owner = (module.project, scope.around.name) if scope.around else ("", "")
        return None if self.assigned(owner, attribute) else self.member(owner, [attribute])


class _Uses:
    """Walks a module once for what is called and inherited."""

    def __init__(self, world: World, module: Module) -> None:
        self.world, self.module, self.truth = world, module, world.truth

    def visit_scope(self, node: ast.AST, scope: Scope) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child, scope, scope.name)

    def _visit(self, node: ast.AST, scope: Scope, user: str) -> None:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            self._definition(node, scope)
            return
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            scope = _small_scope(node, scope)
        if isinstance(node, ast.Call):
            self._call(node, scope, user)
        for child in ast.iter_child_nodes(node):
            self._visit(child, scope, user)

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: Scope) -> None:
        inner = scope.inside.get(node.lineno)
        if inner is None:
            return
        header = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            header += [*node.bases, *(keyword.value for keyword in node.keywords)]
            for base in node.bases:
                self._base(base, scope, inner)
        else:
            header += [each for each in (*node.args.defaults, *node.args.kw_defaults, node.returns) if each]
            header += [each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg) and each.annotation]
        for each in header:
            self._visit(each, scope, inner.name)
        for each in node.body:
            self._visit(each, inner, inner.name)

    def _base(self, base: ast.expr, scope: Scope, inner: Scope) -> None:
        found = self.world.name_of(self.module, scope, base)
        if found:
            self.truth.inherits.add(((self.module.project, inner.name), found))
        else:
            self._unresolved(base, base.lineno)

    def _call(self, node: ast.Call, scope: Scope, user: str) -> None:
        found = self.world.name_of(self.module, scope, node.func)
        if found:
            self.truth.calls.add(((self.module.project, user), found))
        else:
            self._unresolved(node.func, node.lineno)

    def _unresolved(self, node: ast.expr, line: int) -> None:
        if isinstance(node, ast.Subscript):
            node = node.value
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        for each in range(line, (node.end_lineno or line) + 1):
            self.truth.unresolved.add(((self.module.project, self.module.path, each), name))


# --- binding ---------------------------------------------------------------------------------------


def _bind(body: list[ast.stmt], scope: Scope, module: Module) -> None:
    outer: set[str] = set()
    for node in _of_this_scope(body):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            _bind_definition(node, scope, module)
        elif isinstance(node, ast.Import):
            for each in node.names:
                top = each.name.partition(".")[0]
                scope.bound[each.asname or top].add(f"={each.name if each.asname else top}")
        elif isinstance(node, ast.ImportFrom):
            origin = _absolute(module, node)
            for each in node.names:
                if each.name == "*":
                    scope.stars.append(origin)
                else:
                    scope.bound[each.asname or each.name].add(f"={origin}.{each.name}")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            scope.bound[node.id].add(VARIABLE)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            scope.bound[node.name].add(VARIABLE)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
    for name in outer:
        scope.bound.pop(name, None)


def _bind_definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, scope: Scope, module: Module) -> None:
    is_class = isinstance(node, ast.ClassDef)
    inner = Scope(f"{scope.name}.{node.name}", "class" if is_class else "function", scope)
    scope.bound[node.name].add("definition")
    scope.inside[node.lineno] = inner
    if isinstance(node, ast.ClassDef):
        inner.bases = list(node.bases)
    else:
        _bind_parameters(node, inner)
        static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
        first = (*node.args.posonlyargs, *node.args.args)[:1]
        if scope.kind == "class" and first and not static:
            inner.own_first = first[0].arg
            scope.attributes |= _assigned_attributes(node, inner.own_first)
    _bind(node.body, inner, module)


def _assigned_attributes(node: ast.AST, own: str) -> set[str]:
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name) and each.value.id == own
    }  # fmt: skip


def _bind_parameters(node: ast.AST, scope: Scope) -> None:
    arguments = getattr(node, "args", None)
    if isinstance(arguments, ast.arguments):
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
            if each:
                scope.bound[each.arg].add(VARIABLE)


def _small_scope(node: ast.AST, around: Scope) -> Scope:
    """Of a lambda or a comprehension: it has names of its own, and is said by what is around it."""
    scope = Scope(around.name, "small", around)
    _bind_parameters(node, scope)
    for each in getattr(node, "generators", []):
        for name in ast.walk(each.target):
            if isinstance(name, ast.Name):
                scope.bound[name.id].add(VARIABLE)
    return scope


def _of_this_scope(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All nodes of a body, without what is inside its definitions, lambdas and comprehensions."""
    ahead: list[ast.AST] = list(reversed(body))
    while ahead:
        node = ahead.pop()
        yield node
        if not isinstance(node, (*SCOPES, *COMPREHENSIONS)):
            ahead.extend(reversed(list(ast.iter_child_nodes(node))))


def _imported(module: Module, tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """What a file imports, and whether it surely is a module; a name from a package may be one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((each.name, True) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _absolute(module, node)
            yield origin, True
            yield from ((f"{origin}.{each.name}", False) for each in node.names if each.name != "*")


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    kept = len(parts) - node.level + (1 if module.is_package else 0)
    return ".".join([*parts[: max(kept, 0)], *([node.module] if node.module else [])])
