"""Names in a text: quoted text, file paths, addresses, code names, tickers and capitalised runs.

Takes text; gives the names in order, without repeats. A capital at the start of a sentence proves nothing by itself.
Leaves to the graph whether a name is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.language.calendar import MONTH_NAMES, WEEKDAY_NAMES
from recollect.language.lazily import lazily
from recollect.language.words import DETERMINERS, HELPING, QUESTION_WORDS, is_fixed, straighten

UPPER = "A-ZÀ-ÖØ-ÞА-ЯЁΑ-Ω"
FILE_ENDING = (
    "py|pyi|ts|tsx|js|jsx|md|txt|json|yaml|yml|toml|csv|tsv|sql|sh|go|rs|java|kt|c|h|cpp|html|css|pdf|docx|xlsx"
    "|ini|cfg|lock|log|ipynb"
)

LOOKED_AT = 2_000  # characters; what is pasted beyond them is not combed for names

QUOTED = lazily(r"[\"“”]([^\"“”]{2,80})[\"“”]|(?<![\w'])'([^'\n]{2,80})'(?!\w)|`([^`\n]{2,80})`")
ADDRESS = lazily(r"\bhttps?://[^\s<>\"]+[^\s<>\".,;:!?)]")
PATH = lazily(rf"(?<![\w/.-])~?(?:/?(?:[\w.-]+/)+[\w-][\w.-]*\w|[\w-]+\.(?:{FILE_ENDING})\b(?!\.\w))")
CODE = lazily(r"(?<!\w)_*[^\W_]+(?:_+[^\W_]+)+\b|\b[A-Za-z]+[a-z0-9][A-Z]\w*\b|\b[a-z]+[A-Z]{2,}\w*\b")
TICKER = lazily(r"(?<![\w'])\$?[A-Z][A-Z0-9]{1,9}(?:[-/][A-Z]{2,5})?\b")
CAPITAL = rf"(?:[{UPPER}][\w&-]*(?:\.(?=\w)[\w&-]*)*(?:'[{UPPER}]\w*)?|(?<=\s)\d{{1,4}}(?=\s+[{UPPER}]))"
JOINER = r"(?:\s+|\s+(?:of|de|del|da|do|dos|du|la|le|van|von|der|den|bin|al)\s+(?:the\s+)?)"
RUN = lazily(rf"(?<![\w'])[{UPPER}][\w&-]*(?:\.(?=\w)[\w&-]*)*(?:'[{UPPER}]\w*)?(?:{JOINER}{CAPITAL})*")
PAIR = lazily(rf"(?<![\w'])([{UPPER}]\w+) and ([{UPPER}]\w+)")

# Capitalised words that are no names: the words sentences begin with, and the calendar (see `times`).
OPENERS = """
    i i'm i'd i've i'll it he she we you they me us them and or but so if then also not no yes ok okay please thanks hi
    hello hey dear there here now today yesterday tomorrow tell show find check list look get give compare explain
    describe summarize summarise remind remember suggest brainstorm recall search any all some every each both more most
    many much another other in on at of for from to with without by about between before after since until during last
    next because although while who's what's where's when's how's let let's am pm utc gmt asap fyi todo re vs etc faq
    don't didn't doesn't isn't aren't wasn't weren't haven't hasn't can't couldn't won't wouldn't shouldn't which's
    never nothing none nobody neither nor except excluding only just still even maybe perhaps really very mr mrs ms dr
    later earlier afterwards meanwhile however finally
    """.split()
NO_NAMES = frozenset([*QUESTION_WORDS, *HELPING, *DETERMINERS, *MONTH_NAMES, *WEEKDAY_NAMES, *OPENERS])
NO_PATHS = frozenset("and/or he/she his/her him/her yes/no true/false on/off either/or read/write input/output".split())
START = lazily(r"(?:^|[.!?:;]\s+|\n\s*|[\"“(]\s*)$")


def find_entities(text: str) -> tuple[str, ...]:
    """Names in the text, in order.

    >>> find_entities("How did the SOL trade with Jump Trading in order_book go?")
    ('SOL', 'Jump Trading', 'order_book')
    """
    text = text[:LOOKED_AT]
    plain = straighten(text)
    taken: list[tuple[int, int, str]] = []
    for start, end, name in _candidates(plain):
        if name and not any(start < other_end and end > other_start for other_start, other_end, _ in taken):
            taken.append((start, end, text[start:end] if end - start == len(name) else name))
    names = dict.fromkeys(name for _, _, name in sorted(taken))
    return tuple(name for name in names if not any(name != other and name in other.split() for other in names))


def _candidates(text: str) -> Iterator[tuple[int, int, str]]:
    """Every name with its place, the surest kinds first."""
    for match in QUOTED.finditer(text):
        yield match.start(), match.end(), next(group for group in match.groups() if group)
    for pattern in (ADDRESS, PATH, CODE):
        yield from (
            (match.start(), match.end(), match.group())
            for match in pattern.finditer(text)
            if match.group().lower() not in NO_PATHS
        )
    for match in PAIR.finditer(text):
        if is_fixed(match.group()):
            yield match.start(), match.end(), match.group()
    shouting = text.isupper() and len(text.split()) > 2
    if not shouting:
        yield from (trimmed for match in RUN.finditer(text) if (trimmed := _trimmed(text, match)))
        yield from (
            (match.start(), match.end(), match.group())
            for match in TICKER.finditer(text)
            if match.group().lower() not in NO_NAMES
        )


def _trimmed(text: str, match: re.Match[str]) -> tuple[int, int, str] | None:
    """A capitalised run without the words at its edges that are no names; None when nothing is left."""
    start, end = match.span()
    words = [(word.start() + start, word.end() + start) for word in re.finditer(r"\S+", text[start:end])]
    for edge in (-1, 0):
        while words and _is_no_name(text[slice(*words[edge])], beside_others=len(words) > 1):
            words.pop(edge)
    if not words:
        return None
    start, end = words[0][0], words[-1][1]
    name = text[start:end].rstrip(".&-")
    if not name or name.isdigit() or len(name) < 2:
        return None
    if START.search(text[:start]) and not _is_name_at_start(name, text, start + len(name)):
        return None
    return start, start + len(name), name


def _is_no_name(word: str, *, beside_others: bool) -> bool:
    """Whether the word at the edge of a run is none of its name; "Friday" is part of "Black Friday"."""
    plain = word.lower()
    in_calendar = plain in MONTH_NAMES or plain in WEEKDAY_NAMES
    return plain in NO_NAMES and not (in_calendar and beside_others)


def _is_name_at_start(name: str, text: str, end: int) -> bool:
    """Whether a capitalised word that begins a sentence is a name nevertheless."""
    rest = text[end:]
    return bool(
        " " in name
        or name.isupper()
        or rest.startswith("'s")
        or re.match(rf"(?:,\s+[{UPPER}]\w+)*,?\s+and\s+[{UPPER}]", rest)
        or not rest.strip(" ?!.,")
        or f" {name}" in rest
    )
