"""What can be told about one text beside a question and the other texts of its list, as plain numbers.

Takes texts and scores; gives the clues that `model` weighs. Everything here is comparable across sources: shares of the
best, coverage of what was asked, names and titles, the turns beside a turn. What it amounts to is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log
from typing import NamedTuple
from unicodedata import normalize

from recollect.rank.snippet import sentences_of
from recollect.readings import remembered
from recollect.records import Memory, Term, name_key

CODE_MARKS = "()=_{}[]"
LOOKED_AT = 1_000  # characters: code shows soon
READ = 4_000  # characters of a text read sentence by sentence
ENOUGH_TO_TELL = 200  # characters: one pair of brackets in a short note says nothing
CODE_SHARE = 20  # one such mark in twenty characters, and a text is all code
TYPICAL_LENGTH, LENGTH_SPREAD = 6.0, 2.0  # of the logarithm of a text's characters
TENTH = 10
ENDING = 60  # characters of a turn's end: a question there is what the next one answers
HALF = 0.5
SHORTEST_STEM = 4  # letters of a stem whose last one may be none of the word's
LATIN_BEYOND_ASCII = frozenset(map(chr, range(0xC0, 0x250)))
MOST_SHARE = 0.5  # of the question that counts as title: of one that is hardly anything else, no more can be said
SHORTEST_TITLE = 3  # letters of a title that may be named in passing

BRACKETED = re.compile(r"\(([^()]*)\)\s*$")
WORD = re.compile(r"\w+")


class Clues(NamedTuple):
    """What is known about one text; everything about 0..1."""

    cosine: float = 0.0
    strength: float = 0.0  # its keyword score as a share of the highest any text could reach
    named: float = 0.0  # the question's names in it: 1 all, -1 none, 0 where there are none
    keyword_share: float = 0.0  # of the best keyword score in the list
    cosine_share: float = 0.0
    coverage: float = 0.0  # the question's words in it, by how rare each is
    sentence: float = 0.0  # the same for its best sentence
    length: float = 0.0
    before_keyword: float = 0.0  # the turn before it in a conversation
    after_keyword: float = 0.0
    before_cosine: float = 0.0
    after_cosine: float = 0.0
    asked_keyword: float = 0.0  # the turn before it, where that is a question
    earlier_keyword: float = 0.0  # the turn before that
    asks: float = 0.0  # a turn that is itself a question
    tells: float = 0.0  # a turn that tells a time or a number, where one is asked for
    by_named: float = 0.0  # said by somebody the question names
    by_other: float = 0.0
    titled: float = 0.0  # the question names its title
    titled_alike: float = 0.0  # all of it but the bracketed ending
    title_share: float = 0.0  # how much of the question that title is, up to half
    code: float = 0.0


class Shape(NamedTuple):
    """What the list as a whole looks like, which says how far to believe each arm: whether the question has names, how
    steeply each arm falls, how strong the best keyword score is, how many of the first ten both arms have, and how much
    those that were found look like code."""

    names: float = 0.0
    keyword_fall: float = 0.0
    cosine_fall: float = 0.0
    keyword_strength: float = 0.0
    agreement: float = 0.0
    code: float = 0.0


def shape(
    names: Sequence[str], keyword: Mapping[str, float], semantic: Mapping[str, float], *, strongest: float
) -> Shape:
    """How far the tenth of each arm lies behind its best (a steep arm knows what it is looking for), and the rest.

    >>> shape(["Ana"], {"1": 4.0, "2": 1.0}, {"1": 0.9, "3": 0.8}, strongest=0.5)
    Shape(names=1.0, keyword_fall=0.75, cosine_fall=0.1, keyword_strength=0.5, agreement=0.5, code=0.0)
    """
    by_words, by_meaning = list(keyword)[:TENTH], list(semantic)[:TENTH]
    words, meanings = [keyword[id] for id in by_words], [semantic[id] for id in by_meaning]
    fall = 1 - words[-1] / words[0] if words and words[0] else 0.0
    both = len(set(by_words) & set(by_meaning)) / max(1, min(len(by_words), len(by_meaning)))
    apart = meanings[0] - meanings[-1] if meanings else 0.0
    return Shape(float(bool(names)), round(fall, 9), round(apart, 9), strongest, both)


# --- what was asked, in the text ---------------------------------------------------------------------


Wanted = Sequence[tuple[str, float]]  # words of a question with their shares of it


def as_written(terms: Sequence[Term], question: str) -> list[Term]:
    """The terms of an index as they stand in texts. Stemming makes "citi" of "city" and of "cities": what both begin
    with stands for them. An index folds accents, and a text has them: they are taken over from the question.

    >>> [term.text for term in as_written([Term("citi", 1.0), Term("zurich", 1.0)], "Which city beside Zürich?")]
    ['cit', 'zürich']
    """
    accented = [] if question.isascii() else [word for word in WORD.findall(question.lower()) if not word.isascii()]
    found = []
    for term in terms:
        text = next((word[: len(term.text)] for word in accented if _folds_to(word, term.text)), term.text)
        found.append(term._replace(text=text[:-1] if text.endswith("i") and len(text) >= SHORTEST_STEM else text))
    return found


def _folds_to(word: str, stem: str) -> bool:
    """Whether a word may be one of that stem, were it not for its accents; those that cannot be taken off pass."""
    plain = [normalize("NFD", letter)[0] for letter in word[: len(stem)]]
    return len(plain) == len(stem) and all(
        one == other or one in LATIN_BEYOND_ASCII for one, other in zip(plain, stem, strict=True)
    )


def wanted(terms: Sequence[Term]) -> Wanted:
    """The question's words, each with its share by how rare it is.

    >>> wanted([Term("harbour", 3.0), Term("crane", 1.0)])
    [('harbour', 0.75), ('crane', 0.25)]
    """
    total = sum([term.idf for term in terms])
    return [(term.text, term.idf / total) for term in terms] if total else []


def coverage(asked: Wanted, text: str) -> float:
    """The share of the question's words that occur in a text in small letters, each by how rare it is.

    >>> coverage([("harbour", 0.75), ("crane", 0.25)], "the harbour opens")
    0.75
    """
    return share_of(words_in(asked, text))


def words_in(asked: Wanted, text: str) -> Wanted:
    """Those of the question's words that occur in a text in small letters."""
    return [pair for pair in asked if is_word_in(pair[0], text)]


def is_word_in(word: str, text: str) -> bool:
    """Whether the beginning of a word is in a text, or a number, which is one only as a whole.

    >>> is_word_in("harb", "the harbour"), is_word_in("123", "invoice 71123"), is_word_in("123", "invoice 123.")
    (True, False, True)
    """
    return word in text and (not word[-1:].isdigit() or _number(word).search(text) is not None)


@lru_cache(maxsize=1_024)
def _number(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\d){re.escape(word)}(?!\d)")


def share_of(words: Wanted) -> float:
    """How much of the question some of its words are."""
    return sum([share for _, share in words])


def best_sentence(asked: Wanted, body: str, low: str) -> float:
    """The coverage of the sentence that has most of the question's words; `low` is the body in small letters.

    >>> best_sentence([("port", 0.75), ("crane", 0.25)], "A crane. The port opens.", "a crane. the port opens.")
    0.75
    """
    there = words_in(asked, low)
    if len(there) < 2:  # whichever sentence it is in
        return share_of(there)
    sentences = lowered_sentences(body[:READ])
    return max([sum([share for word, share in there if word in each]) for each in sentences], default=0.0)


@remembered
def lowered_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text in small letters."""
    return tuple(sentence.lower() for sentence in sentences_of(text))


def length(text: str) -> float:
    """How long a text is beside a typical one: 0 for four hundred characters, 1 for seven times that."""
    return (log(len(text) or 1) - TYPICAL_LENGTH) / LENGTH_SPREAD


@remembered
def codeness(body: str) -> float:
    """How much a text looks like code, 0..1.

    >>> codeness("f(x) = y[0]")
    0.5
    """
    start = body[:LOOKED_AT]
    if "(" not in start and "_" not in start and "=" not in start:  # most prose
        return 0.0
    marks = sum(map(start.count, CODE_MARKS))
    return min(1.0, CODE_SHARE * marks / max(len(start), ENOUGH_TO_TELL)) if marks else 0.0


def codeness_of_all(bodies: Sequence[str]) -> float:
    """How far the first ten of some texts are code, on the whole: from half on, since brackets are in any text.

    >>> codeness_of_all(["f(x) = y[0]" * 9, "(x)" * 30, "It rained."]), codeness_of_all(["f(x) = y[0]", "It rained."])
    (0.33333333333333326, 0.0)
    """
    first = bodies[:TENTH]
    return max(0.0, 2 * sum([codeness(body) for body in first]) / len(first) - 1) if first else 0.0


# --- who said it -------------------------------------------------------------------------------------


def is_question(body: str) -> bool:
    """Whether a turn ends by asking something.

    >>> is_question("Lovely! Where is it?"), is_question("It is here.")
    (True, False)
    """
    return "?" in body[-ENDING:]


def said_by(author: str | None, names: Sequence[str]) -> tuple[float, float]:
    """Whether somebody the question names said it, and whether somebody else did.

    >>> said_by("Ana Ortiz", ["Ana"]), said_by("Ben", ["Ana"]), said_by(None, ["Ana"])
    ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
    """
    if not author or not names:
        return 0.0, 0.0
    low = author.lower()
    is_named = any(low in name.lower() or name.lower() in low for name in names)
    return float(is_named), float(not is_named)


# --- titles in the question --------------------------------------------------------------------------


class TitleMatch(NamedTuple):
    """How the question names a title: whole, all but its bracketed ending, and how much of the question that is."""

    whole: float = 0.0
    alike: float = 0.0
    share: float = 0.0


NOT_NAMED = TitleMatch()


def titles_named(question: str, memories: Sequence[Memory], asked_for: Wanted) -> dict[str, TitleMatch]:
    """By id, the memories whose titles the question names. Of two titles at one place the longer counts; of two with
    the same words, the one whose bracketed ending is in the question too.

    >>> from datetime import UTC, datetime
    >>> made = lambda id, title: Memory(id, "s", "note", title, "", datetime.now(UTC), datetime.now(UTC), "h")
    >>> found = titles_named("Who built the Blue Boat?", [made("1", "Boat"), made("2", "Blue Boat")], [])
    >>> sorted(found)
    ['2']
    """
    asked = f" {' '.join(WORD.findall(question.casefold()))} "
    places = [place for memory in memories if memory.title and (place := _place(asked, memory, asked_for))]
    named = {}
    for id, start, end, rank, share in places:
        if any(other <= start and end <= last and last - other > end - start for _, other, last, _, _ in places):
            continue
        if any((other, last) == (start, end) and better > rank for _, other, last, better, _ in places):
            continue
        named[id] = TitleMatch(float(rank > 0), float(rank == 0), share)
    return named


def _place(asked: str, memory: Memory, wanted: Wanted) -> tuple[str, int, int, int, float] | None:
    """Where the title stands in the question: id, start, end, how exactly (0 to 2), and its share of the question."""
    key = title_key(memory.title)
    start = asked.find(f" {key} ") if len(key) >= SHORTEST_TITLE else -1
    if start < 0:
        return None
    ending = BRACKETED.search(memory.title)
    rank = 1
    if ending:
        told = all(f" {word} " in asked for word in WORD.findall(ending[1].casefold()))
        rank = 2 if told else 0
    return memory.id, start, start + len(key), rank, min(coverage(wanted, key), MOST_SHARE)


@remembered
def title_key(title: str) -> str:
    """The title as names are looked up by."""
    return name_key(title)


# --- names in texts that are titles of others --------------------------------------------------------


class Mention(NamedTuple):
    """What the texts that name a memory's title say for it: the strongest of them, with the words of the question in
    the sentence that names it, close to the name, and shared among all that text names."""

    any: float = 0.0
    sentence: float = 0.0
    close: float = 0.0
    alone: float = 0.0
    beside: float = 0.0  # the question names another's title, and nothing found names this one
    names: float = 0.0  # the other way round: it names one that stands high, and has words that one lacks


CLOSE_BEFORE, CLOSE_AFTER = 60, 30  # characters: what a name is called usually stands before it


def mention(title: str, body: str, asked: Wanted, *, strength: float, named: int) -> Mention:
    """What one text, as strong a seed as given, says for the memory of that title; it names so many in all.

    >>> mention("Ana Ortiz", "The boat was built by Ana Ortiz.", [("built", 1.0)], strength=1.0, named=2)
    Mention(any=1.0, sentence=1.0, close=1.0, alone=0.5, beside=0.0, names=0.0)
    """
    name, low = BRACKETED.sub("", title).strip().lower(), body.lower()
    start = low.find(name) if name else -1
    if start < 0:
        return Mention(strength, alone=strength / named)
    begin, end = max(low.rfind(". ", 0, start), 0), low.find(". ", start)
    sentence = low[begin : len(low) if end < 0 else end]
    close = low[max(0, start - CLOSE_BEFORE) : start + len(name) + CLOSE_AFTER]
    said = sum([share for word, share in asked if word in close and word not in name])
    return Mention(strength, strength * coverage(asked, sentence), strength * said, strength / named)


def most_of(mentions: Sequence[Mention]) -> Mention:
    """The most that any of them says, each for itself."""
    return Mention(*(max(column) for column in zip(*mentions, strict=True))) if mentions else Mention()


def stands_in(name: str, low: str) -> bool:
    """Whether a name is in a text, both in small letters, and not only as part of a longer word where it is first.

    >>> stands_in("ana ortiz", "by ana ortiz, 1998"), stands_in("ana", "in panama"), stands_in("", "x")
    (True, False, False)
    """
    start = low.find(name) if name else -1
    return start >= 0 and not (low[start - 1 : start].isalnum() or low[start + len(name) :][:1].isalnum())


def seed_strengths(scores: Mapping[str, float], named: Mapping[str, TitleMatch]) -> dict[str, float]:
    """How far to go by what each text names: as its odds stand to the best one's, or wholly if the question names it.

    >>> seed_strengths({"1": 2.0, "2": 2.0}, {})
    {'1': 1.0, '2': 1.0}
    """
    best = max(scores.values(), default=0.0)
    strengths = {}
    for id, score in scores.items():
        match = named.get(id, NOT_NAMED)
        strengths[id] = max(exp(score - best), match.whole, HALF * match.alike)
    return strengths
