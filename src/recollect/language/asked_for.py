"""What kind of thing a question is answered with, where its words say so, and whether a text tells one.

Only kinds that can be seen without understanding: a time and a number. A text that tells none can hardly answer.
"""

from __future__ import annotations

from enum import StrEnum

from recollect.language.lazily import lazily


class AskedFor(StrEnum):
    """What an answer has to hold."""

    TIME = "time"
    NUMBER = "number"
    ANYTHING = "anything"


LOOKED_AT = 2_000  # characters
ASKS_TIME = lazily(
    r"^(?:.{0,40}\b)?when\b(?!ever)|\b(?:what|which)\s+(?:year|date|day|month|century|decade|time|week)\b"
    r"|\bhow\s+long\s+ago\b|\bsince\s+when\b|\buntil\s+when\b|\bby\s+when\b"
)
ASKS_NUMBER = lazily(
    r"\bhow\s+(?:many|much|long|old|far|often|large|big|tall|high|heavy|fast|deep|wide)\b"
    r"|\bwhat\s+(?:number|percentage|percent|amount|age|price|cost|population)\b"
)
MONTHS = "january|february|april|june|july|august|september|october|november|december"
TELLS_TIME = lazily(
    rf"\b(?:1\d{{3}}|20\d{{2}})\b|\b\d{{1,2}}:\d{{2}}\b|\b(?:{MONTHS})\b"
    r"|\b(?:in|last|next|of|by|until|since|early|late|mid)[\s-](?:march|may)\b|\b(?:march|may)\s+\d|\d\s+(?:march|may)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:yesterday|tomorrow|today|tonight|noon|midnight|century)\b"
    r"|\b(?:last|next|this|past|coming)\s+(?:week|weekend|month|year|night|summer|winter|spring|fall|autumn)\b|\bago\b"
)
TELLS_NUMBER = lazily(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|billion"
    r"|half|once|twice|several|many|few|a\s+couple)\b"
)


def asked_for(question: str) -> AskedFor:
    """The kind its words ask for.

    >>> asked_for("When did Ana leave?").value, asked_for("How many boats are there?").value, asked_for("Who?").value
    ('time', 'number', 'anything')
    """
    low = question[:LOOKED_AT].lower()
    if ASKS_TIME.search(low):
        return AskedFor.TIME
    return AskedFor.NUMBER if ASKS_NUMBER.search(low) else AskedFor.ANYTHING


def tells(text: str, kind: AskedFor) -> bool:
    """Whether a text holds something of that kind; of no kind in particular, no.

    >>> tells("I left yesterday.", AskedFor.TIME), tells("I left.", AskedFor.TIME), tells("I left.", AskedFor.ANYTHING)
    (True, False, False)
    """
    match kind:
        case AskedFor.TIME:
            return TELLS_TIME.search(text[:LOOKED_AT].lower()) is not None
        case AskedFor.NUMBER:
            return TELLS_NUMBER.search(text[:LOOKED_AT].lower()) is not None
        case _:
            return False
