"""What else to search for, without a model: a part and what is around it -> short, diverse queries with their origin.

Each origin has a rule that gives its queries best first; one of each origin is taken in turn, so that no origin fills
the list. A query that says with its content words what another says already is a repeat. Leaves to `rewrite` which of
them were tried, and where to send them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import NamedTuple

from recollect.language.content import content_words, is_content, words_of
from recollect.language.entities import find_entities
from recollect.language.forms import NOUNS_TOO, VERBS, as_statement
from recollect.language.related import related
from recollect.language.words import DETERMINERS
from recollect.questions import Message, Part
from recollect.values import Origin

RECENT_MESSAGES = 4  # older ones have seldom to do with what is asked now
MOST_SEEN = 10  # texts looked at for words that stand beside those asked for
LONGEST_SEEN = 600  # characters of each
MAIN_WORDS = 3  # keywords a found word is added to
LONGEST_PHRASE = 4  # words


class Fallback(NamedTuple):
    """One query and where it came from."""

    text: str
    origin: Origin


class Around(NamedTuple):
    """A part with what the rules read: its words, its keywords, and what is around it."""

    part: Part
    words: list[str]
    keywords: list[str]
    goal: str
    messages: Sequence[Message]
    seen: Sequence[str]

    @property
    def main(self) -> str:
        """What a word found elsewhere is added to: the names asked about, or else the first keywords."""
        return " ".join(self.part.entities[:2]) or " ".join(self.keywords[:MAIN_WORDS])


def fallback_queries(
    part: Part,
    *,
    goal: str,
    messages: Sequence[Message] = (),
    seen: Sequence[str] = (),
    most: int = 12,
    longest: int = 120,
) -> list[Fallback]:
    """At most `most` queries, most promising first; `seen` are texts of memories found so far, best first.

    >>> part = Part(0, "When did Ana join Acme?", ("Ana", "Acme"))
    >>> [each.text for each in fallback_queries(part, goal=part.text, most=3)]
    ['Ana joined Acme', 'Ana', 'Ana start Acme']
    """
    around = Around(part, words_of(part.text), content_words(part.text), goal, messages, seen)
    turns = zip_longest(*([Fallback(text, origin) for text in rule(around)] for origin, rule in RULES))
    own = _folded(part.text)
    kept: dict[frozenset[str], Fallback] = {}
    for query in (query for turn in turns for query in turn if query):
        text = cut_at_word(query.text, longest)
        says = _says(text)
        if len(kept) < most and says and says not in kept and _folded(text) != own:
            kept[says] = Fallback(text, query.origin)
    return list(kept.values())


def cut_at_word(text: str, longest: int) -> str:
    """The text on one line, cut before the word that would make it too long; a single long word is cut inside.

    >>> cut_at_word("the  boat in Porto", 12), cut_at_word("unbelievable", 5)
    ('the boat in', 'unbel')
    """
    text = " ".join(text.split())
    if len(text) <= longest:
        return text
    whole, _, _ = text[: longest + 1].rpartition(" ")
    return whole or text[:longest]


# --- one rule per origin, best first ----------------------------------------------------------------


def _form(around: Around) -> Iterator[str]:
    statement = as_statement(around.part.text)
    if statement:
        yield statement


def _entities(around: Around) -> Iterator[str]:
    yield from around.part.entities


def _noun_phrases(around: Around) -> Iterator[str]:
    """Words in a row that are neither verbs nor function words; those after a determiner are surest."""
    runs: list[tuple[bool, list[str]]] = []
    run: list[str] = []
    after_determiner = False
    for word in [*around.words, "the"]:
        if is_content(word) and (word.lower() not in VERBS or (after_determiner and word.lower() in NOUNS_TOO)):
            run.append(word)
            continue
        if run:
            runs.append((after_determiner, run))
        run, after_determiner = [], word.lower() in DETERMINERS
    ranked = sorted(runs, key=lambda each: (len(each[1]) < 2, not each[0]))
    yield from (" ".join(run[-LONGEST_PHRASE:]) for _, run in ranked)


def _related(around: Around) -> Iterator[str]:
    """The keywords with one replaced by a word that means nearly the same; for each word its nearest first."""
    words = around.keywords
    others = [[] if word in around.part.entities else related(word)[:3] for word in words]
    for turn in zip_longest(*others):
        for place, other in enumerate(turn):
            if other:
                yield " ".join([*words[:place], other, *words[place + 1 :]])


def _pairs(around: Around) -> Iterator[str]:
    """Keywords that stand together, names first."""
    pairs = list(pairwise(around.keywords))
    pairs.sort(key=lambda pair: sum(word.lower() in VERBS for word in pair))
    yield from (" ".join(pair) for pair in pairs)


def _cooccurring(around: Around) -> Iterator[str]:
    """The main words with a word that several of the texts found so far use, and the question does not."""
    texts = [content_words(text[:LONGEST_SEEN]) for text in around.seen[:MOST_SEEN]]
    asked = {_stem(word) for word in around.keywords}
    counts: Counter[str] = Counter()
    written: dict[str, str] = {}
    for words in texts:
        for stem, word in {_stem(word): word for word in reversed(words)}.items():
            if stem not in asked and not word.isdigit() and word.lower() not in VERBS:
                counts[stem] += 1
                written.setdefault(stem, word)
    first = {stem: place for place, stem in enumerate(_stem(word) for words in reversed(texts) for word in words[::-1])}
    shared = [stem for stem, count in counts.items() if count > 1]
    shared.sort(key=lambda stem: (-counts[stem], -first[stem]))
    yield from (f"{around.main} {written[stem]}" for stem in shared[:3])


def _phrases(around: Around) -> Iterator[str]:
    """Two to four words as they stand, most of them content, that begin and end with one and cut no row of them short.

    Those with a small word between come first: the other rules do not make them.
    """
    words = around.words
    phrases: list[tuple[bool, int, int, str]] = []
    for start, first in enumerate(words):
        for length in range(2, LONGEST_PHRASE + 1):
            phrase = words[start : start + length]
            content = sum(map(is_content, phrase))
            ends = not any(map(is_content, words[start + length : start + length + 1]))
            if len(phrase) == length and is_content(first) and is_content(phrase[-1]) and ends and content * 2 > length:
                phrases.append((content == length, -content, start, " ".join(phrase)))
    yield from (text for *_, text in sorted(phrases))


def _keywords(around: Around) -> Iterator[str]:
    """Single keywords: those that look like names or have figures, then the longer ones; verbs last."""
    yield from sorted(
        around.keywords,
        key=lambda word: (
            word.lower() in VERBS,
            word.islower() and word.isalpha(),
            -len(word),
            around.keywords.index(word),
        ),
    )


def _goal(around: Around) -> Iterator[str]:
    if _folded(around.goal) != _folded(around.part.text):
        yield around.goal


def _messages(around: Around) -> Iterator[str]:
    """The main words with a name of a recent message, newest first; without names, with its first keywords."""
    asked = {word.lower() for word in around.words}
    for message in reversed(around.messages[-RECENT_MESSAGES:]):
        names = [name for name in find_entities(message.text) if not asked.issuperset(name.lower().split())]
        words = [word for word in content_words(message.text[:LONGEST_SEEN]) if word.lower() not in asked]
        if names or words:
            yield f"{around.main} {' '.join(names[:1] or words[:2])}"


# Most promising first; the list is filled by taking one of each in this order, then the next of each.
RULES: tuple[tuple[Origin, Callable[[Around], Iterator[str]]], ...] = (
    (Origin.FORM, _form),
    (Origin.ENTITY, _entities),
    (Origin.RELATED, _related),
    (Origin.NOUN_PHRASE, _noun_phrases),
    (Origin.COOCCURRING, _cooccurring),
    (Origin.PAIR, _pairs),
    (Origin.PHRASE, _phrases),
    (Origin.MESSAGE, _messages),
    (Origin.KEYWORD, _keywords),
    (Origin.GOAL, _goal),
)


def _says(text: str) -> frozenset[str]:
    """What a query says: its content words, whatever their order and case."""
    return frozenset(word.lower() for word in content_words(text))


def _folded(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(" ?!.")


def _stem(word: str) -> str:
    """A word without a plural's ending, to tell that "trades" was asked as "trade"."""
    plain = word.lower()
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss") else plain
