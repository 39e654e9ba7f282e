"""Where a Rust program answers: the attributes of actix and rocket, and the `route` calls of axum and actix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.reading.noting import ANY_VERB, VERBS
from recollect.reading.rust_paths import path_of
from recollect.reading.trees import child_of, field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

ATTRIBUTES = {verb.lower(): verb for verb in VERBS}
CHAINED = ATTRIBUTES | {"any": ANY_VERB}


def attributed(node: Node) -> list[tuple[str, str]]:
    """Verb and path of an attribute such as `#[get("/orders/{id}")]`."""
    attribute = child_of(node, "attribute")
    name = text_of(attribute.named_children[0]).rpartition("::")[2] if attribute and attribute.named_children else ""
    arguments = attribute.child_by_field_name("arguments") if attribute is not None else None
    path = _string(arguments)
    return [(ATTRIBUTES[name], path)] if name in ATTRIBUTES and path.startswith("/") else []


def routed(node: Node) -> list[tuple[str, str, Node | None]]:
    """Verbs, path and handlers of a call such as `.route("/x", get(list).post(add))`."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if function is None or field_of(function, "field") != "route" or len(given) != 2:
        return []
    path = _string(arguments)
    return [(verb, path, handler) for verb, handler in _chain(given[1])] if path.startswith("/") else []


def _chain(node: Node | None) -> list[tuple[str, Node | None]]:
    """Verb and handler of each call of a chain: `get(a).post(b)`, `routing::get(a)`, `web::get().to(a)`."""
    found: list[tuple[str, Node | None]] = []
    sent: Node | None = None
    while node is not None and node.type == "call_expression":
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        if function is not None and function.type == "field_expression":
            name, node = field_of(function, "field"), function.child_by_field_name("value")
        else:
            name, node = (path_of(function) or ("",))[-1], None
        if name == "to":
            sent = first
        elif name in CHAINED:
            found.append((CHAINED[name], first if first is not None else sent))
    return found[::-1]


def _string(arguments: Node | None) -> str:
    literal = child_of(arguments, "string_literal", "raw_string_literal") if arguments is not None else None
    content = child_of(literal, "string_content") if literal is not None else None
    return text_of(content)
