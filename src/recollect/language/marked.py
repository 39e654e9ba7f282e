"""A sentence of prose with its names and dates marked: each becomes one character that patterns can be written with.

Takes text; gives sentences with their lines, and a `Marked` for each. Stricter than `mentions`, which only gives keys
to look up by: what is marked here becomes a thing in a graph. What the marks say of each other is left to `clauses`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from recollect.language.calendar import MONTH_NAMES
from recollect.language.entities import NO_NAMES
from recollect.language.lazily import lazily
from recollect.records import name_key

FIRST_NAME, FIRST_DATE = 0xE000, 0xF000  # of two runs of characters that no text has
MOST_MARKS = 200  # of either sort in one sentence
LONGEST_SENTENCE = 800  # characters; what is longer is a list or a table
LONGEST_NAME = 80
LONGEST_LY = 7  # letters of a name in -ly, such as Sicily; what is longer is an adverb
SURE_TITLE = 3  # words of a title that means the same in small letters
NAME, DATE = "[\ue000-\uefff]", "[\uf000-\uf8ff]"
MARK = "[\ue000-\uf8ff]"

UPPER = r"[A-ZÀ-ÖØ-ÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽА-ЯЁΑ-Ω]"
WORD = rf"(?:{UPPER}\.(?:\s?{UPPER}\.)*|[OD]['’]\s?{UPPER}\w+|{UPPER}[\w&]*(?:['’]\w{{2,}})?(?:-\s?{UPPER}\w+|-\w+)*)"
JOINED = (
    r"(?:of(?:\s+the)?|de(?:\s+la|\s+los|l)?|d[aiou]s?|la|le|van(?:\s+de[rn]?)?|von(?:\s+der)?"
    r"|der|den|bin|ibn|al|y|&|\+)"
)
MONTH = rf"(?:{'|'.join(name.title() for name in MONTH_NAMES)})"
DATED = (
    rf"(?:\d{{1,2}}\s+{MONTH}(?:,?\s+\d{{4}})?|{MONTH}\s+(?:\d{{1,2}},?\s+)?\d{{4}}"
    rf"|{MONTH}\s+\d{{1,2}}|1\d{{3}}|20\d\d)\b"
)
RUN = rf"{WORD}(?:\s+(?:{JOINED}\s+)?{WORD}|\s+\d{{1,4}}(?![\d,.%]|\s+[a-z]))*"
FOUND = lazily(
    r"\[\[(?P<link>[^\[\]|#]{2,80})(?:#[^\[\]|]*)?(?:\|[^\[\]]{1,80})?\]\]"
    rf"|[\"“]\s?(?P<quoted>(?:{UPPER}|\d)[^\"“”]{{1,78}})[\"”]|``(?P<ticked>{UPPER}[^`']{{1,78}})''"
    rf"|(?P<games>(?<!\w)(?<![Ii]n )(?:1\d{{3}}|20\d\d)(?:[–-]\d\d)?\s+{UPPER}[\w-]+(?:\s+{UPPER}[\w-]+)+)"
    rf"|(?P<date>(?<![\w.-]){DATED})"
    rf"|(?P<name>(?<![\w'’.@/-]){RUN})"
)
SENTENCE = lazily(r"\S[^.!?\n]*(?:[.!?]+(?=[^\s.!?])[^.!?\n]*|\n(?!\s*(?:\n|[-*•#>|]|\d+[.)]\s|\Z))[^.!?\n]*)*[.!?]*")
SHORTENED = lazily(
    r"(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|Inc|Co|Ltd|Corp|Gen|Col|Lt|Sgt|Rev|Hon|Gov|Sen|Rep|Mt|Ft|Op|No|no|c|ca|b|d|etc"
    r"|e\.g|i\.e|(?:[A-Z]\.)*[A-Z])\.$"
)
LED_IN = lazily(r"^(?:[-*•>#|]+\s*|\d+[.)]\s+)+")
# Adjectives of nations and the like, which begin with a capital and name nothing by themselves.
NATIONAL = lazily(
    r"^(?:(?:North|South|East|West|Latin|Anglo|African|Native|Old|New|Middle|Early|Late|Upper|Lower|Central)[\s-])?"
    r"(?:\w+(?:ese|ish|[a-z]{2}ian|ican|[^h]eek|ench|erman|utch|wiss|oman|ottish)|Thai|Czech|Israeli|Iraqi|Pakistani|Afghan"
    r"|Catholic|Protestant|Muslim|Jewish|Christian|Buddhist|Hindu|Arab|Roman Catholic|Hollywood|Bollywood|Olympic"
    r"|Soviet|Chinese|Korean|Mexican|Gothic|Baroque|Latin|English|Internet|Western|Eastern|Northern|Southern|Republican"
    r"|Democratic)$"
)
# Words that stand with a capital before a name and are none of it; the titles of people.
TITLES = frozenset(
    "mr mrs ms dr sir dame prof professor president general colonel captain major lieutenant sergeant senator governor "
    "director reverend".split()
)


ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth early late".split())


class Marked(NamedTuple):
    """A sentence with a character for each name and date, and what they stand for, in order."""

    text: str
    names: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    def name(self, mark: str) -> str:
        """What a mark stands for."""
        place = ord(mark)
        return self.dates[place - FIRST_DATE] if place >= FIRST_DATE else self.names[place - FIRST_NAME]


class Line(NamedTuple):
    """A sentence and the line its first word is on."""

    text: str
    line: int


def sentences(text: str, *, start_line: int = 1) -> Iterator[Line]:
    """The sentences of a text; a paragraph goes on over the end of a line, a list or a heading does not.

    >>> [tuple(each) for each in sentences("Ana met Mr. Low.\\nThey\\nleft.\\n\\n- a boat")]
    [('Ana met Mr. Low.', 1), ('They left.', 2), ('a boat', 5)]
    """
    held, held_line = "", 0
    line, counted = start_line, 0
    for match in SENTENCE.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        piece = " ".join(match[0].split())
        whole, at = (f"{held} {piece}", held_line) if held else (piece, line)
        if SHORTENED.search(whole[-8:]) and text[match.end() : match.end() + 2].strip(" ") != "\n":
            held, held_line = whole, at
            continue
        held = ""
        if plain := LED_IN.sub("", whole):
            yield Line(plain, at)
    if held:
        yield Line(held, held_line)


def mark(sentence: str, *, title: str = "", knows: Callable[[str], bool] = lambda name: False) -> Marked:
    """The sentence with its names marked. A capital at its start proves nothing by itself: a single word there is a
    name where it is the title's or `knows` says so.

    >>> found = mark("The Road was built by Ana Ortiz of Faro in 1916.", title="The Road")
    >>> found.names, found.dates
    (('The Road', 'Ana Ortiz of Faro'), ('1916',))
    """
    names: list[str] = []
    dates: list[str] = []
    links: list[str] = []
    plain = sentence[:LONGEST_SENTENCE]
    if title and title.lower() in plain.lower():
        plain, times = _title(title).subn(chr(FIRST_NAME), plain)
        if times:
            names.append(title)

    def put(name: str) -> str:
        if len(names) == MOST_MARKS:
            return name
        if name not in names:
            names.append(name)
        return chr(FIRST_NAME + names.index(name))

    def replaced(match: re.Match[str]) -> str:
        kind, found = str(match.lastgroup), match[0]
        if kind == "date":
            if len(dates) == MOST_MARKS:
                return found
            dates.append(" ".join(found.split()))
            return chr(FIRST_DATE + len(dates) - 1)
        if kind == "name":
            return _named(found, at_start=not plain[: match.start()].strip("\"'“( "), put=put, knows=knows)
        name = match[kind].strip(" ,.")
        if kind == "link":
            links.append(name)
        if kind == "games" and NATIONAL.match(name.split(" ", 1)[1]):
            dates.append(name.split()[0])
            rest = _named(name.split(" ", 1)[1], at_start=False, put=put, knows=knows)
            return f"{chr(FIRST_DATE + len(dates) - 1)} {rest}"
        return put(name) if name_key(name) else found

    marked = FOUND.sub(replaced, plain)
    return Marked(marked, tuple(names), tuple(dates), tuple(links))


@lru_cache(maxsize=64)
def _title(title: str) -> re.Pattern[str]:
    """A title in a text, in quotes or not; one of several words in capitals or not."""
    flags = re.IGNORECASE if len(title.split()) >= SURE_TITLE else 0
    quote = r"\s?[\"”]|\s?''|"
    return re.compile(
        rf"(?:[\"“]\s?|``\s?)?(?<![\w-]){re.escape(title)}(?:{quote}(?![\w-])(?!\s(?-i:{UPPER}[a-z])))", flags
    )


def _named(found: str, *, at_start: bool, put: Callable[[str], str], knows: Callable[[str], bool]) -> str:
    """A run of capitalised words as a mark, with what stands before it and is no part of the name."""
    words = found.split(" ")
    before = 0
    while before < len(words) and _opens(words[before], alone=before + 1 == len(words)):
        before += 1
    name = " ".join(words[before:]).rstrip(".&+ ") if not words[-1].endswith(".") else " ".join(words[before:])
    low = name.lower()
    if not name or len(name) > LONGEST_NAME or len(name) < 2 or name_key(name).isdigit() or NATIONAL.match(name):
        return found
    if low in NO_NAMES or low in MONTH_NAMES or low in ORDINALS or (low in TITLES and not knows(name)):
        return found
    if at_start and " " not in name and not knows(name) and not (name.isupper() and len(name) > 2):
        return found
    if " " not in name and len(name) > LONGEST_LY and name.endswith("ly"):
        return found
    lead = " ".join(words[:before])
    return f"{lead} {put(name)}" if lead else put(name)


def _opens(word: str, *, alone: bool) -> bool:
    """Whether a capitalised word only begins a sentence: "The", "In"; or stands before a name: "Mr."."""
    low = word.lower().rstrip(".")
    return (low in NO_NAMES and low not in MONTH_NAMES) or (low in TITLES and not alone)
