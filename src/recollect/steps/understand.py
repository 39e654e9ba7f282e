"""Text -> Question: is it worth searching, and what are its parts?

Takes the caller's text; decides by rules in the tables below, on word boundaries, without looking at any data.
Leaves to `plan` where to look.
"""

from __future__ import annotations

import re

from recollect.recipes import Recipe
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Part, Question, Trait

MOMENT = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}"  # a date or a time of day; "v1.2" is neither
TIMESTAMP = re.compile(rf"^\s*\[[^\]]{{0,40}}?(?:{MOMENT})[^\]]{{0,40}}\]\s*")
LONGEST_SPLIT = 500  # longer texts are pasted content, not several questions
SHORTEST_PART = 3

PLEASANTRIES = frozenset(
    """
    hi|hello|hey|yo|good morning|good evening|good night|ok|okay|k|kk|yes|yep|yeah|no|nope|sure|fine|cool|nice|great
    |thanks|thank you|thx|ty|ok thanks|okay thanks|thanks a lot|many thanks|got it|understood|sounds good|perfect
    |awesome|lol|haha|bye|goodbye|see you|never mind|nevermind|please|welcome|you're welcome|no problem|np
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)

QUESTION_WORDS = ("what", "when", "where", "who", "whom", "whose", "which", "how", "why")
QUESTION_WORD = rf"(?:{'|'.join(QUESTION_WORDS)})"
NOT_JOINED = "".join(rf"(?<!\b{word})" for word in QUESTION_WORDS)  # "when and where" is one question
NAMING = r"(?:known|called|named|referred|spelled|written)\b"  # ", also known as" explains what stands before it
# Each rule is a place to cut; what stands left and right of it are parts. A question word alone is none ("and why?").
CUTS = (
    re.compile(rf"\?+\s+(?=\S)(?!{QUESTION_WORD}\W*$)", re.IGNORECASE),  # What's BTC at? Did my SOL trade close?
    re.compile(rf"{NOT_JOINED}[,;]?\s+and\s+(?:also\s+)?(?={QUESTION_WORD}\b.*?\s\w)", re.IGNORECASE),  # … and how …
    re.compile(rf"[,;]\s+(?:and\s+)?also\s+(?=\w)(?!{NAMING})", re.IGNORECASE),  # Check BTC, also look at ETH
)

CAPITALISED = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][\w&.-]*(?:\s+[A-Z][\w&.-]*)*")
TICKER = re.compile(r"\b[A-Z][A-Z0-9]{1,9}\b")
CODE_NAME = re.compile(r"\b\w+(?:_\w+)+\b|\b[A-Za-z]+[a-z][A-Z]\w*\b")
QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")


def understand(text: str, *, recipe: Recipe, settings: Settings, trace: Recorder) -> Question:
    """The question with its traits and parts; a trivial one has no parts."""
    cleaned = TIMESTAMP.sub("", text).strip()
    if is_trivial(cleaned):
        trace.decide("retrieve nothing", "trivial", characters=len(cleaned))
        return Question(text, frozenset({Trait.TRIVIAL}), ())
    if len(cleaned) > LONGEST_SPLIT:
        trace.decide("keep whole", "pasted_text", characters=len(cleaned))
        return Question(text, frozenset({Trait.LONG}), (_part(0, cleaned),))
    texts = split_parts(cleaned, most=settings.max_sub_queries) if recipe.splits else [cleaned]
    traits = {Trait.COMPOUND} if len(texts) > 1 else set()
    trace.decide("split" if traits else "keep whole", "structure" if traits else "one_part", parts=len(texts))
    return Question(text, frozenset(traits), tuple(_part(number, each) for number, each in enumerate(texts)))


def is_trivial(text: str) -> bool:
    """A pleasantry, or hardly any letters.

    >>> is_trivial("ok thanks!"), is_trivial("BTC?")
    (True, False)
    """
    words = " ".join(re.findall(r"[\w'’]+", text.lower()))
    return sum(character.isalnum() for character in words) < 2 or words in PLEASANTRIES


def split_parts(text: str, *, most: int) -> list[str]:
    """Where the structure shows several questions, each of them; otherwise the text itself.

    >>> split_parts("What's my BTC thesis and how did my last SOL trade go?", most=4)
    ["What's my BTC thesis", 'how did my last SOL trade go?']
    """
    pieces = [text]
    for cut in CUTS:
        pieces = [part for piece in pieces for part in cut.split(piece)]
    parts = [piece.strip(" ,;") for piece in pieces]
    parts = list(dict.fromkeys(part for part in parts if len(part) >= SHORTEST_PART and not is_trivial(part)))
    return parts[:most] if parts else [text]


def find_entities(text: str) -> tuple[str, ...]:
    """Names in the text: quoted, code, tickers, capitalised runs; in order, without repeats.

    >>> find_entities("How did the SOL trade with Jump Trading in order_book go?")
    ('SOL', 'Jump Trading', 'order_book')
    """
    found = [
        (match.start(), match.group(1) if pattern is QUOTED else match.group())
        for pattern in (QUOTED, CODE_NAME, TICKER, CAPITALISED)
        for match in pattern.finditer(text)
    ]
    names = dict.fromkeys(name for _, name in sorted(found))
    return tuple(name for name in names if not any(name != other and name in other.split() for other in names))


def _part(number: int, text: str) -> Part:
    return Part(number, text, find_entities(text))
