"""What a key used in a project means: the node that defines it, found through re-exports, bases and other projects.

Takes what all files define, alias and inherit; gives for a project and a key the node's own project and key. Pure and
deterministic; where nothing defines a key, it means an unowned thing of that key. Storing it is left to others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from recollect.graph.keys import NAME, Ref, heads, plain_key, top_of

MOST_STEPS = 64  # keys tried for one key; a chain of re-exports has seldom more than five
STAR = "*"
PYTHON = "py:"
STANDARD = sys.stdlib_module_names  # another project's stubs or copies of these are not what an import of them means
NOTHING: frozenset[str] = frozenset()
BEGINNING = re.compile(r"[^:]*:[^./#:]*")
# A name in prose means the first of these sorts of thing that is called so; among two of one sort it stays a name.
KIND_RANKS: tuple[frozenset[str], ...] = (
    frozenset("class interface struct enum trait type service table view endpoint function".split()),
    frozenset("module package file document".split()),
)


@dataclass
class Facts:
    """What the files of projects say, as far as meanings depend on it. Sequences are in order of path and line.

    Here all of it is entered beforehand. Another may fetch it when asked (`need`, `called_so`, `bases_of`).
    """

    defined: dict[str, set[str]] = field(default_factory=dict)  # project -> keys
    aliases: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # project -> key -> targets
    heads: dict[str, set[str]] = field(default_factory=dict)  # project -> keys it has aliases of or for all below
    bases: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # project -> class -> keys as it writes them
    called: dict[str, set[tuple[str, str, str]]] = field(default_factory=dict)  # name -> (project, key, kind)
    reaches: dict[str, set[str]] = field(default_factory=dict)  # what their keys begin with -> projects

    def define(self, project: str, key: str, kind: str, names: Iterable[str]) -> None:
        """Enter one definition and the names it goes by."""
        self.defined.setdefault(project, set()).add(key)
        if not key.startswith(NAME):
            self.reaches.setdefault(reach_of(key), set()).add(project)
            for name in map(plain_key, names):
                self.called.setdefault(name, set()).add((project, key, kind))

    def alias(self, project: str, key: str, target: str) -> None:
        """Enter that `key` means `target` in this project."""
        self.alias_all(project, [(key, target)])

    def alias_all(self, project: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Enter such pairs."""
        aliases, heads = self.aliases.setdefault(project, {}), self.heads.setdefault(project, set())
        tops = set()
        for key, target in pairs:
            targets = aliases.setdefault(key, [])
            if target not in targets:
                targets.append(target)
            heads.add(_without_star(key))
            tops.add(reach_of(key))
        for top in tops:
            self.reaches.setdefault(top, set()).add(project)

    def inherit(self, project: str, key: str, base: str) -> None:
        """Enter a base of a class."""
        self.bases.setdefault(project, {}).setdefault(key, []).append(base)

    def need(self, reach: str, project: str) -> None:
        """Asked before it is looked at what this project and others say of keys that begin so."""

    def called_so(self, name: str) -> set[tuple[str, str, str]]:
        """All that goes by this name: project, key and kind."""
        return self.called.get(name, set())

    def bases_of(self, project: str, key: str) -> Sequence[str]:
        """The bases of a class, as its project writes them."""
        return self.bases.get(project, {}).get(key, ())

    def owns(self, project: str, key: str) -> bool:
        """Whether a project defines a key, or has an alias of it or for all below it."""
        return key in self.defined.get(project, ()) or key in self.heads.get(project, ())


class Meanings:
    """Answers `means` over fixed facts."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known_to: dict[str, tuple[str, ...]] = {}
        self._lines: dict[Ref, tuple[Sequence[Ref], set[str]]] = {}
        self.consulted: set[str] = set()  # what the keys begin with that the last meaning depends on
        self._trail: set[Ref] = set()  # classes whose bases are being looked up
        self._circular = False  # whether one of them was met again

    def means(self, project: str, key: str) -> Ref:
        """The node that this key means in this project."""
        self.consulted = set()
        return self._anywhere(project, key, set())

    def is_own(self, project: str, key: str) -> bool:
        """Whether the project itself defines it: then it means that, whatever is said elsewhere."""
        return key in self._facts.defined.get(project, ()) and not key.startswith(NAME)

    # --- keys ------------------------------------------------------------------------------------

    def _anywhere(self, project: str, key: str, seen: set[Ref]) -> Ref:
        """In this project, else in another; else nowhere."""
        facts = self._facts
        reach = reach_of(key)
        self.consulted.add(reach)
        if key.startswith(NAME):
            return self._called(project, key)
        if key in facts.defined.get(project, ()):
            return project, key
        facts.need(reach, project)
        owners = facts.reaches.get(reach)
        if not owners:
            return "", key
        within = self._within(project, key, seen) if project in owners else None
        if within and within[0]:
            return within
        if len(owners) > 1 or project not in owners:
            for other in self._other_owners(project, key, owners):
                found = self._within(other, key, seen)
                if found and found[0]:
                    return found
                within = within or found
        return within or ("", key)

    def _within(self, project: str, key: str, seen: set[Ref]) -> Ref | None:
        """What this project's own files make of the key. An unowned node: it leads to a thing nobody here defines."""
        defined = self._facts.defined.get(project, NOTHING)
        ref = (project, key)
        if key in defined:
            return ref
        if ref in seen or len(seen) > MOST_STEPS:
            return None
        seen.add(ref)  # what was tried once in vain is not tried again on another way
        outside = None
        for target in self._facts.aliases.get(project, {}).get(key, ()):
            found = self._anywhere(project, target, seen)
            if found[0]:
                return found
            outside = outside or found
        if outside:
            return outside
        aliased = self._facts.heads.get(project, NOTHING)
        for head, rest in heads(key):
            if head in defined or head in aliased:
                found_below = self._below(project, head, rest, seen)
                if found_below is not None:
                    return found_below or None
        return None

    def _below(self, project: str, head: str, rest: str, seen: set[Ref]) -> Ref | tuple[()] | None:
        """The key `head + rest` through what is known of its head; () when the head is known and has no such thing."""
        aliases = self._facts.aliases.get(project, {})
        for target in aliases.get(head + rest[: _separator(rest)] + STAR, ()):
            found = self._anywhere(project, target[:-1] + rest[_separator(rest) :], seen)
            if found[0]:
                return found
        if head in self._facts.defined.get(project, ()):
            return self._member(project, head, rest) or ()
        outside: Ref | tuple[()] | None = None
        for target in aliases.get(head, ()):
            found = self._anywhere(project, target + rest, seen)
            if found[0]:
                return found
            outside = outside or found
        return outside

    def _other_owners(self, project: str, key: str, owners: Iterable[str]) -> Iterator[str]:
        """Other projects that may know the key: those that own the longest part of it first."""
        if key not in self._known_to:
            ways = (key, *(head for head, _ in heads(key)))
            self._known_to[key] = tuple(dict.fromkeys(owner for way in ways for owner in self._owners_of(way, owners)))
        return (owner for owner in self._known_to[key] if owner != project)

    def _owners_of(self, key: str, among: Iterable[str]) -> list[str]:
        reach, top = reach_of(key), _plain(top_of(key))
        owners = [each for each in among if self._facts.owns(each, key) and is_for_others(reach, each)]
        return sorted(owners, key=lambda each: (_plain(each) != top, each))

    # --- members ---------------------------------------------------------------------------------

    def _member(self, project: str, owner: str, rest: str) -> Ref | None:
        """A member that a class has from one of its bases."""
        if not self._facts.bases_of(project, owner):
            return None
        for base_project, base in self._line(project, owner)[1:]:
            if base + rest in self._facts.defined.get(base_project, ()):
                return base_project, base + rest
        return None

    def _line(self, project: str, key: str) -> Sequence[Ref]:
        """A class and its bases in the order in which members are looked up."""
        own = (project, key)
        if own in self._lines:
            line, consulted = self._lines[own]
            self.consulted |= consulted
            return line
        if own in self._trail:
            self._circular = True
            return [own]
        around, self._circular = self._circular, False
        before, self.consulted = self.consulted, set()
        self._trail.add(own)
        bases = [self._anywhere(project, base, set()) for base in self._facts.bases_of(project, key)]
        line = [own, *_merge([*(list(self._line(*base)) for base in bases), bases])]
        self._trail.discard(own)
        if not self._circular:  # else it depends on where one began
            self._lines[own] = (line, self.consulted)
        self.consulted = before | self.consulted
        self._circular = self._circular or around
        return line

    # --- names -----------------------------------------------------------------------------------

    def _called(self, project: str, key: str) -> Ref:
        """The one thing of that name in the project, else in all; else the name itself, which nobody owns."""
        found = self._facts.called_so(key[len(NAME) :]) if project else set()
        own = _the_one({(kind, (where, each)) for where, each, kind in found if where == project})
        return own or _the_one({(kind, (where, each)) for where, each, kind in found}) or ("", key)


def reach_of(key: str) -> str:
    """What a key shares with all others that it can have to do with: its sort and top, or all of a name.

    >>> reach_of("py:requests.api.get"), reach_of("name:ana ortiz")
    ('py:requests', 'name:ana ortiz')
    """
    if key.startswith(PYTHON):  # most keys are
        return key.partition(".")[0]
    begins = None if key.startswith(NAME) else BEGINNING.match(key)
    return begins[0] if begins else key


def is_for_others(reach: str, project: str) -> bool:
    """Whether keys that begin so and that a project defines may be what another project means by them.

    >>> is_for_others("py:requests", "requests"), is_for_others("py:os", "typeshed"), is_for_others("py:os", "os")
    (True, False, True)
    """
    top = _plain(reach[len(PYTHON) :]) if reach.startswith(PYTHON) else ""
    return top not in STANDARD or _plain(project) == top


def _without_star(key: str) -> str:
    return key[:-1].rstrip(".:#") if key.endswith(STAR) else key


def _the_one(found: set[tuple[str, Ref]]) -> Ref | None:
    for rank in range(len(KIND_RANKS) + 1):
        alike = {ref for kind, ref in found if _rank(kind) == rank}
        if alike:
            return alike.pop() if len(alike) == 1 else None
    return None


def _rank(kind: str) -> int:
    return next((rank for rank, kinds in enumerate(KIND_RANKS) if kind in kinds), len(KIND_RANKS))


def _separator(rest: str) -> int:
    return 2 if rest.startswith("::") else 1


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_")


def _merge(lines: list[list[Ref]]) -> list[Ref]:
    """Several orders as one that agrees with all (C3); where they contradict each other, the first wins."""
    merged: list[Ref] = []
    left = [line for line in lines if line]
    while left:
        later = {ref for line in left for ref in line[1:]}
        chosen = next((line[0] for line in left if line[0] not in later), left[0][0])
        merged.append(chosen)
        left = [rest for line in left if (rest := [ref for ref in line if ref != chosen])]
    return merged
