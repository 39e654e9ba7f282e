"""Nodes of a syntax tree by type, in the order of the text, and the small questions readers ask of one.

Nodes are fetched by type rather than by walking: a file has ten times more nodes than any reader looks at, and text
that nests a thousand deep is read like any other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from recollect.reading.grammars import grammar, parser

if TYPE_CHECKING:
    from tree_sitter import Node, Query

LONGEST_SIGNATURE = 200  # characters; what is longer says little more


def parse(name: str, text: str) -> Node:
    """The root of the tree of a text. Whatever the text is, there is a tree; what is wrong in it is an `ERROR` node."""
    return parser(name).parse(text.encode()).root_node


def nodes_of(name: str, root: Node, types: tuple[str, ...]) -> list[Node]:
    """The nodes of these types under a root, in the order of the text, an outer one before those within."""
    captured = import_module("tree_sitter").QueryCursor(_query(name, types)).captures(root)
    found: list[Node] = captured.get("node", [])
    return sorted(found, key=lambda node: (node.start_byte, -node.end_byte))


@cache
def _query(name: str, types: tuple[str, ...]) -> Query:
    wanted = " ".join(f"({each})" for each in types)
    query: Query = import_module("tree_sitter").Query(grammar(name), f"[{wanted}] @node")
    return query


def text_of(node: Node | None) -> str:
    """The text of a node; nothing for none."""
    text = node.text if node is not None else None
    return text.decode("utf-8", "replace") if text else ""


def field_of(node: Node, field: str) -> str:
    """The text of a field of a node; nothing where it has none."""
    return text_of(node.child_by_field_name(field))


def line_of(node: Node) -> int:
    """The line a node starts on, from 1."""
    return int(node.start_point[0]) + 1


def last_line_of(node: Node) -> int:
    """The last line a node has a character on, from 1."""
    row, column = node.end_point
    return max(line_of(node), int(row) + (1 if column else 0))


def child_of(node: Node, *types: str) -> Node | None:
    """The first child of one of these types."""
    return next((child for child in node.named_children if child.type in types), None)


def children_of(node: Node | None, *types: str) -> list[Node]:
    """The children of these types."""
    return [child for child in node.named_children if child.type in types] if node is not None else []


def signature_of(node: Node, *, after: Node | None = None) -> str:
    """A definition without its body, on one line; with `after`, without what stands up to that node."""
    body, raw = node.child_by_field_name("body"), node.text or b""
    start = after.end_byte - node.start_byte if after is not None else 0
    end = body.start_byte - node.start_byte if body is not None else len(raw)
    text = raw[start:end].decode("utf-8", "replace")
    return " ".join(text.split()).rstrip("{;= ")[:LONGEST_SIGNATURE]


def is_wrong(root: Node) -> bool:
    """Whether the grammar could not make sense of all of the text."""
    return bool(root.has_error)
