"""Documents as sections of blocks, cut into chunks: what Markdown, HTML, plain text and PDF have in common.

A reader finds the sections of a document and their blocks. `document` gives the chunks with heading path and lines, an
entity for the document and each section, and what contains what. Chunks end between blocks, a block that is too long is
cut between lines, then sentences, then words. Every line that is not blank is in a chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.knowledge import Alias, Chunk, Named, Relation, Said

WHOLE_TIMES = 4  # a table or a code block stays whole up to so many times the size of a chunk
LONGEST_DETAIL = 200
LONGEST_HEADING = 200
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
NOT_IN_SLUGS = re.compile(r"[^\w\s-]")
SPACES = re.compile(r"\s+")


class Block(NamedTuple):
    """Lines that belong together: a paragraph, a table, a code block. `whole` ones are cut only if far too long."""

    text: str
    start: int
    end: int
    whole: bool = False


class Section(NamedTuple):
    """A heading and what stands under it up to the next; level 0 is what stands before the first heading.

    The line of the heading is the first of its blocks.
    """

    level: int
    title: str
    blocks: tuple[Block, ...]

    @property
    def is_bare(self) -> bool:
        """Whether there is nothing under the heading."""
        return len(self.blocks) <= 1 and self.level > 0


class Contents(NamedTuple):
    """What a reader found in a file; `skipped` is the reason why it is left out."""

    language: str
    chunks: tuple[Chunk, ...] = ()
    entities: tuple[Named, ...] = ()
    statements: tuple[Said, ...] = ()
    aliases: tuple[Alias, ...] = ()
    skipped: str = ""
    notes: tuple[str, ...] = ()


class Sheet(NamedTuple):
    """A file to be read: its path in the project, all paths of the project, and how long a chunk should be."""

    path: str
    paths: frozenset[str]
    size: int

    @property
    def key(self) -> str:
        return f"file:{self.path}"

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def stem(self) -> str:
        return self.name.rpartition(".")[0] or self.name


def document(sheet: Sheet, title: str, sections: Sequence[Section], *, language: str) -> tuple[Contents, list[str]]:
    """The contents of a document, and the key of each section, in order."""
    keys = _keys(sheet.key, title, sections)
    headings = _headings(title, sections)
    last = max((block.end for section in sections for block in section.blocks), default=0)
    entities = [
        Named(sheet.key, title or sheet.stem, "document", min(1, last), last, _detail(sections), _aliases(sheet, title))
    ]
    statements: list[Said] = []
    parents: list[tuple[int, str]] = []
    for section, key in zip(sections, keys, strict=True):
        if section.level == 0:
            continue
        while parents and parents[-1][0] >= section.level:
            parents.pop()
        if key != sheet.key:
            line = section.blocks[0].start
            entities.append(Named(key, section.title, "section", line, section.blocks[-1].end))
            statements.append(Said(parents[-1][1] if parents else sheet.key, Relation.CONTAINS, key, line))
        parents.append((section.level, key))
    chunks = tuple(_chunks(sections, keys, headings, size=sheet.size))
    return Contents(language, chunks, tuple(entities), tuple(statements)), keys


def paragraphs(lines: Sequence[str], *, first: int = 1) -> Iterator[Block]:
    """Runs of lines that are not blank.

    >>> [tuple(block) for block in paragraphs(["a", "b", "", "c"])]
    [('a\\nb', 1, 2, False), ('c', 4, 4, False)]
    """
    start = 0
    for place, line in enumerate([*lines, ""]):
        if line.strip():
            continue
        if start < place:
            yield Block("\n".join(lines[start:place]), first + start, first + place - 1)
        start = place + 1


def pack(blocks: Iterable[Block], *, size: int, heading: tuple[str, ...] = (), about: str = "") -> Iterator[Chunk]:
    """Chunks of about `size` characters, cut between blocks where that can be.

    >>> [(c.text, c.start, c.end) for c in pack(paragraphs(["One. Two.", "", "Three."]), size=10)]
    [('One. Two.', 1, 1), ('Three.', 3, 3)]
    """
    together: list[Block] = []
    length = 0
    for block in (part for each in blocks for part in _cut(each, size)):
        if together and length + len(block.text) > size:
            yield _joined(together, heading, about)
            together, length = [], 0
        together.append(block)
        length += len(block.text) + 2
    if together:
        yield _joined(together, heading, about)


def slug(title: str) -> str:
    """A heading as links write it.

    >>> slug("How it works, in short")
    'how-it-works-in-short'
    """
    return SPACES.sub("-", NOT_IN_SLUGS.sub("", title.strip().lower()))


def _keys(document_key: str, title: str, sections: Sequence[Section]) -> list[str]:
    """A key for each section; equal headings are numbered as links to them are.

    What stands under no heading, or under the title, is of the document itself.
    """
    first = next((place for place, section in enumerate(sections) if section.level), -1)
    seen: dict[str, int] = {}
    keys = []
    for place, section in enumerate(sections):
        if section.level == 0 or (section.level == 1 and section.title == title and place == first):
            keys.append(document_key)
            continue
        name = slug(section.title) or "section"
        count = seen.get(name, 0)
        seen[name] = count + 1
        keys.append(f"{document_key}#{name}{f'-{count}' if count else ''}")
    return keys


def _headings(title: str, sections: Sequence[Section]) -> list[tuple[str, ...]]:
    path: list[tuple[int, str]] = []
    found = []
    for section in sections:
        while path and path[-1][0] >= section.level:
            path.pop()
        if section.level:
            path.append((section.level, section.title[:LONGEST_HEADING]))
        texts = tuple(text for _, text in path)
        found.append(texts if not title or texts[:1] == (title,) else (title, *texts))
    return found


def _chunks(
    sections: Sequence[Section], keys: Sequence[str], headings: Sequence[tuple[str, ...]], *, size: int
) -> Iterator[Chunk]:
    """The chunks of each section; a heading with nothing under it goes with what comes next."""
    carried: tuple[Block, ...] = ()
    for place, section in enumerate(sections):
        blocks = carried + section.blocks
        carried = ()
        if section.is_bare and place + 1 < len(sections):
            carried = blocks
            continue
        yield from pack(blocks, size=size, heading=headings[place], about=keys[place])


def _cut(block: Block, size: int) -> Iterator[Block]:
    if len(block.text) <= (size * WHOLE_TIMES if block.whole else size):
        if block.text.strip():
            yield block
        return
    lines = block.text.split("\n")
    spread = block.end - block.start + 1 == len(lines)  # else the text is not what its lines hold (HTML, PDF)
    held: list[str] = []
    length, start = 0, block.start
    for place, line in enumerate(lines):
        at = block.start + place if spread else block.start
        if held and length + len(line) > size:
            yield Block("\n".join(held), start, at - 1 if spread else block.end)
            held, length = [], 0
        if not held:
            start = at
        if len(line) > size:
            yield from (Block(part, at, at if spread else block.end) for part in _cut_line(line, size))
            continue
        held.append(line)
        length += len(line) + 1
    if any(line.strip() for line in held):
        yield Block("\n".join(held), start, block.end)


def _cut_line(line: str, size: int) -> Iterator[str]:
    """A long line at sentences, then at words.

    >>> list(_cut_line("One two. Three four five six.", 12))
    ['One two.', 'Three four', 'five six.']
    """
    held = ""
    for sentence in SENTENCE_END.split(line):
        rest = sentence
        if held and len(held) + len(rest) + 1 > size:
            yield held
            held = ""
        while len(rest) > size:
            at = rest.rfind(" ", size // 2, size + 1)
            at = at if at > 0 else size
            yield rest[:at].rstrip()
            rest = rest[at:].lstrip()
        held = f"{held} {rest}" if held and rest else held or rest
    if held.strip():
        yield held


def _joined(blocks: Sequence[Block], heading: tuple[str, ...], about: str) -> Chunk:
    text = blocks[0].text
    for before, block in pairwise(blocks):
        text += ("\n" if block.start <= before.end + 1 else "\n\n") + block.text
    return Chunk(text, blocks[0].start, blocks[-1].end, heading, about)


def _detail(sections: Sequence[Section]) -> str:
    """The first sentence of the text."""
    for section in sections:
        for block in section.blocks[1:] if section.level else section.blocks:
            if not block.whole and (line := SPACES.sub(" ", block.text).strip()):
                return SENTENCE_END.split(line)[0][:LONGEST_DETAIL]
    return ""


def _aliases(sheet: Sheet, title: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in (sheet.path, sheet.name, sheet.stem) if each != title))
