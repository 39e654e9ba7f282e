"""What a question is, once understood: parts, traits, type, names and time; and the classic one-category view of it.

Frozen values, re-exported by `values.py`. How they are found out is in `language/` and `steps/understand.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.records import TimeRange


class Trait(StrEnum):
    """What a question is like; any number apply."""

    TRIVIAL = "trivial"
    LONG = "long"
    REASONING = "reasoning"
    NEGATION = "negation"
    TIME = "time"
    COMPOUND = "compound"
    UNRESOLVED = "unresolved"
    EXPLORATION = "exploration"
    LOOKUP = "lookup"


class QuestionType(StrEnum):
    """What a question is after; it decides where to look."""

    ENTITY_LOOKUP = "entity_lookup"
    RELATIONSHIP = "relationship"
    SIMILARITY = "similarity"
    PATTERN = "pattern"
    CROSS_PROJECT = "cross_project"
    LOCAL_ONLY = "local_only"
    MULTI_HOP = "multi_hop"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class Message:
    """Something said shortly before the question."""

    author: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What a lookup is after: an attribute of a named thing, and how clearly the text says so, 0..1."""

    entity: str | None
    attribute: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Part:
    """One self-contained sub-question.

    `as_of`, where it names one, is the moment its answer must have held at. `spellings` are those of each entity, the
    one used first; empty where nobody looked.
    """

    number: int
    text: str
    entities: tuple[str, ...] = ()
    type: QuestionType = QuestionType.GENERAL
    time: TimeRange | None = None
    target: Target | None = None
    as_of: datetime | None = None
    spellings: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What the caller asked, understood; a trivial one has no parts.

    `text` is as asked; `rewritten`, where there is one, has its references filled from the messages before it.
    """

    text: str
    traits: frozenset[Trait]
    parts: tuple[Part, ...]
    type: QuestionType = QuestionType.GENERAL
    entities: tuple[str, ...] = ()
    time: TimeRange | None = None
    rewritten: str | None = None
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class Classic:
    """The one-category view: the first of D1..D6 that applies disqualifies a question from a plain lookup."""

    disqualified: bool
    category: str | None
    reason: str | None
    query_type: str
    confidence: float
    entity: str | None
    attribute: str | None


CATEGORIES = (
    (Trait.REASONING, "D1", "reasoning_query"),
    (Trait.NEGATION, "D2", "negation_query"),
    (Trait.TIME, "D3", "time_reference"),
    (Trait.COMPOUND, "D4", "compound_query"),
    (Trait.UNRESOLVED, "D5", "unresolved_reference"),
    (Trait.EXPLORATION, "D6", "exploration"),
)
AMBIGUOUS_CONFIDENCE = 0.3


def classic_view(question: Question) -> Classic:
    """The question in one category.

    >>> classic_view(Question("Why?", frozenset({Trait.NEGATION, Trait.REASONING}), ())).category
    'D1'
    """
    category, reason = next(
        ((category, reason) for trait, category, reason in CATEGORIES if trait in question.traits), (None, None)
    )
    target = question.target
    return Classic(
        disqualified=category is not None,
        category=category,
        reason=reason,
        query_type="LOOKUP" if target else "AMBIGUOUS",
        confidence=target.confidence if target else AMBIGUOUS_CONFIDENCE,
        entity=target.entity if target else None,
        attribute=target.attribute if target else None,
    )
