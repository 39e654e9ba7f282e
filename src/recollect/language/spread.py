"""A list or pair of names in one sentence -> the sentence once for each name.

"BTC and SOL analysis" becomes "BTC analysis" and "SOL analysis"; what stands before and after is carried into each.
Only names that can be told apart by their form are spread; two surnames may be one duo, and stay together.
"""

from __future__ import annotations

import re
from itertools import pairwise

from recollect.language.entities import NO_NAMES
from recollect.language.lazily import lazily
from recollect.language.times import mentions_time
from recollect.language.words import is_fixed, straighten

TICKER = r"\$?[A-Z][A-Z0-9]{1,9}(?![\w'’])"
CODE = (
    r"(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[\w-]+(?:/[\w.-]+)+|[\w-]+\.(?:py|ts|js|md|toml|json))(?![\w'’])"
)
QUOTED = r"[\"“][^\"“”]{2,60}[\"”]"
SIGN = rf"(?:{QUOTED}|{CODE}|{TICKER})"
NAME = r"[A-Z][\w&-]*(?:\s+[A-Z][\w&-]*){0,3}(?![\w'’])"
OWNED = r"[A-Z]\w+['’]s"
THING = r"(?:the|my|our|his|her|their)\s+[\w-]+(?:\s+[\w-]+)?"

# Said of several together, so that one alone makes no sense.
JOINT = lazily(
    r"\b(?:between|among|together|both|all|each\s+other|one\s+another|versus|vs|differ\w*|relat\w+|correlat\w+|ratio|spread|pairs?"
    r"|deal|agreement|treaty|merge[rd]?s?|meet|met|common|same|combin\w+|either|neither|or|connect\w*|interact\w*|overlap\w*"
    r"|marr\w+|share[sd]?|divorc\w+|war|conflict|border\w*|partnership|collaborat\w+|versus|difference\w*|like|married"
    r"|work(?:ed|s)?\s+with|known\s+as|called|named|such\s+as|including|out\s+of|than|older|younger|larger|bigger)\b",
    re.IGNORECASE,
)
APART = r"(?:birthdays|trips|flights|visits|offices|branches|addresses|time\s*zones|salaries|invoices|accounts|tickets)"

ITEM = rf"(?:{SIGN}|{NAME}|{THING})"
LIST = lazily(rf"(?P<items>{ITEM}(?:,\s+{ITEM})+,?\s+and\s+{ITEM})")
PLAIN_LIST = lazily(
    r"\b(?:about|regarding|on|of|for)\s+(?P<items>[a-z-]{3,}(?:,\s+[a-z-]{3,})+,?\s+and\s+[a-z-]{3,})(?=\s*[?.!]*$)"
)
PAIRS = (
    lazily(rf"(?<![\w,])(?P<items>{SIGN}\s+and\s+{SIGN})"),
    lazily(rf"(?<![\w,])(?P<items>{TICKER}\s+[a-z]+\s+and\s+{TICKER}\s+[a-z]+)(?=\s*[?.!]*$)"),
    lazily(rf"(?<![\w,])(?P<items>{OWNED}\s+and\s+{OWNED})(?=\s+\w)"),
    lazily(rf"(?<![\w,])(?P<items>{NAME}\s+and\s+{NAME})(?=\s+{APART}\b)"),
)
SEPARATOR = lazily(r",\s+and\s+|,\s+|\s+and\s+")

COMPARE = lazily(
    r"^(?:(?:please|can\s+you|could\s+you)\s+)?compare\s+(?:and\s+contrast\s+)?(?P<items>.+?)[\s?.!]*$", re.I
)
AGAINST = lazily(r",\s+and\s+|,\s+|\s+(?:and|with|to|against|versus|vs\.?)\s+", re.IGNORECASE)
TAIL = lazily(r"^(?P<item>.+?)(?P<tail>\s+(?:in|on|for|during|since|at|over|by|this|last)\s.+)$", re.IGNORECASE)
SHARED_NOUN = lazily(rf"^(?P<item>{SIGN})(?P<tail>(?:\s+[a-z][\w-]*)+)$")
LONGEST_ITEM = 6  # words


def spread(text: str) -> list[str]:
    """The sentence once for each thing it names, or itself.

    >>> spread("BTC and SOL analysis"), spread("Simon and Garfunkel songs")
    (['BTC analysis', 'SOL analysis'], ['Simon and Garfunkel songs'])
    """
    if match := COMPARE.match(text):
        return _compared(match["items"]) or [text]
    if "and" not in text or JOINT.search(text):
        return [text]
    for pattern in (LIST, PLAIN_LIST, *PAIRS):
        match = pattern.search(text)
        if match and (spread_out := _each(text, match)):
            return spread_out
    return [text]


def _each(text: str, match: re.Match[str]) -> list[str]:
    """The sentence with each item in the place of all of them; nothing where they belong together."""
    start, end = match.span("items")
    start += len(_opening(text[start:end]))
    items = SEPARATOR.split(text[start:end])
    if _belong_together(items, text[start:end]) or mentions_time(text[start:end]):
        return []
    before, after = text[:start], text[end:]
    things = sum(bool(re.fullmatch(THING, item)) for item in items)
    if 0 < things < len(items) or before.count('"') % 2:  # "Ana, the lawyer, and Ben"; a list inside a quotation
        return []
    return [" ".join(f"{before}{item}{after}".split()) for item in items]


def _opening(items: str) -> str:
    """Words at the start of a list that are no name: "Check BTC", "Did Ana"."""
    found = re.match(r"(?:[A-Z][\w'’]*\s+)*", items)
    words = re.findall(r"\S+\s+", found.group()) if found else []
    opening = ""
    for word in words:
        if straighten(word.strip()).lower() not in NO_NAMES or word.strip().lower() in {"the", "my", "our"}:
            break
        opening += word
    return opening


def _compared(text: str) -> list[str]:
    """What is compared, each by itself, with the noun or the time they share."""
    items = [item.strip() for item in AGAINST.split(text)]
    belong = len(items) < 2 or _belong_together(items, text) or re.search(r"\bfrom\b.+\bto\b|\bbetween\b", text)
    if belong or any(not 0 < len(item.split()) <= LONGEST_ITEM or len(item) < 3 for item in items):
        return []
    last = items[-1]
    for pattern in (TAIL, SHARED_NOUN):
        if (match := pattern.match(last)) and not any(pattern.match(item) for item in items[:-1]):
            items = [item + match["tail"] for item in items[:-1]] + [last]
            last = last.removesuffix(match["tail"])
    return items


def _belong_together(items: list[str], text: str) -> bool:
    if is_fixed(text) or len({item.lower() for item in items}) < len(items):
        return True
    pairs = pairwise(items)
    return any(is_fixed(f"{one} and {other}") or is_fixed(f"{one.split()[-1]} and {other}") for one, other in pairs)
