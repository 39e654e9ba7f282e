"""Which sort of amount a question asks for, where its words say so, and whether a text tells one of that sort.

"How much does a home visit cost?" cannot be answered by a text about home visits that tells no price. How many there
are is left out: that may be counted over many texts. Takes texts; a text that may tell one is taken to do so.
"""

from __future__ import annotations

import re
from enum import StrEnum

from recollect.language.lazily import lazily

LOOKED_AT = 2_000  # characters of a question
READ = 4_000  # characters of a text


class Amount(StrEnum):
    """What an answer has to tell."""

    MONEY = "money"
    LENGTH = "length"  # of time or way: "how long" asks for either
    FREQUENCY = "frequency"
    MEASURE = "measure"


ASKS = {
    Amount.MONEY: lazily(
        r"\bhow\s+much\s+(?:does|do|did|is|was|will|would|are|were|has|have|had)\b.*"
        r"\b(?:cost|costs|pay|paid|charge|charged|worth|spend|spent|earn|earned|owe|owed|fee|price|rent|salary)\b"
        r"|\bwhat\s+(?:does|did|do|will|would)\b.*\bcost\b|\bwhat(?:\s+is|\s+was|['’]s)\s+the\s+(?:price|cost|fee|rent|salary)\b"
        r"|\bhow\s+(?:expensive|costly)\b|\bhow\s+much\s+(?:money|rent|salary)\b"
    ),
    Amount.LENGTH: lazily(r"\bhow\s+long\b(?!\s+ago)"),
    Amount.FREQUENCY: lazily(r"\bhow\s+(?:often|frequently|regularly)\b"),
    Amount.MEASURE: lazily(
        r"\bhow\s+(?:old|far|tall|high|heavy|deep|wide|fast)\b|\b(?:at|from|until)\s+what\s+age\b"
        r"|\bwhat\s+(?:percentage|percent|age|weight|height|distance|speed)\b"
    ),
}
NUMBERS = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozens?|hundreds?|thousands?|millions?"
    "|billions?|half|quarter|third|couple|few|several"
)
TELLS = {
    Amount.MONEY: lazily(
        r"\d|[$€£¥]|\b(?:euros?|dollars?|pounds?|cents?|pence|yen|francs?|rupees?|bucks?|usd|eur|gbp|chf|free|gratis"
        r"|million|billion|costs?|price[sd]?|pay|pays|paid|charge[sd]?|fees?|worth|rent|salary|cheap(?:er)?|expensive)\b"
    ),
    Amount.LENGTH: lazily(
        r"\d|\b(?:seconds?|minutes?|hours?|days?|weeks?|weekends?|months?|years?|decades?|century|centuries|nights?"
        r"|mornings?|afternoons?|evenings?|summers?|winters?|life|lifetime|forever|always|since|until|till|from|between"
        r"|feet|foot|yards?|met(?:er|re)s?|miles?|kilomet(?:er|re)s?|inches|inch|pages?|overnight|moment|while|short|long"
        r"|longer|quick(?:ly)?|brief(?:ly)?)\b"
    ),
    Amount.FREQUENCY: lazily(
        r"\d|\b(?:once|twice|times?|every|each|daily|weekly|fortnightly|monthly|quarterly|yearly|annual(?:ly)?|hourly"
        r"|never|always|often|rarely|seldom|sometimes|occasionally|usually|regularly|constantly|per|(?:a|an)\s+"
        r"(?:hour|day|week|month|year|quarter)|(?:mon|tues|wednes|thurs|fri|satur|sun)days|nightly|all\s+the\s+time)\b"
    ),
    Amount.MEASURE: lazily(
        rf"\d|\b(?:{NUMBERS}|born|age|young|old|older|newborn|teenage[rd]?|far|near|close|miles?|kilomet(?:er|re)s?"
        r"|feet|foot|inches|met(?:er|re)s?|kilos?|pounds?|tons?|tonnes?|percent|most|all|none|every)\b"
    ),
}


def amount_asked(question: str) -> Amount | None:
    """The sort of amount a question asks for, if any.

    >>> amount_asked("How much does a home visit cost?").value, amount_asked("How much do you know?")
    ('money', None)
    """
    low = question[:LOOKED_AT].lower()
    return next((amount for amount, asks in ASKS.items() if asks.search(low)), None)


def tells_amount(text: str, amount: Amount) -> bool:
    """Whether a text may tell an amount of that sort.

    >>> tells_amount("Visits are made within twelve miles.", Amount.MONEY), tells_amount("It is 40.", Amount.MONEY)
    (False, True)
    """
    found: re.Match[str] | None = TELLS[amount].search(text[:READ].lower())
    return found is not None
