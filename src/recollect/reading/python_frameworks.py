"""What web and database frameworks say in Python code: routes as endpoints, model classes as tables.

Only what stands plainly in the code: a decorator with a path, `urlpatterns`, `__tablename__`, columns assigned from a
column's constructor. Keys are those other languages use, so that a route is one thing on both sides.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from recollect.knowledge import Named, Relation, Said
from recollect.reading.noting import endpoint_key
from recollect.reading.python_names import As, Scope, Sort, chain_of
from recollect.reading.python_resolve import Meaning
from recollect.reading.python_scopes import Walk
from recollect.reading.python_text import Text

VERBS = frozenset({"get", "post", "put", "delete", "patch", "head", "options"})
ROUTES = frozenset({"route", "api_route"})
PATHS = frozenset({"path", "re_path", "url"})
# A part of a path that stands for a value, as the frameworks write it: (?P<id>..), <int:id>, {id:path}
PARAMETER = re.compile(r"\(\?P<(\w+)>[^()]*\)|<(?:[^<>:]*:)?(\w+)>|\{(\w+):\w+\}")
PREFIXES = frozenset({"prefix", "url_prefix"})
COLUMNS = frozenset({"Column", "mapped_column"})
DJANGO = frozenset({"py:django.db.models.Model", "py:django.db.models.base.Model"})

Found = tuple[Named, list[Said]]


def endpoints(walk: Walk, meaning: Meaning) -> Iterator[Found]:
    """The routes of a module, each with what it says: who defines it, and which function serves it."""
    for scope in walk.scopes:
        if scope.sort is Sort.FUNCTION:
            for decorator in scope.node.decorator_list:
                for verb, path in _routes(decorator, walk):
                    yield _endpoint(walk, verb, path, decorator.lineno, scope.key)
    urls: Any = walk.variables.get("urlpatterns")
    for call in _elements(getattr(urls, "value", None)):
        under = _text(call.args[0]) if call.args else None
        if under is None or len(call.args) < 2 or _name(call.func) not in PATHS:
            continue
        view = call.args[1]
        chain = chain_of(view.func if view.__class__ is ast.Call else view)
        if chain is not None and chain[1][-1:] == ("as_view",):
            chain = (chain[0], chain[1][:-1])
        key = meaning.of(walk.top, (As.BASE, *chain, 0)) if chain is not None else None
        if key is not None and _name(getattr(view, "func", view)) != "include":
            yield _endpoint(walk, "ANY", under.lstrip("^").rstrip("$"), call.lineno, key)


def _endpoint(walk: Walk, verb: str, path: str, line: int, served_by: str) -> Found:
    key = endpoint_key(verb, PARAMETER.sub(r"{\1\2\3}", path))
    return Named(key, key.removeprefix("http:"), "endpoint", line, line), [
        Said(walk.top.key, Relation.DEFINES, key, line),
        Said(key, Relation.USES, served_by, line),
    ]


def _routes(node: Any, walk: Walk) -> Iterator[tuple[str, str]]:
    if node.__class__ is not ast.Call or node.func.__class__ is not ast.Attribute or not node.args:
        return
    path, word = _text(node.args[0]), node.func.attr
    if path is None or not path.startswith("/") or word not in VERBS | ROUTES:
        return
    path = _prefix(node.func.value, walk) + path
    if word in VERBS:
        yield word.upper(), path
        return
    given: Any = next((each.value for each in node.keywords if each.arg == "methods"), None)
    for verb in sorted({_text(each) or "" for each in getattr(given, "elts", ())} - {""}) or ["GET"]:
        yield verb.upper(), path


def _prefix(node: Any, walk: Walk) -> str:
    """What the object that routes were made with puts before their paths."""
    for reason in walk.top.types.get(node.id, ()) if node.__class__ is ast.Name else ():
        for each in getattr(reason.value, "keywords", ()):
            if each.arg in PREFIXES:
                return (_text(each.value) or "").rstrip("/")
    return ""


def tables(walk: Walk, meaning: Meaning, text: Text) -> Iterator[Found]:
    """The tables of a module's model classes, and their columns."""
    for key, scope in walk.classes.items():
        name = _table_name(walk, scope, meaning)
        if name is None:
            continue
        table, line = f"sql:{name}", scope.node.lineno
        yield (
            Named(table, name, "table", line, scope.node.end_lineno, key.rpartition(".")[2]),
            [
                Said(walk.top.key, Relation.DEFINES, table, line),
                Said(key, Relation.USES, table, line),
            ],
        )
        yield from _columns(table, scope, text)


def _columns(table: str, scope: Scope, text: Text) -> Iterator[Found]:
    for statement in scope.node.body:
        column = _column(statement, text, is_django="__tablename__" not in scope.bound)
        if column is not None:
            name, detail, reference = column
            key, line = f"{table}.{name}", statement.lineno
            said = [Said(table, Relation.CONTAINS, key, line)]
            if reference:
                said.append(Said(key, Relation.REFERENCES, f"sql:{reference}", line))
            yield Named(key, name, "column", line, statement.end_lineno, detail), said


def _table_name(walk: Walk, scope: Scope, meaning: Meaning) -> str | None:
    named = _assigned(scope.node.body, "__tablename__")
    if named is not None:
        return named
    if not DJANGO.intersection(meaning.bases(scope.key)):
        return None
    for each in scope.node.body:
        if each.__class__ is ast.ClassDef and each.name == "Meta":
            if (named := _assigned(each.body, "db_table")) is not None:
                return named
            if any(_name(target) == "abstract" for one in each.body for target in getattr(one, "targets", ())):
                return None
    folders = [part for part in walk.module.name.split(".")[:-1] if part != "models"]
    return "_".join([*folders[-1:], scope.node.name.lower()])


def _column(statement: Any, text: Text, *, is_django: bool) -> tuple[str, str, str] | None:
    """Name, type and the column referred to, of a statement that makes a column."""
    target = statement.targets[0] if statement.__class__ is ast.Assign else getattr(statement, "target", None)
    call: Any = getattr(statement, "value", None)
    if target.__class__ is not ast.Name or call.__class__ is not ast.Call:
        return None
    made_by = _name(call.func)
    if is_django:
        links = made_by in {"ForeignKey", "OneToOneField"}
        is_column = links or (made_by.endswith("Field") and made_by != "ManyToManyField")
        return (target.id + ("_id" if links else ""), made_by, "") if is_column else None
    if made_by not in COLUMNS:
        return None
    given: list[Any] = list(call.args)
    name = _text(given[0]) if given else None
    if name is not None:
        given.pop(0)
    keys = [each for each in given if _name(getattr(each, "func", None)) == "ForeignKey" and each.args]
    types = [each for each in given if each not in keys]
    shown = types[0] if types else getattr(statement, "annotation", None)
    reference = (_text(keys[0].args[0]) or "") if keys else ""
    return name or target.id, text.of(shown) if shown is not None else "", reference


def _assigned(body: list[Any], name: str) -> str | None:
    for each in body:
        if each.__class__ is ast.Assign and any(_name(target) == name for target in each.targets):
            return _text(each.value)
    return None


def _elements(node: Any) -> Iterator[Any]:
    """The calls in a list, also one put together with `+`."""
    stack = [node]
    while stack:
        node = stack.pop()
        if node.__class__ is ast.BinOp:
            stack += [node.right, node.left]
        elif node.__class__ is ast.List:
            yield from (each for each in node.elts if each.__class__ is ast.Call)


def _name(node: Any) -> str:
    return node.attr if node.__class__ is ast.Attribute else node.id if node.__class__ is ast.Name else ""


def _text(node: Any) -> str | None:
    return node.value if node.__class__ is ast.Constant and node.value.__class__ is str else None
