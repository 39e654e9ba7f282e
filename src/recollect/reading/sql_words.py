"""SQL as words: a text in, its statements out, each as a list of words, whatever dialect it is in.

Comments and strings are gone, quoted names are names, and a statement ends at its semicolon, at a line `GO`, or where a
line starts the next `CREATE` or `ALTER`; so a broken one spoils no other. Data that a dump brings inline is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_WORDS = re.compile(
    r"""
      (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*\#[^\n]*)
    | (?P<string>[eEnN]?'(?:[^'\\]|''|\\.)*(?:'|\Z))
    | (?P<body>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
    | (?P<quoted>"(?:[^"\n]|"")*"|`[^`\n]*`|(?<![\w\])"])\[[A-Za-z_][^\]\n]*\])
    | (?P<word>[^\W\d][\w$\#]*)
    | (?P<number>\d[\w.]*)
    | (?P<sign>[^\s])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_INLINE_DATA = re.compile(
    r"^(COPY\b[^;]*\bFROM\s+STDIN\b[^;]*;)(.*?)(^\\\.$|\Z)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
STARTS = {"CREATE", "ALTER"}
SCHEMAS = {"public", "dbo", "main"}  # where things are that need no schema


class Word(NamedTuple):
    """A word, sign or body of a function. `is_name` for one in quotes, `upper` is for comparing with keywords."""

    text: str
    upper: str
    start: int
    end: int
    line: int
    is_name: bool = False


def statements(text: str) -> list[list[Word]]:
    """The statements of a text.

    >>> [[word.text for word in each] for each in statements("select 1; drop table `a b`;")]
    [['select', '1'], ['drop', 'table', 'a b']]
    """
    found: list[list[Word]] = [[]]
    for word, is_first in _words(_without_data(text)):
        if word.upper == ";" or (is_first and word.upper == "GO"):
            found.append([])
        elif is_first and word.upper in STARTS and found[-1]:
            found.append([word])
        else:
            found[-1].append(word)
    return [each for each in found if each]


def _without_data(text: str) -> str:
    if "\\." not in text:
        return text
    return _INLINE_DATA.sub(lambda match: match[1] + re.sub(r"[^\n]", " ", match[2] + match[3]), text)


def _words(text: str) -> Iterator[tuple[Word, bool]]:
    """The words, each with whether it is the first of its line."""
    newlines = [match.start() for match in re.finditer("\n", text)]
    seen = 0
    for match in _WORDS.finditer(text):
        kind, start = match.lastgroup, match.start()
        if kind in {"comment", "string"}:
            continue
        line = bisect_right(newlines, start - 1) + 1
        raw = match[0]
        is_first, seen = line != seen, line
        is_name = kind == "quoted"
        shown = _unquoted(raw) if is_name else raw
        yield Word(shown, "" if is_name else raw.upper(), start, match.end(), line, is_name), is_first


def _unquoted(raw: str) -> str:
    return raw[1:-1].replace('""', '"')


def is_name(word: Word) -> bool:
    """Whether a word can be a name: in quotes, or letters."""
    return word.is_name or (word.text[:1].isalpha() or word.text[:1] == "_")


def name_at(words: Sequence[Word], at: int) -> tuple[tuple[str, ...], int]:
    """The parts of the name at a place, in lower case, without a usual schema, and the place after it.

    >>> name_at(statements('select "Public".Orders')[0], 1)
    (('orders',), 4)
    """
    parts: list[str] = []
    while at < len(words) and is_name(words[at]):
        parts.append(words[at].text.lower())
        at += 1
        if at + 1 >= len(words) or words[at].text != "." or not is_name(words[at + 1]):
            break
        at += 1
    while len(parts) > 1 and parts[0] in SCHEMAS:
        parts = parts[1:]
    return tuple(parts), at


def inside(words: Sequence[Word], at: int) -> tuple[Sequence[Word], int]:
    """What stands in the parentheses that open at a place, and the place after them; all the rest if none closes."""
    depth = 0
    for end in range(at, len(words)):
        depth += (words[end].text == "(") - (words[end].text == ")")
        if depth == 0:
            return words[at + 1 : end], end + 1
    return words[at + 1 :], len(words)


def parts_of(words: Sequence[Word]) -> list[Sequence[Word]]:
    """What the commas outside parentheses separate."""
    found: list[Sequence[Word]] = []
    depth = first = 0
    for at, word in enumerate(words):
        depth += (word.text == "(") - (word.text == ")")
        if word.text == "," and depth == 0:
            found.append(words[first:at])
            first = at + 1
    return [each for each in [*found, words[first:]] if each]
