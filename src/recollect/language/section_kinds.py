"""What a section of a project's own documents is: an instruction, a pattern, a fact, or context.

Told by the file it is in, its heading, and its wording: what begins with a verb, or says must, always or never, tells
what to do; code shows how; a table, a number or a name in backticks says how something is; the rest is there to
explain. The cases are in `tests/language/cases/section_kinds.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

from recollect.paths import path_matcher


class SectionKind(StrEnum):
    """What a section is for."""

    INSTRUCTION = "instruction"  # what to do or to leave
    PATTERN = "pattern"  # how it is done, shown
    FACT = "fact"  # how something is
    CONTEXT = "context"  # why, and whatever else explains


# Patterns on the path in small letters.
INSTRUCTION_FILES = path_matcher(
    frozenset(
        """
        **/claude.md **/claude.local.md **/agents.md **/gemini.md **/.cursorrules **/.windsurfrules **/.clinerules
        .cursor/rules/** .claude/**/*.md .github/copilot-instructions.md .github/instructions/** **/contributing*
        """.split()
    )
)
DECISION_FILES = path_matcher(
    frozenset("**/adr/** **/adrs/** **/decisions/** **/decision-records/** **/adr-*.md".split())
)

BINDING = re.compile(
    r"\b(?:always|never|must|mustn['’]t|shall|should|shouldn['’]t|do\s+not|don['’]t|make\s+sure|ensure|required\s+to"
    r"|(?:is|are)\s+(?:forbidden|not\s+allowed|mandatory)|ought\s+to|needs?\s+to\s+be|no\s+\w+\s+without)\b",
    re.IGNORECASE,
)
VERBS = (
    "add|ask|avoid|build|call|catch|check|choose|commit|configure|copy|create|define|delete|deploy|describe|disable"
    "|document|enable|exclude|export|follow|format|handle|import|include|install|keep|leave|limit|log|mark|merge|move"
    "|name|open|pass|prefer|pull|push|put|raise|read|remove|rename|replace|report|restart|return|review|run|set|split"
    "|start|stick|stop|store|tag|test|treat|update|use|validate|verify|wait|wrap|write"
)
IMPERATIVE = re.compile(
    rf"(?:please\s+|only\s+|first,?\s+|then,?\s+|(?:before|after|when|if|for)\b[^,.;:]{{3,80}},\s+)?"
    rf"(?:{VERBS})\b(?!\s*(?:of|is|are|was|were|has|have|can|files?|output|coverage|results?)\b)(?!\s*[-:=(/])"
    r"(?!\s+\w+\s+(?:is|are|was|were|goes|go|lives?|has|have|lies?)\b)",
    re.IGNORECASE,
)
SHOWING = re.compile(
    r"\b(?:examples?|patterns?|usage|snippets?|templates?|recipes?|cookbook|how\s+to|quick\s*start|tutorial)\b",
    re.IGNORECASE,
)
EXPLAINING = re.compile(
    r"\b(?:background|context|motivation|overview|introduction|history|why|rationale|alternatives|consequences|about"
    r"|goals?|non-goals|status|philosophy|vision|license|acknowledg\w+)\b",
    re.IGNORECASE,
)
DECIDING = re.compile(r"\b(?:decisions?|decided|outcome)\b", re.IGNORECASE)
FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
TITLE_LINE = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
EMPHASIS = re.compile(r"\*\*|__|^>\s*")
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
CONCRETE = re.compile(r"`[^`\n]+`|\|.*\||\b\d+(?:[.,:]\d+)*\b|^[^:\n]{1,40}:[ \t]+\S")
STATING = re.compile(
    r"\b(?:is|are|has|have|uses?|lives?|contains?|runs?|returns?|holds?|stores?|listens?|owns?|goes)\b", re.IGNORECASE
)

MOSTLY = 0.5  # of the sentences
FEW = 2  # sentences
SOME = 0.2  # enough in a file that is there to instruct
MUCH_CODE = 0.4  # of the characters


def section_kind(path: str, heading: str, text: str) -> SectionKind:
    """What a section under this heading of this file is.

    >>> section_kind("docs/style.md", "Errors", "Never swallow an exception. Log it and raise it again.").value
    'instruction'
    >>> section_kind("docs/ports.md", "Ports", "The gateway listens on port 8080.").value
    'fact'
    """
    instructs = INSTRUCTION_FILES(path.lower())
    prose = TITLE_LINE.sub("", FENCED.sub("", text))
    code = sum(len(match[0]) for match in FENCED.finditer(text)) / max(1, len(text))
    said = _sentences(prose)
    told = _share(said, lambda each: bool(IMPERATIVE.match(each) or BINDING.search(each)))
    if told >= (SOME if instructs else MOSTLY) and code < MUCH_CODE:
        return SectionKind.INSTRUCTION
    if code >= MUCH_CODE or (code > 0 and SHOWING.search(heading)):
        return SectionKind.PATTERN
    if DECISION_FILES(path.lower()) and DECIDING.search(heading):
        return SectionKind.FACT
    if EXPLAINING.search(heading):
        return SectionKind.CONTEXT
    if _share(said, lambda each: bool(CONCRETE.search(each))) >= MOSTLY:
        return SectionKind.FACT
    if len(said) <= FEW and STATING.search(prose):
        return SectionKind.FACT
    return SectionKind.INSTRUCTION if instructs else SectionKind.CONTEXT


def _share(said: list[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, said)) / len(said) if said else 0.0


def _sentences(prose: str) -> list[str]:
    """The sentences and points of a text, without what marks them."""
    plain = [EMPHASIS.sub("", BULLET.sub("", line)).strip() for line in _points(prose)]
    return [sentence for line in plain for sentence in SENTENCE_END.split(line) if sentence]


def _points(prose: str) -> list[str]:
    """Lines of one paragraph joined, points of a list each by itself."""
    joined: list[str] = []
    is_open = False
    for line in prose.splitlines():
        begins = bool(BULLET.match(line)) or line.lstrip().startswith("|")
        if line.strip() and is_open and not begins:
            joined[-1] += f" {line.strip()}"
        elif line.strip():
            joined.append(line)
        is_open = bool(line.strip())
    return joined
