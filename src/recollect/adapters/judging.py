"""How relevant a stranger's texts are, where nothing is known but the texts and the order they came in.

Scores of other places lie on scales nobody here knows, so none is used. The chance that the list answers is that of the
relevance model for words alone, every word weighing the same, for how rare one is in a place unseen cannot be told. A
text stands beside the best of its list by its words times its place, so that neither alone carries it. What has none of
the question's words gets little, however high it stood: that it means the same in other words cannot be seen from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.language.content import content_words
from recollect.language.frames import stem
from recollect.rank.answering import signs_of
from recollect.rank.clues import Clues, Shape, best_sentence, codeness, coverage, length, wanted
from recollect.rank.model import chance_in_list, chance_of_answer, own_score, shipped_model
from recollect.rank.relevance import named
from recollect.records import Memory, Term
from recollect.values import Explanation, Lookup

SHORTEST_STEM = 4  # letters; with "mon" for money, a Monday would be about it
HALFWAY = 3  # places down the list a text counts half of what the first one does


class Judged(NamedTuple):
    """A text with the chance that it answers, and why."""

    memory: Memory
    relevance: float
    why: Explanation


def judge_texts(lookup: Lookup, memories: Sequence[Memory]) -> list[Judged]:
    """Each text, in the order given, judged beside what the lookup's part asks."""
    asked = lookup.about or lookup.text
    terms = terms_of(asked)
    clues = _clues(terms, memories, lookup)
    if not clues:
        return []
    shape = Shape(names=float(bool(lookup.names)), keyword_strength=max(each.coverage for each in clues))
    arms = shipped_model().keyword_only
    chances = [chance_in_list(own_score(each, shape, arms.own), arms.chance) for each in clues]
    standings = _standings(chances)
    order = sorted(range(len(memories)), key=lambda place: (-standings[place], place))
    signs = signs_of(asked, [memories[each] for each in order], [clues[each] for each in order], terms, turns=False)
    answers = chance_of_answer(signs._asdict(), arms)
    return [
        _judged(memory, answers=answers, standing=standing, place=place)
        for place, (memory, standing) in enumerate(zip(memories, standings, strict=True))
    ]


def terms_of(text: str) -> list[Term]:
    """The words to look for, as the beginnings their forms share where those are long enough to mean them.

    >>> [term.text for term in terms_of("Who photographed the harbours for money?")]
    ['photograph', 'harbour', 'money']
    """
    words = [word.lower() for word in content_words(text)]
    stems = [(word, stem(word)) for word in words]
    shared = [len(short) >= SHORTEST_STEM and word.startswith(short) for word, short in stems]
    return [Term(short if is_shared else word, 1.0) for (word, short), is_shared in zip(stems, shared, strict=True)]


def _clues(terms: Sequence[Term], memories: Sequence[Memory], lookup: Lookup) -> list[Clues]:
    asked = wanted(terms)
    texts = [f"{memory.title}\n{memory.body}".lower() for memory in memories]
    shares = [coverage(asked, text) for text in texts]
    most = max(shares, default=0.0)
    return [
        Clues(
            strength=share,
            named=named(lookup.names, memory, spellings=lookup.spellings),
            keyword_share=share / most if most else 0.0,
            coverage=share,
            sentence=best_sentence(asked, memory.body, memory.body.lower()),
            length=length(text),
            code=codeness(memory.body),
        )
        for memory, text, share in zip(memories, texts, shares, strict=True)
    ]


def _standings(chances: Sequence[float]) -> list[float]:
    """Where each stands beside the best, by its words and its place; the best of all has 1.

    >>> [round(each, 2) for each in _standings([0.2, 0.8, 0.2])]
    [0.33, 1.0, 0.2]
    """
    best = max(chances) or 1.0
    mixed = [chance / best * HALFWAY / (HALFWAY + place) for place, chance in enumerate(chances)]
    return [each / (max(mixed) or 1.0) for each in mixed]


def _judged(memory: Memory, *, answers: float, standing: float, place: int) -> Judged:
    relevance = answers * standing
    details = (
        Explanation(answers, "chance that the list answers, by its words"),
        Explanation(standing, f"standing beside the best, by words and place ({place + 1})"),
    )
    return Judged(memory, relevance, Explanation(relevance, "relevance by words and place", details))
