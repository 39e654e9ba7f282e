"""Whether a list of texts answers a question: the signs, from the best few texts and the list as a whole.

Absolute on purpose. That one text stands far above the others says which one it is, and nothing about whether it
answers: the best of a hundred texts about something else does too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.language.amounts import Amount, amount_asked, tells_amount
from recollect.language.particulars import Told, another_than_asked
from recollect.rank.clues import READ, Clues, Wanted, coverage, is_word_in, lowered_sentences, wanted
from recollect.records import Memory, Term

READ_FOR_ANSWERS = 3  # best texts read for the best sentence
READ_FOR_AMOUNTS = 2  # best texts of which one has to tell the amount that is asked for
CLEARLY = 0.02  # a sentence of a later text has to have that much more to be the best one
NEAR = 30  # characters between two words that stand together
NUMBER = re.compile(r"\b\d[\d.,]*\b")
DENIAL = re.compile(  # in small letters; "no. 3" denies nothing
    r"\b(?:no(?!\.)|non|not|none|nor|never|neither|nobody|nothing|nowhere|without|cannot)\b|n['’]t\b"
)

# A reason is asked for of what is known not to be so: what tells it need not say so again.
ASKS = re.compile(r"^(?!.*\bwhy\b)(?:.*\?\s*$|\W*(?:what|which|who|whom|whose|when|where|how)\b)", re.DOTALL)


class Signs(NamedTuple):
    """What says that a list answers; everything about 0..1."""

    cosine: float = 0.0  # the highest in the list
    sentence: float = 0.0  # the question's words in the best sentence
    pairs: float = 0.0  # words that follow one another in the question and stand together in that sentence
    named: float = 0.0  # the question's names, where they are best met
    first_keyword: float = 0.0  # the first text's keyword score as a share of the best
    missing: float = 0.0  # the rarest word of the question that the sentence lacks, beside the rarest of all
    numbers: float = 1.0  # the question's numbers in that sentence
    denied: float = 0.0  # the question asks for what is not so, and that sentence says nothing of the kind
    another: float = 0.0  # the best texts speak of another of the sort asked for, and none of that one
    untold: float = 0.0  # an amount is asked for, and the best texts tell none of that sort
    turn: float = 0.0  # whether they are turns of a conversation


def signs_of(
    question: str, memories: Sequence[Memory], clues: Sequence[Clues], terms: Sequence[Term], *, turns: bool
) -> Signs:
    """The signs of a list, from its texts, best first, and the clues of all in the same order."""
    if not clues:
        return Signs()
    share, sentence = _best_sentence(memories[:READ_FOR_ANSWERS], wanted(terms))
    lacking = [term.idf for term in terms if not is_word_in(term.text, sentence)]
    rarest = max([term.idf for term in terms], default=0.0)
    numbers = NUMBER.findall(question)
    return Signs(
        cosine=max(each.cosine for each in clues),
        sentence=share,
        pairs=_pairs(terms, sentence),
        named=max(each.named for each in clues),
        first_keyword=clues[0].keyword_share,
        missing=max(lacking) / rarest if lacking and rarest else 0.0,
        numbers=sum(is_word_in(number, sentence) for number in numbers) / len(numbers) if numbers else 1.0,
        denied=float(asks(question) and denies(question) and not denies(sentence)),
        another=float(bool(another_than_asked(question, told_by(memories)))),
        untold=float(_is_untold(question, memories[:READ_FOR_AMOUNTS], turns=turns)),
        turn=float(turns),
    )


def _is_untold(question: str, best: Sequence[Memory], *, turns: bool) -> bool:
    """Whether an amount is asked for that the best texts do not tell. How long it took also shows between turns."""
    amount = amount_asked(question)
    if amount is None or (turns and amount is Amount.LENGTH):
        return False
    return not any(tells_amount(f"{each.title}\n{each.body}", amount) for each in best)


def told_by(memories: Sequence[Memory]) -> list[Told]:
    """What memories tell, and what they go by."""
    return [Told(f"{memory.author or ''} {memory.title}", memory.body) for memory in memories]


def asks(text: str) -> bool:
    """Whether a text asks for something, rather than for a reason, and is no claim or words to search by.

    >>> [asks(each) for each in ("which boats were not sold", "Was it not sold?", "Why not?", "Boats do not sink.")]
    [True, True, False, False]
    """
    return ASKS.search(text.lower()) is not None


def denies(text: str) -> bool:
    """Whether a text says that something is not so, or asks for it.

    >>> denies("Which boats were not sold?"), denies("a non-stop train"), denies("Who lives at No. 3?")
    (True, True, False)
    """
    return DENIAL.search(text.lower()) is not None


def _best_sentence(memories: Sequence[Memory], asked: Wanted) -> tuple[float, str]:
    """The sentence with most of the question's words, its text's title read along with it."""
    most, best = -1.0, ""
    for memory in memories:
        title = memory.title.lower()
        for sentence in lowered_sentences(memory.body[:READ]) or ("",):
            read = f"{sentence} {title}"
            share = coverage(asked, read)
            if share > most and (share > most + CLEARLY or memory is memories[0]):
                most, best = share, read
    return max(most, 0.0), best


def _pairs(terms: Sequence[Term], sentence: str) -> float:
    """The share of neighbouring words of the question that stand close together in the sentence.

    >>> _pairs([Term("blue", 1.0), Term("boat", 1.0), Term("sank", 1.0)], "the blue boat went out. later it sank")
    1.0
    """
    if len(terms) < 2:
        return 0.0
    places = [sentence.find(term.text) for term in terms]
    near = [one >= 0 and other >= 0 and abs(one - other) <= NEAR for one, other in pairwise(places)]
    return sum(near) / len(near)
