"""Text to index terms: one analysis for documents and questions, in the real index and in the reference one.

Words are lower-cased, folded to ASCII, and stemmed (English). Identifiers stay whole and are also split
(`getUserName` -> getusernam, get, user, name), so that code is found by words and words by code. Scripts without
spaces are also split, into overlapping pairs of characters.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

LONGEST_TERM = 40
MAX_TERMS = 64  # a pasted page is searched by its rarest words

CAMEL_CASE = re.compile(r"[A-Z]*+[a-z0-9]++[A-Z]\w*+", re.ASCII)
# What sort of character each byte is: a small letter or digit, a capital, the rest of a word, or between words.
SORTS = bytes(
    ord("a" if each.islower() or each.isdigit() else "A" if each.isupper() else "_" if each == "_" else " ")
    if each.isascii()
    else ord(" ")
    for each in map(chr, range(256))
)
PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")

# Scripts written without spaces (Chinese, Japanese, Korean's Hanja): searched by pairs of characters.
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{3,}")

# Words that say nothing about the topic. They are indexed, but searched for only when nothing else is left.
STOPWORDS = frozenset(
    """
    a about after all also am an and any are as at be been before being but by can could did do does doing for
    from had has have having he her hers him his how i if in into is it its just me my of on or our ours she
    should so some such than that the their theirs them then there these they this those to too us was we were
    what when where which who whom whose why will with would you your yours tell show give please
    """.split()
)


def analyze(text: str) -> list[str]:
    """The terms of a text, in order, repeats kept.

    >>> analyze("Running the getUserName call")
    ['run', 'the', 'getusernam', 'call', 'get', 'user', 'name']
    """
    terms: list[str] = _analyzer().analyze(with_pieces(text))
    return terms


def with_pieces(text: str) -> str:
    """The text, followed by the pieces of the identifiers in it."""
    if not text.isascii():
        text += "".join(f" {run[place : place + 2]}" for run in UNSPACED.findall(text) for place in range(len(run) - 1))
    camels = camels_in(text)  # underscores need no help: the index splits at them by itself
    return f"{text} {' '.join(PIECE.findall(' '.join(camels)))}" if camels else text


def camels_in(text: str) -> list[str]:
    """The words of a text that CAMEL_CASE matches, found in half the time: only where a capital follows a small letter.

    >>> camels_in("getUserName, X9Files and _noneHere; HTTPServer2Go")
    ['getUserName', 'X9Files', 'HTTPServer2Go']
    """
    sorts = text.encode("latin-1", "replace").translate(SORTS)  # one byte for each character
    found = []
    at = sorts.find(b"aA")
    while at >= 0:
        end = sorts.find(b" ", at)
        end = end if end >= 0 else len(sorts)
        word = text[sorts.rfind(b" ", 0, at) + 1 : end]
        if CAMEL_CASE.match(word):
            found.append(word)
        at = sorts.find(b"aA", end)
    return found


def query_terms(text: str) -> list[str]:
    """What to search for: distinct terms, without those that say nothing, unless nothing else is left.

    >>> query_terms("What is the capital of France?")
    ['capit', 'franc']
    """
    terms = list(dict.fromkeys(analyze(text)))
    return [term for term in terms if term not in _stopword_stems()] or terms


@cache
def _analyzer() -> Any:
    return build_analyzer()


def build_analyzer() -> Any:
    """A fresh analyzer, to be registered with an index."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_TERM))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.stemmer("english"))
        .build()
    )


@cache
def _stopword_stems() -> frozenset[str]:
    # "don't" and "what's" fall apart at the apostrophe; the crumbs say nothing either.
    crumbs = {
        "s",
        "t",
        "d",
        "ll",
        "re",
        "ve",
        "m",
        "don",
        "didn",
        "doesn",
        "isn",
        "wasn",
        "aren",
        "won",
        "couldn",
    }
    return frozenset(term for word in STOPWORDS | crumbs for term in _analyzer().analyze(word))
