"""Where a Java method answers: the annotations of Spring and of JAX-RS, under those of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.reading.noting import ANY_VERB, VERBS, joined
from recollect.reading.trees import child_of, children_of, field_of, nodes_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

MAPPINGS = {f"{verb.capitalize()}Mapping": verb for verb in VERBS}
ANY_MAPPING = "RequestMapping"
CLIENTS = {"FeignClient", "RegisterRestClient"}  # what they describe is answered elsewhere
PATHS = {"value", "path"}


def routes_of(method: Node) -> list[tuple[str, str]]:
    """The verbs and paths a method answers to."""
    own = _annotations(method)
    if not any(name in MAPPINGS or name == ANY_MAPPING or name in VERBS for name in own):
        return []
    body = method.parent
    outer = _annotations(body.parent) if body is not None and body.parent is not None else {}
    if CLIENTS & outer.keys():
        return []
    bases = _paths(outer.get(ANY_MAPPING) or outer.get("Path")) or [""]
    found: list[tuple[str, str]] = []
    for name, node in own.items():
        if name in MAPPINGS:
            verbs, paths = [MAPPINGS[name]], _paths(node)
        elif name == ANY_MAPPING:
            verbs, paths = _verbs(node) or [ANY_VERB], _paths(node)
        elif name in VERBS:
            verbs, paths = [name], _paths(own.get("Path"))
        else:
            continue
        found += [(verb, joined(base, path)) for verb in verbs for base in bases for path in paths or [""]]
    return found


def _annotations(node: Node) -> dict[str, Node]:
    inside = children_of(child_of(node, "modifiers"), "annotation", "marker_annotation")
    return {field_of(each, "name").rpartition(".")[2]: each for each in inside}


def _paths(node: Node | None) -> list[str]:
    """The strings an annotation gives as its value or path."""
    arguments = node.child_by_field_name("arguments") if node is not None else None
    found: list[str] = []
    for each in arguments.named_children if arguments is not None else ():
        if each.type != "element_value_pair":
            found += _strings(each)
        elif field_of(each, "key") in PATHS and (value := each.child_by_field_name("value")) is not None:
            found += _strings(value)
    return found


def _strings(node: Node) -> list[str]:
    if node.type == "string_literal":
        return [text_of(node)[1:-1]]
    return [text_of(each)[1:-1] for each in children_of(node, "string_literal")]


def _verbs(node: Node) -> list[str]:
    """The verbs of `method = RequestMethod.POST`."""
    for pair in children_of(node.child_by_field_name("arguments"), "element_value_pair"):
        if field_of(pair, "key") == "method":
            words = [text_of(each) for each in nodes_of("java", pair, ("identifier",))]
            return [word for word in words if word in VERBS]
    return []
