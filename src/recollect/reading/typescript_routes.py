"""Where a TypeScript or JavaScript module answers: routers and their verbs, and decorators of controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.reading.noting import ANY_VERB, VERBS
from recollect.reading.trees import child_of, children_of, field_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

ROUTERS = {"app", "router", "server", "fastify", "routes"}
ROUTER_MAKERS = {"express", "express.Router", "Router", "fastify", "Fastify", "Hono", "Koa", "KoaRouter", "polka"}
ROUTE_VERBS = {verb.lower(): verb for verb in VERBS} | {"all": ANY_VERB}
DECORATORS = {verb.capitalize(): verb for verb in VERBS} | {"All": ANY_VERB}
HANDLERS = {"identifier", "member_expression", "arrow_function", "function_expression", "call_expression"}


def is_router_made(value: Node | None) -> bool:
    if value is None:
        return False
    made = field_of(value, "function") or field_of(value, "constructor")
    return made in ROUTER_MAKERS


def routed_path(node: Node) -> str:
    """The path of the `.route("/x")` that a chain of verbs starts with."""
    while node.type == "call_expression":
        function = node.child_by_field_name("function")
        if function is None or function.type != "member_expression":
            return ""
        if field_of(function, "property") == "route":
            return text_of(child_of(child_of(node, "arguments") or node, "string"))[1:-1]
        inner = function.child_by_field_name("object")
        if inner is None or field_of(function, "property") not in ROUTE_VERBS:
            return ""
        node = inner
    return ""


def decorators_of(node: Node) -> list[tuple[str, str, Node]]:
    return decorators_in(children_of(node, "decorator"))


def decorators_in(nodes: list[Node]) -> list[tuple[str, str, Node]]:
    """Name and first string of each decorator."""
    found = []
    for node in nodes:
        call = child_of(node, "call_expression")
        name = field_of(call, "function") if call is not None else text_of(node).lstrip("@")
        arguments = child_of(call, "arguments") if call is not None else None
        path = text_of(child_of(arguments, "string"))[1:-1] if arguments is not None else ""
        found.append((name, path, node))
    return found
