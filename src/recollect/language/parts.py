"""Where a text asks several things: text -> its parts, each with what they share.

First it is cut where a new question begins, then a list or pair of names is spread over its sentence. A false split
costs more than a missed one: every rule names what it needs to see, and fixed pairs (`words`) are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.language.lazily import lazily
from recollect.language.pleasantries import is_trivial
from recollect.language.spread import spread
from recollect.language.words import HELPING_VERB, QUESTION_WORD, QUESTION_WORDS

SHORTEST = 3

NOT_JOINED = "".join(rf"(?<!\b{word})" for word in QUESTION_WORDS)  # "when and where" is one question
NAMING = r"(?:known|called|named|referred|spelled|written)\b"  # ", also known as" explains what stands before it
ORDER = (
    r"(?:check|look|find|show|tell|list|compare|summari[sz]e|explain|describe|remind|get|give|see|search|recall|review)"
)
POLITE = r"(?:(?:please|can\s+you|could\s+you|would\s+you)\s+)?"
SUBJECT = r"(?:the|my|our|your|his|her|their|any|i|we|you|he|she|it|they|there|[A-Z]\w*)"
MEASURE = r"(?:many|much|long|old|far|often|big|high|late|soon)"

PREPOSITION = r"(?:at|in|on|by|for|from|to|with|of|after|before|under|during|until|since|about|besides)"
FRONTED = (
    rf"(?:{PREPOSITION}\s+(?:what|which|whose|whom)"
    rf"|(?:along\s+with|according\s+to|besides|apart\s+from)\s+[^,?]{{2,60}},\s+{QUESTION_WORD})"
)

# Each rule is a place to cut; what stands left and right of it are parts. A question word alone is none ("and why?").
CUTS = (
    lazily(rf"\?+\s+(?=\S)(?!{QUESTION_WORD}\W*$)", re.IGNORECASE),  # What's BTC at? Did my SOL trade close?
    lazily(rf"{NOT_JOINED}[,;]?\s+and\s+(?:also\s+)?(?={QUESTION_WORD}\b.*?\s\w)", re.IGNORECASE),  # … and how …
    lazily(rf";\s+(?={QUESTION_WORD}\b.*?\s\w)", re.IGNORECASE),  # How is BTC; what is ETH funding?
    lazily(rf"[,;]\s+(?:and\s+)?also\s+(?=\w)(?!{NAMING})", re.IGNORECASE),  # Check BTC, also look at ETH
    lazily(rf"[.!]\s+Also,?\s+(?=\w)(?!{NAMING})"),  # Check BTC. Also look at ETH.
    lazily(rf"[,;]?\s+and\s+(?:then\s+|also\s+)?(?={ORDER}\s+\w)", re.IGNORECASE),  # Check BTC and look at ETH
    lazily(rf"[,;]?\s+and\s+(?:also\s+)?(?=(?i:{HELPING_VERB})\s+{SUBJECT}\b)"),  # Is BTC up and did SOL fall?
    lazily(rf"[,;]?\s+and\s+(?:also\s+)?(?={FRONTED}\b.*?\s\w)", re.IGNORECASE),  # … and in what year did SOL fall?
)
NEXT_SENTENCE, NEW_QUESTION, ALSO_AFTER_COMMA, NEW_ORDER, NEW_YES_OR_NO, NEW_FRONTED = (
    CUTS[at] for at in (0, 1, 3, 5, 6, 7)
)

ALSO = lazily(r"^\s*(?:and\s+)?also,?\s+(?=\w+\s+\w)", re.IGNORECASE)
STARTS_WITH_ORDER = lazily(rf"\s*{POLITE}{ORDER}\s+\w", re.IGNORECASE)
STARTS_WITH_HELPING = lazily(rf"\s*{HELPING_VERB}\s+\w", re.IGNORECASE)
STARTS_WITH_QUESTION = lazily(rf"\s*(?:{QUESTION_WORD}|{HELPING_VERB})\b", re.IGNORECASE)
OPENS = lazily(
    rf"\s*{POLITE}(?:{QUESTION_WORD}|{HELPING_VERB}|{ORDER}|any|and|also|or|i|btw|so|then|ok)(?:\b|['’]s)",
    re.IGNORECASE,
)
GOES_ON = lazily(r"[a-z]+(?:s|ed)\b")  # "a river, also crosses Spain"
OWN_SUBJECT = lazily(rf"(?:did|do|does)\s|{HELPING_VERB}\s+(?:i|we|you|he|she|it|they|there)\b", re.IGNORECASE)
WHOSE = lazily(r"whose(?:\s+\w+)?\s+(?:is|are|was|were)\s+(?:it|this|that|the|these|those)\b", re.IGNORECASE)
INDIRECT = lazily(
    rf"\s*{POLITE}(?:{ORDER}|let|do\s+you|did\s+you|does|i)\b|.*\b(?:know|wonder|remember|said|decide)\b", re.IGNORECASE
)
LEADING = lazily(rf"^\s*{PREPOSITION}\s+(?=(?:what|which|whose|whom)\b)", re.IGNORECASE)  # "From which country …"
ASKS = lazily(rf"\b{QUESTION_WORD}\b.*\b(?:{HELPING_VERB}|\w+ed)\b", re.IGNORECASE)
RELATIVE = lazily(r"\w+,?\s+(?:that|which|who|whom|whose|where)\b", re.IGNORECASE)
TURNED = lazily(rf"(?:when|where|why|how)(?:'s|’s|\s+(?:{HELPING_VERB}|{MEASURE}|about|come))\b", re.IGNORECASE)


def split_parts(text: str, *, most: int) -> list[str]:
    """Where the structure shows several questions, each of them; otherwise the text itself.

    >>> split_parts("What's my BTC thesis and how did my last SOL trade go?", most=4)
    ["What's my BTC thesis", 'how did my last SOL trade go?']
    """
    pieces = [text]
    for cut in CUTS:
        pieces = [part for piece in pieces for part in _cut(piece, cut)]
    if len(pieces) > 1:
        pieces = [ALSO.sub("", piece) for piece in pieces]
    parts = [part for piece in pieces for part in spread(piece.strip(" ,;"))]
    parts = list(dict.fromkeys(part for part in parts if len(part) >= SHORTEST and not is_trivial(part)))
    return most_distinct(parts, most=most) if parts else [text]


def most_distinct(parts: list[str], *, most: int) -> list[str]:
    """The first part and those that share the fewest words with the ones kept, in their order.

    >>> most_distinct(["Is BTC up", "Is BTC up now", "rent"], most=2)
    ['Is BTC up', 'rent']
    """
    kept = parts[:1]
    while len(kept) < min(most, len(parts)):
        left = [part for part in parts if part not in kept]
        kept.append(min(left, key=lambda part: max(_overlap(part, other) for other in kept)))
    return [part for part in parts if part in kept]


def _cut(text: str, cut: re.Pattern[str]) -> Iterator[str]:
    """The text cut at every place where what follows is really a question of its own."""
    start = 0
    for match in cut.finditer(text):
        if _begins_anew(text[start : match.start()], match.group(), text[match.end() :], cut):
            yield text[start : match.start()]
            start = match.end()
    yield text[start:]


def _begins_anew(left: str, joint: str, right: str, cut: re.Pattern[str]) -> bool:
    """Whether the right side asks something new, instead of going on with what the left side says."""
    if cut is NEW_ORDER:
        return bool(STARTS_WITH_ORDER.match(left) or STARTS_WITH_QUESTION.match(left)) and len(left.split()) > 1
    if cut is NEW_YES_OR_NO:
        opens = STARTS_WITH_HELPING.match(left) or ("," in joint and STARTS_WITH_QUESTION.match(left))
        return bool(opens) and (bool(STARTS_WITH_HELPING.match(left)) or bool(OWN_SUBJECT.match(right)))
    if cut is NEW_FRONTED:
        return bool(ASKS.search(left))  # "In what year and at what time did it happen?" is one question
    if cut is NEXT_SENTENCE:
        return not (right[0].islower() and left[:1].isupper() and not OPENS.match(right)) and right[0] != "("
    if cut is ALSO_AFTER_COMMA:
        return bool(OPENS.match(right)) or not GOES_ON.match(right)
    return cut is not NEW_QUESTION or _asks_anew(left, joint, right)


def _asks_anew(left: str, joint: str, right: str) -> bool:
    """Whether a question word after "and" opens a question, and no clause that goes on."""
    word, left = right.split()[0].lower(), LEADING.sub("", left)
    if not OPENS.match(left) and not re.search(rf"\b{HELPING_VERB}\b|['’]s\b", right, re.IGNORECASE):
        return False  # "She is a singer and what kind of activist?"
    if word == "whose":
        return bool(WHOSE.match(right))
    if word.startswith(("when", "where", "why", "how")) and not TURNED.match(right) and not INDIRECT.match(left):
        return False  # "countries that border France and where German is spoken"
    return not (word in {"who", "whom", "which", "where"} and RELATIVE.search(left) and "," not in joint)


def _overlap(one: str, other: str) -> float:
    first, second = (set(re.findall(r"\w+", each.lower())) for each in (one, other))
    return len(first & second) / len(first | second) if first | second else 1.0
