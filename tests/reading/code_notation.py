"""How cases of code readers are written: a text, lines it has to give, and lines it must not give.

A line is `subject relation object`; keys of the file's own module may be shortened to `.`: with the module `ts:src/a`,
`.#f calls .#g` is `ts:src/a#f calls ts:src/a#g`, and with `java:com.acme`, `.Order` is `java:com.acme.Order`. An entity
is `kind key`, an alias `key = target`.
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.reading.code import read_code
from recollect.reading.outline import CodeReading, Layout


class Case(NamedTuple):
    """A snippet with what it has to give and what it must not give."""

    text: str
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


def read(text: str, path: str, *others: str, declared: tuple[tuple[str, str], ...] = ()) -> CodeReading:
    """The reading of a text, as the file at a path among others."""
    return read_code(path, text.encode(), Layout("shop", frozenset({path, *others}), 1500, declared))


def lines(reading: CodeReading, module: str = "") -> set[str]:
    """All that a reading gives, in the notation."""
    found = {f"{each.subject} {each.relation} {each.object}" for each in reading.statements}
    found |= {f"{each.kind} {each.key}" for each in reading.entities}
    found |= {f"{each.key} = {each.target}" for each in reading.aliases}
    return {_short(each, module) for each in found}


def check(case: Case, reading: CodeReading, module: str) -> None:
    """Fails with what is missing, and with what is there and must not be."""
    found = lines(reading, module)
    wanted = {_short(each, module) for each in case.has}
    assert wanted <= found, f"missing {sorted(wanted - found)} in {sorted(found)}"
    unwanted = [each for each in case.lacks if any(each in line for line in found)]
    assert not unwanted, f"{unwanted} in {sorted(found)}"


def _short(line: str, module: str) -> str:
    if not module:
        return line
    return " ".join(_short_word(word, module) for word in line.split(" "))


def _short_word(word: str, module: str) -> str:
    rest = word.removeprefix(module)
    if rest == word or not (rest == "" or rest.startswith((".", "#", "::"))):
        return word
    return rest if rest.startswith(".") else f".{rest}"
