"""What a reader notes while it goes through a file, and which names mean what where it stands.

`Notes` keeps entities once per key, statements once per place, and gives the finished `CodeReading`. `Levels` are the
functions and blocks around a place, innermost last: who the text belongs to, which type `this` is, and the names
declared there, so that a parameter called like an import hides the import.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from recollect.knowledge import Alias, Named, Relation, Said
from recollect.reading.outline import DEEPEST, CodeReading, Layout, Piece, cut
from recollect.reading.trees import last_line_of, line_of

if TYPE_CHECKING:
    from tree_sitter import Node

VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
ANY_VERB = "ANY"
_PARAMETER = re.compile(r"(?<=/):(\w+)")


class Meaning(NamedTuple):
    """What a name stands for: a thing with a key, a value of the type with that key, or, without a key, unknown."""

    key: str
    is_value: bool = False


UNKNOWN = Meaning("")


class Level:
    """One function or block: where it ends, whom its text belongs to, the type it is in, the names it declares."""

    __slots__ = ("end", "names", "owner", "type")

    def __init__(self, end: int, owner: str, type: str) -> None:
        self.end = end
        self.owner = owner
        self.type = type
        self.names: dict[str, Meaning] = {}


class Levels:
    """The levels around the place a reader is at."""

    def __init__(self, owner: str) -> None:
        self._stack = [Level(1 << 62, owner, "")]
        self._declared: list[tuple[int, Level, str, Meaning]] = []

    @property
    def here(self) -> Level:
        return self._stack[-1]

    @property
    def is_outermost(self) -> bool:
        return len(self._stack) == 1

    def move(self, node: Node) -> None:
        """Go on to a node: leave every level that ends before it, and see what was declared before it."""
        if self._declared:
            start = node.start_byte
            for end, level, name, meaning in self._declared:
                if end <= start:
                    level.names[name] = meaning
            self._declared = [each for each in self._declared if each[0] > start]
        while self._stack[-1].end <= node.start_byte:
            self._stack.pop()

    def enter(self, node: Node, *, owner: str | None = None, type: str | None = None) -> Level:
        """Go into a node; what is not given stays as it is outside."""
        outer = self._stack[-1]
        level = Level(node.end_byte, outer.owner if owner is None else owner, outer.type if type is None else type)
        self._stack.append(level)
        return level

    def declare(self, name: str, meaning: Meaning, *, after: Node) -> None:
        """A name of this level that is not yet there within its own declaration: `total := total(x)`."""
        self._declared.append((after.end_byte, self._stack[-1], name, meaning))

    def meaning(self, name: str) -> Meaning | None:
        """What a name means here; nothing when nobody declares it."""
        for level in reversed(self._stack):
            found = level.names.get(name)
            if found is not None:
                return found
        return None


class Notes:
    """All that is noted of one file; `module` is the key of what the file as a whole is."""

    def __init__(self, path: str, module: str) -> None:
        self.path = path
        self.module = module
        self.entities: dict[str, Named] = {}
        self.statements: dict[Said, None] = {}
        self.aliases: dict[Alias, None] = {}
        self._used: set[tuple[str, str]] = set()
        self._members: dict[str, list[tuple[str, str, int, int]]] = {}

    def define(self, entity: Named, *, within: str = "", relation: str = "") -> None:
        """An entity of the file, under the thing it lies in; the first definition of a key is the one that counts."""
        self.entities.setdefault(entity.key, entity)
        if relation:
            self.statements.setdefault(Said(within or self.module, relation, entity.key, entity.line))

    def lay(self, entity: Named, *, within: str = "") -> None:
        """The lines of an entity stay together in chunks, inside those of the thing it lies in."""
        self._members.setdefault(within, []).append((entity.name, entity.key, entity.line, entity.end))

    def say(self, subject: str, relation: str, object: str, node: Node) -> None:
        """A statement at a place, if it has both ends; that one thing uses another is said once."""
        if not subject or not object:
            return
        if relation == Relation.USES:
            if (subject, object) in self._used:
                return
            self._used.add((subject, object))
        self.statements.setdefault(Said(subject, relation, object, line_of(node)))

    def alias(self, key: str, target: str) -> None:
        """Another key for a thing and what is below it, or with `*` at the end of both for all that starts so."""
        if key != target:
            self.aliases.setdefault(Alias(key, target))

    def endpoint(self, verb: str, route: str, handler: str, node: Node) -> None:
        """An address that can be called, and the function that answers, if it is known."""
        key = endpoint_key(verb, route)
        name = key.removeprefix("http:")
        self.define(Named(key, name, "endpoint", line_of(node), last_line_of(node)), relation=Relation.DEFINES)
        self.say(key, Relation.USES, handler, node)

    def reading(self, text: str, layout: Layout, notes: tuple[str, ...] = ()) -> CodeReading:
        """What the file gives, cut along what was laid down."""
        pieces = self._pieces("", ())
        chunks = cut(text, pieces, heading=(self.path,), about=self.module, characters=layout.chunk_characters)
        return CodeReading(chunks, tuple(self.entities.values()), tuple(self.statements), tuple(self.aliases), notes)

    def _pieces(self, within: str, above: tuple[str, ...]) -> tuple[Piece, ...]:
        above = (*above, within)
        return tuple(
            Piece(name, key, start, end, self._pieces(key, above) if key not in above and len(above) <= DEEPEST else ())
            for name, key, start, end in self._members.get(within, ())
        )


def endpoint_key(verb: str, route: str) -> str:
    """The key of an address: one leading slash, none at the end, parameters in braces.

    >>> endpoint_key("get", "orders/:id/"), endpoint_key("any", "")
    ('http:GET /orders/{id}', 'http:ANY /')
    """
    path = "/" + route.strip().strip("/")
    return f"http:{verb.upper()} " + _PARAMETER.sub(r"{\1}", path)


def joined(base: str, route: str) -> str:
    """A route under the route of its class or group.

    >>> joined("/orders/", "/{id}"), joined("", "x"), joined("/orders", "")
    ('/orders/{id}', '/x', '/orders')
    """
    return "/" + "/".join(part for part in (base.strip("/"), route.strip("/")) if part)


def lines_in(text: str) -> int:
    """How many lines a text has.

    >>> lines_in("a\\nb\\n"), lines_in("a\\nb"), lines_in("")
    (2, 2, 1)
    """
    return text.count("\n") + (0 if text.endswith("\n") else 1)
