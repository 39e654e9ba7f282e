"""What a question is like: text -> every trait that applies, each by its table, on word boundaries.

Leaves out what others find: trivial and long (`understand`), compound (`parts`).
"""

from __future__ import annotations

import re

from recollect.language.lazily import lazily
from recollect.language.times import mentions_time, time_words
from recollect.language.words import HELPING_VERB, straighten, words_pattern
from recollect.questions import Target, Trait

MEASURES = "many|much|old|long|far|often|tall|big|high|late|early|soon|large|deep|wide|heavy|fast|about"
REASONING = words_pattern(
    rf"(?<!know )how(?:'s|'d|'re)?(?!\s+(?:{MEASURES})\b)",
    r"why(?:'s|'d)?",
    r"compar(?:e[sd]?|ing|isons?)",
    r"differ(?:s|ed|ences?|ent\s+from)?",
    r"versus|vs\.?",
    r"explain(?:s|ed|ing)?|explanations?",
    r"summari[sz](?:e[sd]?|ing)|summary\s+of",
    r"describe[sd]?",
    r"(?<!anything )relate[sd]?\s+to|relationships?",
    r"connections?\s+(?:between|to|with)",
    r"what\s+(?:do|did)\s+(?:i|we|you)\s+know\s+about",
    r"tell\s+me\s+(?:more\s+|all\s+|everything\s+)?about",
    r"reasons?\s+(?:for|why|behind|that)",
)
NEGATION = words_pattern(
    r"(?<!or )(?<!why )(?<!if )not(?!\s+only)",
    r"cannot",
    r"(?:do|does|did|is|are|was|were|has|have|had|ca|could|wo|would|should|must|need)n't",
    r"never(?!\s*mind)",
    r"without|except|excluding|excludes?|apart\s+from|other\s+than",
    r"(?:is|are|was|were|went|what's)\s+missing|missing\s+(?:from|in)",
    r"no\s+longer|no\s+one|nobody|nothing|none\s+of|neither|nowhere",
    r"(?:has|have|had|having|with|is|are|was|were|there's)\s+no",
    r"lack(?:s|ed|ing)?",
)
DURING = words_pattern("during", "at the time", "back then", "this time last year")

KINDS = "books?|films?|movies?|songs?|places?|things?|ideas?|others?|anything|something|anyone|someone|restaurants?"
EXPLORATION = words_pattern(
    r"(?:what|who|where|anything|something|anyone)\s+else",
    r"anything\s+(?:related|similar|like)",
    r"more\s+(?:about|on|like|of\s+the\s+same)",
    r"similar\s+to",
    rf"(?:{KINDS})\s+like",
    r"brainstorm(?:ing)?",
    r"(?:some|any|more|new|good)\s+ideas|ideas?\s+(?:for|about|on|how)",
    r"(?:can|could|would)\s+you\s+(?:suggest|recommend)",
    r"suggestions?|recommendations?",
    r"(?:what|which)\s+other",
    r"alternatives?(?:\s+to)?",
    r"inspirations?|inspire\s+me",
    r"what\s+(?:could|might)\s+(?:i|we)",
)
OPENING = lazily(r"^(?:please\s+)?(?:suggest|recommend|explore)\b", re.IGNORECASE)

PERSONAL = words_pattern("he|him|his|she|her|hers|they|them|their|theirs|it|its|he's|she's|they're|it's")
# "It" that stands for nothing: the weather, the clock, effort.
EMPTY_IT = lazily(
    r"\bwhat\s+(?:time|day|date|year)\s+(?:is|was)\s+it\b"
    r"|\b(?:is|was|will)\s+it\s+(?:be\s+)?(?:raining|snowing|true|possible|worth|safe|legal|cold|hot|warm|late|time|ok)\b"
    r"|\b(?:does|did|will|would)\s+it\s+(?:take|matter|make\s+sense)\b"
    r"|\bit(?:'s|\s+is|\s+was)\s+(?:late|early|raining|snowing|cold|hot|true|possible|time)\b|\bit\s+looks\s+like\b"
    r"|\bit\s+(?:takes?|seems?|turns\s+out|is\s+worth)\b|\b(?:worth|make|made)\s+it\b",
    re.IGNORECASE,
)
LOCAL = "repo|repository|project|codebase|workspace|folder|directory|branch|machine|file|module"
PERIOD = "week|month|year|quarter|weekend|morning|afternoon|evening|spring|summer|autumn|fall|winter|time|century"
DEMONSTRATIVE = lazily(
    rf"^(?:and\s+|so\s+|but\s+)?(?:this|that|these|those)\b(?!\s+(?:{PERIOD}|{LOCAL})\b)"
    rf"|\b(?:this|that|these|those)\s*(?:one|ones)?\s*[?.!,]*$"
    rf"|\b(?:is|was|are|were|does|do|did|about|of|for|with|like|to|from)\s+(?:this|that|these|those)\b"
    rf"(?!\s+(?:{PERIOD}|{LOCAL})\b)"
    rf"|\b(?:those|these)\s+(?!days\b)[a-z]+",
    re.IGNORECASE,
)
POINTING = words_pattern(
    r"the\s+same(?!\s+(?:as|time\s+as))", r"the\s+other(?:s|\s+one)?(?!\s+day)", r"the\s+(?:former|latter)", "ditto"
)
# Something earlier in the same text a pronoun can stand for.
NO_NOUN = f"{HELPING_VERB}|what|who|when|where|why|how|which|and|or|but|so|if|he|she|it|they|his|her|their|its|i|we|you"
NOUN = lazily(
    r"\b(?:the|my|our|your|a|an|any)\s+(?!same|other|former|latter)[a-z][\w-]+"
    rf"|(?<=\s)(?!(?i:{NO_NOUN})\b)[A-Z][\w'-]+"
    rf"|^(?!(?i:{NO_NOUN}|tell|show|find|check|explain|describe|compare)\b)[A-Za-z][\w-]+"
)


def find_traits(text: str, *, target: Target | None = None) -> frozenset[Trait]:
    """Every trait the words show; `target` is what `attributes` found.

    >>> sorted(find_traits("Why did I not sell SOL yesterday?"))
    [<Trait.NEGATION: 'negation'>, <Trait.REASONING: 'reasoning'>, <Trait.TIME: 'time'>]
    """
    plain = straighten(text).strip()
    found = {
        Trait.REASONING: bool(REASONING.search(plain)),
        Trait.NEGATION: bool(NEGATION.search(plain)),
        Trait.TIME: mentions_time(plain) or bool(DURING.search(plain)),
        Trait.UNRESOLVED: has_unresolved(plain),
        Trait.EXPLORATION: bool(EXPLORATION.search(plain) or OPENING.search(plain)),
        Trait.LOOKUP: target is not None,
    }
    return frozenset(trait for trait, applies in found.items() if applies)


def has_unresolved(text: str) -> bool:
    """Whether the text points at something it does not name.

    >>> has_unresolved("When is it due?"), has_unresolved("What is the rent and when is it due?")
    (True, False)
    """
    plain = straighten(text).strip()
    if POINTING.search(plain) or (DEMONSTRATIVE.search(plain) and not _is_time_only(plain)):
        return True
    masked = EMPTY_IT.sub(lambda match: " " * len(match.group()), plain)
    return any(not NOUN.search(plain[: match.start()]) for match in PERSONAL.finditer(masked))


def _is_time_only(text: str) -> bool:
    """Whether the only thing pointed at is a time: "these days", "this March"."""
    span = time_words(text)
    return span is not None and not DEMONSTRATIVE.search((text[: span[0]] + text[span[1] :]).strip())
