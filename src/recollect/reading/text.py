"""Plain text and reStructuredText: paragraphs, and in the latter, sections by underlined headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.reading.sections import Block, Contents, Section, Sheet, document, paragraphs

UNDERLINED = frozenset({".rst", ".rest"})
RULE = re.compile(r"([=\-~^\"'#*+.:_`])\1{2,}\s*$")


def read_text(sheet: Sheet, text: str) -> Contents:
    """The contents of a file of plain text."""
    lines = text.split("\n")
    if sheet.path[sheet.path.rfind(".") :].lower() not in UNDERLINED:
        found, _ = document(sheet, sheet.name, [Section(0, "", tuple(paragraphs(lines)))], language="text")
        return found
    sections = list(_sections(lines))
    first = next((section for section in sections if section.level), None)
    found, _ = document(sheet, first.title if first and first.level == 1 else "", sections, language="rst")
    return found


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    """The order in which the signs of underlines first come says which level each is."""
    signs: list[str] = []
    level, title, heading, start = 0, "", 0, 0
    at = 0
    while at < len(lines):
        found = _heading(lines, at)
        if not found:
            at += 1
            continue
        if section := _section(level, title, lines[start:at], first=start, heading=heading):
            yield section
        title, sign, heading = found
        if sign not in signs:
            signs.append(sign)
        level, start = signs.index(sign) + 1, at
        at += heading
    if section := _section(level, title, lines[start:], first=start, heading=heading):
        yield section


def _heading(lines: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """Title, sign and number of lines of a heading that begins here, with or without a line over it."""
    over = RULE.match(lines[at])
    if over and at + 2 < len(lines) and lines[at + 1].strip() and lines[at + 2].rstrip() == lines[at].rstrip():
        return lines[at + 1].strip(), f"{over[1]}{over[1]}", 3
    if at + 1 >= len(lines) or not lines[at].strip() or over or lines[at][0].isspace():
        return None
    under = RULE.match(lines[at + 1])
    if under and len(lines[at + 1].rstrip()) >= len(lines[at].rstrip()) and (at == 0 or not lines[at - 1].strip()):
        return lines[at].strip(), under[1], 2
    return None


def _section(level: int, title: str, lines: Sequence[str], *, first: int, heading: int) -> Section | None:
    blocks = list(paragraphs(lines[heading:], first=first + heading + 1))
    if level:
        blocks.insert(0, Block("\n".join(lines[:heading]), first + 1, first + heading))
    return Section(level, title, tuple(blocks)) if blocks else None
