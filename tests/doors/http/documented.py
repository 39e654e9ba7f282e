"""A reply held against the shape the OpenAPI document promises: what it says beyond that, and what it leaves out.

JSON Schema lets an object hold more than it names, so a validator finds no field that nobody described. This does, at
any depth. An object of any content is no description, except where callers keep what they like.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
CALLERS_OWN = {"metadata"}  # holds whatever was stored
JSON_TYPE = "application/json"
REF = "#/components/schemas/"


class Shapes:
    """The shapes of one document; `filled` are the described fields that had something in them, as Model.field."""

    def __init__(self, document: Json) -> None:
        self.document = document
        self.models: Json = document["components"]["schemas"]
        self.filled: set[str] = set()

    def replies(self) -> Iterator[tuple[str, str, Json]]:
        """Method and path, status and shape of every reply in JSON; problems are of another type."""
        for path, operations in self.document["paths"].items():
            for method, operation in operations.items():
                for status, reply in operation["responses"].items():
                    if "schema" in reply.get("content", {}).get(JSON_TYPE, {}):
                        yield f"{method.upper()} {path}", status, reply["content"][JSON_TYPE]["schema"]

    def taking(self, field: str) -> Iterator[tuple[str, set[str]]]:
        """Every operation that takes such a field, in its address or its body, and the statuses it may answer with."""
        for path, operations in self.document["paths"].items():
            for method, operation in operations.items():
                names = {each["name"] for each in operation.get("parameters", ())}
                for body in operation.get("requestBody", {}).get("content", {}).values():
                    model = str(body["schema"].get("$ref", "")).removeprefix(REF)
                    names |= set(self.models.get(model, body["schema"]).get("properties", {}))
                if field in names:
                    yield f"{method.upper()} {path}", set(operation["responses"])

    def shape_of(self, operation: str, status: int | str) -> Json | None:
        """The shape of one reply, where it is JSON."""
        return next((shape for name, code, shape in self.replies() if (name, code) == (operation, str(status))), None)

    def described(self) -> Iterator[tuple[str, Json]]:
        """Every field of every model a reply is made of, as Model.field."""
        waiting, known = [shape for _, _, shape in self.replies()], set()
        while waiting:
            shape = waiting.pop()
            name = str(shape.get("$ref", "")).removeprefix(REF)
            if name and name not in known:
                known.add(name)
                for field, inner in self.models[name].get("properties", {}).items():
                    yield f"{name}.{field}", inner
                    waiting.append(inner)
            waiting += shape.get("anyOf", [])
            waiting += [shape[each] for each in ("items", "additionalProperties") if isinstance(shape.get(each), dict)]

    def faults(self, said: Any, shape: Json, *, where: str = "reply") -> Iterator[str]:
        """What of a reply is not described, and what is promised but missing."""
        name = str(shape.get("$ref", "")).removeprefix(REF)
        if name:
            shape = self.models[name]
        if "anyOf" in shape:
            yield from self._either(said, shape["anyOf"], where)
        elif not _fits(said, shape):
            yield f"{where} is {type(said).__name__}, not {shape['type']}"
        elif isinstance(said, dict):
            yield from self._object(said, shape, where, name)
        elif isinstance(said, list):
            for place, each in enumerate(said):
                yield from self.faults(each, shape.get("items", {}), where=f"{where}[{place}]")
        elif not (shape.keys() & {"type", "enum", "const"}):
            yield f"{where} may be anything"

    def _either(self, said: Any, shapes: list[Json], where: str) -> Iterator[str]:
        """Whatever is wrong by the shape that comes nearest."""
        fitting = [shape for shape in shapes if _fits(said, self._whole(shape))]
        tries = [list(self.faults(said, shape, where=where)) for shape in fitting]
        yield from min(tries, key=len, default=[f"{where} is {type(said).__name__}, which is not described"])

    def _object(self, said: Json, shape: Json, where: str, name: str) -> Iterator[str]:
        known, rest = shape.get("properties", {}), shape.get("additionalProperties")
        for field in shape.get("required", ()):
            if field not in said:
                yield f"{where}.{field} is missing"
        for field, value in said.items():
            inner = known.get(field, rest)
            if not isinstance(inner, dict):
                yield f"{where}.{field} is not described"
                continue
            if name and value:
                self.filled.add(f"{name}.{field}")
            if not (field in CALLERS_OWN and inner.get("additionalProperties") is True):
                yield from self.faults(value, inner, where=f"{where}.{field}")

    def _whole(self, shape: Json) -> Json:
        name = str(shape.get("$ref", "")).removeprefix(REF)
        found: Json = self.models[name] if name else shape
        return found


KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


def _fits(said: Any, shape: Json) -> bool:
    kinds = KINDS.get(str(shape.get("type")), (object,))
    return isinstance(said, kinds) and (bool in kinds or object in kinds or not isinstance(said, bool))
