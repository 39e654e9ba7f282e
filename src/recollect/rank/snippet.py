"""The sentence of a text that best shows why it was found."""

from __future__ import annotations

import re

LONGEST = 240
MOST_SENTENCES = 50
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
WORD = re.compile(r"\w+")


def best_snippet(body: str, *, question: str) -> str:
    """The sentence that shares most words with the question, the first of several; cut to a readable length.

    >>> best_snippet("It rained. The SOL trade closed at 182. Then we left.", question="How did the SOL trade go?")
    'The SOL trade closed at 182.'
    """
    wanted = set(WORD.findall(question.lower()))
    sentences = SENTENCE.split(body)[:MOST_SENTENCES]
    best = max(sentences, key=lambda sentence: len(wanted.intersection(WORD.findall(sentence.lower()))))
    return best if len(best) <= LONGEST else best[: LONGEST - 1].rsplit(" ", 1)[0] + "…"
