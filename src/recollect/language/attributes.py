"""What of what a lookup asks: text -> the entity, its attribute, and how clearly the text says so.

Every form is tried and the clearest kept. In "the stop for SOL" the entity is SOL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.language.lazily import lazily
from recollect.language.words import DETERMINER, HELPING_VERB, straighten
from recollect.questions import Target

ATTRIBUTE_WORDS = (
    "phone|e-?mail|address|birthday|number|date|name|title|location|id|link|url|contact|age|status|role|position"
    "|company|team|project|price|size|stop|target|deadline|password|code|salary|owner|version|plan|thesis|capital"
)
ATTRIBUTE_WORD = lazily(rf"\b(?:{ATTRIBUTE_WORDS})(?:e?s)?\b", re.IGNORECASE)
BASE, SURER, SLIGHTLY = 0.70, 0.15, 0.05
MENTIONED, MENTIONED_WITH_OWNER = 0.5, 0.6
SHORT = 50

IS = r"(?:'s|'re|\s+(?:is|are|was|were))"
NAME = r"(?:[\w&.$-]+\s+){0,3}?[\w&.$-]+"
WHAT = rf"(?:what{IS}|tell\s+me|show\s+me|give\s+me|find)\s+"
OF_OWNER = lazily(rf"^(?:{WHAT}|who{IS}\s+|where{IS}\s+|when{IS}\s+)?({NAME})'s?\s+({NAME})\W*$", re.IGNORECASE)
FOR_ENTITY = lazily(
    rf"^(?P<what>{WHAT})?(?:{DETERMINER}\s+)?({NAME})\s+(?:for|of)\s+(?:{DETERMINER}\s+)?({NAME})\W*$", re.IGNORECASE
)
OF_WHOM = lazily(
    rf"^(?:who|where|when){IS}\s+((?:{DETERMINER}\s+)?(?:[\w&.$-]+\s+){{0,2}}?[\w&.$-]+)\W*$", re.IGNORECASE
)
WHAT_ENTITY = lazily(rf"{WHAT}(?:{DETERMINER}\s+)?(?P<rest>(?:[^\s?!]+\s+){{1,6}}[\w-]+)\W*$", re.IGNORECASE)
NO_OWNER = lazily(
    rf"^(?:what|who|where|when|how|it|he|she|that|this|there|here|let|which|why|{HELPING_VERB})$", re.IGNORECASE
)
ORDER = lazily(r"(?:brainstorm|suggest|recommend|check|compare|explain|describe|list|search|look)\b", re.IGNORECASE)
NO_ENTITY = lazily(
    r"^(?:(?:the\s+)?(?:same|other|former|latter)|i|me|you|we|us|it|he|him|she|her|they|them|this|that|these|those|there|here|one|ones|going|next|up|on)\b"
    r"|\b(?:for|of|and|or|to|in|at|with|when|if|that|who|which|is|are|was|were|being|been)\b",
    re.IGNORECASE,
)


def find_target(text: str, *, entities: Sequence[str] = ()) -> Target | None:
    """The clearest reading of the text as a lookup, or None.

    >>> find_target("What is the stop for SOL?")
    Target(entity='SOL', attribute='stop', confidence=0.95)
    """
    plain = straighten(text).strip()
    found = [*_by_form(plain), *_by_name(plain, entities)]
    return max(found, key=lambda target: target.confidence) if found else None


def _by_form(text: str) -> Iterator[Target]:
    """Lookups by how the sentence is built."""
    if (match := OF_OWNER.match(text)) and not NO_OWNER.match(match[1].split()[0]) and not NO_ENTITY.search(match[2]):
        yield _target(_without_determiner(match[1]), match[2], text)
    if (match := FOR_ENTITY.match(text)) and not NO_ENTITY.search(match[2]) and not NO_ENTITY.search(match[3]):
        starts_well = match["what"] or ATTRIBUTE_WORD.search(match[2])
        if starts_well and not NO_OWNER.match(match[2].split()[0]) and not ORDER.match(match[2]):
            yield _target(match[3], match[2], text)
    if (match := OF_WHOM.match(text)) and not NO_ENTITY.search(match[1]):
        yield _target(_without_determiner(match[1]), None, text)


def _by_name(text: str, entities: Sequence[str]) -> Iterator[Target]:
    """Lookups by a name in the text: "what is my BTC thesis", "Ana phone number"."""
    asked = WHAT_ENTITY.match(text)
    for entity in entities if asked else ():
        name, attribute = straighten(entity), asked["rest"] if asked else ""
        if attribute.startswith(f"{name} ") and not NO_ENTITY.search(attribute[len(name) :]):
            yield _target(entity, attribute[len(name) :].strip(), text)
    word = ATTRIBUTE_WORD.search(text)
    if word and entities and len(text.split()) <= 6 and not re.match(r"(?:how|why)\b", text, re.IGNORECASE):
        sure = MENTIONED_WITH_OWNER if "'s" in text else MENTIONED
        yield Target(entities[0], word.group().lower(), sure)


def _target(entity: str, attribute: str | None, text: str) -> Target:
    sure = BASE
    sure += SURER if attribute and ATTRIBUTE_WORD.search(attribute) else 0
    sure += SLIGHTLY if text.endswith("?") else 0
    sure += SLIGHTLY if len(text) < SHORT else 0
    return Target(entity, attribute, min(1.0, round(sure, 2)))


def _without_determiner(name: str) -> str:
    return re.sub(rf"^{DETERMINER}\s+", "", name, flags=re.IGNORECASE)
