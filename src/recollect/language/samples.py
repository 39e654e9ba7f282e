"""A question that brings a sample with it: "find code like this: …". What is asked, and the sample itself.

The sample is what stands in a fence, or after a colon, or before the last line where that is the question; and it must
look like code, or else a list after a colon would be one.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST_REQUEST = 300
FENCED = re.compile(
    r"(?s)\A(.{0,300}?)^[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n(.*?)(?:\n[ \t]*+\2[`~]*+[ \t]*|\Z)(.{0,300})\Z", re.MULTILINE
)
AFTER_COLON = re.compile(rf"(?s)\A([^\n:]{{5,{LONGEST_REQUEST}}}:)\s(.+)\Z")
BEFORE_QUESTION = re.compile(rf"[^\n]{{5,{LONGEST_REQUEST}}}\?")
SIGN = re.compile(
    r"[{};]|\w\(|\)\s*[:{;.]|[\w\])]\s*(?:[-+*/|&]?=|[=!<>]=)\s*[\w\"'(\[{]|=>|->|::|//"
    r"|^\s*(?:def|class|return|import|from|try|except|func|fn|let|const|var|public|private|select|catch|throw|raise)\b"
    r"|\w\.\w+\(|@\w+",
    re.MULTILINE | re.IGNORECASE,
)
FEWEST_SIGNS = 3
WORDS_PER_SIGN = 8  # in prose a sign comes far more seldom


class Sample(NamedTuple):
    """What is asked, and what for."""

    request: str
    text: str


def find_sample(text: str) -> Sample | None:
    """The sample a question brings with it.

    >>> find_sample("Find code like this:\\ntry:\\n    send(x)\\nexcept Timeout:\\n    raise Late()").request
    'Find code like this:'
    >>> find_sample("I need this: bread, milk (two) and a map.") is None
    True
    """
    if "\n" not in text and ":" not in text:
        return None
    if fenced := FENCED.match(text):
        return Sample(f"{fenced[1].strip()} {fenced[4].strip()}".strip(), fenced[3].strip("\n"))
    if (after := AFTER_COLON.match(text)) and _is_code(after[2]):
        return Sample(after[1].strip(), after[2].strip("\n"))
    before, _, last = text.rstrip().rpartition("\n")
    if BEFORE_QUESTION.fullmatch(last.strip()) and _is_code(before):
        return Sample(last.strip(), before.strip("\n"))
    return None


def _is_code(text: str) -> bool:
    signs = len(SIGN.findall(text[:2_000]))
    return signs >= FEWEST_SIGNS and signs * WORDS_PER_SIGN >= len(text[:2_000].split())
