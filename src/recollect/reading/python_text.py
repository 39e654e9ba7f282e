"""What is shown of a definition in Python: its signature as it is written, and the first line of its docstring."""

from __future__ import annotations

import ast
import re
from typing import Any

MOST_CHARACTERS = 240
COMMENT = re.compile(r"(?m)(?:^|\s)#.*$")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Text:
    """The text of a file by lines, to cut out what a node covers. Columns in the tree count bytes."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text from a place to another, on one line, without comments, and no longer than is worth showing."""
        first, last = start[0] - 1, min(end[0], start[0] + 40) - 1
        if first == last:
            return " ".join(_columns(self.lines[first], start[1], end[1]).split())[:MOST_CHARACTERS]
        tail = _columns(self.lines[last], 0, end[1]) if last == end[0] - 1 else ""
        whole = [_columns(self.lines[first], start[1], None), *self.lines[first + 1 : last], tail]
        return " ".join(COMMENT.sub("", "\n".join(whole)).split())[:MOST_CHARACTERS]

    def of(self, node: Any) -> str:
        """The text of an expression."""
        return self.between((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))

    def signature(self, node: Any) -> str:
        """`def name(parameters) -> result`, or `class Name(bases)`."""
        ends = _bases(node) if node.__class__ is ast.ClassDef else _parameters(node)
        if not ends:
            word = "class" if node.__class__ is ast.ClassDef else "def"
            return f"{word} {node.name}" + ("" if word == "class" else "()")
        end = max((each.end_lineno, each.end_col_offset) for each in ends)
        shown = self.between((node.lineno, node.col_offset), end)
        return shown if getattr(node, "returns", None) is not None else shown + ")"


def summary(body: list[ast.stmt]) -> str:
    """The first line of a docstring, or nothing."""
    first: Any = body[0] if body else None
    if first.__class__ is not ast.Expr or first.value.__class__ is not ast.Constant:
        return ""
    text = first.value.value
    return text.strip().partition("\n")[0].strip()[:MOST_CHARACTERS] if text.__class__ is str else ""


def _columns(line: str, start: int, end: int | None) -> str:
    if line.isascii():
        return line[start:end]
    return line.encode()[start:end].decode(errors="replace")


def _bases(node: ast.ClassDef) -> list[Any]:
    return [*node.bases[-1:], *node.keywords[-1:]]


def _parameters(node: Function) -> list[Any]:
    if node.returns is not None:
        return [node.returns]
    given = node.args
    last: list[list[Any]] = [given.posonlyargs, given.args, given.kwonlyargs, given.defaults, given.kw_defaults]
    ends: list[Any] = [each[-1] for each in last if each]
    return [each for each in (*ends, given.vararg, given.kwarg) if each is not None]
