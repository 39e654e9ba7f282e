"""What a question is after, for routing: every rule that fits adds its weight, and the heaviest type wins.

Rules match whole words ("four" holds no "our"); at equal weight the more telling type, higher in the table, wins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.language.lazily import lazily
from recollect.language.words import straighten, words_pattern
from recollect.questions import QuestionType, Target

TEAMS = "teams|projects|repos|repositories|codebases|services|departments|groups|organi[sz]ations|companies"
TEAM = "team|project|repo|repository|codebase|service|department|group|organi[sz]ation|company"
OURS = f"{TEAM}|code|api|docs|documentation|readme|wiki|database|app|backend|frontend|build|pipeline|tests?|config"
HERE = "repo|repository|codebase|project|folder|directory|file|branch|workspace|module|machine"
ACTS_ON = "calls|uses|imports|depends\\s+on|extends|implements|inherits\\s+from|invokes|references|requires|consumes"
LINKS = "owns|manages|leads|founded|knows|employs|supplies|reports\\s+to|works\\s+(?:for|with|under)|married"
NAME = r"(?:[A-Z][\w.]*|\w+_\w+|[a-z]+[A-Z]\w*)"

RULES: tuple[tuple[QuestionType, int, re.Pattern[str]], ...] = (
    (QuestionType.CROSS_PROJECT, 4, words_pattern(
        rf"(?:the\s+)?other\s+(?:{TEAMS}|{TEAM})",
        rf"(?:across|all|every|each|any|several|multiple|different)\s+(?:of\s+)?(?:the\s+|our\s+|my\s+|other\s+)*"
        rf"(?:{TEAMS}|{TEAM})",
        rf"(?:another|a\s+different)\s+(?:{TEAM})",
        r"elsewhere\s+in\s+the\s+(?:company|organi[sz]ation)|company-wide|organi[sz]ation-wide|cross-project",
        r"(?:does|do|did|has|have)\s+(?:anyone|anybody|someone)\s+else\s+(?:here|use|have|at)",
    )),
    (QuestionType.MULTI_HOP, 4, words_pattern(
        r"(?!(?:what|who|where|when|how|it|that|there|let)'s)\w+'s\s+(?:\w+\s+)?\w+'s\s+\w+",
            r"(?:where|when)\s+(?:was|is|did|does|were)\s+the\s+\w+(?:\s+\w+)?\s+(?:who|that|which|whose)",
        r"(?:the|my|our|a)\s+\w+\s+of\s+(?:the|my|our|a)\s+\w+(?:\s+\w+)?\s+of",
        r"(?:who|what|which|where|when|whose)\b[^?]{3,60}\b(?:of|by|for|with|in|from|to|at|is|was|does|did)\s+the\s+"
        r"\w+(?:\s+\w+)?\s+(?:who|that|which|where|whose)",
        r"(?:of|by|for|with|from)\s+(?:the\s+)?(?:person|people|man|woman|company|team|city|country|one)\s+"
        r"(?:who|that|which|where|whose)",
    )),
    (QuestionType.SIMILARITY, 3, words_pattern(
        r"similar(?:ly)?\s+to|similar\s+\w+|most\s+similar|similarities",
        r"(?<!looks )(?<!feel )like\s+(?:this|that|these|those|the\s+one|it|mine|ours)",
        r"examples?\s+of|(?:something|anything|things)\s+like",
        r"resembl(?:es?|ed|ing)|comparable\s+(?:to|with)|reminiscent\s+of|analogous\s+to|in\s+the\s+style\s+of",
    )),
    (QuestionType.PATTERN, 3, words_pattern(
        r"patterns?(?:\s+(?:in|of|for|across|behind))?|trends?|habits?|tendenc(?:y|ies)",
        r"usually|typically|normally|tend(?:s|ed)?\s+to|how\s+often|every\s+time|each\s+time|on\s+average|most\s+often",
        r"recurring|repeatedly|again\s+and\s+again|over\s+time|in\s+common|keep(?:s)?\s+(?:on\s+)?\w+ing",
    )),
    (QuestionType.RELATIONSHIP, 3, words_pattern(
        r"connect(?:s|ed|ing)?\s+(?:to|with)|(?<!anything )relate[sd]?\s+to|relationships?\s+(?:between|of|with|to)",
        r"(?:connections?|links?|ties)\s+between|linked\s+(?:to|with)|(?:are|is|was|were)\s+\w+\s+and\s+\w+\s+related",
        rf"(?:what|who|which(?:\s+\w+)?)\s+(?:{ACTS_ON}|{LINKS})",
        r"depends?\s+on|reports?\s+to|works?\s+(?:for|under)|married\s+to|belongs?\s+to|descended\s+from",
        r"how\s+(?:is|are|does|do)\s+[^?]{2,50}\s+(?:related|connected|linked|relate|connect|interact)",
    )),
    (QuestionType.RELATIONSHIP, 3, lazily(rf"\b{NAME}\s+(?:{ACTS_ON}|{LINKS})\s+(?:the\s+)?{NAME}")),
    (QuestionType.RELATIONSHIP, 3, lazily(rf"\b[Dd]oes\s+{NAME}\s+(?:call|use|import|extend|know)\s+{NAME}")),
    (QuestionType.LOCAL_ONLY, 3, words_pattern(
        rf"our(?:\s+own)?(?:\s+\w+)?\s+(?:{OURS})",
        rf"(?:this|my|the\s+current|the\s+local)(?:\s+own)?\s+(?:{HERE})",
        r"on\s+this\s+machine|in\s+here|locally",
    )),
    (QuestionType.ENTITY_LOOKUP, 1, lazily(r"\b[A-Z][a-z0-9]+[A-Z]\w*\b|\b\w+_\w+\b|\b[\w-]+/[\w./-]+\b")),
)  # fmt: skip


def find_type(text: str, *, entities: Sequence[str] = (), target: Target | None = None) -> QuestionType:
    """The type whose rules weigh most; general when none fits.

    >>> find_type("What calls match_orders?").value, find_type("What causes rain in four hours?").value
    ('relationship', 'general')
    """
    plain = straighten(text)
    weights: dict[QuestionType, int] = {}
    for kind, weight, pattern in RULES:
        if pattern.search(plain):
            weights[kind] = weights.get(kind, 0) + weight
    if _asks_for_a_name(plain, entities, target):
        weights[QuestionType.ENTITY_LOOKUP] = weights.get(QuestionType.ENTITY_LOOKUP, 0) + 2
    return max(weights, key=weights.__getitem__) if weights else QuestionType.GENERAL


def _asks_for_a_name(text: str, entities: Sequence[str], target: Target | None) -> bool:
    """Whether the text is a name, or a lookup of something named in it."""
    if not entities:
        return False
    bare = text.strip(" ?!.\"'")
    about_it = target is not None and any(
        straighten(name) in (target.entity or "") or (target.entity or " ") in name for name in entities
    )
    opens = re.match(r"(?:who|what|where|when)(?:'s|\s+(?:is|are|was|were))\s", text, re.IGNORECASE)
    return bare in {straighten(name) for name in entities} or about_it or bool(opens and len(text.split()) <= 6)
