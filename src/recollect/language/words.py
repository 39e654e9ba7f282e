"""Words every table needs: one kind of apostrophe, question words, helping verbs, and pairs that are one thing."""

from __future__ import annotations

import re

from recollect.language.lazily import lazily

QUESTION_WORDS = ("what", "when", "where", "who", "whom", "whose", "which", "how", "why")
QUESTION_WORD = rf"(?:{'|'.join(QUESTION_WORDS)})"
HELPING = "is are was were am do does did has have had can could will would shall should may might must".split()
HELPING_VERB = rf"(?:{'|'.join(HELPING)})"
DETERMINERS = "the my our your his her its their a an this that these those".split()
DETERMINER = rf"(?:{'|'.join(DETERMINERS)})"

# "X and Y" that names one thing, or two that are only ever spoken of together.
FIXED_PAIRS = frozenset(
    """
    terms and conditions|research and development|pros and cons|buy and hold|profit and loss|mergers and acquisitions
    |supply and demand|rise and fall|trial and error|cause and effect|health and safety|law and order|bed and breakfast
    |rock and roll|drum and bass|salt and pepper|fish and chips|bread and butter|black and white|back and forth
    |up and down|on and off|ups and downs|ins and outs|dos and don'ts|do's and don'ts|wear and tear|peace and quiet
    |food and drink|arts and crafts|sales and marketing|nuts and bolts|odds and ends|risk and return|risk and reward
    |question and answer|questions and answers|input and output|read and write|search and rescue|hide and seek
    |cut and paste|copy and paste|drag and drop|plug and play|find and replace|stop and search|pick and choose
    |command and control|divide and conquer|war and peace|pride and prejudice|sense and sensibility
    |crime and punishment|romeo and juliet|beauty and the beast|tom and jerry|simon and garfunkel|hall and oates
    |johnson and johnson|procter and gamble|marks and spencer|ernst and young|barnes and noble|bang and olufsen
    |black and decker|dolce and gabbana|abercrombie and fitch|standard and poor|bosnia and herzegovina
    |trinidad and tobago|antigua and barbuda|mac and cheese|gin and tonic|heart and soul|body and mind|mind and body
    |time and again|now and then|now and again|here and there|more and more|less and less|over and over|again and again
    |one and only|tried and tested|safe and sound|first and foremost|each and every|by and large|through and through
    |husband and wife|mother and father|mom and dad|mum and dad|brother and sister|bride and groom|men and women
    |boys and girls|ladies and gentlemen|friends and family|family and friends|names and addresses|date and time
    |time and place|name and address|height and weight|track and trace|track and field|science and technology
    |truth and reconciliation|life and death|good and bad|good and evil|right and wrong|left and right|north and south
    |east and west|day and night|night and day|hot and cold|old and new|new and old|yes and no|and and or|if and when
    |as and when|open and close|start and end|beginning and end|lost and found|room and board|hardware and software
    |null and void|aid and abet|cease and desist|rules and regulations|roles and responsibilities|goals and objectives
    |strengths and weaknesses|costs and benefits|ways and means|hopes and dreams
    |thoughts and prayers|checks and balances
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)
FIXED_LISTS = frozenset(
    """
    lock, stock and barrel|hook, line and sinker|red, white and blue|blood, sweat and tears|tom, dick and harry
    |crosby, stills and nash|peter, paul and mary|earth, wind and fire|emerson, lake and palmer|rock, paper and scissors
    |health, safety and environment|reading, writing and arithmetic|the good, the bad and the ugly
    |here, there and everywhere
    |ready, willing and able|cool, calm and collected|healthy, wealthy and wise|signed, sealed and delivered
    |the lion, the witch and the wardrobe|eat, pray, love
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)


def straighten(text: str) -> str:
    """The text with typographic apostrophes made plain; every character keeps its place.

    >>> straighten("What’s Ana‘s code?")
    "What's Ana's code?"
    """
    return text.replace("’", "'").replace("‘", "'").replace("ʼ", "'")


def words_pattern(*alternatives: str) -> re.Pattern[str]:
    """One pattern that finds any of the alternatives as whole words, in any case.

    >>> bool(words_pattern("our").search("four hours"))
    False
    """
    return lazily(rf"(?<![\w'-])(?:{'|'.join(alternatives)})(?![\w-])", re.IGNORECASE)


def is_fixed(text: str) -> bool:
    """Whether the text is a pair or list that stays together, with or without a comma before "and"."""
    plain = " ".join(straighten(text).lower().replace(", and ", " and ").split())
    return plain in FIXED_PAIRS or plain in FIXED_LISTS
