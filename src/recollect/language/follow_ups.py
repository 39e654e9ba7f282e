"""A question that leans on what was said before -> the same question by itself, or None where nothing can be filled.

Three kinds: an ellipsis takes the place of its like in the last question ("and in May?", "what about Ana?"), a lone
question word takes the last question over ("Why?"), and a pronoun takes the last thing it can stand for. The newest
message counts most; the last question before the last reply. Leaves the caller's own text as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.language.entities import LOOKED_AT, NO_NAMES, find_entities
from recollect.language.lazily import lazily
from recollect.language.times import time_words
from recollect.language.traits import EMPTY_IT, NOUN, has_unresolved
from recollect.language.words import HELPING_VERB, QUESTION_WORD, straighten, words_pattern
from recollect.questions import Message

MOST_MESSAGES = 12

OPENER = r"(?:(?:and|so|ok|okay|but|then)[\s,]+)?"
ELLIPSIS = lazily(
    rf"^(?:{OPENER}(?:what|how)\s+about|and(?:\s+what\s+of)?|(?:do\s+)?the\s+same(?:\s+thing)?)\s+(?P<new>.+?)[\s?.!]*$",
    re.IGNORECASE,
)
A_TIME = lazily(r"^(?P<new>(?:in|on|during|since|before|after|until)\s+.+?|yesterday|today)[\s?.!]*$", re.IGNORECASE)
LONE_WORD = lazily(rf"^{OPENER}(?P<word>{QUESTION_WORD})(?:\s+(?:so|not|then|exactly))?[\s?.!]*$", re.IGNORECASE)
CLAUSE = lazily(rf"(?:{QUESTION_WORD}|{HELPING_VERB}|i|we|you|he|she|it|they|that|this)\b", re.IGNORECASE)
LONGEST_ELLIPSIS = 6  # words; longer ones say enough themselves
IS_QUESTION = lazily(
    rf"\?\s*$|^\s*(?:{QUESTION_WORD}|{HELPING_VERB}|tell|show|find|check|list|explain|describe|compare)\b",
    re.IGNORECASE,
)
PREPOSITION = lazily(r"^(?:in|on|at|for|with|from|about|during|since|before|after|until|to|by|of)\s+", re.IGNORECASE)

HE, SHE, THEY, IT = ("he", "him", "his"), ("she", "her", "hers"), ("they", "them", "their"), ("it", "its")
KIN = {group: words_pattern(*group) for group in (HE, SHE, THEY, IT)}
NOT_OWNED = "and|or|in|on|at|to|for|with|when|if|as|from|by|about|is|was|are|were|do|did|does|again|now"
POINTED = r"the\s+same(?:\s+(?:one|thing))?|the\s+(?:former|latter)"
STATE = "[a-z]+ed|paid|done|sold|sent|made|true|right|open|due"
DEMONSTRATIVE = rf"(?:this|that|these|those)(?:\s+ones?)?(?=\s*(?:[?.!,]|$)|\s+{HELPING_VERB}\b|\s+(?:{STATE})\b)"
PRONOUN = lazily(
    rf"(?<![\w'-])(?:(?P<own>his|her|their|its)(?=\s+(?!(?:{NOT_OWNED})\b)[a-z])"
    rf"|(?P<plain>he|him|she|her|they|them|it|{DEMONSTRATIVE}|{POINTED}))(?![\w-])(?P<s>'s)?",
    re.IGNORECASE,
)
# "That" before a clause, and a pointing word before a period of time, stand for nothing said before.
NOT_POINTING = lazily(
    r"(?:this|that|these|those)\s+(?:week|month|year|quarter|weekend|morning|afternoon|evening|time|days|repo|project)\b"
    r"|that's\s+(?:interesting|great|good|cool|right|nice|all|fine|true|wrong|too\s+bad)\b"
    r"|(?<=\w\s)that\s+(?:i|we|you|he|she|they|it|the|my|is|are|was|were|has|have|had|will|would|can|closed|came)\b",
    re.IGNORECASE,
)
TOPIC = lazily(
    r"\b(?P<topic>(?:the|my|our|your)\s+(?:[\w'’-]+\s+){0,3}?[\w'’-]+)"
    rf"(?=\s*[?.!,;]|\s*$|\s+(?:{HELPING_VERB}|in|on|at|for|with|from|about|during|since|before|after|until|to|by|go|went"
    r"|and|or|that|which|who|when|where|due|cost|mean|work|start|end|close[sd]?|open(?:s|ed)?|say|said)\b)",
    re.IGNORECASE,
)


def fill_references(text: str, messages: Sequence[Message]) -> str | None:
    """The text with its references filled from the messages before it, newest last; None where nothing was filled.

    >>> fill_references("and in May?", [Message("ana", "How much did I spend in April?")])
    'How much did I spend in May?'
    """
    said = [
        straighten(message.text[:LOOKED_AT]).strip() for message in messages[-MOST_MESSAGES:] if message.text.strip()
    ]
    last_question = next((each for each in reversed(said) if IS_QUESTION.search(each)), None)
    if last_question:
        filled = _lone_word(text, last_question) or _ellipsis(text, last_question)
        if filled:
            return filled
    if not said or not has_unresolved(text):
        return None
    return _pronouns(text, said)


def _lone_word(text: str, question: str) -> str | None:
    """ "Why?" after "Did we sell SOL?" asks why we sold it."""
    match = LONE_WORD.match(straighten(text))
    if not match or not re.match(rf"{HELPING_VERB}\b", question, re.IGNORECASE):
        return None
    return f"{match['word'].capitalize()} {question[0].lower()}{question[1:]}"


def _ellipsis(text: str, question: str) -> str | None:
    """What is new put in the place of its like in the last question."""
    plain = straighten(text).strip()
    match = ELLIPSIS.match(plain) or A_TIME.match(plain)
    new = match["new"] if match else ""
    if new and time_words(new) == (0, len(new)):
        return _with_time(question, new)
    if not new or len(new.split()) > LONGEST_ELLIPSIS or CLAUSE.match(new):
        return None
    bare = PREPOSITION.sub("", new)
    old = _like(bare, question)
    if old:
        return question.replace(old, bare, 1)
    tail = new if PREPOSITION.match(new) else f"for {new}"
    return f"{question.rstrip(' ?.!')} {tail}?"


def _with_time(question: str, new: str) -> str:
    span = time_words(question)
    if span is None:
        return f"{question.rstrip(' ?.!')} {new}?"
    return f"{question[: span[0]]}{new}{question[span[1] :]}"


def _like(new: str, question: str) -> str | None:
    """What in the question the new thing replaces: a name for a name, a thing of mine for a thing of mine."""
    names = find_entities(question)
    if find_entities(f"about {new}"):
        signs = [name for name in names if name.isupper() == new.isupper()]
        return signs[-1] if signs else names[-1] if names else None
    topics = [match["topic"] for match in TOPIC.finditer(question)]
    return topics[-1] if topics and re.match(r"(?:the|my|our|your|a|an)\s", new, re.IGNORECASE) else None


def _pronouns(text: str, said: Sequence[str]) -> str | None:
    """The first pronoun with nothing before it replaced by what it stands for; later ones then have it before them."""
    masked = straighten(text)
    for pattern in (EMPTY_IT, NOT_POINTING):
        masked = pattern.sub(lambda match: "_" * len(match.group()), masked)
    match = next((each for each in PRONOUN.finditer(masked) if not NOUN.search(masked[: each.start()])), None)
    if match is None:
        return None
    word = (match["own"] or match["plain"]).lower()
    found = _antecedent(word, said)
    if found is None:
        return None
    filled = _owner(found) if match["own"] else f"{found} is" if match["s"] else found
    return text[: match.start()] + filled + text[match.end() :]


def _antecedent(word: str, said: Sequence[str]) -> str | None:
    """The newest thing the word can stand for.

    Where the questions before used the same pronoun, all mean what was named before the first of them.
    """
    kin = next((group for group in KIN if word in group), None)
    uses = KIN[kin] if kin else None
    asked = [number for number, each in enumerate(said) if IS_QUESTION.search(each)]
    first = len(said)
    for number in reversed(asked):
        if uses is None or not uses.search(said[number]):
            break
        first = number
    earlier = said[:first]
    newest = [*[each for each in earlier if IS_QUESTION.search(each)][-1:], *reversed(earlier)]
    candidates = (_candidates(each, is_person=kin in (HE, SHE), is_many=kin == THEY) for each in newest)
    return next((found for each in candidates for found in each), None)


def _candidates(text: str, *, is_person: bool, is_many: bool) -> Iterator[str]:
    """What in a message a pronoun can stand for, likeliest first."""
    names = find_entities(text)
    if is_person:
        first = re.match(r"[A-Z]\w+", text)  # a reply may begin with the name
        if first and first.group().lower() not in NO_NAMES and len(text.split()) > 1 and not text.endswith("?"):
            whole = next((name for name in names if name.startswith(first.group())), None)
            yield whole or first.group()
        yield from (name for name in names if not name.isupper() and name.replace(" ", "").isalpha())
        return
    topics = [match["topic"] for match in TOPIC.finditer(text)] if IS_QUESTION.search(text) else []
    yield from [*names, *topics] if is_many and not topics else [*topics, *names]


def _owner(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"
