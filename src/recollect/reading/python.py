"""Python: the modules, classes, functions and variables of a file, what they import, inherit, call and use.

Takes bytes, gives a `CodeReading`. `python_parse` makes the tree, `python_scopes` walks it once, `python_resolve` says
what names mean, `python_frameworks` sees routes and tables; here it is put together. Keys are dotted and absolute.
Inherited methods, names passed on by other modules, and what a star brings are left to the graph, which sees all files.
"""

from __future__ import annotations

from typing import Any

from recollect.knowledge import Alias, Named, Relation, Said
from recollect.reading.outline import CodeReading, Layout, Piece, cut
from recollect.reading.python_frameworks import endpoints, tables
from recollect.reading.python_modules import module_of, spelled_by_folders
from recollect.reading.python_names import KEY, As, Scope, Sort
from recollect.reading.python_parse import parse, text_of
from recollect.reading.python_resolve import Meaning
from recollect.reading.python_scopes import Walk
from recollect.reading.python_text import Text, summary


def read_python(path: str, source: bytes, layout: Layout) -> CodeReading:
    """What a Python file gives; a file that is not valid gives what of it is."""
    text = text_of(source)
    module = module_of(path, layout)
    key = KEY + module.name
    tree, left_out = parse(text)
    notes = _notes(left_out)
    if tree is None:
        chunks = cut(text, (), heading=(module.name,), about=key, characters=layout.chunk_characters)
        return CodeReading(chunks, (_module(key, text, ""),), notes=notes)
    walk = Walk(module, tree)
    shown = Text(text)
    pieces = [_piece(each) for each in walk.top.inside]
    chunks = cut(text, pieces, heading=(module.name,), about=key, characters=layout.chunk_characters)
    entities, statements = _defined(walk, shown)
    meaning = Meaning(walk)
    statements += _imports(walk)
    statements += _inherited(walk, meaning)
    statements += _referred(walk, meaning)
    for named, said in (*endpoints(walk, meaning), *tables(walk, meaning, shown)):
        entities.append(named)
        statements += said
    statements.sort(key=lambda each: each.line)
    entities.insert(0, _module(key, text, summary(tree.body)))
    aliases = _aliases(path, walk, meaning)
    walk.let_go()
    return CodeReading(chunks, tuple(entities), tuple(statements), aliases, notes)


def _notes(left_out: tuple[int, ...]) -> tuple[str, ...]:
    if not left_out:
        return ()
    count = f"{len(left_out)} lines" if len(left_out) > 1 else "1 line"
    return (f"not valid Python at line {left_out[0]}: {count} left out of the graph",)


def _module(key: str, text: str, detail: str) -> Named:
    return Named(key, key.removeprefix(KEY).rpartition(".")[2], "module", 1, text.rstrip("\n").count("\n") + 1, detail)


def _defined(walk: Walk, shown: Text) -> tuple[list[Named], list[Said]]:
    """Every definition once, at the first place that makes it, and what it is inside of."""
    entities: dict[str, Named] = {}
    statements: list[Said] = []
    for scope in walk.scopes:
        relation = Relation.DEFINES if scope is walk.top else Relation.CONTAINS
        for inner in scope.inside:
            if inner.key not in entities:
                entities[inner.key] = _named(inner, scope, shown)
                statements.append(Said(scope.key, relation, inner.key, inner.node.lineno))
    for name, node in walk.variables.items():
        key = f"{walk.top.key}.{name}"
        if key not in entities:
            entities[key] = Named(key, name, "variable", node.lineno, node.end_lineno or node.lineno, shown.of(node))
            statements.append(Said(walk.top.key, Relation.DEFINES, key, node.lineno))
    return sorted(entities.values(), key=lambda each: each.line), statements


def _named(scope: Scope, around: Scope, shown: Text) -> Named:
    node = scope.node
    kind = "class" if scope.sort is Sort.CLASS else "method" if around.sort is Sort.CLASS else "function"
    detail = ": ".join(filter(None, (shown.signature(node), summary(node.body))))
    return Named(scope.key, node.name, kind, node.lineno, node.end_lineno, detail)


def _piece(scope: Scope) -> Piece:
    node: Any = scope.node
    start = node.decorator_list[0].lineno if node.decorator_list else node.lineno
    members = tuple(_piece(each) for each in scope.inside) if scope.sort is Sort.CLASS else ()
    return Piece(node.name, scope.key, start, node.end_lineno, members)


def _imports(walk: Walk) -> list[Said]:
    said: dict[str, Said] = {}
    for each in walk.imported:
        for target in (each.module, each.target):
            if target and target != walk.module.name:
                said.setdefault(target, Said(walk.top.key, Relation.IMPORTS, KEY + target, each.line))
    return list(said.values())


def _inherited(walk: Walk, meaning: Meaning) -> list[Said]:
    """The bases of all classes; the meaning of `self` and `super()` needs them, so they come first."""
    said = []
    for scope in walk.scopes:
        if scope.sort is Sort.HEADER:
            for ref in scope.refs:
                if ref[0] is As.BASE and (base := meaning.of(scope, ref)) is not None and base != scope.key:
                    meaning.note_base(scope.key, base)
                    said.append(Said(scope.key, Relation.INHERITS, base, ref[3]))
    return said


def _referred(walk: Walk, meaning: Meaning) -> list[Said]:
    """Calls, each at each line; uses once for a user, and not beside a call, at the first line."""
    calls: dict[tuple[str, str, int], Said] = {}
    uses: dict[tuple[str, str], Said] = {}
    called: set[tuple[str, str]] = set()
    for scope in walk.scopes:
        subject = scope.key
        bound = scope.bound
        known: dict[tuple[bool, str, tuple[str, ...]], str | None] = {}
        for ref in scope.refs:
            how, name, attributes, line = ref
            if how is As.BASE or (not attributes and bound.get(name, KEY) is None):
                continue  # a base was said already; a local is nothing of its own
            is_called = how is As.CALLED
            place = (is_called, name, attributes)
            key = known[place] if place in known else known.setdefault(place, meaning.of(scope, ref))
            if key is None:
                continue
            if is_called:
                called.add((subject, key))
                if (subject, key, line) not in calls:
                    calls[subject, key, line] = Said(subject, Relation.CALLS, key, line)
            elif (subject, key) not in uses and subject != key and not subject.startswith(key + "."):
                uses[subject, key] = Said(subject, Relation.USES, key, line)
    return [*calls.values(), *(said for pair, said in uses.items() if pair not in called)]


def _aliases(path: str, walk: Walk, meaning: Meaning) -> tuple[Alias, ...]:
    """Names the module passes on, all names of a star, and what is below a variable that is of one class."""
    key = walk.top.key
    found = [Alias(f"{key}.{name}", target) for name, target in walk.aliases.items()]
    found += [Alias(f"{key}.*", f"{star}.*") for star in dict.fromkeys(walk.stars) if star != key]
    for name in walk.variables:
        of_class = meaning.class_of_name(walk.top, name)
        if of_class is not None:
            found.append(Alias(f"{key}.{name}.*", f"{of_class}.*"))
    names = spelled_by_folders(path, walk.module.layout)
    if names is not None:
        longer, shorter = names
        found += [Alias(KEY + longer, KEY + shorter), Alias(f"{KEY}{longer}.*", f"{KEY}{shorter}.*")]
    return tuple(found)
