"""Markdown: sections by heading, front matter, code blocks and tables in one piece, links and names as statements.

Links between documents and `[[wikilinks]]` are references; names in backticks and names written LikeThis are mentions.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from recollect.knowledge import Named, Relation, Said
from recollect.reading.sections import Block, Contents, Section, Sheet, document, slug
from recollect.records import name_key

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
UNDERLINE = re.compile(r" {0,3}(?:(=+)|-{2,})[ \t]*$")
NO_TITLE = re.compile(r"\s*(?:[-*+>|]|\d+[.)]\s|$)")  # a line that begins so is no heading, whatever stands below it
TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
FRONT_FIELD = re.compile(r"(title|aliases)\s*:\s*(.*)$")
LISTED = re.compile(r"\s*-\s+(.+)$")
MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}")

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'(][^)]*)?\)|^ {0,3}\[[^\]^]+\]:\s*<?(\S+?)>?(?:\s|$)")
WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
TICKED = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+?)(?<!`)\1(?!`)")
IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*(?:\(\))?")
FILE_PATH = re.compile(r"\.{0,2}/?[\w.@-]+(?:/[\w.@-]+)*")
CAMEL = re.compile(r"(?<![\w./#-])(?:(?:[A-Z]+[a-z0-9]+){2,}[A-Z]*|[A-Z]{2,}[a-z]{2,}[a-z0-9]*)(?![\w-])")
NO_NAME = frozenset(
    "true false none null nil undefined self this cls int str bool float string number any void object list dict tuple "
    "set array map var let const def class import from return for while with async await yield args kwargs".split()
)
LEAST_NAME = 3
LONGEST_SENTENCE = 300
README_NAMES = ("README.md", "index.md", "readme.md")


def read_markdown(sheet: Sheet, text: str) -> Contents:
    """The contents of a Markdown file."""
    lines = text.split("\n")
    front = _front_matter(lines)
    sections = list(_sections(lines, front.end))
    first = next((section for section in sections if section.level), None)
    title = front.title or (first.title if first and first.level == 1 else "")
    if front.title and first and first.title != front.title:
        title = front.title
    found, keys = document(sheet, title, sections, language="markdown")
    statements = [said for section, key in zip(sections, keys, strict=True) for said in _said(section, key, sheet)]
    entities = found.entities
    if front.aliases:
        entities = (_called(entities[0], front.aliases), *entities[1:])
    return found._replace(entities=entities, statements=(*found.statements, *statements))


class _Front(NamedTuple):
    """What the front matter says, and how many lines it takes."""

    title: str = ""
    aliases: tuple[str, ...] = ()
    end: int = 0


def _front_matter(lines: Sequence[str]) -> _Front:
    if not lines or lines[0].rstrip() != "---":
        return _Front()
    end = next((place for place, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), 0)
    title, aliases, field = "", [], ""
    for line in lines[1 : end - 1] if end else ():
        if match := FRONT_FIELD.match(line):
            field, value = match[1], match[2].strip()
            if field == "title":
                title = _unquoted(value)
            else:
                aliases += [_unquoted(each) for each in value.strip("[]").split(",") if each.strip()]
        elif field == "aliases" and (item := LISTED.match(line)):
            aliases.append(_unquoted(item[1]))
        else:
            field = ""
    return _Front(title, tuple(aliases), end)


def _unquoted(value: str) -> str:
    return value.strip().strip("\"'").strip()


def _called(entity: Named, aliases: tuple[str, ...]) -> Named:
    return entity._replace(aliases=tuple(dict.fromkeys((*entity.aliases, *aliases))))


def _sections(lines: Sequence[str], front_end: int) -> Iterator[Section]:
    level, title, blocks = 0, "", []
    if front_end:
        blocks.append(Block("\n".join(lines[:front_end]), 1, front_end, whole=True))
    for heading, block in _blocks(lines, front_end):
        if heading is not None:
            if level or blocks:
                yield Section(level, title, tuple(blocks))
            (level, title), blocks = heading, []
        blocks.append(block)
    if level or blocks:
        yield Section(level, title, tuple(blocks))


def _blocks(lines: Sequence[str], at: int) -> Iterator[tuple[tuple[int, str] | None, Block]]:
    """Each block from this line on, with level and title where it is a heading."""
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        heading, end = _heading(lines, at)
        whole = False
        if heading is None:
            end, whole = _block_end(lines, at)
        yield heading, Block("\n".join(lines[at:end]), at + 1, end, whole)
        at = end


def _heading(lines: Sequence[str], at: int) -> tuple[tuple[int, str] | None, int]:
    line = lines[at]
    if match := HEADING.match(line):
        return (len(match[1]), _plain(match[2] or "")), at + 1
    if at + 1 < len(lines) and (under := UNDERLINE.match(lines[at + 1])) and not NO_TITLE.match(line):
        return (1 if under[1] else 2, _plain(line)), at + 2
    return None, at + 1


def _block_end(lines: Sequence[str], at: int) -> tuple[int, bool]:
    """The line after the block that begins here, and whether it is a code block or a table."""
    if fence := FENCE.match(lines[at]):
        return _fence_end(lines, at, fence[1]), True
    if _begins_table(lines, at):
        end = at + 2
        while end < len(lines) and lines[end].strip() and "|" in lines[end]:
            end += 1
        return end, True
    end = at + 1
    while end < len(lines) and lines[end].strip() and not FENCE.match(lines[end]) and not HEADING.match(lines[end]):
        if _begins_table(lines, end):
            break
        end += 1
    return end, False


def _fence_end(lines: Sequence[str], at: int, fence: str) -> int:
    for place in range(at + 1, len(lines)):
        closing = FENCE.match(lines[place])
        if closing and closing[1].startswith(fence) and not lines[place].strip().strip(fence[0]):
            return place + 1
    return len(lines)


def _begins_table(lines: Sequence[str], at: int) -> bool:
    return "|" in lines[at] and at + 1 < len(lines) and "|" in lines[at + 1] and bool(TABLE_RULE.match(lines[at + 1]))


def _plain(title: str) -> str:
    return MARKUP.sub(lambda match: match[1] or "", title).strip()


def _said(section: Section, key: str, sheet: Sheet) -> Iterator[Said]:
    """What a section refers to and mentions, each thing once."""
    seen: set[tuple[str, str]] = set()
    for block in section.blocks:
        if FENCE.match(block.text):
            continue
        for place, line in enumerate(block.text.split("\n")):
            for relation, target in _targets(line, sheet):
                if (relation, target) not in seen and target != key:
                    seen.add((relation, target))
                    yield Said(key, relation, target, block.start + place, line.strip()[:LONGEST_SENTENCE])


def _targets(line: str, sheet: Sheet) -> Iterator[tuple[str, str]]:
    if "[" in line:
        for match in LINK.finditer(line):
            if target := linked(match[1] or match[2], sheet):
                yield Relation.REFERENCES, target
        for match in WIKILINK.finditer(line):
            if name := name_key(match[1]):
                yield Relation.REFERENCES, f"name:{name}"
    rest = line
    if "`" in line:
        for match in TICKED.finditer(line):
            if target := _ticked(match[2].strip(), sheet):
                yield Relation.MENTIONS, target
        rest = TICKED.sub(" ", line)
    for match in CAMEL.finditer(LINK.sub(" ", rest)):
        yield Relation.MENTIONS, f"name:{name_key(match[0])}"


def linked(target: str, sheet: Sheet) -> str:
    """The key of the file or section a link means, empty where it leads out of the project."""
    if SCHEME.match(target):
        return ""
    path, _, anchor = target.partition("#")
    path = unquote(path.partition("?")[0])
    if not path:
        return f"{sheet.key}#{slug(unquote(anchor))}" if anchor else ""
    path = _resolved(path, sheet)
    if not path:
        return ""
    candidates = (path, f"{path}.md", *(f"{path}/{name}" for name in README_NAMES))
    known = next((each for each in candidates if each in sheet.paths), path)
    return f"file:{known}{f'#{slug(unquote(anchor))}' if anchor else ''}"


def _resolved(path: str, sheet: Sheet) -> str:
    """A path as written in this file, from the project's folder; empty where it leads out of it."""
    base = "" if path.startswith("/") else posixpath.dirname(sheet.path)
    found = posixpath.normpath(posixpath.join(base, path.lstrip("/") if not base else path))
    return "" if found == "." or found.startswith("..") else found


def _ticked(code: str, sheet: Sheet) -> str:
    """What a text in backticks names: a file of this project, or something called so."""
    if FILE_PATH.fullmatch(code):
        for path in (code.removeprefix("./"), _resolved(code, sheet)):
            if path in sheet.paths:
                return f"file:{path}"
    name = code.removesuffix("()")
    if len(name) < LEAST_NAME or name.lower() in NO_NAME or not IDENTIFIER.fullmatch(code):
        return ""
    key = name_key(name)
    return f"name:{key}" if key else ""
