"""The syntax tree of a Python file, and as much of it as can be had where the file is not valid.

Python's own parser is used: it knows the language exactly, is always there, and what its nodes hold is read several
times faster than with tree-sitter (docs/decisions/013). It gives nothing for a file with an error, so a statement it
refuses is replaced by `pass` and the rest is read: an unfinished edit, another version of Python, a template.
"""

from __future__ import annotations

import ast
import re
import warnings

from recollect.reading.outline import clean

COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
CONTINUES = re.compile(r"(else|elif|except|finally|case)\b|[)\]}]")
MOST_PARSED = 8_000_000  # characters parsed on the way to a valid file, before what is left is given up
COST = 100  # of any parsing, in characters


def text_of(source: bytes) -> str:
    """The text of a Python file, in the encoding its first two lines name."""
    for line in source[:400].split(b"\n", 2)[:2]:
        cookie = COOKIE.match(line)
        if cookie and cookie[1].lower() not in {b"utf-8", b"utf8"}:
            try:
                return clean(source.decode(cookie[1].decode("ascii"), errors="replace").encode())
            except (LookupError, ValueError):  # no such encoding, or not one of texts
                break
    return clean(source)


def parse(text: str) -> tuple[ast.Module | None, tuple[int, ...]]:
    """The tree and the lines that had to be left out of it; no tree where nothing could be read.

    >>> tree, left_out = parse("def a():\\n    return 1\\n\\nprint 'x'\\n")
    >>> [type(each).__name__ for each in tree.body], left_out
    (['FunctionDef', 'Pass'], (4,))
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd escapes, in someone else's code
        tree, _ = _attempt(text)
        if tree is not None:
            return tree, ()
        lines = text.replace("\0", " ").split("\n")
        left_out = _mended(lines)
        return _attempt("\n".join(lines))[0], left_out


def _attempt(text: str) -> tuple[ast.Module | None, int]:
    """The tree, or none and the line of the error; 0 where the parser does not say."""
    try:
        return ast.parse(text), 0
    except SyntaxError as error:
        return None, error.lineno or 0
    except (ValueError, RecursionError, MemoryError):  # null characters; too deeply nested
        return None, 0


def _mended(lines: list[str]) -> tuple[int, ...]:
    """Replaces in place what does not parse, and says which lines that were. Halves that parse are left alone."""
    left_out: set[int] = set()
    blocks = _blocks(lines)
    waiting = [(0, len(blocks))]
    parsed = 0
    while waiting:
        low, high = waiting.pop()
        first, last = blocks[low][0], blocks[high - 1][1]
        while parsed < MOST_PARSED:
            text = "\n".join(lines[first:last])
            parsed += len(text) + COST
            tree, error = _attempt(text)
            if tree is not None:
                break
            if high - low > 1:
                waiting += [((low + high) // 2, high), (low, (low + high) // 2)]
                break
            if not error:
                _give_up(lines, first, last, left_out)
                break
            left_out.update(_replace(lines, min(first + error, last) - 1, last))
        else:
            _give_up(lines, first, last, left_out)
    return tuple(sorted(at + 1 for at in left_out))


def _give_up(lines: list[str], first: int, last: int, left_out: set[int]) -> None:
    left_out.update(at for at in range(first, last) if lines[at].strip())
    lines[first:last] = [""] * (last - first)


def _replace(lines: list[str], at: int, last: int) -> list[int]:
    """Makes a line `pass`, or nothing where it is that already, and what is indented below it nothing."""
    line = lines[at].strip()
    indent = len(lines[at]) - len(lines[at].lstrip())
    replaced = [at]
    lines[at] = "" if line in {"", "pass"} else lines[at][:indent] + "pass"
    if line.endswith(":"):
        for below in range(at + 1, last):
            text = lines[below].strip()
            if text and len(lines[below]) - len(lines[below].lstrip()) <= indent:
                break
            if text:
                replaced.append(below)
                lines[below] = ""
    return replaced


def _blocks(lines: list[str]) -> list[tuple[int, int]]:
    """Where the statements at the left margin begin and end, decorators with what they decorate."""
    starts: list[int] = []
    decorated = False
    for at, line in enumerate(lines):
        if not line or line[0] in " \t\f#" or CONTINUES.match(line):
            continue
        if not decorated:
            starts.append(at)
        decorated = line[0] == "@"
    starts[:1] = [0]
    return list(zip(starts, [*starts[1:], len(lines)], strict=True))
