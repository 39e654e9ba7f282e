"""Text -> Question: is it worth searching, what is it like, what is it after, and what are its parts?

Takes the caller's text, the moment it was asked and the messages before it; the tables are in `language/`. Decides
nothing by data. Leaves to `plan` where to look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from recollect.language.attributes import find_target
from recollect.language.entities import find_entities as find_entities
from recollect.language.follow_ups import fill_references
from recollect.language.keyterms import key_terms
from recollect.language.parts import split_parts as split_parts
from recollect.language.pleasantries import is_trivial as is_trivial
from recollect.language.samples import Sample, find_sample
from recollect.language.spellings import spellings
from recollect.language.times import find_as_of, find_time
from recollect.language.traits import find_traits
from recollect.language.types import find_type
from recollect.recipes import Recipe
from recollect.settings import Settings
from recollect.trace import Recorder
from recollect.values import Message, Part, Question, QuestionType, Trait

MOMENT = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}:\d{2}"  # a date or a time of day; "v1.2" is neither
TIMESTAMP = re.compile(rf"^\s*\[[^\]]{{0,40}}?(?:{MOMENT})[^\]]{{0,40}}\]\s*")
LONGEST_SAMPLE = 2_000  # characters searched for: more than an embedder reads
LONGEST_SPLIT = 500  # longer texts are pasted content, not several questions


def understand(
    text: str,
    *,
    recipe: Recipe,
    settings: Settings,
    trace: Recorder,
    now: datetime | None = None,
    messages: Sequence[Message] = (),
) -> Question:
    """The question, understood; a trivial one has no parts. Without `now`, times are noticed but not resolved."""
    cleaned = TIMESTAMP.sub("", text).strip()
    if is_trivial(cleaned):
        trace.decide("retrieve nothing", "trivial", characters=len(cleaned))
        return Question(text, frozenset({Trait.TRIVIAL}), ())
    sample = find_sample(cleaned)
    if sample is not None and find_type(sample.request) is QuestionType.SIMILARITY:
        return _sampled(text, sample, trace=trace)
    if len(cleaned) > LONGEST_SPLIT:
        return _pasted(text, cleaned, trace=trace)
    filled = fill_references(cleaned, messages) if messages else None
    if filled:
        trace.decide("fill references", "follow_up", text=filled)
    asked = filled or cleaned
    texts = split_parts(asked, most=settings.max_sub_queries) if recipe.splits else [asked]
    compound = {Trait.COMPOUND} if len(texts) > 1 else set()
    trace.decide("split" if compound else "keep whole", "structure" if compound else "one_part", parts=len(texts))
    parts = tuple(_part(number, each, now) for number, each in enumerate(texts))
    whole = parts[0] if texts == [asked] else _part(0, asked, now)
    target = None if compound else whole.target
    traits = find_traits(asked, target=target) | compound
    trace.note(type=whole.type.value, entities_found=len(whole.entities))
    return Question(text, traits, parts, whole.type, whole.entities, whole.time, filled, target)


def _sampled(text: str, sample: Sample, *, trace: Recorder) -> Question:
    """What is like a sample: the sample itself is searched for, whole, and names in it are no names of the question."""
    trace.decide("keep whole", "sample", characters=len(sample.text))
    trace.note(type=QuestionType.SIMILARITY.value, entities_found=0)
    part = Part(0, sample.text[:LONGEST_SAMPLE], type=QuestionType.SIMILARITY)
    return Question(text, find_traits(sample.request), (part,), QuestionType.SIMILARITY)


def _pasted(text: str, cleaned: str, *, trace: Recorder) -> Question:
    """Pasted content: one part that searches for its key terms; without any, for the text as it begins."""
    terms = key_terms(cleaned)
    trace.decide("keep whole", "pasted_text", characters=len(cleaned), terms=len(terms.split()))
    entities = find_entities(cleaned)
    return Question(
        text, frozenset({Trait.LONG}), (Part(0, terms or cleaned[:LONGEST_SPLIT], entities),), entities=entities
    )


def _part(number: int, text: str, now: datetime | None) -> Part:
    """One part with what its words show."""
    entities = find_entities(text)
    target = find_target(text, entities=entities)
    kind = find_type(text, entities=entities, target=target)
    written = tuple(spellings(name) for name in entities)
    if now is None:
        return Part(number, text, entities, kind, target=target, spellings=written)
    time, as_of = find_time(text, now=now), find_as_of(text, now=now)
    return Part(number, text, entities, kind, time, target, as_of, written)
